import { marked } from 'marked'
import { expect, it } from 'vitest'
import { parseRichText } from '../../src/services/content/rich-text/parse.js'
import { Flow, markdownOf } from '../../src/systems/markdown/write/blocks.js'
import { inline, runsOfLines } from '../../src/systems/markdown/write/inline.js'
import { atOnce } from '../../src/turns.js'
import { amount } from '../support/effort.js'
import { chooser } from '../support/random.js'
import { type Leaf, leavesIn } from '../support/read-markdown.js'

const written = (html: string): string => {
  const flow = new Flow()
  for (const block of atOnce(markdownOf(parseRichText(html).root, '', new Map()))) flow.add(block)
  return flow.text
}

it.each([
  [
    '<p>One <strong>two</strong> <em>three</em> <s>four</s> <code>five</code></p>',
    'One **two** _three_ ~~four~~ `five`',
  ],
  ['<p><strong>Bold </strong>and<em> slanted</em></p>', '**Bold** and _slanted_'],
  ['<p><strong><em>both</em></strong></p>', '**_both_**'],
  ['<p><u>under</u> H<sub>2</sub>O</p>', 'under H2O'],
  // Readers would show the asterisks.
  ['<p><strong>Note:</strong>then</p>', 'Note:then'],
  ['<p>in<em>ter</em>nal in<strong>ter</strong>nal</p>', 'internal in**ter**nal'],
  ['<p>snake_case _x_ 5 * 3 [a](b) `c`</p>', 'snake_case \\_x\\_ 5 \\* 3 \\[a\\]\\(b) \\`c\\`'],
  ['<p>AT&amp;T &amp;copy; &lt;b> 1 &lt; 2</p>', 'AT&T \\&copy; \\<b> 1 < 2'],
  ['<p># a</p><p>1. b</p><p>- c</p><p>-5</p><p>> d</p>', '\\# a\n\n1\\. b\n\n\\- c\n\n-5\n\n\\> d'],
  ['<h2>Title #</h2><h3>C#</h3>', '## Title \\#\n\n### C#'],
  ['<p>a<br>- b</p>', 'a\\\n\\- b'],
  ['<p>a<br><br>b<br></p>', 'a\n\nb'],
  ['<p><a href="/about">About <b>us</b></a>!</p>', '[About **us**](/about)!'],
  ['<p>See!<a href="/x">x</a></p>', 'See\\![x](/x)'],
  ['<p><a href="https://a.example/">https://a.example/</a></p>', '<https://a.example/>'],
  ['<p><a href="mailto:a@b.example">a@b.example</a></p>', '<a@b.example>'],
  ['<p>At https://a.example/x_y, or a@b.example.</p>', 'At <https://a.example/x_y>, or <a@b.example>.'],
  ['<p><a href="/a b(c)">x</a></p>', '[x](</a b(c)>)'],
  ['<p><a href="javascript:alert(1)">x</a></p>', 'x'],
  ['<p><img src="/m.jpg" alt="A [b]"></p>', '![A \\[b\\]](/m.jpg)'],
  ['<p><a href="/x"><img src="/m.jpg" alt=""></a></p>', '[![](/m.jpg)](/x)'],
  ['<figure><img src="/m.jpg" alt="a"><figcaption>b</figcaption></figure>', '![a](/m.jpg)\n\nb'],
  ['<ul><li>a</li><li><p>b</p><ul><li>c</li></ul></li></ul>', '- a\n- b\n  - c'],
  ['<ol start="9"><li>a</li><li>b<ol><li>c</li></ol></li></ol>', '9. a\n10. b\n    1. c'],
  ['<ul><li><p>a</p><p>b</p></li></ul>', '- a\n\n  b'],
  ['<ul><li>a</li></ul><ul><li>b</li></ul>', '- a\n\n* b'],
  ['<ul><li></li><li>b</li></ul>', '-\n- b'],
  ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
  ['<pre><code>a\n  b ``` c\n</code></pre>', '````\na\n  b ``` c\n````'],
  ['<p><code>a ` b</code> <code>`</code></p>', '``a ` b`` `` ` ``'],
  ['<hr>', '___'],
  [
    '<table><tr><th>A|B</th><th>C</th></tr><tr><td><p>d</p><p>e</p></td><td><code>a|b</code></td><td>f</td></tr></table>',
    '| A\\|B | C |  |\n| --- | --- | --- |\n| d e | a\\|b | f |',
  ],
  ['<p>un\u00a0deux</p>', 'un\u00a0deux'],
  ['', ''],
])('writes %s', (html, markdown) => expect(written(html)).toBe(markdown))

