import { describe, expect, it, onTestFinished } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { timestamp } from '../../src/ids.js'
import { liveCallers } from '../../src/services/accounts/live-callers.js'
import { ChangeFeed } from '../../src/services/delivery/changes/change-feed.js'
import { type Change, ChangeLog } from '../../src/services/delivery/changes/change-log.js'
import { changeStreams } from '../../src/services/delivery/changes/streams.js'
import { type Caller, testApp } from '../support/app.js'
import { eventReader } from '../support/event-stream.js'
import { factories } from '../support/factories.js'

const app = await testApp({
  app_secret: 'a secret of the test, long enough',
  publish_mode: 'staged',
  cors_origins: ['https://www.example.com'],
  event_streams_max: 60,
})
const { call, clock, db, services, users } = app
const { datatype, field, route, entry } = factories(app)
const page = (await datatype('Page')).datatype_id
await field(page, 'Text', 'text')
await field(page, 'Picture', 'media')
const names = { n: 0 }
async function newPage(more: object = {}) {
  const slug = `/page-${names.n++}`
  const { route_id } = await route(slug)
  const { content_data_id } = await entry(page, { route_id }, { ...more, fields: { text: 'x' } })
  return { slug, route_id, id: content_data_id as string }
}
const edit = (id: string, body: object) => call('PUT', `/api/v1/content/?q=${id}`, { body })
const publish = (id: string) => call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })

const cookieOf = (as: Caller) =>
  as === 'key'
    ? { Authorization: 'Bearer key-secret-of-this-test' }
    : { Cookie: `cms_session=${as}-secret-of-this-test` }
const get = async (path: string, headers: Record<string, string> = {}) =>
  app.app.fetch(
    new Request(`http://localhost/api/v1${path}`, { headers: { Accept: 'text/event-stream', ...headers } }),
    { address: '127.0.0.1' },
  )
async function listen(as: Caller = 'admin', headers: Record<string, string> = {}, path = '/events') {
  const answer = await get(path, { ...(as === 'nobody' ? {} : cookieOf(as)), ...headers })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  return { ...eventReader(answer), headers: answer.headers }
}
const linkTo = async (id: string) =>
  (await call('POST', '/api/v1/content/preview-links', { body: { content_data_id: id } })).body
const told = (pages: object[], all = false) => ({
  id: expect.stringMatching(/^\d+$/),
  event: 'change',
  data: { at: '2026-11-21T12:00:00.000Z', all, pages },
})
const shown = ({ id, slug }: { id: string; slug: string | null }) => ({ content_data_id: id, slug })

