import { expect, it } from 'vitest'
import { safeHtml } from '../../src/services/delivery/rich-text/html.js'
import type { MediaRecord } from '../../src/services/media/record.js'
import { htmlOfDocument, type RichTextTargets } from '../../src/systems/contentful/import/rich-text.js'
import { toContentful } from '../../src/systems/contentful/rich-text.js'

type RichNode = {
  nodeType: string
  data: object
  content?: RichNode[]
  value?: string
  marks?: { type: string }[]
}

const text = (value: string, ...marks: string[]): RichNode => ({
  ...{ nodeType: 'text', value, data: {} },
  marks: marks.map(type => ({ type })),
})
const node = (nodeType: string, content: RichNode[], data = {}): RichNode => ({ nodeType, data, content })
const p = (...content: RichNode[]) => node('paragraph', content)
const link = (uri: string, ...content: RichNode[]) => node('hyperlink', content, { uri })
const target = (linkType: string, id: string) => ({ target: { sys: { type: 'Link', linkType, id } } })
const document = (...content: RichNode[]) => node('document', content)

const picture = '01M7YZMHG0SCYJNYEA846VJ0FE'
const entry = '01M7YZMHG0SCYJNYEA846VJ0FG'
const lost: string[] = []
const targets: RichTextTargets = {
  entryTitle: id => (id === 'gone' ? undefined : `Entry <${id}>`),
  file: id => (id === 'gone' ? undefined : { title: 'List', alt: '"A" bike', isPicture: id === picture }),
  lose: sentence => lost.push(sentence),
}
const html = (...content: RichNode[]) => htmlOfDocument(document(...content), targets)

const record: MediaRecord = {
  ...{ media_id: picture, numeric_id: 1, name: 'bike.jpg', display_name: '', alt_text: '', caption: '' },
  ...{ description: '', mimetype: 'image/jpeg', size: 1, width: 1, height: 1, focal_x: null, focal_y: null },
  ...{
    url: '/bike.jpg',
    thumbhash: null,
    translations: {},
    variants: [],
    folder_id: null,
    author_id: '',
    date_created: '',
    date_modified: '',
  },
}
/** As it is stored, with addresses in their places. */
const stored = (written = '') =>
  written.replaceAll(`import:file:${picture}`, `/media/${picture}`).replaceAll(`import:entry:${entry}`, entry)
const delivered = (written: string | undefined) => toContentful(stored(written), new Map([[picture, record]]))

const cell = (kind: string, value: string) => node(kind, [p(text(value))])
const same: Record<string, RichNode[]> = {
  'a paragraph': [p(text('One & two < three'))],
  'an empty paragraph': [p(text('One')), p(text(''))],
  'lines in a paragraph': [p(text('One\nTwo'))],
  headings: [1, 2, 3, 4, 5, 6].map(level => node(`heading-${level}`, [text(`Level ${level}`)])),
  marks: [
    p(
      ...[text('a '), text('b', 'bold'), text('c', 'italic'), text('d', 'underline'), text('e', 'code')],
      ...[text('f', 'superscript'), text('g', 'subscript'), text('h', 'strikethrough')],
      ...[text(' and '), text('all', 'bold', 'italic', 'underline')],
    ),
  ],
  'a hyperlink': [p(text('See '), link('https://example.org/?a=1&b="2"', text('this')), text('.'))],
  'marks in a hyperlink': [p(link('/a', text('x'), text('y', 'bold')), link('/b', text('z')))],
  lists: [
    node('unordered-list', [
      node('list-item', [
        p(text('One')),
        node('ordered-list', [node('list-item', [p(text('Inner'))]), node('list-item', [p(text('Next'))])]),
      ]),
      node('list-item', [p(text('Two')), p(text('More'))]),
    ]),
  ],
  'a quote': [node('blockquote', [p(text('Said')), p(text('Done', 'italic'))])],
  'a rule': [p(text('One')), node('hr', []), p(text('Two'))],
  'a table': [
    node('table', [
      node('table-row', [cell('table-header-cell', 'Name'), cell('table-header-cell', 'Price')]),
      node('table-row', [
        cell('table-cell', 'Bike'),
        node('table-cell', [p(text('9')), p(text('or 10', 'bold'))]),
      ]),
    ]),
  ],
  'a picture': [p(text('One')), node('embedded-asset-block', [], target('Asset', picture)), p(text('Two'))],
  'an entry in a text': [
    p(text('By '), node('embedded-entry-inline', [], target('Entry', entry)), text('.')),
    node('embedded-entry-block', [], target('Entry', entry)),
    node('unordered-list', [
      node('list-item', [p(text('x')), node('embedded-entry-block', [], target('Entry', entry))]),
    ]),
  ],
  'a paragraph with nothing but an entry': [p(node('embedded-entry-inline', [], target('Entry', entry)))],
  'a link to an entry': [p(node('entry-hyperlink', [text('a'), text('b', 'bold')], target('Entry', entry)))],
  'lines of code': [p(text('\nif (a) {\n  b()\n}\n', 'code'))],
}

