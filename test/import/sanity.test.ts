import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseRichText } from '../../src/services/content/rich-text/parse.js'
import { Notes } from '../../src/services/import/notes.js'
import type { ExportFiles, ImportedSite } from '../../src/services/import/site.js'
import type { MediaRecord } from '../../src/services/media/record.js'
import { htmlOfBlocks } from '../../src/systems/sanity/import/blocks.js'
import { readSanity } from '../../src/systems/sanity/import/index.js'
import { toPortableText } from '../../src/systems/sanity/rich-text.js'

/** Files by their names; undefined for those that nobody reads. */
const exportOf = (texts: Record<string, string | undefined>): ExportFiles => ({
  names: Object.keys(texts),
  text: async name => texts[name] ?? '',
  async *lines(name) {
    yield* (texts[name] ?? '').split('\n')
  },
})
const fixture = (name: string) => readFileSync(`test/fixtures/import/sanity/${name}`, 'utf8')
const documents = (...all: object[]) =>
  exportOf({ 'data.ndjson': all.map(one => JSON.stringify(one)).join('\n') })

const folder = 'production-export-2026-11-23t19-34-34-112z'
const bike = '955622de481f589274315be0e574f31134265b7d-64x48'
const face = 'ae77b2f6d4a389e0adf475e47236a7e8a314250e-32x32'
const whole = exportOf({
  [`${folder}/data.ndjson`]: fixture('data.ndjson'),
  [`${folder}/assets.json`]: fixture('assets.json'),
  [`${folder}/images/${bike}.png`]: undefined,
  [`${folder}/images/${face}.png`]: undefined,
  [`${folder}/images/0cc4b58670e81876a7f317c5ae35bb30b091703b-16x16.png`]: undefined,
  [`${folder}/files/4cabfc449c42e4e20888a0cd1cb4d4fd652baf88.pdf`]: undefined,
  [`${folder}/files/6eca8837765a13effb307d79131ccd25f9ca0191-mp4.bin`]: undefined,
})
const raw = exportOf({ 'raw.ndjson': fixture('raw.ndjson') })

const sorted = (site: ImportedSite) => [...site.files].sort((a, b) => (a.key < b.key ? -1 : 1))

it('reads an export', async () => {
  const site = await readSanity(whole)
  expect({ ...site, entries: site.entries.map(({ source: _, ...one }) => one) }).toEqual(
    JSON.parse(fixture('expected.json')),
  )
})

it('reads a raw export as the same, with addresses of the files', async () => {
  const [full, other] = [await readSanity(whole), await readSanity(raw)]
  expect({ ...other, files: [] }).toEqual({ ...full, files: [] })
  const withoutPlace = ({ at, url, ...file }: ImportedSite['files'][number]) => file
  expect(sorted(other).map(withoutPlace)).toEqual(sorted(full).map(withoutPlace))
  expect(sorted(other).map(({ url }) => url?.replace(/^https:\/\/cdn\.sanity\.io/, ''))).toEqual([
    '/files/p/production/4cabfc449c42e4e20888a0cd1cb4d4fd652baf88.pdf',
    '/files/p/production/6eca8837765a13effb307d79131ccd25f9ca0191.mp4',
    '/images/p/production/0cc4b58670e81876a7f317c5ae35bb30b091703b-16x16.png',
    `/images/p/production/${bike}.png`,
    `/images/p/production/${face}.png`,
  ])
})

