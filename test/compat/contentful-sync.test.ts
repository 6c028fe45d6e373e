import { createClient } from 'contentful'
import { beforeAll, expect, it } from 'vitest'
import { blog, editorKey, reached } from './sample.js'

const site = await blog({ publish_mode: 'staged' })
const { app, make, posts } = site
const { call, clock } = app
const origin = await reached(app)
const at = { space: 'site', host: origin.slice('http://'.length), insecure: true }
const client = createClient({ ...at, accessToken: editorKey, basePath: '/compat/contentful' })

const idsOf = (items: readonly { sys: { id: string } }[]) => items.map(({ sys }) => sys.id).sort()
/** What a synchronisation told of, by kind. */
const told = async (query: Parameters<typeof client.sync>[0]) => {
  const { entries, assets, deletedEntries, deletedAssets, nextSyncToken } = await client.sync(query)
  return {
    ...{ entries, nextSyncToken: nextSyncToken ?? '' },
    ids: idsOf(entries),
    assets: idsOf(assets),
    gone: [...idsOf(deletedEntries), ...idsOf(deletedAssets)].sort(),
  }
}
const everyPublished = async () => {
  const rows: { content_data_id: string; status: string }[] = (await call('GET', '/api/v1/content')).body
  return rows
    .filter(({ status }) => status === 'published')
    .map(({ content_data_id }) => content_data_id)
    .sort()
}
let first: Awaited<ReturnType<typeof told>>
beforeAll(async () => {
  await call('POST', '/api/v1/content/publish', { body: { content_data_id: site.about.content_data_id } })
  // What was written in the minute before a token comes once more.
  clock.advance(120_000)
  first = await told({ initial: true })
  clock.advance(120_000)
})

it('tells of everything at first, in all locales, and of no draft', async () => {
  expect(first.ids).toEqual(await everyPublished())
  expect(first.assets).toEqual([site.picture.media_id])
  expect(first.gone).toEqual([])
  const post = first.entries.find(({ sys }) => sys.id === posts[0]?.content_data_id)
  expect(post?.fields).toMatchObject({ title: { en: 'Post 1' }, price: { en: 1.5 } })
  expect(post?.fields.author).toMatchObject({ en: { fields: { name: { en: 'Ann' } } } })
  const whole = JSON.stringify(first)
  expect([whole.includes('A draft'), whole.includes(site.bob.content_data_id)]).toEqual([false, false])
})

it('comes in pages that are together the same', async () => {
  const found: string[] = []
  let query: Parameters<typeof client.sync>[0] = { initial: true, limit: 4 } as never
  let pages = 0
  for (;;) {
    const page = await client.sync(query, { paginate: false })
    found.push(...idsOf(page.entries))
    pages++
    const { nextPageToken } = page as { nextPageToken?: string }
    if (!nextPageToken) break
    query = { nextPageToken } as never
  }
  expect(found.sort()).toEqual(first.ids)
  expect(pages).toBeGreaterThan(4)
})

it('chooses by type and content type', async () => {
  expect((await told({ initial: true, type: 'Asset' } as never)).ids).toEqual([])
  const some = await told({ initial: true, content_type: 'post' } as never)
  expect([some.ids, some.assets]).toEqual([
    idsOf(posts.map(({ content_data_id: id }) => ({ sys: { id } }))),
    [],
  ])
})

it('tells next time of what was changed, taken back and deleted, and of nothing else', async () => {
  const nothing = await told({ nextSyncToken: first.nextSyncToken })
  expect([nothing.ids, nothing.assets, nothing.gone]).toEqual([[], [], []])
  const [one, two, three] = posts.map(({ content_data_id }) => content_data_id)
  const change = (id: string | undefined, fields: object) =>
    call('PUT', `/api/v1/content?q=${id}`, { body: { fields } })
  await change(one, { excerpt: 'Changed' })
  const waiting = await told({ nextSyncToken: nothing.nextSyncToken })
  // What waits is not public yet.
  expect(JSON.stringify(waiting)).not.toContain('Changed')
  await call('POST', '/api/v1/content/publish', { body: { content_data_id: one } })
  await call('POST', '/api/v1/content/unpublish', { body: { content_data_id: two } })
  await call('DELETE', `/api/v1/content?q=${three}`)
  await call('DELETE', `/api/v1/content?q=${site.draft.content_data_id}`)
  const card = await make.entry(
    site.types.page.datatype_id,
    { parent_id: site.about.content_data_id },
    { status: 'published' },
  )
  await call('POST', '/api/v1/content/publish', { body: { content_data_id: site.about.content_data_id } })
  const next = await told({ nextSyncToken: waiting.nextSyncToken })
  expect(next.ids).toEqual(
    expect.arrayContaining([one, card.content_data_id, site.about.content_data_id].sort()),
  )
  expect(next.entries.find(({ sys }) => sys.id === one)?.fields.excerpt).toEqual({ en: 'Changed' })
  expect(next.gone).toEqual([two, three].sort())
  clock.advance(120_000)
  const later = await told({ nextSyncToken: next.nextSyncToken })
  await call('DELETE', `/api/v1/media/${site.picture.media_id}?force=true`)
  expect((await told({ nextSyncToken: later.nextSyncToken })).gone).toContain(site.picture.media_id)
})

it('tells of an entry that is deleted when the public does not see it any more', async () => {
  const before = await told({ initial: true })
  const cards = before.entries.filter(({ sys }) => sys.contentType.sys.id === 'card').map(({ sys }) => sys.id)
  const [early, late] = cards
  await call('DELETE', `/api/v1/content?q=${early}`)
  clock.advance(120_000)
  const waiting = await told({ nextSyncToken: before.nextSyncToken })
  expect(waiting.gone).not.toContain(early)
  const afresh = await told({ initial: true })
  expect(afresh.ids).toContain(early)
  await call('DELETE', `/api/v1/content?q=${late}`)
  clock.advance(120_000)
  await call('POST', '/api/v1/content/publish', { body: { content_data_id: site.about.content_data_id } })
  clock.advance(120_000)
  for (const { nextSyncToken } of [waiting, afresh])
    expect((await told({ nextSyncToken })).gone).toEqual([early, late].sort())
})

it('takes a key and a token of its own', async () => {
  const ask = async (query: string, key = editorKey) => {
    const answer = await fetch(`${origin}/compat/contentful/spaces/site/sync?${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    return [answer.status, ((await answer.json()) as { sys: { id: string } }).sys.id]
  }
  expect(await ask('initial=true', 'wrong')).toEqual([401, 'AccessTokenInvalid'])
  const forged = (state: object) => btoa(JSON.stringify(state)).replaceAll('=', '')
  for (const token of ['', 'x', forged({}), forged({ from: -1 }), 'A'.repeat(5000)])
    expect([token, await ask(`sync_token=${token}`)]).toEqual([token, [400, 'InvalidQuery']])
  expect(await ask('')).toEqual([400, 'InvalidQuery'])
  expect(await ask('initial=true&type=Everything')).toEqual([400, 'InvalidQuery'])
  const old = JSON.parse(atob(first.nextSyncToken))
  expect(await ask(`sync_token=${forged({ ...old, from: 0 })}`)).toEqual([200, undefined])
})
