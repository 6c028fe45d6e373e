import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { parseRichText } from '../../src/services/content/rich-text/parse.js'
import { safeHtml } from '../../src/services/delivery/rich-text/html.js'
import { toContentful } from '../../src/systems/contentful/rich-text.js'
import { toPortableText } from '../../src/systems/sanity/rich-text.js'
import { testApp } from '../support/app.js'

const app = await testApp()
const { call, db, logged } = app
const post = async (path: string, body: unknown) =>
  (await call('POST', `/api/v1${path}`, { as: 'admin', body })).body
const { datatype_id } = await post('/datatypes', { label: 'Page', type: 'content' })
const { field_id } = await post('/fields', {
  label: 'Text',
  name: 'text',
  field_type: 'richtext',
  parent_id: datatype_id,
})
const { route_id } = await post('/routes', { slug: '/', title: 'Home' })
const { content_data_id } = await post('/content', { datatype_id, route_id, status: 'published' })

const formats = ['clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress']
const times = (n: number, piece: (i: number) => string) =>
  Array.from({ length: n }, (_, i) => piece(i)).join('')
const reopening = `<p>${times(190, i => `<b a${i}>`)}x${'<p>x'.repeat(10_000)}`

/** What a browser or a parser makes very long or very slowly, with the bound that it is over. */
const growing: readonly (readonly [name: string, text: string, bound: string])[] = [
  ['formatting elements that every paragraph opens again', reopening, 'nested deeper than 100 elements'],
  [
    'overlapping elements',
    ['<b>', '<i>', 'x</b>', '</i>']
      .map(part => part.repeat(40))
      .join('')
      .repeat(12),
    'more than 16000 elements and texts',
  ],
  ['harmless paragraphs', '<p>x</p>'.repeat(20_000), 'more than 16000 elements and texts'],
  [
    'a long address for every text of a link',
    `<a href="https://${'x'.repeat(60_000)}">${'<b>x</b>'.repeat(3000)}`,
    'more than 1000000 characters of addresses',
  ],
  ['text', 'x'.repeat(500_001), 'longer than 500000 characters'],
  ['elements inside each other', '<div>'.repeat(101), 'nested deeper than 100 elements'],
]

describe('a rich text that grows when it is read', () => {
  it.each(growing)('is refused when it is written, with the bound: %s', async (_, text, bound) => {
    const { status, body } = await call('PUT', `/api/v1/content?q=${content_data_id}`, {
      as: 'admin',
      body: { fields: { text } },
    })
    expect([status, body]).toMatchObject([
      400,
      { error: expect.stringMatching(/^fields.text: text /), member: 'fields.text' },
    ])
    expect(body.error).toContain(bound)
  })

  it.each(growing)('stays small in every format where it is stored already: %s', (_, text) => {
    for (const shown of [safeHtml(text), toContentful(text), toPortableText(text, 'k')])
      expect(JSON.stringify(shown).length).toBeLessThan(5_000_000)
  })

  it('is shown with all its text where it is stored already, and the log names it', async () => {
    const user = await db.find(tables.users, {})
    await db.write(systemActor, async tx => {
      await tx.lockAndBumpTree(tables.contentTrees, content_data_id)
      await tx.insert(tables.contentFields, {
        content_data_id,
        field_id,
        locale: '',
        field_value: `${'<p>x</p>'.repeat(9000)}<p>last &amp; least</p>`,
        route_id,
        author_id: user?.user_id ?? '',
      })
    })
    for (const format of formats)
      expect([format, (await call('GET', `/?format=${format}`, { as: 'nobody' })).status]).toEqual([
        format,
        200,
      ])
    const { body } = await call('GET', '/?format=wordpress', { as: 'nobody' })
    expect(body.acf.text).toContain('last &#x26; least')
    expect(logged.filter(({ fields }) => 'field_id' in fields && fields.field_id === field_id)).toMatchObject(
      ['contentful', 'sanity', 'wordpress'].map(() => ({
        level: 'warn',
        message: expect.stringContaining('16000'),
      })),
    )
  })
})

it('takes an article of 200 KB with 5,000 elements and texts', () => {
  const text = times(
    1000,
    i => `<p>Paragraph <strong>${i}</strong> of a <em>long</em> text. ${'More words. '.repeat(13)}</p>\n`,
  )
  expect(text.length).toBeGreaterThan(200_000)
  expect(parseRichText(text).problem).toBeUndefined()
})

it.each([
  [
    'paragraphs without an end',
    '<p>a<p>b<ul><li>c<li>d</ul>',
    '<p>a</p><p>b</p><ul><li>c</li><li>d</li></ul>',
  ],
  ['marks that overlap', '<b>1<i>2</b>3</i>4', '<b>1<i>2</i></b><i>3</i>4'],
  [
    'a table without its body',
    '<table><tr><td>a<td>b<tr><th>c</table>d',
    '<table><tbody><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></tbody></table>d',
  ],
  ['text between cells', '<table>a<tr>b<td>c</table>', 'ab<table><tbody><tr><td>c</td></tr></tbody></table>'],
  ['cells outside of a table', '<td>a</td><tr>b', 'ab'],
  ['a link in a link', '<a href="/a">a<a href="/b">b', '<a href="/a">a</a><a href="/b">b</a>'],
  ['unknown elements', '<section><font color=red>a</font></section>', 'a'],
  ['references', '&eacute;&nbsp;&#65;&#x42; &lt;b&gt; &unknown;', 'é\u00a0AB &#x3C;b> &#x26;unknown;'],
  ['attributes without quotes', '<img src=/a.png alt=x width=3>', '<img src="/a.png" alt="x" width="3">'],
  ['quotes in attributes', `<img alt='"><script>'>`, '<img alt="&#x22;><script>">'],
  ['comments', 'a<!-- <b> -->b<!-->c<!x>d', 'abcd'],
  ['a tag that does not end', '<p>a</p><img src="x', '<p>a</p>'],
  ['an end tag that does not end', '<p>a</p\n', '<p>a</p>'],
  ['quotes in an end tag', '<p>a</p x=">">b', '<p>a</p>b'],
  ['scripts in any case', 'a<SCRIPT>x</ScRiPt >b<svg><a>y</a></svg>c', 'abc'],
  [
    'schemes in any writing',
    '<a href="JavaScript&colon;x">a</a><a href="HTTPS://x">b</a>',
    '<a>a</a><a href="HTTPS://x">b</a>',
  ],
  ['the first line of preformatted text', '<pre>\na\n</pre>', '<pre>a\n</pre>'],
])('reads %s as browsers do', (_, given, shown) => {
  expect(safeHtml(given)).toBe(shown)
})
