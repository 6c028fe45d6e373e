import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { openRecords } from '../../src/node/record-files.js'
import { inMemory, type Lists } from '../../src/services/import/records.js'
import type { ExportFiles, ReadLargeExport } from '../../src/services/import/site.js'
import { readLargeContentful } from '../../src/systems/contentful/import/index.js'
import { readLargeSanity } from '../../src/systems/sanity/import/index.js'
import { readLargeStrapi } from '../../src/systems/strapi/import/index.js'
import { readLargeWordpress } from '../../src/systems/wordpress/import/index.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const count = 3000
/** Different for each document, and long, as articles are. */
const text = (i: number): string => `Document ${i} `.repeat(500)

type Lines = () => Iterable<string>

const exportOf = (parts: Readonly<Record<string, Lines>>): ExportFiles => {
  const linesOf = (name: string): Lines => parts[name] ?? (() => [])
  return {
    names: Object.keys(parts),
    text: async name => [...linesOf(name)()].join('\n'),
    lines: async function* (name) {
      yield* linesOf(name)()
    },
    // Pieces end anywhere, within texts too.
    pieces: async function* (name) {
      for (const line of linesOf(name)()) {
        yield line.slice(0, 77)
        yield line.slice(77)
      }
    },
  }
}

function* sanityLines(): Generator<string> {
  for (let i = 0; i < count; i++)
    yield JSON.stringify({
      ...{ _id: `post-${i}`, _type: 'post', _createdAt: '2024-01-01T00:00:00Z' },
      ...{ title: `Post ${i}`, summary: text(i), slug: { _type: 'slug', current: `post-${i}` } },
      related: { _type: 'reference', _ref: `post-${count - 1 - i}` },
    })
}

function* wordpressLines(): Generator<string> {
  yield '<rss version="2.0" xmlns:wp="w" xmlns:content="c"><channel><wp:wxr_version>1.2</wp:wxr_version>'
  yield '<wp:base_blog_url>https://old.example</wp:base_blog_url>'
  for (let i = 1; i <= count; i++) {
    yield `<item><title>Post ${i}</title><link>https://old.example/post-${i}/</link>`
    yield `<content:encoded><![CDATA[<p>${text(i)}</p>]]></content:encoded><wp:post_id>${i}</wp:post_id>`
    yield `<wp:post_type>post</wp:post_type><wp:status>publish</wp:status><wp:post_name>post-${i}</wp:post_name>`
    yield '<wp:post_date_gmt>2024-01-01 00:00:00</wp:post_date_gmt></item>'
  }
  yield '</channel></rss>'
}

function* contentfulLines(): Generator<string> {
  const fields = [
    { id: 'title', name: 'Title', type: 'Symbol' },
    { id: 'summary', name: 'Summary', type: 'Text' },
    { id: 'related', name: 'Related', type: 'Link', linkType: 'Entry' },
  ]
  yield JSON.stringify({ contentTypes: [{ sys: { id: 'post' }, name: 'Post', fields }] }).slice(0, -1)
  yield ',"entries":['
  for (let i = 0; i < count; i++) {
    const sys = { id: `post-${i}`, createdAt: '2024-01-01T00:00:00Z', contentType: { sys: { id: 'post' } } }
    const related = { en: { sys: { type: 'Link', linkType: 'Entry', id: `post-${count - 1 - i}` } } }
    const fields = { title: { en: `Post "${i}"` }, summary: { en: text(i) }, related }
    yield `${i > 0 ? ',' : ''}${JSON.stringify({ sys, fields }, null, 2)}`
  }
  yield '],"assets":[],"locales":[{"code":"en","default":true}]}'
}

function* strapiSchemas(): Generator<string> {
  const attributes = {
    title: { type: 'string', required: true },
    summary: { type: 'text' },
    related: { type: 'relation', relation: 'oneToOne', target: 'api::post.post' },
  }
  yield JSON.stringify({ uid: 'api::post.post', modelType: 'contentType', attributes })
}

function* strapiRows(): Generator<string> {
  for (let id = 0; id < count; id++)
    yield JSON.stringify({
      ...{ type: 'api::post.post', id },
      data: {
        ...{ documentId: `post-${id}`, createdAt: '2024-01-01T00:00:00Z' },
        ...{ title: `Post ${id}`, summary: text(id) },
      },
    })
}