describe('a stream of changes', () => {
  it('begins with where it is, and tells of each commit once and in order', async () => {
    const { next, headers } = await listen()
    expect([headers.get('cache-control'), headers.get('x-accel-buffering')]).toEqual(['no-store', 'no'])
    const ready = await next()
    expect(ready).toEqual({ id: expect.stringMatching(/^\d+$/), event: 'ready', data: {} })
    const one = await newPage()
    expect(await next()).toEqual(told([shown(one)]))
    await edit(one.id, { fields: { text: 'y' } })
    await publish(one.id)
    const events = [await next(), await next()]
    expect(events).toEqual([told([shown(one)]), told([shown(one)])])
    const ids = [ready, ...events].map(event => Number(event?.id))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(new Set(ids).size).toBe(3)
    await field(page, `More ${names.n}`, 'text')
    expect(await next()).toEqual(told([], true))
    await call('PUT', `/api/v1/routes/?q=${one.route_id}`, { body: { slug: '/renamed' } })
    expect(await next()).toEqual(told([shown({ ...one, slug: '/renamed' })]))
    await call('DELETE', `/api/v1/content/?q=${one.id}`)
    expect(await next()).toEqual(told([shown({ ...one, slug: null })]))
  })

  it('tells mere readers of what the public sees, and of nothing else', async () => {
    const draft = await newPage()
    const open = await newPage({ status: 'published' })
    const { next } = await listen('viewer')
    const ready = await next()
    const secret = [
      () => edit(draft.id, { fields: { text: 'draft' } }),
      () => call('PUT', `/api/v1/routes/?q=${draft.route_id}`, { body: { title: 'Draft' } }),
      () => edit(open.id, { fields: { text: 'pending' } }),
      () => edit(open.id, { fields: { text: 'more' } }),
      () => entry(page, { parent_id: open.id }),
    ]
    for (const change of secret) await change()
    await publish(open.id)
    expect(await next()).toEqual(told([shown(open)]))
    await call('PUT', `/api/v1/routes/?q=${open.route_id}`, { body: { title: 'New' } })
    expect(await next()).toEqual(told([shown(open)]))
    await publish(draft.id)
    expect(await next()).toEqual(told([shown(draft)]))
    await call('POST', '/api/v1/content/unpublish', { body: { content_data_id: draft.id } })
    // Its address is a secret again.
    expect(await next()).toEqual(told([shown({ ...draft, slug: null })]))
    await edit(draft.id, { fields: { text: 'again' } })
    await call('DELETE', `/api/v1/content/?q=${open.id}&recursive=true`)
    expect(await next()).toEqual(told([shown({ ...open, slug: null })]))
    // The same once more as JSON, with nothing in between.
    const { changes } = (await call('GET', `/api/v1/events?last_event_id=${ready?.id}`, { as: 'viewer' }))
      .body
    expect(
      changes.map(({ pages }: { pages: { content_data_id: string }[] }) => pages[0]?.content_data_id),
    ).toEqual([open.id, open.id, draft.id, draft.id, open.id])
  })

  it('goes on after the last event that a reader has', async () => {
    const first = await listen()
    const ready = await first.next()
    await first.close()
    const one = await newPage()
    const other = await newPage()
    const again = await listen('admin', { 'Last-Event-ID': ready?.id ?? '' })
    const began = await again.next()
    expect([began?.event, Number(began?.id)]).toEqual(['ready', Number(ready?.id) + 2])
    expect(await again.next()).toEqual(told([shown(one)]))
    const second = await again.next()
    expect(second).toEqual(told([shown(other)]))
    await edit(one.id, { fields: { text: 'z' } })
    expect(await again.next()).toEqual(told([shown(one)]))
    const byQuery = await listen('admin', {}, `/events?last_event_id=${second?.id}`)
    expect((await byQuery.next())?.event).toBe('ready')
    expect(await byQuery.next()).toEqual(told([shown(one)]))
  })

  it('says that everything must be read again when what was missed is not known', async () => {
    const { next } = await listen('admin', { 'Last-Event-ID': '999999999' })
    expect((await next())?.event).toBe('reset')
    const { body } = await call('GET', '/api/v1/events?last_event_id=999999999')
    expect(body).toEqual({ last_event_id: expect.stringMatching(/^\d+$/), reset: true, changes: [] })
    for (const id of ['x', '-1', '1e3', ' 1', '9'.repeat(16)]) {
      const refused = await call('GET', `/api/v1/events?last_event_id=${encodeURIComponent(id)}`)
      expect([id, refused.status, refused.body.member]).toEqual([id, 400, 'last_event_id'])
    }
  })

  it('is JSON for who does not take a stream', async () => {
    const { last_event_id, changes } = (await call('GET', '/api/v1/events')).body
    expect(changes).toEqual([])
    const one = await newPage()
    const { body } = await call('GET', `/api/v1/events?last_event_id=${last_event_id}`)
    expect(body).toEqual({
      last_event_id: String(Number(last_event_id) + 1),
      reset: false,
      changes: [{ id: body.last_event_id, at: '2026-11-21T12:00:00.000Z', all: false, pages: [shown(one)] }],
    })
  })

  it('never differs from the log of changes, whatever is done at once', async () => {
    const { next } = await listen()
    const from = Number((await next())?.id)
    const some = await Promise.all(Array.from({ length: 5 }, () => newPage()))
    await Promise.all(
      Array.from({ length: 25 }, (_, i) => edit(some[i % 5]?.id ?? '', { fields: { text: `${i}` } })),
    )
    const rows = (await db.findAll(internalTables.contentChanges)).filter(row => row.change_id > from)
    expect(rows.map(row => row.change_id)).toEqual(rows.map((_, i) => from + i + 1))
    for (const row of rows) {
      const event = await next()
      expect([event?.id, event?.data.pages[0].content_data_id]).toEqual([`${row.change_id}`, row.trees[0]])
    }
    expect(rows.length).toBe(30)
  })
})

