import { expect, it } from 'vitest'
import { addLongPosts, comparesUnderEdits, readsOf } from './memory.js'
import { blog } from './sample.js'

const site = await blog()
const { call } = site.app
const ask = async (path: string, root = 'api') => {
  const answer = await call('GET', `/compat/strapi/${root}${path}`, { as: 'nobody' })
  expect([path, answer.status]).toEqual([path, 200])
  return answer.body.data
}
let asked = 0
/** A list that was not asked for before, in other words of the same meaning. */
const list = (query: string, root?: string) =>
  ask(`/posts?pagination[pageSize]=100&cache=${asked++}&${query}`, root)

const reads = (query: string, root?: string) =>
  readsOf(site, async () => expect(await list(query, root)).toHaveLength(12))

it.each(['api', 'v4/api'])(
  'shows documents that another list has found without reading them (%s)',
  async root => {
    const first = await reads('sort=publishedAt&populate=*', root)
    expect(first - (await reads('sort=publishedAt:desc&populate=*', root))).toBeGreaterThanOrEqual(5)
  },
)

it('writes documents each time that show more than one relation away', async () => {
  const deep = 'populate[author][populate]=photo'
  const first = await reads(`sort=publishedAt&${deep}`)
  expect(await reads(`sort=publishedAt:desc&${deep}`)).toBe(first)
})

const queries: readonly (readonly [query: string, root: string])[] = [
  ['', 'api'],
  ['populate=*', 'api'],
  ['populate=*', 'v4/api'],
  ['populate[author][fields][0]=name&fields[0]=price', 'api'],
  ['populate[author][fields][0]=slug&fields[0]=price', 'api'],
  ['populate[0]=categories&populate[1]=cover', 'api'],
  ['populate=children', 'api'],
]

it.each([1, 2])(
  'shows what reading them anew shows, whatever is changed (%i)',
  seed =>
    comparesUnderEdits(site, seed, async one => {
      const [query, root] = one(queries)
      const found = await list(query, root)
      const anew = []
      for (const { id, documentId } of found)
        anew.push(await ask(`/posts/${documentId ?? id}?${query}`, root))
      return { found, anew }
    }),
  60_000,
)

it('refuses a list that is too large, whatever is remembered of it', async () => {
  await addLongPosts(site)
  const statusOf = async (start: number, limit: number) =>
    (
      await call(
        'GET',
        `/compat/strapi/api/posts?sort=id&pagination[start]=${start}&pagination[limit]=${limit}`,
        {
          as: 'nobody',
        },
      )
    ).status
  expect(await statusOf(12, 10)).toBe(200)
  expect(await statusOf(22, 10)).toBe(200)
  expect(await statusOf(12, 20)).toBe(400)
})
