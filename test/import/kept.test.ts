import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { openExport } from '../../src/node/export-files.js'
import { nodeHashing } from '../../src/node/ports.js'
import { loadSite } from '../../src/services/import/load.js'
import type { ExportFiles, ImportedSite, ReadExport } from '../../src/services/import/site.js'
import { readContentful } from '../../src/systems/contentful/import/index.js'
import { readSanity } from '../../src/systems/sanity/import/index.js'
import { readStrapi } from '../../src/systems/strapi/import/index.js'
import { readWordpress } from '../../src/systems/wordpress/import/index.js'
import { testApp } from '../support/app.js'
import { testStorage } from '../support/storage.js'

const fixtures = join(import.meta.dirname, '../fixtures/import')
const fixture = (name: string) => readFileSync(join(fixtures, name), 'utf8')

function exportOf(texts: Readonly<Record<string, string>>): ExportFiles {
  const text = async (name: string) => texts[name] ?? ''
  return {
    names: Object.keys(texts),
    text,
    lines: async function* (name) {
      yield* (await text(name)).split('\n')
    },
  }
}

const store = await testStorage()
const pictures = await openExport(join(fixtures, 'strapi'))
const picture = pictures.names.find(name => /^assets\/uploads\/red_/.test(name)) ?? ''

/** A site with the content of an export; each of its files is the same picture. */
async function siteWith(system: string, read: ReadExport, files: ExportFiles, more: object = {}) {
  const given = await read(files)
  const site = {
    ...given,
    files: given.files.map(file => ({
      ...file,
      name: file.name.replace(/(?:\.jpe?g|(?<!\.\w{1,4}))$/, '.png'),
    })),
  }
  const compat = Object.fromEntries(site.types.map(({ name, compat: own }) => [name, own ?? {}]))
  const app = await testApp({ ...store.config, compat, ...more })
  const roleId = await app.services.access.systemRole('admin')
  const actor = { ...systemActor, surface: 'cli' as const, userId: app.users.admin, roleId }
  const load = (given: ImportedSite = site) =>
    loadSite(app.services, actor, given, {
      ...{ system, hashing: nodeHashing, isPublic: true, now: app.clock.now() },
      progress: () => undefined,
      open: () => pictures.file(picture),
    })
  const first = await load()
  const prefix = `/compat/${system}`
  const ask = async (path: string, as: 'nobody' | 'admin' | 'key' = 'nobody') => {
    const { status, body } = await app.call('GET', prefix + path, { as })
    expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, ''])
    return body
  }
  return { app, site, compat, load, first, ask }
}