it('writes the lines of a plain text', () => {
  expect(inline(runsOfLines('Gasse 1\r\n  1010 Wien\n\n\n# Tel'), 'block')).toBe(
    'Gasse 1\\\n1010 Wien\n\n\\# Tel',
  )
})

it('keeps no quote or list beyond its depth, and all of its text', () => {
  const deep = written(`${'<blockquote><ul><li>'.repeat(24)}<p>deep</p>`)
  expect(deep).toBe(`${'> - '.repeat(6)}deep`)
})

const hostile = [
  ...[
    '# x',
    '[a](javascript:alert(1))',
    '<script>alert(1)</script>',
    '`',
    '``',
    '```',
    '|',
    '| a | b |',
    '|---|---|',
  ],
  ...[
    '🙂',
    'שלום',
    '1. a',
    '2) b',
    '- b',
    '+ c',
    '> q',
    '* d',
    '_e_',
    '**f**',
    '~~g~~',
    '&amp;',
    '&copy;',
    '&',
    ';',
  ],
  ...[
    '\\',
    '===',
    '---',
    '***',
    '___',
    '![i](x)',
    '<https://a.b>',
    'https://x.example/a_b?c=*d*)',
    'http:',
    '//x',
  ],
  ...[
    'www.example.com',
    'a@b.example',
    '@',
    '[^1]',
    '[^1]: x',
    '[ ] todo',
    '[x]: y',
    'a_b_c',
    '!',
    '<!-- c -->',
  ],
  ...[
    '\u00a0',
    '\u2028',
    '。',
    '”',
    ':-',
    ':',
    '$x$',
    '<',
    '>',
    '/b>',
    'copy;',
    '#',
    '~',
    '~~~',
    '*',
    '_',
    '(',
    ')',
  ],
  ...[
    'word',
    'Zwei Wörter',
    'end.',
    '太字',
    'javascript:alert(1)',
    'é',
    '\u200d',
    '\ufeff',
    '😀😀',
    '=',
    '-',
    '1.',
    ']',
  ],
]
const addresses = [
  ...[
    '/about',
    'https://a.example/?a=1&copy;=2',
    '/a b',
    '/(x)',
    '/<y>',
    '/a\\b',
    'mailto:a@b.example',
    '/|',
    '#x',
    '/*a*_b_',
  ],
  ...['tel:+43', 'https://ä.example/ü', '//other.example', '?q=`'],
]
const unsafe = ['javascript:alert(1)', 'JaVa\nScript:alert(1)', 'data:text/html,x', 'vbscript:x']

const html = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
/** As a browser shows white space. */
const shown = (text: string) =>
  text
    .replaceAll(/[ \t\n\r\f]+/g, ' ')
    .split('\u0001')
    .map(line => line.replace(/^ | $/g, ''))
    .join('\n')

type Made = { readonly html: string; readonly leaves: readonly Leaf[] }