function* strapiLinks(): Generator<string> {
  const end = (ref: number) => ({ type: 'api::post.post', ref })
  for (let id = 0; id < count; id++)
    yield JSON.stringify({
      ...{ kind: 'relation.basic', left: { ...end(id), field: 'related' }, right: end(count - 1 - id) },
    })
}

const strapiExport = exportOf({
  'schemas/schemas_00001.jsonl': strapiSchemas,
  'entities/entities_00001.jsonl': strapiRows,
  'links/links_00001.jsonl': strapiLinks,
})

const exports: readonly (readonly [string, ReadLargeExport, ExportFiles])[] = [
  ['Sanity', readLargeSanity, exportOf({ 'data.ndjson': sanityLines })],
  ['WordPress', readLargeWordpress, exportOf({ 'export.xml': wordpressLines })],
  ['Contentful', readLargeContentful, exportOf({ 'export.json': contentfulLines })],
  ['Strapi', readLargeStrapi, strapiExport],
]

/** Ends the turn: a function that has just returned may keep its last values until then. */
const settled = () => new Promise(resolve => setImmediate(resolve))

/** The heap when the last record of a list is added, while the reader still has all that it needs. */
function measured(lists: Lists) {
  const found = { most: 0 }
  const make = <T>() => {
    const list = lists.make<T>()
    const push = list.push.bind(list)
    list.push = one => {
      push(one)
      if (list.length !== count) return
      collect()
      found.most = Math.max(found.most, process.memoryUsage().heapUsed)
    }
    return list
  }
  return { found, lists: { make } }
}

/** The bytes of memory that an export needs while it is read and afterwards, and what it has. */
async function reading(read: ReadLargeExport, files: ExportFiles, lists: Lists) {
  collect()
  const before = process.memoryUsage().heapUsed
  const { found, lists: own } = measured(lists)
  const site = await read(files, own)
  // Other work of the process comes and goes beside it: what stays is the least of several looks.
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < 5; look++) {
    await settled()
    collect()
    least = Math.min(least, process.memoryUsage().heapUsed)
  }
  return { bytes: least - before, most: found.most - before, site }
}

it.each(exports)('the records of %s are not in memory, and are the same', async (name, read, files) => {
  const records = openRecords()
  try {
    // The first one also loads what every reading needs.
    const whole = await reading(read, files, inMemory)
    const kept = await reading(read, files, records)
    // A record is six thousand characters. About a thousand bytes are for its names and places; other work of the
    // process comes and goes beside them.
    expect(kept.bytes).toBeLessThan(count * 2500)
    // Posts are looked up by numbers and addresses while they are read: 1,200 bytes of each.
    if (name === 'WordPress') expect(kept.most).toBeLessThan(count * 2500)
    expect(whole.bytes).toBeGreaterThan(count * 5000)
    expect([...kept.site.entries]).toEqual([...whole.site.entries])
    expect({ ...kept.site, entries: [] }).toEqual({ ...whole.site, entries: [] })
    expect(kept.site.entries.at(count - 1)).toEqual(whole.site.entries.at(count - 1))
    expect(kept.site.entries.at(count + 10)).toBeUndefined()
  } finally {
    records.close()
  }
})

it('a file of records has what was added, of any length and in any order, and cannot be read when it is closed', () => {
  const records = openRecords()
  const [first, second] = [records.make<unknown>(), records.make<unknown>()]
  const values = [
    1,
    'x'.repeat(3_000_000),
    { a: undefined, b: new Map([['c', [Number.POSITIVE_INFINITY]]]) },
    '𝒜',
  ]
  for (let i = 0; i < 2500; i++) first.push(i)
  for (const value of values) second.push(value)
  first.push('last')
  expect([...second]).toEqual(values)
  expect([second.at(3), second.at(1), second.at(4), second.at(-1)]).toEqual([
    '𝒜',
    values[1],
    undefined,
    undefined,
  ])
  expect([first.length, first.at(0), first.at(2499), first.at(2500)]).toEqual([2501, 0, 2499, 'last'])
  expect([...first].length).toBe(2501)
  records.close()
  expect(() => first.at(0)).toThrow()
})