it('finds out the types of fields', async () => {
  const values = {
    text: ['a', 'b', 'c'],
    long: ['x'.repeat(151), 'short'],
    lines: ['a\nb'],
    day: ['2026-01-31', '2026-02-28'],
    time: ['2026-01-31T10:00:00Z'],
    halfDays: ['2026-01-31', 'soon'],
    url: ['https://a.example'],
    see: ['https://a.example', 'https://b.example', 'https://c.example'],
    seeTwo: ['https://a.example', 'https://b.example'],
    email: ['a@b.example'],
    colour: ['#fff', '#000', '#123'],
    count: [1, '', 2.5, -3e20],
    blank: [''],
    flag: [true, false],
    both: [1, '1'],
    list: [['a'], []],
    lists: [[], []],
    picture: [{ _type: 'image' }, { _type: 'image', alt: 'x' }],
    place: [{ _type: 'geopoint', lat: 1, lng: 2 }],
    other: [{ _type: 'crossDatasetReference', _ref: 'd1', _dataset: 'other', _projectId: 'p' }],
    own: [{ _type: 'authorReference', _ref: 'd1' }],
    lost: [{ _type: 'reference', _ref: 'gone' }],
    titles: [[{ _key: 'en', _type: 'internationalizedArrayStringValue', value: 'Title' }]],
    flow: [[{ _type: 'block', children: [], markDefs: [] }], [{ _type: 'image' }], [{ _type: 'chart' }]],
    parts: [[{ _type: 'hero' }], []],
    mixedParts: [[{ _type: 'hero' }, { _type: 'reference', _ref: 'd1' }]],
    wrongParts: [[{ _type: 'not a name' }]],
    constructor: ['c'],
  }
  const all = Object.entries(values).flatMap(([name, list]) =>
    list.map((value, i) => ({ _id: `${name}${i}`, _type: 'all', [name]: value })),
  )
  const { types, notes } = await readSanity(documents(...all, { _id: 'd1', _type: 'author' }))
  const [type] = types.filter(({ name }) => name === 'all')
  const media = { type: 'media', data: { kinds: ['image'] } }
  expect(Object.fromEntries((type?.fields ?? []).map(field => [field.name, field]))).toEqual(
    Object.fromEntries(
      Object.entries({
        ...{ text: { type: 'text' }, long: { type: 'textarea' }, lines: { type: 'textarea' } },
        ...{ day: { type: 'date' }, time: { type: 'datetime' }, halfDays: { type: 'text' } },
        ...{ url: { type: 'url' }, see: { type: 'url' }, seeTwo: { type: 'text' } },
        ...{ email: { type: 'email' }, colour: { type: 'text' }, count: { type: 'number' } },
        ...{
          flag: { type: 'boolean' },
          both: { type: 'json' },
          blank: { type: 'text' },
          list: { type: 'json' },
        },
        ...{ lists: { type: 'json' }, picture: media, place: { type: 'json' }, other: { type: 'json' } },
        ...{ own: { type: 'relation', data: { target: 'author' } }, lost: { type: 'relation', data: {} } },
        ...{ titles: { type: 'json' }, flow: { type: 'richtext' }, mixedParts: { type: 'json' } },
        ...{ wrongParts: { type: 'json' }, constructor: { type: 'text' } },
      }).map(([name, field]) => [
        name,
        { name, label: expect.stringMatching(new RegExp(`^${name[0]}`, 'i')), ...field },
      ]),
    ),
  )
  expect(type?.compat).toEqual({ children: 'parts' })
  expect([...notes].sort()).toEqual([
    'Blocks of own types are kept as they are: 1 (all.flow).',
    'Fields with values in several languages become JSON fields: 1 (all.titles).',
    'Fields with values of several types become JSON fields: 1 (all.both).',
    'Images and files without an asset are left out, with their texts: 1 (all.picture).',
    'References to documents that the export does not have are left out: 1 (all.lost).',
  ])
})

it('tells weak references from others, where all of a field are', async () => {
  const weak = { _type: 'reference', _ref: 'ann', _weak: true }
  const strong = { _type: 'reference', _ref: 'ann' }
  const { types } = await readSanity(
    documents(
      { _id: 'ann', _type: 'author' },
      { _id: 'a', _type: 'post', best: weak, all: [weak, weak], both: [weak, strong], own: strong },
      { _id: 'b', _type: 'post', best: null, all: [], note: { deep: weak } },
    ),
  )
  expect(types.find(({ name }) => name === 'post')?.compat).toEqual({ weak: ['best', 'all'] })
})

