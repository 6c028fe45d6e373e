import { expect, it } from 'vitest'
import { addLongPosts, comparesUnderEdits, readsOf } from './memory.js'
import { blog } from './sample.js'

const site = await blog()
const { about, team } = site
const { call } = site.app
const api = (method: string, path: string, body: object) => call(method, `/api/v1${path}`, { body })
const page = (path: string) =>
  call('GET', `/compat/wordpress/wp-json/wp/v2${path}`, { as: 'nobody' }).then(answer => {
    expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text])
    return answer.body
  })
let asked = 0
/** A list that was not asked for before, in other words of the same meaning. */
const list = (base: string, query: string) => page(`/${base}?per_page=100&offset=0&cache=${asked++}&${query}`)

it('shows posts that another list has found without reading them', async () => {
  const reads = (query: string) =>
    readsOf(site, async () => expect(await list('posts', query)).toHaveLength(12))
  const first = await reads('orderby=date&order=asc')
  expect(first - (await reads('orderby=date&order=desc'))).toBeGreaterThanOrEqual(5)
})

const queries = ['', '_embed&order=asc', '_fields=id,title,acf', '_embed=author']

it.each([1, 2])(
  'shows what reading them anew shows, whatever is changed (%i)',
  seed => {
    let n = 0
    const edits = [
      () => api('PUT', `/routes?q=${[about, team][n++ % 2]?.route_id}`, { slug: `/about-${n}` }),
      () => api('PUT', `/content?q=${about.content_data_id}`, { fields: { intro: `<p>text ${n++}</p>` } }),
    ]
    const ask = async (one: <T>(of: readonly T[]) => T) => {
      const [base, query] = [one(['posts', 'posts', 'pages']), one(queries)]
      const found = await list(base, query)
      const anew = []
      for (const { id } of found) anew.push(await page(`/${base}/${id}?${query.replace('&order=asc', '')}`))
      return { found, anew }
    }
    return comparesUnderEdits(site, seed, ask, edits)
  },
  60_000,
)

it('refuses a list that is too large, whatever is remembered of it', async () => {
  await addLongPosts(site)
  const statusOf = async (query: string) =>
    (await call('GET', `/compat/wordpress/wp-json/wp/v2/posts?${query}`, { as: 'nobody' })).status
  expect(await statusOf('orderby=id&per_page=10')).toBe(200)
  expect(await statusOf('orderby=id&per_page=10&offset=10')).toBe(200)
  expect(await statusOf('orderby=id&per_page=20')).toBe(400)
})
