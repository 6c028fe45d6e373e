import { createClient } from '@sanity/client'
import { expect, it } from 'vitest'
import { blog, editorKey, reached } from './sample.js'

const site = await blog({ publish_mode: 'staged', compat: { page: { children: 'parts' } } })
const { app, make, types, about, ann, bob } = site
const { call } = app
const [first, second] = site.posts
const change = (id: string | undefined, fields: object) =>
  call('PUT', `/api/v1/content?q=${id}`, { body: { fields } })

await change(first?.content_data_id, { excerpt: 'Changed', author: bob.content_data_id })
await make.field(types.page.datatype_id, 'Button', 'json')
await call('POST', '/api/v1/content/publish', { body: { content_data_id: about.content_data_id } })
const link = { linkType: 'post', post: { _type: 'reference', _ref: site.draft.content_data_id } }
await change(about.content_data_id, { button: JSON.stringify({ text: 'Read', link }) })

const at = {
  ...{ apiHost: `${await reached(app)}/compat/sanity`, useProjectHostname: false, useCdn: false },
  ...{ projectId: 'site', dataset: 'production', apiVersion: '2025-09-25' },
}
const studioUrl = 'https://studio.example'
/** As front ends make it: published, unless a request says otherwise. */
const client = createClient({ ...at, token: editorKey, perspective: 'published', stega: { studioUrl } })
/** As front ends ask in the draft mode of Next.js. */
const inDraftMode = { perspective: 'drafts', stega: true, returnQuery: false, tag: 'draft-mode' } as const

const list = `*[_type == "post" && defined(slug.current) && price < 4] | order(date desc, _updatedAt desc) {
  "status": select(_originalId in path("drafts.**") => "draft", "published"),
  "title": coalesce(title, "Untitled"), "slug": slug.current, excerpt, "author": author->{name}
}`

it('shows what is worked on to a client with a key in draft mode, marked as drafts', async () => {
  const before = [
    {
      status: 'published',
      title: 'Post 2',
      slug: 'blog/post-2',
      excerpt: 'Short 2',
      author: { name: 'Ann' },
    },
    {
      status: 'published',
      title: 'Post 1',
      slug: 'blog/post-1',
      excerpt: 'Short 1',
      author: { name: 'Ann' },
    },
  ]
  expect(await client.fetch(list)).toEqual(before)
  const changed = { ...before[1], status: 'draft', excerpt: 'Changed', author: { name: 'Bob' } }
  expect(await client.fetch(list, {}, inDraftMode)).toEqual([before[0], changed])
  const { content_data_id: id } = site.draft
  const ofAll = '*[_type == "post" && _id in $ids] | order(title asc){..., "author": null}'
  const found = await client.fetch(
    ofAll,
    { ids: [first?.content_data_id, second?.content_data_id, id] },
    inDraftMode,
  )
  expect(found.map(({ _originalId, title }: Record<string, string>) => [title, _originalId])).toEqual([
    ['A draft', `drafts.${id}`],
    ['Post 1', `drafts.${first?.content_data_id}`],
    ['Post 2', undefined],
  ])
})

it('follows references from a page to drafts, and shows parts that wait', async () => {
  const page = `*[_type == "page" && slug.current == $slug][0]{
    title, button{..., link{..., "post": post->slug.current}}, parts[]{_type == "card" => {heading}}
  }`
  await make.entry(
    site.card.datatype_id,
    { parent_id: about.content_data_id },
    { fields: { heading: 'Wheels' } },
  )
  const asked = (more: object) => client.fetch(page, { slug: 'about' }, more)
  const parts = [{ heading: 'Brakes' }, { heading: 'Gears' }]
  expect(await asked({})).toEqual({ title: 'About us', button: null, parts })
  expect(await asked(inDraftMode)).toEqual({
    title: 'About us',
    button: { text: 'Read', link: { linkType: 'post', post: 'blog/draft' } },
    parts: [...parts, { heading: 'Wheels' }],
  })
})

it('takes drafts by their former name and in a list, and no release', async () => {
  const titles = (perspective: string) =>
    fetch(
      `${at.apiHost}/v1/data/query/production?perspective=${perspective}&query=${encodeURIComponent('count(*[_type == "post"])')}`,
      { headers: { Authorization: `Bearer ${editorKey}` } },
    ).then(async answer => [answer.status, await answer.json()])
  for (const perspective of ['drafts', 'previewDrafts', 'drafts,published', 'raw,drafts'])
    expect([perspective, await titles(perspective)]).toMatchObject([perspective, [200, { result: 13 }]])
  for (const perspective of ['published', 'raw'])
    expect([perspective, await titles(perspective)]).toMatchObject([perspective, [200, { result: 12 }]])
  expect(await titles('rSummer,drafts')).toEqual([
    400,
    { error: { type: 'queryExecutionError', description: expect.stringContaining('perspective') } },
  ])
})

it('refuses drafts to who has no key, a wrong one, or one that may not change content', async () => {
  const { body } = await call('POST', '/api/v1/tokens', { body: { permissions: ['content:read'] } })
  const refused = async (token: string | undefined, path: string) => {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    const answer = await fetch(`${at.apiHost}/v1/data/${path}`, { headers })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    return answer.json()
  }
  const query = `query/production?perspective=drafts&query=${encodeURIComponent('*[_type == "post"]')}`
  for (const path of [query, `doc/production/${ann.content_data_id}?perspective=drafts`]) {
    const unauthorized = { statusCode: 401, error: 'Unauthorized', message: expect.any(String) }
    expect(await refused(undefined, path)).toEqual(unauthorized)
    expect(await refused('wrong', path)).toEqual(unauthorized)
    expect(await refused(body.token, path)).toEqual({
      ...{ statusCode: 403, error: 'Forbidden', message: expect.stringContaining('content:update') },
    })
  }
})
