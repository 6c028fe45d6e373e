import { kept, voids } from '../../src/services/content/rich-text/rules.js'
import { chooser } from './random.js'

const words = [
  'one',
  'two words',
  ' a ',
  ' ',
  '\n  ',
  'x\u00a0y',
  '日本',
  'e\u0301',
  '&amp;',
  '&lt;b&gt;',
  '"',
  '👩‍👩‍👧',
  'tab\tbed',
]
const marks = ['a', 'b', 'code', 'del', 'em', 'i', 'ins', 's', 'span', 'strike', 'strong', 'sub', 'sup', 'u']
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const values: Readonly<Record<string, readonly string[]>> = {
  href: ['/about', 'https://example.com/?a=1&amp;b=2', 'mailto:a@example.com', '#top', 'x&quot;y'],
  src: ['/p.png', 'https://example.com/p.png'],
  title: ['T', 'A &quot;B&quot;', ''],
  alt: ['', 'What it shows', '&lt;i&gt;'],
  width: ['10'],
  height: ['20'],
  start: ['3'],
  colspan: ['1'],
  rowspan: ['1'],
  class: ['wide', 'wp-block-x has-y'],
  target: ['_blank'],
  rel: ['noopener nofollow'],
  'data-block': ['{&quot;style&quot;:&quot;lead&quot;}', '{}', 'x'],
  'data-mark': ['&quot;x&quot;', '{&quot;_type&quot;:&quot;n&quot;}'],
}

/** Generates documents that `rules.ts` allows: each element, nested as HTML allows, with and without attributes. */
export function richTexts(seed: number) {
  const { below, one } = chooser(seed)
  const maybe = (html: () => string, outOf = 2) => (below(outOf) === 0 ? html() : '')
  const some = (most: number, html: () => string) => Array.from({ length: 1 + below(most) }, html).join('')
  const tag = (name: string) => {
    const isObject = name === 'div' || name === 'span'
    const isUnclassed = ['table', 'td', 'th', 'code', 'blockquote'].includes(name)
    const attributes = [...(kept.get(name) ?? [])].filter(key =>
      key === 'class' || key.startsWith('data-')
        ? below(6) === 0 && !(isObject && key === 'data-block') && !(isUnclassed && key === 'class')
        : below(3) > 0,
    )
    return `<${name}${attributes.map(key => ` ${key}="${one(values[key] ?? [''])}"`).join('')}>`
  }
  const element = (name: string, inner: string) =>
    voids.has(name) ? tag(name) : `${tag(name)}${inner}</${name}>`
  /** Links are never nested. */
  const inline = (depth: number, inLink = false): string =>
    some(4, () => {
      const kind = below(10)
      if (kind < 5 || depth <= 0) return one(words)
      if (kind < 6) return element(one(['br', 'img']), '')
      const name = one(inLink ? marks.slice(1) : marks)
      return element(name, below(8) === 0 ? '' : inline(depth - 1, inLink || name === 'a'))
    })
  const blank = () => maybe(() => '\n', 3)
  const cells = (count: number) =>
    Array.from({ length: count }, () => element(one(['td', 'td', 'th']), holding(1))).join(blank())
  const wide = (count: number) => `<td colspan="${count}">${inline(1)}</td>`
  /** Sometimes a row is too short or too long. */
  const row = (count: number) =>
    below(5) === 0 ? wide(count) : cells(below(40) === 0 ? 1 + below(4) : count)
  const rows = (count: number) => some(3, () => `<tr>${blank()}${row(count)}</tr>${blank()}`)
  const table = () => {
    const count = 1 + below(3)
    const parts = [
      maybe(() => `<thead>${rows(count)}</thead>`),
      below(4) > 0 ? `<tbody>${rows(count)}</tbody>` : rows(count),
      maybe(() => `<tfoot>${rows(count)}</tfoot>`, 4),
    ]
    return `<table>${blank()}${parts.join(blank())}</table>`
  }
  const list = (depth: number) =>
    element(one(['ul', 'ol']), blank() + some(3, () => element('li', holding(depth - 1)) + blank()))
  /** Text, blocks, or both. */
  const holding = (depth: number): string => {
    const kind = below(6)
    if (kind < 3 || depth <= 0) return inline(1)
    if (kind < 4) return inline(1) + block(depth)
    return blocks(depth)
  }
  const code = () => {
    const text = `${maybe(() => '\n')}let a = 1\n  b &lt; c\n`
    const language = maybe(() => ' class="language-ts"', 4)
    return below(3) > 0 ? `<pre><code${language}>${text}</code></pre>` : `<pre>${text}</pre>`
  }
  const figure = (depth: number) =>
    `<figure>${below(2) === 0 ? tag('img') : block(depth - 1)}${maybe(() => element('figcaption', holding(depth - 1)))}</figure>`
  const unknown = () =>
    one([
      '<iframe src="https://www.youtube.com/embed/abc" title="A film" allowfullscreen=""></iframe>',
      `<video controls="" src="/a.mp4"><source src="/a.webm" type="video/webm"></video>`,
      '<figure class="wp-block-audio"><audio controls="" src="/a.mp3"></audio></figure>',
      `<details open=""><summary>${one(words)}</summary>${inline(1)}</details>`,
      `<dl class="terms"><dt>${one(words)}</dt><dd>${inline(1)}</dd></dl>`,
    ])
  const block = (depth: number): string => {
    if (below(900) === 0) return unknown()
    const kind = below(depth > 0 ? 12 : 4)
    if (kind < 3) return element('p', below(9) === 0 ? '' : inline(2))
    if (kind < 4) return element(one(headings), inline(1))
    if (kind < 6) return list(depth)
    if (kind < 7) return element('blockquote', holding(depth - 1))
    if (kind < 8) return code()
    if (kind < 9) return '<hr>'
    if (kind < 10) return element('div', holding(depth - 1))
    if (kind < 11) return table()
    return figure(depth)
  }
  const blocks = (depth: number): string => some(3, () => block(depth) + blank())
  return () => (below(12) === 0 ? inline(2) : '') + blocks(2) + (below(12) === 0 ? inline(2) : '')
}