describe('a stream of a preview link', () => {
  it('tells of its page alone, and ends with the link', async () => {
    const mine = await newPage()
    const other = await newPage()
    const link = await linkTo(mine.id)
    const path = `/preview/events?token=${link.token}`
    const { next, headers } = await listen('nobody', { Origin: 'https://www.example.com' }, path)
    expect(headers.get('access-control-allow-origin')).toBe('https://www.example.com')
    const ready = await next()
    expect(ready?.event).toBe('ready')
    await edit(other.id, { fields: { text: 'y' } })
    await edit(mine.id, { fields: { text: 'y' } })
    expect(await next()).toEqual(told([shown(mine)]))
    const { body } = await call('GET', `/api/v1${path}&last_event_id=${ready?.id}`, { as: 'nobody' })
    expect(body.changes.map(({ pages }: { pages: object[] }) => pages)).toEqual([[shown(mine)]])
    await call('DELETE', `/api/v1/content/preview-links/${link.preview_link_id}`)
    expect(await next()).toBeUndefined()
    expect((await get(path)).status).toBe(410)
    expect((await get('/preview/events?token=x')).status).toBe(404)
    expect((await get('/preview/events')).status).toBe(400)
  })

  it('ends when its maker may not read drafts any more', async () => {
    const { id } = await newPage()
    const made = await call('POST', '/api/v1/content/preview-links', {
      as: 'editor',
      body: { content_data_id: id },
    })
    const { next } = await listen('nobody', {}, `/preview/events?token=${made.body.token}`)
    expect((await next())?.event).toBe('ready')
    await call('PUT', `/api/v1/users/?q=${users.editor}`, { body: { role: 'viewer' } })
    await edit(id, { fields: { text: 'not for it' } })
    expect(await next()).toBeUndefined()
    await call('PUT', `/api/v1/users/?q=${users.editor}`, { body: { role: 'editor' } })
  })
})

describe('a stream ends', () => {
  const account = async () => {
    const name = `u${names.n++}`
    const password = 'long enough 4 all'
    const { body } = await call('POST', '/api/v1/users', {
      body: { username: name, name, email: `${name}@example.com`, password, role: 'editor' },
    })
    const login = await call('POST', '/api/v1/auth/login', {
      as: 'nobody',
      body: { email: `${name}@example.com`, password },
    })
    const Cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
    const key = (await call('POST', '/api/v1/tokens', { body: { user_id: body.user_id } })).body
    return { id: body.user_id, headers: { Cookie }, key, byKey: { Authorization: `Bearer ${key.token}` } }
  }
  const streamOf = async (headers: Record<string, string>) => {
    const stream = eventReader(await get('/events', headers))
    expect((await stream.next())?.event).toBe('ready')
    return stream
  }

  it.each<[string, (one: Awaited<ReturnType<typeof account>>) => Promise<unknown>, 'headers' | 'byKey']>([
    [
      'at logout',
      one => call('POST', '/api/v1/auth/logout', { as: 'nobody', headers: one.headers }),
      'headers',
    ],
    ['with the account', one => call('DELETE', `/api/v1/users/?q=${one.id}`), 'headers'],
    [
      'of another role',
      one => call('PUT', `/api/v1/users/?q=${one.id}`, { body: { role: 'viewer' } }),
      'byKey',
    ],
    [
      'of a revoked key',
      one => call('PUT', `/api/v1/tokens/?q=${one.key.token_id}`, { body: { revoked: true } }),
      'byKey',
    ],
    [
      'of a key that may less',
      one => call('PUT', `/api/v1/tokens/?q=${one.key.token_id}`, { body: { permissions: ['routes:read'] } }),
      'byKey',
    ],
  ])('%s, before it tells of anything more', async (_, end, by) => {
    const one = await account()
    const stream = await streamOf(one[by])
    await end(one)
    await newPage()
    expect(await stream.next()).toBeUndefined()
  })

  it('when its session is over, with signs of life before', async () => {
    const session = await db.write(systemActor, tx =>
      tx.insert(tables.sessions, {
        user_id: users.admin,
        token_hash: 'of a short session',
        last_access: timestamp(clock.now()),
        expires_at: timestamp(clock.now() + 60_000),
      }),
    )
    const admin = await db.get(tables.users, users.admin)
    const quick = changeStreams(db, {
      rights: services.access,
      liveCallers: liveCallers(db, clock),
      previewLinks: services.previewLinks,
      log: app.parts.ports.log,
      maxStreams: () => 1,
      intervalMs: 1,
    })
    onTestFinished(() => quick.stop())
    const identity = {
      userId: users.admin,
      roleId: admin?.role ?? '',
      credential: { kind: 'session' as const, id: session.session_id },
    }
    const stream = eventReader(new Response(await quick.open(identity, undefined)))
    await expect(quick.open(identity, undefined)).rejects.toMatchObject({ status: 503 })
    expect((await stream.next())?.event).toBe('ready')
    const one = await newPage()
    const later = stream.next()
    expect(await later).toEqual(told([shown(one)]))
    const end = stream.next()
    for (let beats = 0; beats === 0; beats = stream.beats()) await new Promise(done => setTimeout(done, 5))
    clock.advance(60_000)
    expect(await end).toBeUndefined()
    clock.advance(-60_000)
    // The place is free again.
    await eventReader(new Response(await quick.open(await other(), undefined))).close()
    async function other() {
      const found = await services.auth.identify({ cookie: 'admin-secret-of-this-test', bearer: undefined })
      if (!found) throw new Error('nobody')
      return found
    }
    quick.stop()
    expect(await eventReader(new Response(await quick.open(identity, undefined))).next()).toBeUndefined()
  })

  it('when its reader takes nothing, and holds no more memory than it may', async () => {
    const answer = await get('/events', cookieOf('admin'))
    const ids = Array.from({ length: 1000 }, () => app.parts.ids.ulid())
    const before = (await db.get(internalTables.counters, 'content_version'))?.value ?? 0
    await db.write(systemActor, async tx => {
      const row = { changed_at: tx.now, all_pages: false, trees: ids, public_trees: [] }
      const rows = Array.from({ length: 10 }, (_, i) => ({ ...row, change_id: before + i + 1 }))
      await tx.insertAllInternal(internalTables.contentChanges, rows)
      await tx.updateInternal(internalTables.counters, ['content_version'], { value: before + 10 })
    })
    await newPage()
    const stream = eventReader(await get('/events', { ...cookieOf('admin'), 'Last-Event-ID': `${before}` }))
    const reader = eventReader(answer)
    const ends: number[] = []
    for (const one of [reader, stream]) {
      expect((await one.next())?.event).toBe('ready')
      let n = 0
      while (await one.next()) n++
      ends.push(n)
    }
    for (const n of ends) expect([n > 0, n < 10]).toEqual([true, true])
  })
})

