import { afterEach, expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'

// Nothing is kept in memory, so that every visit is answered by the database.
const { call, db, services } = await testApp({ page_cache_bytes: 0 })
async function api(method: string, path: string, body?: unknown) {
  const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  expect([path, Math.floor(answer.status / 100)]).toEqual([path, 2])
  return answer.body
}
const { datatype_id } = await api('POST', '/datatypes', { label: 'Page', type: 'content' })
const { field_id } = await api('POST', '/fields', {
  label: 'Text',
  field_type: 'text',
  parent_id: datatype_id,
})

let made = 0
async function page(text: string) {
  const slug = `/kept-${++made}`
  const { route_id } = await api('POST', '/routes', { slug, title: 'Kept' })
  const entry = { datatype_id, route_id, status: 'published', fields: { text } }
  const { content_data_id: id } = await api('POST', '/content', entry)
  return { slug, route_id, id }
}
const set = (id: string, text: string) => api('PUT', `/content?q=${id}`, { fields: { text } })
const place = (id: string, to: object) => api('PUT', `/content?q=${id}`, { parent_id: null, ...to })
const keys = async () => (await db.findAll(internalTables.renderedPages)).map(({ page_key }) => page_key)

const query = db.query
/** What a page shows, or its status, and how many statements it took. */
async function visit(slug: string): Promise<[shown: unknown, statements: number]> {
  let statements = 0
  db.query = (what, values) => {
    statements++
    return query.call(db, what, values) as never
  }
  const { status, body } = await call('GET', `${slug}?format=clean`, { as: 'nobody' })
  db.query = query
  await services.space.pages.settle()
  return [status === 200 ? body.text : status, statements]
}
afterEach(() => {
  db.query = query
})

it('takes one statement while it is good, and says nothing else afterwards', async () => {
  const { slug, id } = await page('one')
  expect(await visit(slug)).toEqual(['one', 3])
  expect(await visit(slug)).toEqual(['one', 1])
  await set(id, 'two')
  expect(await visit(slug)).toEqual(['two', 3])
  expect(await visit(slug)).toEqual(['two', 1])
  await api('POST', '/content/unpublish', { content_data_id: id })
  expect(await visit(slug)).toEqual([404, 2])
  await api('POST', '/content/publish', { content_data_id: id })
  expect(await visit(slug)).toEqual(['two', 3])
  expect(await visit(slug)).toEqual(['two', 1])
  await api('PUT', `/fields?q=${field_id}`, { label: 'Text again' })
  expect(await visit(slug)).toEqual(['two', 3])
  await api('DELETE', `/content?q=${id}`)
  expect(await visit(slug)).toEqual([404, 2])
})

it('belongs to its slug only as long as the page does', async () => {
  const [a, b] = [await page('a'), await page('b')]
  expect([await visit(a.slug), await visit(b.slug)]).toEqual([
    ['a', 3],
    ['b', 3],
  ])
  await api('PUT', `/routes?q=${a.route_id}`, { slug: '/kept-between' })
  expect(await visit(a.slug)).toEqual([308, 2])
  await api('PUT', `/routes?q=${b.route_id}`, { slug: a.slug })
  await api('PUT', `/routes?q=${a.route_id}`, { slug: b.slug })
  expect((await keys()).filter(key => key.endsWith(a.slug) || key.endsWith(b.slug))).toEqual([])
  expect([(await visit(a.slug))[0], (await visit(b.slug))[0]]).toEqual(['b', 'a'])

  // Another root on the same route, and the route of another.
  const c = await api('POST', '/routes', { slug: '/kept-elsewhere', title: 'Kept' })
  await place(a.id, { route_id: c.route_id })
  expect([(await visit(b.slug))[0], (await visit('/kept-elsewhere'))[0]]).toEqual([308, 'a'])
  await place(b.id, { route_id: a.route_id })
  expect([(await visit(a.slug))[0], (await visit(b.slug))[0]]).toEqual([308, 'b'])
  await api('DELETE', `/routes?q=${b.route_id}`)
  expect((await keys()).filter(key => key.endsWith(a.slug))).toEqual([])
})

it.each([0, 1, 2, 3, 4, 5])(
  'is of this life of the tree, with %i changes after its return',
  async changes => {
    const [home, other] = [await page('home'), await page('before')]
    await set(other.id, 'before')
    await api('PUT', `/content?q=${other.id}`, { sort_order: 7 })
    expect(await visit(other.slug)).toEqual(['before', 3])
    expect(await visit(other.slug)).toEqual(['before', 1])
    // Under another root it is no tree, and then it is one again.
    await api('PUT', `/content?q=${other.id}`, { parent_id: home.id, route_id: null })
    await set(other.id, 'after')
    await place(other.id, { route_id: other.route_id })
    for (let i = 1; i <= changes; i++) await set(other.id, `after ${i}`)
    expect(await visit(other.slug)).toEqual([changes === 0 ? 'after' : `after ${changes}`, 3])
  },
)

it('grows a tree by one version in a change, however much of it changes', async () => {
  const { id, slug } = await page('one')
  const version = async () => (await db.get(tables.contentTrees, id))?.version ?? 0
  const before = await version()
  await api('PUT', `/content?q=${id}`, { sort_order: 3, fields: { text: 'two' } })
  expect(await version()).toBe(before + 1)
  expect((await visit(slug))[0]).toBe('two')
})
