import { expect } from 'vitest'
import { chooser } from '../support/random.js'
import type { blog } from './sample.js'

type Site = Awaited<ReturnType<typeof blog>>

const sends =
  ({ app: { call } }: Site) =>
  (method: string, path: string, body: object) =>
    call(method, `/api/v1${path}`, { body })

/** Changes of posts, and of all that is shown in them. */
function editsOf(site: Site, { below, one }: Pick<ReturnType<typeof chooser>, 'below' | 'one'>) {
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

/**
 * Changes posts, and all that is shown in them, and asks after each few changes.
 * @param ask what a list shows, and the same where nothing is remembered
 */
export async function comparesUnderEdits(
  site: Site,
  seed: number,
  ask: (one: ReturnType<typeof chooser>['one']) => Promise<{ found: unknown; anew: unknown }>,
  more: ReturnType<typeof editsOf> = [],
): Promise<void> {
  const { below, one } = chooser(seed)
  const edits = [...editsOf(site, { below, one }), ...more]
  for (let round = 0; round < 15; round++) {
    for (let i = below(3); i >= 0; i--) expect((await one(edits)()).status).toBe(200)
    const { found, anew } = await ask(one)
    expect(found).toEqual(anew)
  }
}

/** How many statements it takes to ask. */
export async function readsOf({ app: { db } }: Site, ask: () => Promise<unknown>): Promise<number> {
  const { read } = db.statementCounts
  await ask()
  return db.statementCounts.read - read
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