it('gives pages addresses of their own', async () => {
  const page = (_id: string, _type: string, current: string, more = {}) => ({
    ...{ _id, _type, slug: { _type: 'slug', current } },
    ...more,
  })
  const { entries, notes } = await readSanity(
    documents(
      page('a', 'landingPage', 'hello', { language: 'en' }),
      page('b', 'page', 'hello', { heading: 'Hello', language: 'de' }),
      page('c', 'blogPost', 'hello', { name: 'Post' }),
      page('d', 'blogPost', '/news/hello'),
      { _id: 'e', _type: 'blogPost' },
    ),
  )
  expect(entries.map(entry => entry.page)).toEqual([
    { path: '/hello', title: 'hello' },
    { path: '/hello-2', title: 'Hello' },
    { path: '/blog-posts/hello', title: 'Post' },
    { path: '/news/hello', title: '/news/hello' },
    undefined,
  ])
  expect(notes).toEqual([
    'Each language of a document becomes a separate entry, with a field for the language: 2 (landingPage, page).',
    'Pages whose address is taken get a number at the end of it: 1 (/hello).',
  ])
})

/** Blocks without their keys; links have their definition in place of a key, and equal neighbours are one. */
function plain(blocks: readonly unknown[]): unknown {
  return blocks.map(block => {
    const { _key, markDefs, children, ...rest } = block as Record<string, unknown>
    if (!Array.isArray(children)) return rest
    const links = new Map(
      (Array.isArray(markDefs) ? markDefs : []).map(({ _key: key, href }) => [key, `link ${href}`]),
    )
    const spans: { text: string; marks: string }[] = []
    for (const { text, marks } of children) {
      const own = marks.map((mark: string) => links.get(mark) ?? mark).sort()
      const last = spans.at(-1)
      if (last && last.marks === own.join()) last.text += text
      else spans.push({ text, marks: own.join() })
    }
    return { ...rest, children: spans }
  })
}

it('writes Portable Text as HTML that comes back as the same blocks', () => {
  let keys = 0
  const span = (text: string, ...marks: string[]) => ({ _type: 'span', _key: `k${keys++}`, text, marks })
  const block = (children: object[], more = {}) => ({
    ...{ _type: 'block', _key: `k${keys++}`, style: 'normal', markDefs: [], children },
    ...more,
  })
  const mediaId = '01HVXK3M5Z8Q4R7T9W2Y6B0D1F'
  const picture = { media_id: mediaId, mimetype: 'image/png', width: 64, height: 48, name: 'a.png' }
  const media = { ...picture, url: `/media/${mediaId}/a.png`, alt_text: '', focal_x: null, focal_y: null }
  const marks = ['strong', 'em', 'underline', 'code', 'strike-through', 'sub', 'sup']
  const blocks = [
    ...['normal', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote'].map(style =>
      block([span(`A ${style} & <b>"quotes"</b> &amp; 'more'`)], { style }),
    ),
    block(marks.map(mark => span(`${mark} `, mark)).concat(span('all', ...marks), span('\nnext\nline'))),
    block([span('to '), span('a', 'l1'), span('b', 'strong', 'l1'), span(' and '), span('c', 'l2')], {
      markDefs: [
        { _key: 'l1', _type: 'link', href: 'https://example.com/?a=1&b="<2>"' },
        { _key: 'l2', _type: 'link', href: '#here' },
      ],
    }),
    block([span('')]),
    ...[1, 2, 3, 2, 1, 3].map(level => block([span(`Level ${level}`)], { listItem: 'bullet', level })),
    ...[1, 1, 2].map(level => block([span(`Number ${level}`)], { listItem: 'number', level })),
    ...['h3', 'blockquote'].map(style => block([span(style)], { listItem: 'number', level: 1, style })),
    block([span('')], { listItem: 'number', level: 2 }),
    block([span('Other list')], { listItem: 'bullet', level: 2 }),
    block([span('End')]),
    { _type: 'image', _key: 'i', asset: { _type: 'reference', _ref: 'image-x' }, alt: 'A "picture"' },
    block([span('𝒜 emoji 👩‍👩‍👧 und Ümläute\u00ad')]),
  ]
  const notes = new Notes()
  const html = htmlOfBlocks(
    blocks,
    { notes, hasEntry: () => true, fileIn: () => 'f/1', json: value => value },
    'post.body',
  )
  expect(notes.sentences).toEqual([])
  expect(parseRichText(html).problem).toBeUndefined()
  const stored = html.replaceAll('import:file:f%2F1', media.url)
  const back = toPortableText(stored, 'k', new Map([[mediaId, media as unknown as MediaRecord]]))
  const shown = { _type: 'image', asset: expect.anything(), url: media.url, alt: 'A "picture"' }
  const wanted = blocks.map(one => (one._type === 'image' ? { ...shown, _key: 'i' } : one))
  expect(plain(back)).toEqual(plain(wanted))
})

