import { expect, it } from 'vitest'
import { chooser } from '../support/random.js'
import { blog } from './sample.js'

const { app, ann, bob, news, tips, picture, posts, about, team } = await blog()
const { call, db } = app
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
    const ids = posts.map(({ content_data_id }) => content_data_id as string)
    const authors = [ann, bob].map(({ content_data_id }) => content_data_id as string)
    const edits: (() => ReturnType<typeof api>)[] = [
      () => api('PUT', `/content?q=${one(ids)}`, { fields: { body: `<p>${text()}</p>`, excerpt: text() } }),
      () => api('PUT', `/content?q=${one(ids)}`, { fields: { author: one(authors) } }),
      () => api('PUT', `/content?q=${one(ids)}`, { status: one(['draft', 'published']) }),
      () => api('PUT', `/content?q=${one(authors)}`, { fields: { name: text() } }),
      () => api('PUT', `/content?q=${one(authors)}`, { status: one(['draft', 'published']) }),
      () => api('PUT', `/content?q=${one([news, tips]).content_data_id}`, { fields: { name: text() } }),
      () => api('PUT', `/routes?q=${one(posts).route_id}`, { title: text() }),
      () => api('PUT', `/routes?q=${one([about, team]).route_id}`, { slug: `/about-${below(1000)}` }),
      () => api('PUT', `/media?q=${picture.media_id}`, { alt_text: text() }),
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
  const { datatype_id } = posts[0] as { datatype_id: string }
  const fields = { excerpt: 'x'.repeat(900_000) }
  for (let n = 0; n < 20; n++) {
    const route = await api('POST', '/routes', { slug: `/long-${n}`, title: 'Long' })
    const entry = { datatype_id, route_id: route.body.route_id, status: 'published', fields }
    expect((await api('POST', '/content', entry)).status).toBe(201)
  }
  const statusOf = async (query: string) =>
    (await call('GET', `/compat/wordpress/wp-json/wp/v2/posts?${query}`, { as: 'nobody' })).status
  expect(await statusOf('orderby=id&per_page=10')).toBe(200)
  expect(await statusOf('orderby=id&per_page=10&offset=10')).toBe(200)
  expect(await statusOf('orderby=id&per_page=20')).toBe(400)
}, 60_000)