const contentful = await siteWith(
  'contentful',
  readContentful,
  exportOf({ 'export.json': fixture('contentful.json') }),
  { i18n_enabled: true },
)
const sanity = await siteWith(
  'sanity',
  readSanity,
  exportOf({
    'data.ndjson': fixture('sanity/data.ndjson'),
    'assets.json': fixture('sanity/assets.json'),
    ...Object.fromEntries(
      JSON.parse(fixture('sanity/expected.json')).files.flatMap(({ at }: { at?: string }) =>
        at ? [[at.replace(/^[^/]+\//, ''), '']] : [],
      ),
    ),
  }),
)
const strapi = await siteWith('strapi', readStrapi, pictures, { i18n_enabled: true })
const wordpress = await siteWith(
  'wordpress',
  readWordpress,
  exportOf({ 'export.xml': fixture('wordpress.xml') }),
)
const sites = { contentful, sanity, strapi, wordpress }

it.each(Object.entries(sites))('importing %s again changes nothing', async (_, { app, load, first }) => {
  const before = await app.db.findAll(internalTables.sourceIds)
  expect(before.length).toBeGreaterThan(7)
  const entries = await app.db.count(tables.contentData, {})
  const again = await load()
  expect(again).toMatchObject({ entries: 0, files: 0 })
  expect(first.notes).toEqual(expect.arrayContaining([...again.notes]))
  expect(await app.db.count(tables.contentData, {})).toBe(entries)
  expect(await app.db.findAll(internalTables.sourceIds)).toEqual(before)
})

interface Entry {
  sys: { id: string; createdAt: string; updatedAt: string }
  fields: Record<string, { sys?: { id: string } } | undefined>
}

it('answers Contentful by the ids of Contentful', async () => {
  const space = '/spaces/s/environments/master'
  const list = await contentful.ask(`${space}/entries?content_type=article`)
  expect(list.items.map(({ sys }: Entry) => sys.id).sort()).toEqual(['articleOne', 'articleTwo'])
  const authors = await contentful.ask(`${space}/entries?content_type=author`)
  expect(authors.items.map(({ sys }: Entry) => sys.id).sort()).toEqual(['authorAnn', 'authorBen'])
  const found = await contentful.ask(`${space}/entries?sys.id=articleOne&include=2`)
  const [one] = found.items
  const links = JSON.stringify(one.fields)
  for (const { sys } of [...found.includes.Entry, ...(found.includes.Asset ?? [])])
    expect(sys.id).toMatch(/^(?:author|article|section|asset|cta)[A-Z]/)
  expect(links).not.toMatch(/"id":"0[0-9A-Z]{25}"/)
  const names = async (query: string) =>
    (await contentful.ask(`${space}/entries?${query}`)).items.map(({ sys }: Entry) => sys.id)
  expect(await names('sys.id[in]=articleTwo,authorAnn,none')).toEqual(['articleTwo', 'authorAnn'])
  expect(await names('content_type=article&sys.id[ne]=articleOne')).toEqual(['articleTwo'])
  const [relation = ''] = Object.entries(one.fields as Entry['fields']).flatMap(([name, value]) =>
    value?.sys?.id === 'authorAnn' ? name : [],
  )
  expect(await names(`content_type=article&fields.${relation}.sys.id=authorAnn`)).toContain('articleOne')
  expect(await names('content_type=article&links_to_entry=authorAnn')).toContain('articleOne')
  expect((await contentful.ask(`${space}/entries/articleOne`)).sys.id).toBe('articleOne')
  const asset = await contentful.ask(`${space}/assets/assetBike`, 'key')
  expect(asset.sys).toMatchObject({ id: 'assetBike', type: 'Asset' })
  const assets = await contentful.ask(`${space}/assets?sys.id[in]=assetBike,none`, 'key')
  expect(assets.items.map(({ sys }: Entry) => sys.id)).toEqual(['assetBike'])
  // The derived id finds it too.
  const row = await contentful.app.db.get(internalTables.sourceIds, 'contentful Entry articleOne')
  expect(await names(`sys.id=${row?.content_data_id}`)).toEqual(['articleOne'])
})

/** The last page of a synchronisation. */
async function last(page: { nextPageUrl?: string; nextSyncUrl: string }): Promise<{ nextSyncUrl: string }> {
  if (page.nextPageUrl === undefined) return page
  const path = page.nextPageUrl.slice(page.nextPageUrl.indexOf('/spaces/'))
  return last(await contentful.ask(path, 'key'))
}

it('tells Contentful’s clients of deletions by the ids of Contentful', async () => {
  const start = await contentful.ask('/spaces/s/environments/master/sync?initial=true', 'key')
  expect(start.items.map(({ sys }: Entry) => sys.id)).toContain('articleTwo')
  const token = /sync_token=(.+)$/.exec((await last(start)).nextSyncUrl)?.[1]
  const row = await contentful.app.db.get(internalTables.sourceIds, 'contentful Entry articleTwo')
  const gone = await contentful.app.call('DELETE', `/api/v1/content/${row?.content_data_id}`, { as: 'admin' })
  expect(gone.status).toBe(204)
  const next = await contentful.ask(`/spaces/s/environments/master/sync?sync_token=${token}`, 'key')
  expect(next.items.map(({ sys }: Entry) => [sys.id, (sys as { type?: string }).type])).toContainEqual([
    'articleTwo',
    'DeletedEntry',
  ])
  const list = await contentful.ask('/spaces/s/environments/master/entries?sys.id=articleTwo')
  expect(list.items).toEqual([])
  expect(await contentful.load()).toMatchObject({ entries: 1 })
  const back = await contentful.ask('/spaces/s/environments/master/entries?sys.id=articleTwo')
  expect(back.items.map(({ sys }: Entry) => sys.id)).toEqual(['articleTwo'])
})

const groq = async (query: string, as: 'nobody' | 'key' = 'nobody') =>
  (await sanity.ask(`/v2024-01-01/data/query/production?query=${encodeURIComponent(query)}`, as)).result

it('answers Sanity by the ids of Sanity', async () => {
  expect(await groq('*[_id == "settings"][0]{_id, _type}')).toEqual({ _id: 'settings', _type: 'settings' })
  expect((await groq('*[_type == "post"]._id')).sort()).toEqual(['p1', 'p3'])
  expect(await groq('*[_type == "post" && _id in ["p3", "nobody"]]._id')).toEqual(['p3'])
  expect((await groq('*[_type == "post" && references("ann")]._id')).sort()).toEqual(['p1', 'p3'])
  expect((await groq('*[_type == "post" && author._ref == "ann"]._id')).sort()).toEqual(['p1', 'p3'])
  expect((await groq('*[_type == "post" && author->_id == "ann"]._id')).sort()).toEqual(['p1', 'p3'])
  expect(await groq('*[_id == "p1"][0]{"author": author->{_id}, "ref": author._ref}')).toEqual({
    author: { _id: 'ann' },
    ref: 'ann',
  })
  expect((await groq('*[_type == "post" && _id > ""] | order(_id)._id')).length).toBe(2)
  expect(await groq('*[_type == "post" && string::startsWith(_id, "p1")]._id')).toEqual(['p1'])
  expect(await groq('*[_type == "post" && !(_id in path("drafts.**"))]._id')).toHaveLength(2)
  const doc = await sanity.ask('/v2024-01-01/data/doc/production/p1,ann')
  expect(doc.documents.map(({ _id }: { _id: string }) => _id)).toEqual(['p1', 'ann'])
  const whole = JSON.stringify(await groq('*[_type == "post"]'))
  expect(whole).not.toMatch(/"_ref":"0[0-9A-Z]{25}"/)
})

it('answers Sanity in the order of ids where none is asked, and without a type', async () => {
  const documents = [
    { _id: 'a', _type: 'note', text: 'A', next: { _ref: 'b' } },
    { _id: 'b', _type: 'note', text: 'B', next: { _ref: 'c' } },
    { _id: 'c', _type: 'note', text: 'C', next: { _ref: 'e' } },
    { _id: 'd', _type: 'note', text: 'D' },
    { _id: 'e', _type: 'note', text: 'E' },
    { _id: 'bb', _type: 'other', size: 3 },
  ]
  const lines = documents.map(one => JSON.stringify(one)).join('\n')
  const { app, ask } = await siteWith('sanity', readSanity, exportOf({ 'data.ndjson': lines }))
  const asked = async (query: string) =>
    (await ask(`/v2024-01-01/data/query/production?query=${encodeURIComponent(query)}`)).result
  for (const [query, expected] of [
    ['*[_type == "note"]._id', ['a', 'b', 'c', 'd', 'e']],
    ['*[_type == "note"][0]._id', 'a'],
    ['*[_type == "note"][1...3]._id', ['b', 'c']],
    ['*[_type == "note" && defined(next)][2..9]._id', ['c']],
    ['*._id', ['a', 'b', 'bb', 'c', 'd', 'e']],
    ['*[][1..2]._id', ['b', 'bb']],
    ['*[size > 2 || text == "A"]._id', ['a', 'bb']],
    ['*[defined(size)] | order(size desc)[0]._id', 'bb'],
    ['count(*)', 6],
    ['count(*[size > 2])', 1],
    ['*[!defined(size)] | order(text desc)._id', ['e', 'd', 'c', 'b', 'a']],
    ['*[_type == "note" && _id > "b" && _id <= "d"]._id', ['c', 'd']],
    ['*[_type == "note"][_id >= "bz"] | order(text desc)[0...2]._id', ['e', 'd']],
    ['*["c" > _id]._id', ['a', 'b', 'bb']],
    ['count(*[_type == "note" && _id > "b"])', 3],
    ['*[_type == "note"] | order(_id desc)[1..2]._id', ['d', 'c']],
    ['*[_type == "note"] | order(missing asc, _id desc)[1..2]._id', ['d', 'c']],
    ['array::unique(*[].size)', [null, 3]],
    ['*[_type == "note"][0] | order(_id)', null],
    ['*[_type == "note" && (_id > "d" || text == "A")] | order(_id)._id', ['a', 'e']],
    [
      '*[_type == "other"]{..., "_rev": 1}',
      [expect.not.objectContaining({ publishedAt: expect.anything() })],
    ],
  ] as const)
    expect([query, await asked(query)]).toEqual([query, expected])
  // Each read without a type looks into every datatype, so that a few of them are many.
  for (let i = 0; i < 10; i++)
    expect(
      (
        await app.call('POST', '/api/v1/datatypes', {
          body: { label: `More ${i}`, type: 'content', visibility: 'public' },
        })
      ).status,
    ).toBe(201)
  const reads = (count: number) => `[${Array.from({ length: count }, () => 'count(*)').join()}]`
  const many = (count: number) =>
    app.call('GET', `/compat/sanity/v2024-01-01/data/query/x?query=${encodeURIComponent(reads(count))}`, {
      as: 'nobody',
    })
  expect((await many(41)).body.result).toEqual(Array(41).fill(6))
  expect([(await many(42)).status, (await many(42)).text]).toEqual([
    400,
    expect.stringContaining('reads datatypes more than 500 times'),
  ])
})

/** A paragraph whose first word is a link to a document. */
const linkTo = (id: string) => ({
  ...{ _type: 'block', _key: 'b', style: 'normal' },
  markDefs: [{ _key: 'm', _type: 'internalLink', reference: { _type: 'reference', _ref: id } }],
  children: [{ _type: 'span', _key: 's', text: 'There', marks: ['m'] }],
})

it('answers Sanity by names that no datatype can have, references in JSON, and comparisons of moments', async () => {
  const documents = [
    { _id: 'a', _type: 'media.tag', name: 'A', at: '2026-01-01T12:00:00Z', box: { in: { _ref: 'b' } } },
    { _id: 'a.b', _type: 'order-string', name: 'AB', at: '2026-01-02T12:00:00Z' },
    { _id: 'b', _type: 'media.tag', name: 'B', text: [linkTo('a.b')], at: '2026-01-03T12:00:00Z' },
    { _id: 'l1', _type: 'list', notes: [{ _ref: 'a' }], others: [], title: 'One' },
    { _id: 'l2', _type: 'list', notes: [], title: 'Two' },
    { _id: 'c', _type: 'page', parts: [{ _type: 'part', _key: 'x', to: { _ref: 'b' } }] },
  ]
  const lines = documents.map(one => JSON.stringify(one)).join('\n')
  const { ask, app } = await siteWith('sanity', readSanity, exportOf({ 'data.ndjson': lines }))
  const asked = async (query: string) =>
    (await ask(`/v2024-01-01/data/query/production?query=${encodeURIComponent(query)}`)).result
  for (const [query, expected] of [
    ['*[_type == "media.tag"]{_id, _type}[0]', { _id: 'a', _type: 'media.tag' }],
    ['*[_type in ["order-string", "media.tag"]]._id', ['a', 'a.b', 'b']],
    ['*[_type != "page" && _type != "media.tag"]._type', ['order-string', 'list', 'list']],
    ['*[_type == "mediaTag"]', []],
    ['*[references("b")]._id', ['a', 'c']],
    ['*[_type == "media.tag" && references("a.b")]._id', ['b']],
    ['*[_type == "media.tag" && !references("a.b")]._id', ['a']],
    ['*[_type == "media.tag" && references("b", "a.b")]._id', ['a', 'b']],
    ['count(*[references("a.b")])', 1],
    ['*[_id == "b"][0].text[0].markDefs[0].reference._ref', 'a.b'],
    ['*[_type == "media.tag" && !references("b")]._id', ['b']],
    ['count(*[_type == "media.tag" && references("b")])', 1],
    ['*[dateTime(at) < dateTime("2026-01-02T13:00:00+01:00")]._id', ['a']],
    ['*[dateTime(at) < dateTime("2026-01-02T12:00:00Z") + 1]._id', ['a', 'a.b']],
    ['*[dateTime(at) < "2027-01-01T00:00:00Z"]._id', []],
    ['*[!(dateTime(at) < "2027-01-01T00:00:00Z")]._id', []],
    ['*[at < dateTime("2027-01-01T00:00:00Z")]._id', []],
    ['*[_type == "media.tag" && dateTime(at) == "2026-01-01T12:00:00Z"]._id', []],
    ['*[_type == "media.tag" && at < now()]._id', ['a', 'b']],
    ['*[path(_id) in path("a.*")]._id', ['a.b']],
    ['path("a.b") in path("a.*")', true],
    ['*[_type == "list"]{notes, others}[1]', { notes: [], others: null }],
    ['*[_id == "l1"]{"notes": count(notes), others}', [{ notes: 1, others: [] }]],
    ['*[_type == "list" && defined(others)]._id', ['l1']],
    ['*[_type == "list" && !defined(others)]._id', ['l2']],
    ['*[_type == "media.tag"] | score(name == "B") | order(_score desc)[0]._id', 'b'],
  ] as const)
    expect([query, await asked(query)]).toEqual([query, expected])
  const inDrafts = `/v2024-01-01/data/query/production?perspective=drafts&query=${encodeURIComponent('*[_type == "media.tag" && references("a.b")]._id')}`
  expect((await ask(inDrafts, 'admin')).result).toEqual(['b'])
  for (const query of ['*{name} | score(name == "B")', '*[0] | score(name == "B")'])
    expect(
      (
        await app.call('GET', `/compat/sanity/v1/data/query/x?query=${encodeURIComponent(query)}`, {
          as: 'nobody',
        })
      ).text,
    ).toContain('score() must follow documents')
})

it('answers pictures of Sanity by the ids that they had', async () => {
  const keys = sanity.site.files.map(({ key }) => key).filter(key => key.startsWith('image-'))
  const documents = JSON.stringify(await groq('*[_type in ["post", "page", "author"]]'))
  const used = keys.filter(key => documents.includes(`"_ref":"${key}"`))
  const [key = ''] = used
  expect(key).toMatch(/^image-[0-9a-f]{40}-/)
  const assets: { _id?: string }[] = await groq('*[_type == "post"]{"asset": cover.asset->}.asset')
  expect(assets.map(asset => asset?._id)).toContain(key)
  const file = key.replace(/^image-/, '').replace(/-([a-z]+)$/, '.$1')
  const { status } = await sanity.app.call('GET', `/compat/sanity/images/x/production/${file}?w=100`, {
    as: 'nobody',
  })
  expect(status).toBe(302)
})

it('answers Strapi by the ids of Strapi', async () => {
  const { body } = await strapi.app.call('GET', '/compat/strapi/api/articles?populate=*', { as: 'nobody' })
  const articles: { id: number; documentId: string; categories: { documentId: string; id: number }[] }[] =
    body.data
  expect(articles.length).toBeGreaterThan(1)
  for (const { id, documentId } of articles) {
    expect(strapi.site.entries.flatMap(({ ids = [] }) => ids[0]?.id)).toContain(documentId)
    expect(id).toBeLessThan(1000)
    const one = await strapi.ask(`/api/articles/${documentId}`)
    expect(one.data).toMatchObject({ id, documentId })
    const byId = await strapi.ask(`/api/articles?filters[id]=${id}`)
    expect(byId.data.map((found: { documentId: string }) => found.documentId)).toEqual([documentId])
    const byDocument = await strapi.ask(`/api/articles?filters[documentId][$in][0]=${documentId}`)
    expect(byDocument.data).toMatchObject([{ id }])
  }
  const filed = articles.find(({ categories }) => categories.length > 0)
  const [category] = filed?.categories ?? []
  expect(category?.documentId).toMatch(/^[a-z0-9-]+$/)
  const of = await strapi.ask(`/api/articles?filters[categories][documentId]=${category?.documentId}`)
  expect(of.data.map((found: { id: number }) => found.id)).toContain(filed?.id)
  const ofId = await strapi.ask(`/api/articles?filters[categories][id][$eq]=${category?.id}`)
  expect(ofId.data).toEqual(of.data)
  const files = await strapi.ask('/api/upload/files', 'key')
  expect(files.map(({ id }: { id: number }) => id).sort()).toEqual([1, 2, 3])
  expect((await strapi.ask('/api/upload/files/2', 'key')).name).toBe('blue.png')
})

interface Post {
  id: number
  categories: number[]
  author: number
  featured_media: number
}

it('answers WordPress by the numbers of WordPress', async () => {
  const posts: Post[] = await wordpress.ask('/wp-json/wp/v2/posts')
  expect(posts.map(({ id }) => id).sort()).toEqual([23, 24, 25])
  const ids = async (query: string): Promise<number[]> =>
    (await wordpress.ask(`/wp-json/wp/v2/${query}`)).map(({ id }: Post) => id)
  expect(posts.find(({ id }) => id === 23)).toMatchObject({ author: expect.any(Number), featured_media: 4 })
  const one = await wordpress.ask('/wp-json/wp/v2/posts/23?_embed')
  expect(one.guid.rendered).toMatch(/\?p=23$/)
  expect(one._embedded['wp:featuredmedia'][0].id).toBe(4)
  expect(one._embedded['wp:term'][0].map(({ id }: Post) => id)).toEqual(one.categories)
  for (const category of one.categories) {
    expect(category).toBeLessThan(10)
    expect(await ids(`posts?categories=${category}`)).toContain(23)
    expect((await wordpress.ask(`/wp-json/wp/v2/categories/${category}`)).id).toBe(category)
  }
  expect(await ids('posts?include=25,23&orderby=include')).toEqual([25, 23])
  expect(await ids('posts?exclude=23&orderby=id&order=asc')).toEqual([24, 25])
  expect(await ids('categories?post=23')).toEqual(expect.arrayContaining(one.categories))
  expect(await ids(`posts?author=${one.author}`)).toContain(23)
  expect((await wordpress.ask(`/wp-json/wp/v2/users/${one.author}`)).id).toBe(one.author)
  expect(await ids('pages?parent=8')).toEqual([9])
  expect((await wordpress.ask('/wp-json/wp/v2/pages/9')).parent).toBe(8)
  expect((await wordpress.ask('/wp-json/wp/v2/media/4')).id).toBe(4)
  expect(await ids('media?include=4')).toEqual([4])
  const missing = await wordpress.app.call('GET', '/compat/wordpress/wp-json/wp/v2/posts/8', { as: 'nobody' })
  expect(missing.body.code).toBe('rest_post_invalid_id')
})

it('keeps what was made here under its own number, beside numbers from elsewhere', async () => {
  const { app } = wordpress
  const [type] = await app.db.findAll(tables.datatypes, { name: 'category' })
  const made = await app.call('POST', '/api/v1/content', {
    as: 'admin',
    body: { datatype_id: type?.datatype_id, status: 'published', fields: { name: 'Own' } },
  })
  const row = await app.db.get(tables.contentData, made.body.content_data_id)
  const shown = await wordpress.ask(`/wp-json/wp/v2/categories/${row?.numeric_id}`)
  expect(shown).toMatchObject({ id: row?.numeric_id, name: 'Own' })
  expect(row?.numeric_id).toBeGreaterThan(2 ** 32)
})

it('says which ids another record has already', async () => {
  const { app, load, site } = wordpress
  const twin = site.entries.find(({ key }) => key === 'post:24')
  const other = await load({
    ...site,
    files: [],
    entries: [
      {
        ...{ key: 'post:24', ids: twin?.ids, type: 'post', values: {} },
        ...{ isPublished: true, createdAt: '2011-01-01T00:00:00.000Z' },
        page: { path: '/of-another-site', title: 'Of another site' },
      },
    ],
  })
  expect(other).toMatchObject({ entries: 1, known: 0 })
  expect(other.notes).toContain('Ids that another record already has are left out: 1 (wordpress post 24).')
  expect(await app.db.count(internalTables.sourceIds, { source_key: 'wordpress post 24' })).toBe(1)
  const [found] = (await wordpress.ask('/wp-json/wp/v2/posts?slug=of-another-site')) as Post[]
  expect(found?.id).toBeGreaterThan(2 ** 32)
})

it('gives ids to what was imported before they were kept, and finds terms whose time is not told', async () => {
  const { app, load, site } = wordpress
  const row = await app.db.get(internalTables.sourceIds, 'wordpress term 2')
  await app.db.write(systemActor, tx =>
    tx.deleteAllInternal(internalTables.sourceIds, 'source_key', ['wordpress term 2', 'wordpress post 4']),
  )
  await load()
  expect(await app.db.get(internalTables.sourceIds, 'wordpress term 2')).toEqual(row)
  expect((await wordpress.ask('/wp-json/wp/v2/media/4')).id).toBe(4)
  // An older post was deleted, so that the export begins at another time.
  const entries = site.entries.map(entry =>
    entry.isUndated ? { ...entry, createdAt: '2024-03-05T00:00:00.000Z' } : entry,
  )
  expect(await load({ ...site, entries })).toMatchObject({ entries: 0 })
})

describe('times of change', () => {
  it('are kept, sorted and filtered by in each root', async () => {
    const space = '/spaces/s/environments/master'
    const of = async (query: string) =>
      (await contentful.ask(`${space}/entries?content_type=article&${query}`)).items.map(({ sys }: Entry) => [
        sys.id,
        sys.createdAt,
        sys.updatedAt,
      ])
    const [one, two] = [
      ['articleOne', '2024-03-04T08:00:00.000Z', '2024-04-04T08:00:00.000Z'],
      ['articleTwo', '2024-03-05T08:00:00.000Z', '2024-04-05T08:00:00.000Z'],
    ]
    expect(await of('order=-sys.updatedAt')).toEqual([two, one])
    expect(await of('order=sys.createdAt')).toEqual([one, two])
    expect(await of('sys.updatedAt[gte]=2024-04-05')).toEqual([two])
    expect(await of('sys.createdAt[lt]=2024-03-05T00:00:00Z')).toEqual([one])
    expect(await of('sys.publishedAt[lt]=2024-04-05T00:00:00Z')).toEqual([one])

    const times = '{_id, _createdAt, _updatedAt}'
    const first = {
      _id: 'p1',
      _createdAt: '2024-04-01T10:00:00Z',
      _updatedAt: '2024-09-04T08:30:00Z',
    }
    const third = {
      _id: 'p3',
      _createdAt: '2024-03-01T10:00:00Z',
      _updatedAt: '2024-09-03T08:30:00Z',
    }
    expect(await groq(`*[_type == "post"] | order(_updatedAt desc)${times}`)).toEqual([first, third])
    expect(await groq(`*[_type == "post" && _updatedAt < "2024-09-04"]${times}`)).toEqual([third])
    expect(
      await groq(`*[_type == "post" && dateTime(_createdAt) > dateTime("2024-03-15T00:00:00Z")]._id`),
    ).toEqual(['p1'])

    const all = await strapi.ask('/api/articles?sort=updatedAt:desc')
    const rows: { documentId: string; createdAt: string; updatedAt: string }[] = all.data
    const changed = rows.map(({ updatedAt }) => updatedAt)
    expect(changed).toEqual([...changed].sort().reverse())
    const [newest] = rows
    const exported = strapi.site.entries.find(({ ids = [] }) => ids[0]?.id === newest?.documentId)
    expect(newest).toMatchObject({ updatedAt: exported?.changedAt, createdAt: exported?.createdAt })
    const since = await strapi.ask(`/api/articles?filters[updatedAt][$gte]=${newest?.updatedAt}`)
    expect(since.data.length).toBe(changed.filter(time => time === newest?.updatedAt).length)
    const before = await strapi.ask(`/api/articles?filters[createdAt][$lt]=2000-01-01`)
    expect(before.data).toEqual([])

    const posts = async (query: string) =>
      (await wordpress.ask(`/wp-json/wp/v2/posts?${query}`)).map(({ id }: Post) => id)
    expect(await posts('orderby=modified&order=asc&include=23,24,25')).toEqual([23, 24, 25])
    expect(await posts('modified_after=2024-07-01T00:00:00&modified_before=2024-07-20T00:00:00')).toEqual([
      24,
    ])
    expect((await wordpress.ask('/wp-json/wp/v2/posts/24')).modified_gmt).toBe('2024-07-11T06:00:00')
    // In the export, 08:00 in summer and 12:30 in spring.
    expect(wordpress.compat.post).toMatchObject({ zone: 'Europe/Berlin' })
    const local = (await wordpress.ask('/wp-json/wp/v2/posts?include=23,24&orderby=id&order=asc')).map(
      ({ date, date_gmt }: { date: string; date_gmt: string }) => [date, date_gmt],
    )
    expect(local).toEqual([
      ['2024-03-10T12:30:00', '2024-03-10T11:30:00'],
      ['2024-07-11T08:00:00', '2024-07-11T06:00:00'],
    ])
    expect(await posts('after=2024-07-11T07:59:59&before=2024-07-11T08:00:01')).toEqual([24])
    expect(await posts('after=2024-07-11T05:59:59Z&before=2024-07-11T06:00:01Z')).toEqual([24])
  })

  it('end with the first change here', async () => {
    const { app } = wordpress
    const source = await app.db.get(internalTables.sourceIds, 'wordpress post 24')
    const address = `/api/v1/content/?q=${source?.content_data_id}`
    const { status } = await app.call('PUT', address, { as: 'admin', body: { fields: { excerpt: 'New' } } })
    expect(status).toBe(200)
    const now = await wordpress.ask('/wp-json/wp/v2/posts/24')
    expect(now.modified_gmt > '2024-07-11T06:00:00').toBe(true)
    expect(now.id).toBe(24)
    const [first] = await wordpress.ask('/wp-json/wp/v2/posts?orderby=modified&include=23,24,25')
    expect(first.id).toBe(24)
  })
})

describe('requests of front ends', () => {
  const space = '/spaces/s/environments/master'
  const ids = async (query: string): Promise<string[]> =>
    (await contentful.ask(`${space}/entries?${query}`)).items.map(({ sys }: Entry) => sys.id)

  it('get 1,000 entries of Contentful if they ask for them', async () => {
    const entries = Array.from({ length: 230 }, (_, i) => ({
      ...{ key: `more${i}`, ids: [{ kind: 'Entry', id: `more${i}` }], type: 'author', isPublished: true },
      ...{ createdAt: new Date(Date.UTC(2020, 0, 1) + i * 1000).toISOString() },
      values: { name: { value: `Author ${i}` }, handle: { value: `author${i}` } },
    }))
    expect(await contentful.load({ ...contentful.site, entries, files: [] })).toMatchObject({ entries: 230 })
    const list = await contentful.ask(`${space}/entries?content_type=author&limit=1000&order=sys.createdAt`)
    expect([list.items.length, list.total, list.limit]).toEqual([232, 232, 1000])
    expect(list.items[0].sys.id).toBe('more0')
    const named = entries.slice(0, 150).map(({ key }) => key)
    expect(await ids(`sys.id[in]=${named.join()}&limit=1000`)).toEqual(named)
    const { status } = await contentful.app.call('GET', `/compat/contentful${space}/entries?limit=1001`, {
      as: 'nobody',
    })
    expect(status).toBe(400)
  })

  it('compare lists of texts of Contentful by their elements', async () => {
    const of = async (query: string) => (await ids(`content_type=article&${query}`)).sort()
    expect(await of('fields.tags=two')).toEqual(['articleOne', 'articleTwo'])
    expect(await of('fields.tags[in]=one,none')).toEqual(['articleOne'])
    expect(await of('fields.tags[all]=one,two')).toEqual(['articleOne'])
    expect(await of('fields.tags[nin]=one')).toEqual(['articleTwo'])
    expect(await of('fields.related.sys.id[all]=sectionOne,articleTwo')).toEqual(['articleOne'])
  })

  it('find entries of Contentful of all types, by links and without', async () => {
    const all = await contentful.ask(`${space}/entries?limit=1000`)
    expect(all.total).toBe(all.items.length)
    const some = [...(await ids('limit=3&skip=0')), ...(await ids('limit=997&skip=3'))]
    expect(some).toEqual(all.items.map(({ sys }: Entry) => sys.id))
    expect(await ids('links_to_entry=authorAnn')).toContain('articleOne')
    expect(await ids('sys.updatedAt[lt]=2024-04-01T09:00:00Z')).toContain('authorAnn')
    for (const query of ['fields.name=x', 'order=sys.id', 'cursor=true']) {
      const { status } = await contentful.app.call('GET', `/compat/contentful${space}/entries?${query}`, {
        as: 'nobody',
      })
      expect([query, status]).toEqual([query, 400])
    }
  })

  it('have terms of WordPress by their counts and parents, and empty comments', async () => {
    const terms = async (query: string): Promise<[number, number, number][]> =>
      (await wordpress.ask(`/wp-json/wp/v2/categories?${query}`))
        .filter(({ name }: { name: string }) => name !== 'Own')
        .map(({ id, count, parent }: Record<string, number>) => [id, count, parent])
    const all = await terms('orderby=id&order=asc')
    expect(all.map(([id]) => id).sort()).toEqual([1, 2, 3])
    expect(all.find(([id]) => id === 3)?.[2]).toBe(2)
    const used = await terms('hide_empty=true')
    expect(used.map(([id]) => id).sort()).toEqual(all.flatMap(([id, count]) => (count > 0 ? id : [])).sort())
    const counts = (await terms('orderby=count&order=desc')).map(([, count]) => count)
    expect(counts).toEqual([...counts].sort((a, b) => b - a))
    expect((await terms('parent=2')).map(([id]) => id)).toEqual([3])
    expect((await terms('parent=0')).map(([id]) => id).sort()).toEqual([1, 2])
    expect(await wordpress.ask('/wp-json/wp/v2/comments?post=23')).toEqual([])
    expect(await wordpress.ask('/wp-json/wp/v2/taxonomies/category')).toMatchObject({
      rest_base: 'categories',
    })
    const none = await wordpress.app.call('GET', '/compat/wordpress/wp-json/wp/v2/taxonomies/x', {
      as: 'nobody',
    })
    expect([none.status, none.body.code]).toEqual([404, 'rest_taxonomy_invalid'])
    const [post] = await wordpress.ask('/wp-json/wp/v2/posts?include=24')
    expect(post.link).toMatch(/^https?:\/\/[^/]+\/2024\/classic-post$/)
  })
})

describe('requests of front ends of Strapi', () => {
  const titles = async (query: string): Promise<string[]> =>
    (await strapi.ask(`/api/articles?${query}`)).data.map(({ title }: { title: string }) => title).sort()

  it('compare texts in any case', async () => {
    const all = await titles('')
    const [first = ''] = all
    expect(await titles(`filters[title][$eqi]=${encodeURIComponent(first.toUpperCase())}`)).toEqual([first])
    expect(await titles(`filters[title][$nei]=${encodeURIComponent(first.toUpperCase())}`)).toEqual(
      all.slice(1),
    )
    const part = first.slice(1, 3)
    const having = all.filter(title => title.toLowerCase().includes(part.toLowerCase()))
    expect(await titles(`filters[title][$containsi]=${encodeURIComponent(part.toUpperCase())}`)).toEqual(
      having,
    )
    expect(await titles(`filters[title][$endsWith]=${encodeURIComponent(first.slice(-2))}`)).toContain(first)
    const none = await strapi.app.call('GET', '/compat/strapi/api/articles?filters[nothing][$eqi]=x', {
      as: 'nobody',
    })
    expect(none.status).toBe(400)
  })

  it('show the targets of a relation in their order', async () => {
    const names = async (sort: string): Promise<string[][]> =>
      (await strapi.ask(`/api/articles?populate[categories][sort]=${sort}`)).data.map(
        ({ categories }: { categories: { name: string }[] }) => categories.map(({ name }) => name),
      )
    const down = await names('name:desc')
    expect(down.some(({ length }) => length > 1)).toBe(true)
    for (const list of down) expect(list).toEqual([...list].sort().reverse())
    for (const list of await names('name')) expect(list).toEqual([...list].sort())
  })
})