it('keeps blocks, marks and annotations of own types, and members that HTML has nothing for', () => {
  const span = (text: string, ...marks: string[]) => ({ _type: 'span', _key: text, text, marks })
  const block = (children: object[], more = {}) => ({
    ...{ _type: 'block', _key: 'b', style: 'normal', markDefs: [], children },
    ...more,
  })
  const note = { _type: 'footnote', _key: 'n', text: 'A "note" & <more>', of: { _ref: 'p2' } }
  const inside = { _type: 'internalLink', _key: 'i', reference: { _type: 'reference', _ref: 'p2' } }
  const outside = { _type: 'link', _key: 'o', href: 'https://a.example/?a=1&b=2', blank: true }
  const blocks = [
    { _type: 'callout', _key: 'c', tone: 'warn', body: [block([span('Take care here')])] },
    { _type: 'divider', _key: 'd' },
    { _type: 'code', _key: 'e', language: 'ts', code: 'const a = "<b>"\n\n  return' },
    block([span('Lead')], { style: 'lead', size: 3 }),
    block([span('Done')], { listItem: 'checkbox', level: 2, checked: true }),
    block([span('In a list')], { listItem: 'bullet', level: 1, tone: 'x' }),
    block([span('a', 'highlight', 'strong'), span('b', 'n', 'highlight'), span('c', 'n')], {
      markDefs: [note],
    }),
    block([span('in', 'i'), span(' and ', 'o'), span('out', 'o', 'n')], {
      markDefs: [inside, outside, note],
    }),
    block([span('costs '), { _type: 'price', _key: 'p', sku: 'a"b' }, span(' today')]),
    {
      ...{ _type: 'figure', _key: 'f', asset: { _ref: 'image-x' }, alt: 'Alt' },
      caption: 'Below',
      crop: { top: 0.1 },
    },
  ]
  const notes = new Notes()
  const world = { notes, hasEntry: () => true, fileIn: () => 'f/1', json: (value: unknown) => value }
  const html = htmlOfBlocks(blocks, world, 'post.body')
  expect(notes.sentences).toEqual(['Blocks of own types are kept as they are: 3 (post.body).'])
  expect(html).toContain('<p>Take care here</p>')
  const mediaId = '01HVXK3M5Z8Q4R7T9W2Y6B0D1F'
  const media = {
    media_id: mediaId,
    mimetype: 'image/png',
    width: 64,
    height: 48,
    name: 'a.png',
    focal_x: null,
    focal_y: null,
    url: '/a.png',
  }
  const stored = html
    .replaceAll('import:file:f%2F1', `/media/${mediaId}/a.png`)
    .replaceAll('import:entry:', '/pages/')
  const known = new Map([[mediaId, media as unknown as MediaRecord]])
  const back = toPortableText(stored, 'k', known)
  // A picture is that of the media item.
  const wanted = blocks.map(one =>
    one._type === 'figure' ? { ...one, _key: 'k-9', asset: expect.anything(), url: media.url } : one,
  )
  const byText = (given: readonly unknown[]) =>
    (given as { children?: { _key: string }[]; _type: string }[]).map(({ children, ...one }) => ({
      ...one,
      ...(one._type === 'block' ? { _key: '' } : {}),
      ...(children ? { children: children.map(({ _key, ...child }) => child) } : {}),
    }))
  const sortedMarks = (given: unknown) =>
    JSON.parse(JSON.stringify(given), (name, value) => (name === 'marks' ? value.sort() : value))
  expect(sortedMarks(byText(back)).slice(0, -1)).toEqual(sortedMarks(byText(wanted)).slice(0, -1))
  expect(byText(back).at(-1)).toEqual(expect.objectContaining(byText(wanted).at(-1)))
  const evil = '{"_type":"button","href":"javascript:alert(1)"}'
  expect(toPortableText(`<p><span data-mark='${evil}'>x</span></p>`, 'k')).toMatchObject([
    { markDefs: [], children: [{ text: 'x', marks: [] }] },
  ])
  // What is no JSON of a block says nothing.
  const deep = `{"_type":"x","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  for (const data of ['', '{', '[]', '1', 'null', '{"a":1}', deep])
    expect(
      toPortableText(`<div data-block='${data}'><p data-block='${data}'>x</p></div>`, 'k'),
    ).toMatchObject([{ _type: 'block', style: 'normal', children: [{ text: 'x' }] }])
})

it('leads links to where they led', () => {
  const href = (definition: object) => {
    const notes = new Notes()
    const children = [{ _type: 'span', text: 'x', marks: ['l'] }]
    const block = { _type: 'block', children, markDefs: [{ _key: 'l', _type: 'link', ...definition }] }
    const world = {
      ...{ notes, hasEntry: (key: string) => key !== 'gone', fileIn: () => undefined },
      json: (value: unknown) => value,
    }
    const html = htmlOfBlocks([block], world, 'p.b')
    return /href="([^"]*)"/.exec(html)?.[1] ?? notes.sentences.join()
  }
  const page = { _type: 'reference', _ref: 'a b' }
  const entry = 'import:entry:a%20b'
  expect(href({ href: '/x' })).toBe('/x')
  expect(href({ url: 'mailto:a@b.example' })).toBe('mailto:a@b.example')
  expect(href({ _type: 'internalLink', reference: page })).toBe(entry)
  expect(href({ _type: 'reference', _ref: 'a b' })).toBe(entry)
  expect(href({ linkType: 'href', href: '/x', page })).toBe('/x')
  expect(href({ linkType: 'page', href: '/x', page, post: { _ref: 'gone' } })).toBe(entry)
  expect(href({ type: 'internal', href: '/x', target: page })).toBe(entry)
  expect(href({ type: 'external', href: '/x', target: page })).toBe('/x')
  expect(href({ linkType: 'post', post: { _ref: 'gone' } })).toMatch('the export does not have')
  expect(href({ href: 'data:text/html,x' })).toMatch('rich text does not allow')
  expect(href({ _type: 'footnote', text: 'x' })).toBe('')
})

it('leaves out lines that cannot be read, with their places', async () => {
  const lines = [
    '{"_id":"a","_type":"b"}',
    '{"_type":"b"}',
    '{"a":'.repeat(101),
    '',
    '{"_id":"c","_type":"b"}',
    '{"_id',
  ]
  const site = await readSanity(exportOf({ 'data.ndjson': lines.join('\n') }))
  expect(site.entries.map(({ key }) => key)).toEqual(['a', 'c'])
  expect(site.unread).toMatchObject({
    count: 3,
    named: [
      { place: 'data.ndjson: line 2', reason: 'has no _id and _type' },
      { place: 'data.ndjson: line 3', reason: 'is nested deeper than 100 levels' },
      { place: 'data.ndjson: line 6', reason: 'is not JSON' },
    ],
  })
  expect(site.notes).toEqual([
    'Records that cannot be read are left out: 3 (data.ndjson: line 2: has no _id and _type, data.ndjson: line 3: is nested deeper than 100 levels, data.ndjson: line 6: is not JSON).',
  ])
})

it('knows pictures of a type of their own that have no asset yet', async () => {
  const asset = { _type: 'reference', _ref: `image-${'a'.repeat(40)}-1x1-png` }
  const picture = { _type: 'mainImage', asset }
  const { types, entries } = await readSanity(
    documents(
      { _id: 'a', _type: 'p', cover: picture, gallery: [picture, { _type: 'mainImage' }] },
      { _id: 'b', _type: 'p', cover: { _type: 'mainImage', alt: 'None' }, gallery: [] },
    ),
  )
  expect(types[0]?.fields).toMatchObject([
    { name: 'cover', type: 'media', data: { kinds: ['image'] } },
    { name: 'gallery', type: 'media', data: { cardinality: 'many' } },
  ])
  expect(entries[1]?.values).toEqual({ gallery: { files: [] } })
})

it('refuses what is no export', async () => {
  const refused = (files: ExportFiles) => expect(readSanity(files)).rejects
  await refused(exportOf({ 'export.json': '{}' })).toThrow('data.ndjson is missing')
  await refused(exportOf({ 'a.ndjson': '', 'b.ndjson': '' })).toThrow('a.ndjson and b.ndjson: choose one')
  await refused(exportOf({ 'data.ndjson': '\n{"error":{"description":"x"}}' })).toThrow(
    'line 2: has no _id and _type',
  )
  const fields = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`f-${i}`, i]))
  await refused(documents({ _id: 'a', _type: 'b', ...fields })).toThrow(
    'of the type b have more than 1000 fields',
  )
  await refused(documents(...Object.keys(fields).map(name => ({ _id: name, _type: name })))).toThrow(
    '1000 types',
  )
  await refused(exportOf({ 'data.ndjson': '["a"]' })).toThrow('line 1: has no _id and _type')
  await refused(exportOf({ 'data.ndjson': `{"a":${'['.repeat(200_000)}` })).toThrow('deeper than 100 levels')
  await refused(exportOf({ 'data.ndjson': '', 'assets.json': '[]' })).toThrow(
    'assets.json: is not an object of assets',
  )
})

it('keeps to what there is in hostile documents', async () => {
  const hostile = [
    '{"_id":"a","_type":"__proto__","__proto__":{"x":1},"constructor":{"_ref":"toString"},"hasOwnProperty":1}',
    '{"_id":"b","_type":"post","body":[{"_type":"block","children":[null,1,{"text":1},{"text":"x","marks":"no"},{"text":"y","marks":[{"toString":1,"valueOf":1}]}],"markDefs":[null,{"_key":"__proto__"}],"listItem":"number","level":1e9},{"_type":"block","children":[],"listItem":"bullet","level":{"valueOf":1}}]}',
    '{"_id":"c","_type":"post","slug":{"_type":"slug","current":5},"cover":{"_sanityAsset":"nothing"},"_createdAt":"never"}',
    '{"_id":"e","_type":"post","_createdAt":"+275000-01-01T00:00:00Z","cover":{"_type":"image","_sanityAsset":"image@file://./images/x.png","crop":{"top":{"valueOf":1}}}}',
    '{"_id":"drafts.","_type":"post"}',
    '{"_id":"c","_type":"post","title":"again"}',
  ]
  const { types, entries, notes } = await readSanity(exportOf({ 'data.ndjson': hostile.join('\n') }))
  expect(types.map(({ name, fields }) => [name, fields.map(field => field.name)])).toEqual([
    ['proto', ['constructor', 'hasOwnProperty']],
    ['post', ['title', 'body', 'cover']],
  ])
  expect(entries.map(({ key, createdAt, values }) => [key, createdAt.slice(0, 4), values])).toEqual([
    ['a', '1970', { hasOwnProperty: { value: 1 }, constructor: { value: { _ref: 'toString' } } }],
    [
      'b',
      '1970',
      { body: { html: `${'<ol><li>'.repeat(20)}xy${'</li></ol>'.repeat(20)}<ul><li><p></p></li></ul>` } },
    ],
    ['c', '1970', { title: { value: 'again' } }],
    ['drafts.', '1970', {}],
    ['e', '1970', {}],
  ])
  expect(notes).toContain('Of several documents with the same id, only the last is imported: 1.')
})