it('a look at the database that fails ends neither the process nor what is followed', async () => {
  let ticks = 0
  const follower = {
    tick() {
      if (++ticks <= 2) throw new Error('the disk does not answer')
    },
    changed: (changes: readonly Change[]) => seen(changes.length),
  }
  let seen: (n: number) => void = () => undefined
  const change = new Promise<number>(resolve => {
    seen = resolve
  })
  const feed = new ChangeFeed(db, new ChangeLog(db), follower, app.parts.ports.log, 1)
  onTestFinished(() => feed.stop())
  await feed.now()
  await expect.poll(() => ticks).toBeGreaterThan(2)
  await newPage()
  expect(await change).toBeGreaterThan(0)
  expect(
    app.logged.filter(({ message }) => message.includes('changes of content could not be checked')),
  ).toHaveLength(2)
})

describe('a stream is refused', () => {
  it('to nobody, and beyond twenty for one user', async () => {
    expect((await get('/events')).status).toBe(403)
    const streams = []
    for (let i = 0; i < 20; i++) streams.push(await listen('viewer'))
    const refused = await get('/events', cookieOf('viewer'))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect((await get('/events', cookieOf('admin'))).status).toBe(200)
    await streams[0]?.close()
    expect((await get('/events', cookieOf('viewer'))).status).toBe(200)
  })

  it('beyond what one process serves', async () => {
    const small = await testApp({ event_streams_max: 0 })
    const answer = await small.app.fetch(
      new Request('http://localhost/api/v1/events', {
        headers: { Accept: 'text/event-stream', ...cookieOf('admin') },
      }),
      {},
    )
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    // What a stream would tell of is there all the same.
    expect((await small.call('GET', '/api/v1/events')).status).toBe(200)
  })

  it('by HEAD it is only described', async () => {
    const request = new Request('http://localhost/api/v1/events', {
      method: 'HEAD',
      headers: { Accept: 'text/event-stream', ...cookieOf('admin') },
    })
    const answer = await app.app.fetch(request, {})
    expect([answer.status, answer.headers.get('content-type'), answer.body]).toEqual([
      200,
      'text/event-stream',
      null,
    ])
  })
})

it('forgets changes that are old, and says so to who asks for them', async () => {
  const { last_event_id } = (await call('GET', '/api/v1/events')).body
  clock.advance(86_400_001)
  await services.removeExpired()
  expect(await db.findAll(internalTables.contentChanges)).toEqual([])
  const after = (id: number) =>
    services.changeStreams.since(
      { userId: users.admin, roleId: '', credential: { kind: 'session', id: '' } },
      String(id),
    )
  expect(await after(Number(last_event_id))).toEqual({ last_event_id, reset: false, changes: [] })
  expect((await after(Number(last_event_id) - 1)).reset).toBe(true)
})
