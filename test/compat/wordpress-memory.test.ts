import { expect, it } from 'vitest'
import { chooser } from '../support/random.js'
import { addLongPosts, editsOf } from './edits.js'
import { blog } from './sample.js'

const site = await blog()
const { about, team } = site
const { call, db } = site.app
const api = (method: string, path: string, body: object) => call(method, `/api/v1${path}`, { body })
const ask = (path: string) =>
  call('GET', `/compat/wordpress/wp-json/wp/v2${path}`, { as: 'nobody' }).then(answer => {
    expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text])
    return answer.body
  })
let asked = 0
/** A list that was not asked for before, in other words of the same meaning. */
const list = (base: string, query: string) => ask(`/${base}?per_page=100&offset=0&cache=${asked++}&${query}`)

it('shows posts that another list has found without reading them', async () => {
  const reads = async (query: string) => {
    const { read } = db.statementCounts
    expect(await list('posts', query)).toHaveLength(12)
    return db.statementCounts.read - read
  }
  const first = await reads('orderby=date&order=asc')
  expect(first - (await reads('orderby=date&order=desc'))).toBeGreaterThanOrEqual(5)
})

const queries = ['', '_embed&order=asc', '_fields=id,title,acf', '_embed=author']

it.each([1, 2])(
  'shows what reading them anew shows, whatever is changed (%i)',
  async seed => {
    const { below, one } = chooser(seed)
    const text = () => `text ${below(1000)}`
    const edits = [
      ...editsOf(site, { below, one }),
      () => api('PUT', `/routes?q=${one([about, team]).route_id}`, { slug: `/about-${below(1000)}` }),
      () => api('PUT', `/content?q=${about.content_data_id}`, { fields: { intro: `<p>${text()}</p>` } }),
    ]
    for (let round = 0; round < 15; round++) {
      for (let i = below(3); i >= 0; i--) expect((await one(edits)()).status).toBe(200)
      const [base, query] = [one(['posts', 'posts', 'pages']), one(queries)]
      const found = await list(base, query)
      const anew = []
      for (const { id } of found) anew.push(await ask(`/${base}/${id}?${query.replace('&order=asc', '')}`))
      expect(found).toEqual(anew)
    }
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
}, 60_000)
