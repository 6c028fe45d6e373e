import { documentToHtmlString } from '@contentful/rich-text-html-renderer'
import { toHTML } from '@portabletext/to-html'
import { describe, expect, it } from 'vitest'
import { safeHtml } from '../../src/services/delivery/rich-text/html.js'
import { toContentful } from '../../src/systems/contentful/rich-text.js'
import { toPortableText } from '../../src/systems/sanity/rich-text.js'

const html = `
<h2>Tea &amp; <em>biscuits</em></h2>
<p>Hello <strong>brave <u>new</u></strong> <a href="https://example.com/?a=1&amp;b=2">world</a>.<br>Second line</p>
<blockquote><p>Said somebody</p></blockquote>
<ul><li>One</li><li>Two<ol><li>Two and a half</li></ol></li></ul>
<pre>a  =  1
b</pre>
<hr>
<table><tbody><tr><th>Day</th><td>Monday</td></tr></tbody></table>
loose text`

/** Checks the rules of a document that the renderer does not check by itself. */
function checkDocument(node: {
  nodeType: string
  content?: unknown[]
  data: unknown
  marks?: unknown[]
  value?: unknown
}): void {
  expect(node.data).toBeTypeOf('object')
  if (node.nodeType === 'text') {
    expect([typeof node.value, Array.isArray(node.marks)]).toEqual(['string', true])
    return
  }
  expect(Array.isArray(node.content)).toBe(true)
  for (const child of node.content as (typeof node)[]) {
    if (/^(paragraph|heading)/.test(node.nodeType)) expect(child.nodeType).toMatch(/^(text|hyperlink)$/)
    if (/-list$/.test(node.nodeType)) expect(child.nodeType).toBe('list-item')
    if (node.nodeType === 'table-row') expect(child.nodeType).toMatch(/^table-(header-)?cell$/)
    if (node.nodeType === 'blockquote') expect(child.nodeType).toBe('paragraph')
    checkDocument(child)
  }
}

