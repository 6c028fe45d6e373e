import { expect } from 'vitest'
import type { chooser } from '../support/random.js'
import type { blog } from './sample.js'

type Site = Awaited<ReturnType<typeof blog>>

const sends =
  ({ app: { call } }: Site) =>
  (method: string, path: string, body: object) =>
    call(method, `/api/v1${path}`, { body })

/** Changes of posts, and of all that is shown in them. */
export function editsOf(site: Site, { below, one }: Pick<ReturnType<typeof chooser>, 'below' | 'one'>) {
  const { ann, bob, news, tips, picture, posts } = site
  const api = sends(site)
  const text = () => `text ${below(1000)}`
  const ids = posts.map(({ content_data_id }) => content_data_id as string)
  const authors = [ann, bob].map(({ content_data_id }) => content_data_id as string)
  return [
    () => api('PUT', `/content?q=${one(ids)}`, { fields: { body: `<p>${text()}</p>`, excerpt: text() } }),
    () => api('PUT', `/content?q=${one(ids)}`, { fields: { author: one(authors) } }),
    () => api('PUT', `/content?q=${one(ids)}`, { status: one(['draft', 'published']) }),
    () => api('PUT', `/content?q=${one(authors)}`, { fields: { name: text() } }),
    () => api('PUT', `/content?q=${one(authors)}`, { status: one(['draft', 'published']) }),
    () => api('PUT', `/content?q=${one([news, tips]).content_data_id}`, { fields: { name: text() } }),
    () => api('PUT', `/routes?q=${one(posts).route_id}`, { title: text() }),
    () => api('PUT', `/media?q=${picture.media_id}`, { alt_text: text() }),
  ]
}

/** Adds twenty posts, of which one answer may have ten and not all. */
export async function addLongPosts(site: Site): Promise<void> {
  const api = sends(site)
  const { datatype_id } = site.posts[0] as { datatype_id: string }
  const fields = { excerpt: 'x'.repeat(900_000) }
  for (let n = 0; n < 20; n++) {
    const route = await api('POST', '/routes', { slug: `/long-${n}`, title: 'Long' })
    const entry = { datatype_id, route_id: route.body.route_id, status: 'published', fields }
    expect((await api('POST', '/content', entry)).status).toBe(201)
  }
}
