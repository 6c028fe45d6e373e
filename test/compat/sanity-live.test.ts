import { createClient, type LiveEvent } from '@sanity/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventReader } from '../support/event-stream.js'
import { blog, editorKey, reached } from './sample.js'

const listening = async (overrides: Parameters<typeof blog>[0] = {}) => {
  const site = await blog(overrides)
  const at = {
    ...{ apiHost: `${await reached(site.app)}/compat/sanity`, useProjectHostname: false, useCdn: false },
    ...{ projectId: 'site', dataset: 'production', apiVersion: '2025-02-19' },
  }
  const client = createClient(at)
  const listen = (given = client, includeDrafts = false) => {
    const waiting: ((event: LiveEvent) => void)[] = []
    const came: LiveEvent[] = []
    const subscription = given.live.events({ includeDrafts }).subscribe(event => {
      const next = waiting.shift()
      if (next) next(event)
      else came.push(event)
    })
    onTestFinished(() => subscription.unsubscribe())
    return async () => came.shift() ?? new Promise<LiveEvent>(resolve => waiting.push(resolve))
  }
  return { ...site, client, listen, editor: createClient({ ...at, token: editorKey }) }
}

describe('live events', async () => {
  const { app, client, editor, listen, posts, draft } = await listening({ publish_mode: 'staged' })
  const edit = (id: string | undefined, fields: object) =>
    app.call('PUT', `/api/v1/content?q=${id}`, { body: { fields } })

  it('tell of what the public sees differently, with the tag of all answers', async () => {
    const { syncTags } = await client.fetch('*[_type == "post"][0]', {}, { filterResponse: false })
    const next = listen()
    expect(await next()).toMatchObject({ type: 'welcome', id: expect.stringMatching(/^\d+$/) })
    const [post] = posts
    await edit(draft.content_data_id, { excerpt: 'Nobody sees it' })
    await edit(post?.content_data_id, { excerpt: 'Later' })
    await app.call('POST', '/api/v1/content/publish', { body: { content_data_id: post?.content_data_id } })
    const told = await next()
    expect(told).toMatchObject({ type: 'message', tags: syncTags })
    // What came before it was told to nobody.
    const { result } = await client.fetch(
      '*[_id == $id][0].excerpt',
      { id: post?.content_data_id },
      {
        filterResponse: false,
      },
    )
    expect(result).toBe('Later')
  })

  it('go on behind the event that the address names, as clients with a key name it in browsers', async () => {
    const headers = { Authorization: `Bearer ${editorKey}` }
    const from = async (query: string) => {
      const { dataset, apiVersion } = client.config()
      const path = `/compat/sanity/v${apiVersion}/data/live/events/${dataset}?includeDrafts=true${query}`
      return eventReader(
        await app.app.fetch(new Request(`http://x${path}`, { headers }), { address: '127.0.0.1' }),
      )
    }
    const first = await (await from('')).next()
    expect(first).toMatchObject({ event: 'welcome', id: expect.stringMatching(/^\d+$/) })
    await edit(draft.content_data_id, { excerpt: 'Missed' })
    const later = await from(`&lastEventId=${first?.id}`)
    expect([await later.next(), await later.next()]).toMatchObject([
      { event: 'welcome' },
      { event: 'message' },
    ])
  })

  it('are followed by answers that no browser shows from what it has kept', async () => {
    const { headers } = await app.call(
      'GET',
      `/compat/sanity/v1/data/query/x?query=${encodeURIComponent('*[_type == "post"][0].title')}`,
      { as: 'nobody' },
    )
    expect(headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
  })

  it('tell editors of drafts', async () => {
    const next = listen(editor, true)
    expect(await next()).toMatchObject({ type: 'welcome' })
    await edit(draft.content_data_id, { excerpt: 'Only editors see it' })
    expect(await next()).toMatchObject({ type: 'message' })
  })
})

it('send away who comes when there are too many', async () => {
  const { listen } = await listening({ event_streams_max: 0 })
  expect(await listen()()).toMatchObject({ type: 'goaway', data: { reason: 'there are too many listeners' } })
})