describe('rich text', () => {
  it('becomes a document that Contentful’s own renderer shows', () => {
    const document = toContentful(html)
    checkDocument(document)
    const shown = documentToHtmlString(document as never)
    for (const part of [
      '<h2>Tea &amp; <i>biscuits</i></h2>',
      '<p>Hello <b>brave </b>',
      '<u>',
      '<a href="https://example.com/?a=1&b=2">world</a>.\nSecond line</p>',
      '<blockquote><p>Said somebody</p></blockquote>',
      '<ul><li><p>One</p></li><li><p>Two</p><ol><li><p>Two and a half</p></li></ol></li></ul>',
      '<p>a  =  1\nb</p>',
      '<hr/>',
      '<table><tr><th><p>Day</p></th><td><p>Monday</p></td></tr></table>',
      '<p>loose text</p>',
    ])
      expect(shown).toContain(part)
  })

  it('becomes Portable Text that its own renderer shows, with keys that stay', () => {
    const blocks = toPortableText(html, '01VALUE')
    expect(toPortableText(html, '01VALUE')).toEqual(blocks)
    const keys = JSON.stringify(blocks).match(/"_key":"[^"]+"/g) ?? []
    expect(new Set(keys).size).toBe(keys.length)
    for (const block of blocks as Record<string, unknown>[]) {
      expect(block).toMatchObject({
        _type: 'block',
        markDefs: expect.any(Array),
        children: expect.any(Array),
      })
      for (const span of block.children as Record<string, unknown>[])
        expect(span).toMatchObject({ _type: 'span', text: expect.any(String), marks: expect.any(Array) })
    }
    const shown = toHTML(blocks as never, {
      onMissingComponent: message => {
        throw new Error(message)
      },
      components: { marks: { sub: ({ children }) => `<sub>${children}</sub>` } },
    })
    for (const part of [
      '<h2>Tea &amp; <em>biscuits</em></h2>',
      '<strong>brave <span style="text-decoration:underline">new</span></strong>',
      '<a href="https://example.com/?a=1&amp;b=2">world</a>.<br/>Second line</p>',
      '<blockquote>Said somebody</blockquote>',
      '<ul><li>One</li><li>Two<ol><li>Two and a half</li></ol></li></ul>',
      '<p>loose text</p>',
    ])
      expect(shown).toContain(part)
  })

  it.each([
    ['<script>alert(1)</script><p>x</p>', '<p>x</p>'],
    ['<p onclick="alert(1)" style="x" id="a" class="b">x</p>', '<p class="b">x</p>'],
    ['<a href="/x" target="top" rel="no<b>" class="\u0001">x</a>', '<a href="/x">x</a>'],
    ['<video src="javascript:alert(1)" poster="data:x" onplay="x()" autoplay></video>', '<video></video>'],
    ['<iframe srcdoc="<script>alert(1)</script>" src="https://www.youtube.com.evil.example/x"></iframe>', ''],
    ['<iframe src="//www.youtube.com@evil.example/"></iframe>', ''],
    ['<iframe src="http://www.youtube.com/embed/a"></iframe>', ''],
    ['<iframe src="https://www.google.com/search?q=a"></iframe>x', 'x'],
    ['<iframe src="/admin"></iframe>x', 'x'],
    ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['<a href=" java\nscript:alert(1)">x</a>', '<a>x</a>'],
    ['<img src=x onerror=alert(1)>', '<img src="x">'],
    ['<svg><script>alert(1)</script></svg><iframe src="https://x"></iframe>y', 'y'],
    ['<b>unclosed', '<b>unclosed</b>'],
    ['1 < 2 & 3', '1 &#x3C; 2 &#x26; 3'],
    [
      '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
      '',
    ],
    ['<!-- x --><?php x ?><![CDATA[x]]>', ''],
  ])('lets nothing through that runs: %j', (given, safe) => {
    const made = safeHtml(given)
    expect(made).not.toMatch(/onerror=|<script|javascript:|<svg|<iframe|onclick/i)
    if (safe !== '') expect(made).toBe(safe)
  })

  it.each([
    [
      '<iframe src="https://www.youtube.com/embed/a?b=1&amp;c=2" title="T" width="5" allow="x" allowfullscreen><b>x</iframe>y',
      '<iframe src="https://www.youtube.com/embed/a?b=1&#x26;c=2" title="T" width="5" allowfullscreen=""></iframe>y',
    ],
    [
      '<iframe src=https://www.google.com/maps/embed?pb=1></iframe>',
      '<iframe src="https://www.google.com/maps/embed?pb=1"></iframe>',
    ],
    [
      '<video controls poster="/p.png"><source src="/a.mp4" type="video/mp4">None</video>',
      '<video controls="" poster="/p.png"><source src="/a.mp4" type="video/mp4">None</video>',
    ],
    ['<dl><dt>a<dd>b</dl>', '<dl><dt>a</dt><dd>b</dd></dl>'],
    [
      '<details open><summary>a</summary><p>b</details>',
      '<details open=""><summary>a</summary><p>b</p></details>',
    ],
    [
      '<a href="/x" target="_blank" rel="noopener">x</a>',
      '<a href="/x" target="_blank" rel="noopener">x</a>',
    ],
  ])('keeps players, terms and what can be opened: %j', (given, made) => {
    expect(safeHtml(given)).toBe(made)
  })

  it.each([
    ['nesting', '<div>'.repeat(100_000)],
    ['formatting', '<b><i>'.repeat(50_000)],
    ['ends before beginnings', '</b>'.repeat(100_000) + '<b>'.repeat(100_000)],
    ['ends between beginnings', '<div></b>'.repeat(100_000)],
    ['rows in drawings', `<svg>${'<tr>'.repeat(100_000)}`],
    ['names of its own', '<x-a>'.repeat(100_000)],
    ['links', '<a href="x">'.repeat(50_000)],
    ['lists', '<ul><li>'.repeat(50_000)],
    ['lines', '<br>'.repeat(20_000)],
    ['nothing', ''],
  ])('takes any amount of %s', (_, given) => {
    expect(safeHtml(given)).toBeTypeOf('string')
    checkDocument(toContentful(given))
    expect(Array.isArray(toPortableText(given, 'k'))).toBe(true)
  })
})

it.each([
  ['<p>one <svg><path d="x"></path></svg</p><p>two</p><h2>three</h2>', '<p>one </p><p>two</p><h2>three</h2>'],
  ['a<svg><title>t</title><p>b</p>c', 'a<p>b</p>c'],
  ['a<svg><a href="/x">y</a></svg>b', 'ab'],
])('loses no words behind a drawing without an end: %s', (html, expected) => {
  expect(safeHtml(html)).toBe(expected)
})
