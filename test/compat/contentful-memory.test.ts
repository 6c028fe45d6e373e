import { expect, it } from 'vitest'
import { addLongPosts, comparesUnderEdits, readsOf } from './memory.js'
import { blog } from './sample.js'

const site = await blog()
const { call } = site.app
let asked = 0
const ask = async (query: string) => {
  const path = `/compat/contentful/spaces/s/environments/e/entries?content_type=post&sys.id[ne]=none${asked++}&${query}`
  const answer = await call('GET', path, { as: 'nobody' })
  return { path, status: answer.status, body: answer.body }
}
const list = async (query: string) => {
  const { path, status, body } = await ask(query)
  expect([path, status]).toEqual([path, 200])
  return body
}

it.each(['', 'include=3&', 'include=0&'])(
  'shows entries that another list has found without reading them (%s)',
  async include => {
    const reads = (query: string) =>
      readsOf(site, async () => expect((await list(include + query)).items).toHaveLength(12))
    const first = await reads('order=sys.createdAt')
    expect(first - (await reads('order=-sys.createdAt'))).toBeGreaterThanOrEqual(3)
  },
)

it('shows of an entry what each list shows of it, and includes nothing twice', async () => {
  const whole = await list('order=sys.createdAt&include=2')
  const byId = new Map(whole.items.map((item: { sys: { id: string } }) => [item.sys.id, item]))
  for (let skip = 0; skip < 12; skip += 5) {
    const { items, includes } = await list(`order=sys.createdAt&include=2&skip=${skip}&limit=5`)
    for (const item of items) expect(item).toEqual(byId.get(item.sys.id))
    for (const of of [includes.Entry, includes.Asset ?? []]) {
      const ids = of.map((one: { sys: { id: string } }) => one.sys.id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(
        ids.filter((id: string) => items.some((item: { sys: { id: string } }) => item.sys.id === id)),
      ).toEqual([])
    }
  }
})

const queries = [
  'order=sys.createdAt',
  'order=-sys.createdAt&limit=3',
  'order=sys.createdAt&include=0',
  'order=sys.createdAt&include=2&limit=5',
  'order=-sys.createdAt&include=10',
  'order=sys.createdAt&locale=*',
]

it.each([1, 2])(
  'shows what reading them anew shows, whatever is changed (%i)',
  seed =>
    comparesUnderEdits(site, seed, async one => {
      const query = one(queries)
      const found = await list(`${query}&select=sys,fields`)
      // What is chosen in other words is remembered apart.
      return { found, anew: await list(`${query}&select=sys,fields,fields.none${asked}`) }
    }),
  60_000,
)

it('refuses a list that is too large, whatever is remembered of it', async () => {
  await addLongPosts(site)
  const statusOf = async (skip: number, limit: number) =>
    (await ask(`order=sys.id&skip=${skip}&limit=${limit}`)).status
  expect([await statusOf(12, 10), await statusOf(22, 10), await statusOf(12, 20)]).toEqual([200, 200, 400])
})