it.each(Object.entries(same))('delivers %s as it was', (_, content) => {
  const written = html(...content)
  expect(delivered(written)).toEqual(document(...content))
  // The rules of rich text keep all of it.
  expect(delivered(safeHtml(stored(written)))).toEqual(document(...content))
  expect(lost).toEqual([])
})

it('leaves out empty texts beside links', () => {
  const content = [p(text(''), link('/a', text('x')), text(''))]
  expect(delivered(html(...content))).toEqual(document(p(link('/a', text('x')))))
})

it('makes links of what has no place in HTML, and says so', () => {
  const other = target('Entry', 'a/b')
  expect(html(node('embedded-entry-block', [], other))).toBe(
    '<p><a href="#block-import:entry:a%2Fb">Entry &lt;a/b&gt;</a></p>',
  )
  expect(html(p(text('x '), node('embedded-entry-inline', [], other)))).toBe(
    '<p>x <a href="#inline-import:entry:a%2Fb">Entry &lt;a/b&gt;</a></p>',
  )
  expect(html(p(node('entry-hyperlink', [text('it', 'bold')], other)))).toBe(
    '<p><a href="#import:entry:a%2Fb"><strong>it</strong></a></p>',
  )
  expect(html(p(node('asset-hyperlink', [text('it')], target('Asset', 'list'))))).toBe(
    '<p><a href="import:file:list">it</a></p>',
  )
  expect(html(node('embedded-asset-block', [], target('Asset', 'list')))).toBe(
    '<p><a href="import:file:list">List</a></p>',
  )
  expect(html(node('embedded-asset-block', [], target('Asset', picture)))).toBe(
    `<p><img src="import:file:${picture}" alt="&quot;A&quot; bike"></p>`,
  )
  expect(new Set(lost.splice(0))).toEqual(
    new Set([
      'Links to files in rich text become plain links',
      'Files in rich text that are not images become links',
    ]),
  )
})

it('leaves out what the export lacks, but for its text', () => {
  const gone = target('Entry', 'gone')
  expect(html(node('embedded-entry-block', [], gone), p(node('entry-hyperlink', [text('it')], gone)))).toBe(
    '<p>it</p>',
  )
  expect(html(node('embedded-asset-block', [], target('Asset', 'gone')))).toBe('')
  expect(html(node('embedded-resource-block', [p(text('in'))], {}))).toBe('<p>in</p>')
  expect(lost.splice(0)).toHaveLength(4)
})

it('keeps no address that runs code, and no markup of texts', () => {
  expect(html(p(link('javascript:alert(1)', text('<script>'))))).toBe('<p>&lt;script&gt;</p>')
  expect(html(p(link('/"><img src=x>', text('x'))))).toBe(
    '<p><a href="/&quot;&gt;&lt;img src=x&gt;">x</a></p>',
  )
})

it('takes damaged documents', () => {
  const damaged: unknown[] = [null, 'text', [], {}, { nodeType: 'paragraph' }]
  for (const one of damaged) expect(htmlOfDocument(one, targets)).toBeUndefined()
  const odd = { nodeType: 'document', content: [null, 1, { nodeType: 'text' }, { nodeType: '__proto__' }] }
  expect(htmlOfDocument(odd, targets)).toBe('')
  const marks = { nodeType: 'text', value: 'x', marks: [{ type: 'toString' }, null, 'bold'] }
  expect(htmlOfDocument({ nodeType: 'document', content: [marks] }, targets)).toBe('x')
})