function maker(seed: number) {
  const { below, one } = chooser(seed)
  const times = <T>(most: number, make: () => T): T[] => Array.from({ length: 1 + below(most) }, make)
  const words = () => times(3, () => one(hostile)).join(below(2) === 0 ? ' ' : '')

  /** Inline content, in which every line has a word, so that a line is a line. */
  function line(isLong = true) {
    const links: string[] = []
    let text = ''
    let wasLink = false
    const part = (): string => {
      const own = words()
      // Neighbours with one address are one link.
      const kind = wasLink ? below(7) : below(10)
      wasLink = kind > 8
      if (kind < 4) {
        text += own
        return html(own)
      }
      const tag = one(['strong', 'em', 's', 'code', 'b', 'u'])
      if (kind < 7) {
        text += own
        return `<${tag}>${html(own)}</${tag}>`
      }
      if (kind === 7) {
        text += `${own}in`
        return `<${tag}><em>${html(own)}</em>in</${tag}>`
      }
      if (kind === 8) {
        const [alt, src] = [words(), '/media/x.jpg']
        text += '\ufffc'
        links.push(`!${shown(alt.replaceAll(/\s+/g, ' ').trim())}>${src}`)
        return `<img src="${src}" alt="${html(alt)}">`
      }
      const isSafe = below(4) > 0
      const href = isSafe ? one(addresses) : one(unsafe)
      text += `.${own}.`
      if (isSafe) links.push(`${shown(`.${own}.`)}>${href}`)
      return `.<a href="${html(href)}">${html(`.${own}.`)}</a>`.slice(1)
    }
    const parts = times(3, () => {
      const space = one(['', ' '])
      text += space
      return space + part()
    })
    let made = `w${parts.join('')}w`
    text = `w${text}w`
    if (isLong && below(4) === 0) {
      const next = words()
      made += `<br>${html(next)}v`
      text += `\u0001${next}v`
    }
    return { html: made, text: shown(text), links }
  }

  function block(path: string, depth: number): Made {
    const kind = below(depth > 2 ? 5 : 9)
    if (kind < 3) {
      const { html, ...own } = line()
      return { html: `<p>${html}</p>`, leaves: [{ path: `${path}p`, ...own }] }
    }
    if (kind === 3) {
      const { html, ...own } = line(false)
      const level = 1 + below(6)
      return { html: `<h${level}>${html}</h${level}>`, leaves: [{ path: `${path}h${level}`, ...own }] }
    }
    if (kind === 4) {
      const text = `x${times(3, words).join('\n  ')}`
      return {
        html: `<pre><code>${html(text)}</code></pre>`,
        leaves: [{ path: `${path}pre`, text, links: [] }],
      }
    }
    if (kind === 5) {
      const inner = blocks(`${path}quote>`, depth + 1)
      return { html: `<blockquote>${inner.html}</blockquote>`, leaves: inner.leaves }
    }
    if (kind === 6) {
      const [rows, columns] = [1 + below(3), 1 + below(3)]
      const leaves: Leaf[] = []
      const cell = (n: number, m: number) => {
        const { html, ...own } = line(false)
        leaves.push({ path: `${path}table[${n},${m}]`, ...own })
        return `<td>${html}</td>`
      }
      const all = Array.from({ length: rows }, (_, n) =>
        Array.from({ length: columns }, (_, m) => cell(n, m)).join(''),
      )
      return { html: `<table>${all.map(row => `<tr>${row}</tr>`).join('')}</table>`, leaves }
    }
    const tag = one(['ul', 'ol'])
    const start = below(3) === 0 ? below(100) : 1
    const items = times(3, () => 0).map((_, n) =>
      blocks(`${path}${tag === 'ol' ? start + n : '-'}>`, depth + 1),
    )
    const inner = items.map(item => `<li>${item.html}</li>`).join('')
    return {
      html: tag === 'ol' ? `<ol start="${start}">${inner}</ol>` : `<ul>${inner}</ul>`,
      leaves: items.flatMap(({ leaves }) => leaves),
    }
  }

  function blocks(path: string, depth: number): Made {
    const made = times(depth === 0 ? 5 : 2, () => block(path, depth))
    return { html: made.map(one => one.html).join(''), leaves: made.flatMap(one => one.leaves) }
  }
  return blocks('', 0)
}

const rounds = amount(400, 20_000)

it(`${rounds} random texts are read as they were written, and as nothing else`, () => {
  for (let seed = 1; seed <= rounds; seed++) {
    const { html, leaves } = maker(seed)
    const markdown = written(html)
    expect({ seed, markdown, leaves: leavesIn(markdown) }).toEqual({ seed, markdown, leaves })
  }
})

it('another reader finds no HTML either, and no address that runs anything', () => {
  const tags =
    /^(?:p|h[1-6]|[ou]l|li|blockquote|pre|code|table|thead|tbody|t[hrd]|a|img|strong|em|del|br|hr)$/
  const found: string[] = []
  for (let seed = 1; seed <= rounds; seed++) {
    const shown = marked.parse(written(maker(seed).html), { async: false })
    for (const [tag, name = '', rest = ''] of shown.matchAll(/<\/?([^\s>/]*)([^>]*)>/g)) {
      const address = /\b(?:href|src)="([^"]*)"/.exec(rest)?.[1]
      const isSafe = address === undefined || !/^[^/?#]*(?:script|data):/i.test(address)
      if (!tags.test(name) || !isSafe) found.push(`${seed} ${tag}`)
    }
  }
  expect(found).toEqual([])
})
