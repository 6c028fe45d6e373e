import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'

const app = await testApp({ i18n_enabled: true })
const { call, db } = app
const make = factories(app)
const api = (method: string, path: string, body?: object) =>
  call(method, `/api/v1${path}`, body === undefined ? {} : { body })
const published = { status: 'published' }
const author = (await make.datatype('Author', { type: '_global' })).datatype_id
await make.field(author, 'Name', 'text')
const post = (await make.datatype('Post', { visibility: 'public' })).datatype_id
await make.field(post, 'Title', 'text', { translatable: true })
await make.field(post, 'Body', 'richtext')
await make.field(post, 'Writers', 'relation', { data: { cardinality: 'many' } })
await make.field(post, 'Picture', 'media')
await make.field(post, 'Next', 'relation')
const fresh = (await make.field(post, 'Last', 'text')).field_id
await api('POST', '/locales', { code: 'en', label: 'English' })
await api('POST', '/locales', { code: 'de', label: 'Deutsch' })

const authors: string[] = []
for (const name of ['Ada', 'Ben', 'Cleo'])
  authors.push((await make.entry(author, {}, { ...published, fields: { name } })).content_data_id)
const { media_id: picture } = await db.write(systemActor, tx =>
  tx.insert(tables.media, {
    ...{ name: 'a.png', mimetype: 'image/png', size: 1, object_key: 'a', content_hash: 'x' },
    author_id: app.users.admin,
  }),
)
const routes: string[] = []
const posts: string[] = []
for (let i = 0; i < 6; i++) {
  const { route_id } = await make.route(`/post-${i}`)
  routes.push(route_id)
  const fields = { title: `Post ${i}`, body: `<p>${i}</p>`, writers: authors.slice(i % 3), picture }
  posts.push((await make.entry(post, { route_id }, { ...published, fields })).content_data_id)
}

let asked = 0
/** A list that no list before was asked for in the same words, and each of its entries read by itself. */
async function bothWays(query: string) {
  const list = await call('GET', `/api/v1/query/post?${query}&offset=0&limit=${100 + (asked++ % 100)}`, {
    as: 'nobody',
  })
  expect([list.status, list.text]).toEqual([200, list.text])
  const entries: object[] = []
  const ofOne = new URLSearchParams(query)
  ofOne.delete('sort')
  for (const { id } of list.body.data)
    entries.push((await call('GET', `/api/v1/query/post/${id}?${ofOne}`, { as: 'nobody' })).body.data)
  return { list: list.body.data, entries }
}
const queries = ['sort=id', 'sort=-id', 'sort=title&locale=de', 'sort=id&fields=title,writers']

it('shows entries that another query has found without reading them', async () => {
  const reads = async (query: string) => {
    const { read } = db.statementCounts
    expect((await call('GET', `/api/v1/query/post?${query}`, { as: 'nobody' })).body.data).toHaveLength(6)
    return db.statementCounts.read - read
  }
  const first = await reads('sort=-id')
  expect(first - (await reads('sort=id'))).toBeGreaterThanOrEqual(5)
})

it.each([1, 2, 3])(
  'shows what reading it anew shows, whatever is changed (%i)',
  async seed => {
    const { below, one } = chooser(seed)
    const statuses = new Map<number, number>()
    const text = () => `text ${below(1000)}`
    const edits: (() => ReturnType<typeof api>)[] = [
      () => api('PUT', `/content?q=${one(posts)}`, { fields: { title: text() } }),
      () => api('PUT', `/content?q=${one(posts)}`, { fields: { title: text() }, locale: 'de' }),
      () => api('PUT', `/content?q=${one(posts)}`, { fields: { body: `<p>${text()}</p>`, last: text() } }),
      () => api('PUT', `/content?q=${one(posts)}`, { fields: { writers: authors.slice(below(3)) } }),
      () =>
        api('PUT', `/content?q=${one(posts)}`, { fields: { next: one(posts), picture: one(['', picture]) } }),
      () => api('PUT', `/content?q=${one(authors)}`, { fields: { name: text() } }),
      () => api('PUT', `/content?q=${one([...posts, ...authors])}`, { status: one(['draft', 'published']) }),
      () =>
        api('POST', '/content', {
          datatype_id: post,
          ...published,
          fields: { title: text(), next: one(posts) },
        }),
      () => api('PUT', `/routes?q=${one(routes)}`, { title: text() }),
      () => api('PUT', `/routes?q=${one(routes)}`, { slug: `/${below(10)}-${below(1000)}` }),
      () => api('PUT', `/routes?q=${one(routes)}`, { translations: { de: { title: text() } } }),
      () => api('PUT', `/content?q=${one(posts)}`, { route_id: one([null, one(routes)]) }),
      () => api('PUT', `/media?q=${picture}`, { alt_text: text() }),
      () => api('PUT', `/fields?q=${fresh}`, { name: one(['last', 'late']) }),
      () => api('PUT', `/fields?q=${fresh}`, { sort_order: below(3) }),
      () => api('PUT', '/locales?q=de', { is_enabled: one([true, false]) }),
      () => api('POST', '/content/move', { content_data_id: one(posts), parent_id: one(posts), position: 0 }),
    ]
    for (let round = 0; round < 25; round++) {
      for (let i = below(3); i >= 0; i--) {
        const answer = await one(edits)()
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        if (answer.status === 201) posts.push(answer.body.content_data_id)
      }
      for (const query of [one(queries), one(queries)]) {
        const { list, entries } = await bothWays(query)
        expect(list).toEqual(entries)
      }
    }
    expect(statuses.get(200)).toBeGreaterThan(15)
  },
  60_000,
)

it('says no more than one answer may, whatever is kept', async () => {
  const { datatype_id } = await make.datatype('Book', { type: '_global', visibility: 'public' })
  await make.field(datatype_id, 'Text', 'textarea')
  await make.field(datatype_id, 'Shelf', 'text')
  const shelves = { many: 19, one: 2 }
  for (const [shelf, n] of Object.entries(shelves))
    for (let i = 0; i < n; i++) {
      const fields = { shelf, text: 'x'.repeat(800_000) }
      await make.entry(datatype_id, {}, { ...published, fields })
    }
  const statusOf = async (query: string) =>
    (await call('GET', `/api/v1/query/book?limit=100${query}`, { as: 'nobody' })).status
  expect(await statusOf('&filter[shelf]=many')).toBe(200)
  expect(await statusOf('&filter[shelf]=one')).toBe(200)
  expect(await statusOf('')).toBe(400)
})
