import { describe, expect, it, vi } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { DatabaseAwayError } from '../../src/errors.js'
import { open } from '../../src/server.js'
import { type Caller, testApp } from '../support/app.js'

const app = await testApp({ webhook_enabled: true, version_max_per_content: 4 })
const { call, db, services, clock, users, audits } = app
await app.subscribe()
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const api = async (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })
const post = async (path: string, body: unknown) => (await api('POST', path, body)).body

const type = (await post('/datatypes', { label: 'Page', type: 'content' })).datatype_id
const title = (await post('/fields', { label: 'Title', field_type: 'text', parent_id: type })).field_id
const more = (await post('/fields', { label: 'More', field_type: 'text', parent_id: type })).field_id

let pages = 0
/** A page with two children, one of which has a child, all drafts. */
async function page() {
  const slug = `/page-${++pages}`
  const { route_id } = await post('/routes', { slug, title: slug })
  const entry = async (place: object, title: string) =>
    (await post('/content', { datatype_id: type, ...place, fields: { title } })).content_data_id as string
  const root = await entry({ route_id }, 'root')
  const a = await entry({ parent_id: root }, 'a')
  const b = await entry({ parent_id: root }, 'b')
  const deep = await entry({ parent_id: a }, 'deep')
  return { slug, root, a, b, deep, visit: () => call('GET', `${slug}?format=clean`, { as: 'nobody' }) }
}
const entryOf = async (id: string) => (await api('GET', `/content?q=${id}`)).body
/** Events and audited changes that `work` leaves. */
async function traces(work: () => Promise<unknown>) {
  const before = [(await app.deliveries()).length, (await audits()).length]
  await work()
  const events = (await app.deliveries()).slice(before[0])
  return {
    events: events.map(({ event }) => event),
    data: events.map(({ payload }) => JSON.parse(payload).data),
    changes: (await audits()).slice(before[1]).map(event => `${event.operation} ${event.table_name}`),
  }
}
const at = (seconds: number) => new Date(clock.now() + seconds * 1000).toISOString()

describe('publishing', () => {
  it('makes an entry public with everything under it, in one event and one version', async () => {
    const { slug, root, visit } = await page()
    expect((await visit()).status).toBe(404)
    const left = await traces(() => api('POST', '/content/publish', { content_data_id: root }))
    expect(left.events).toEqual(['version.created', 'content.published'])
    expect(left.changes).toEqual([...Array(4).fill('UPDATE content_data'), 'INSERT content_versions'])
    expect(left.data[1]).toEqual({
      content_data_id: root,
      content_version_id: left.data[0].content_version_id,
      version_number: 1,
      locale: '',
      published_by: users.admin,
      slug,
      datatypes: ['page'],
      slugs: [slug],
      surrogate_keys: expect.arrayContaining([root, 'content', 'query', 'redirects']),
    })
    expect((await visit()).body).toMatchObject({
      title: expect.any(String),
      children: [{ title: 'a', children: [{ title: 'deep' }] }, { title: 'b' }],
    })
    const again = await traces(() => api('POST', '/content/publish', { content_data_id: root }))
    expect(again).toEqual({ events: [], data: [], changes: [] })
    const version = (await api('GET', `/content/versions?content_data_id=${root}`)).body[0]
    expect(version).toMatchObject({ trigger: 'publish', version_number: 1, published_by: users.admin })
    expect(version.snapshot.entries).toHaveLength(4)
    expect(version.snapshot.fields).toHaveLength(4)
  })

  it('of a new child of a published page is an update of the page', async () => {
    const { root, visit } = await page()
    await api('POST', '/content/publish', { content_data_id: root })
    await post('/content', { datatype_id: type, parent_id: root, fields: { title: 'late' } })
    const left = await traces(() => api('POST', '/content/publish', { content_data_id: root }))
    expect(left.events).toEqual(['version.created', 'content.updated'])
    expect((await visit()).body.children).toHaveLength(3)
  })

  it('is taken back with everything under it, in one event', async () => {
    const { root, a, visit } = await page()
    await api('POST', '/content/publish', { content_data_id: root })
    const part = await traces(() => api('POST', '/content/unpublish', { content_data_id: a }))
    expect(part.events).toEqual(['content.unpublished'])
    expect((await visit()).body.children).toEqual([{ type: 'page', title: 'b' }])
    const whole = await traces(() => api('POST', '/content/unpublish', { content_data_id: root }))
    expect(whole.events).toEqual(['content.unpublished'])
    expect(whole.changes).toEqual(['UPDATE content_data', 'UPDATE content_data'])
    expect((await visit()).status).toBe(404)
    expect(await traces(() => api('POST', '/content/unpublish', { content_data_id: root }))).toEqual({
      events: [],
      data: [],
      changes: [],
    })
  })

  it('fifty times at once is publishing once', async () => {
    const { root } = await page()
    const left = await traces(() =>
      Promise.all(
        Array.from({ length: 50 }, () => api('POST', '/content/publish', { content_data_id: root })),
      ),
    )
    expect(left.events).toEqual(['version.created', 'content.published'])
    expect(left.changes).toEqual([...Array(4).fill('UPDATE content_data'), 'INSERT content_versions'])
  })

  it.each(['publish', 'unpublish', 'schedule'])(
    '%s is refused for nobody, editors, nothing and no entry',
    async verb => {
      const path = `/content/${verb}`
      expect((await api('POST', path, { content_data_id: missing }, 'nobody')).status).toBe(403)
      expect((await api('POST', path, { content_data_id: missing }, 'editor')).status).toBe(403)
      expect((await api('POST', path, { content_data_id: missing })).status).toBe(404)
      expect((await api('POST', path, {})).status).toBe(400)
    },
  )
})

describe('a plan', () => {
  it('bears the name of whoever planned it, in both spaces', async () => {
    const { user_id } = await post('/users', { email: 'planner@example.com', role: 'admin' })
    const { token } = await post('/tokens', { user_id, label: 'Planner' })
    const asPlanner = { as: 'nobody', headers: { Authorization: `Bearer ${token}` } } as const
    for (const [prefix, space, prefixed] of [
      ['', services.space, 'content'],
      ['/admin', services.adminSpace, 'admin.content'],
    ] as const) {
      const type = await api('POST', `${prefix}/datatypes`, { label: 'Planned', type: '_global' })
      const made = await api('POST', `${prefix}/content`, { datatype_id: type.body.datatype_id })
      const { content_data_id } = made.body
      const plan = (times: object) => ({ content_data_id, ...times })
      await api('POST', `${prefix}/content/schedule`, plan({ publish_at: at(10), unpublish_at: at(20) }))
      const moved = { ...asPlanner, body: plan({ publish_at: at(11) }) }
      expect((await call('POST', `/api/v1${prefix}/content/schedule`, moved)).status).toBe(200)
      clock.advance(12_000)
      const published = await traces(() => space.publishing.runDue())
      expect(published.events).toContain(`${prefixed}.published`)
      expect(published.data.at(-1)).toMatchObject({ published_by: user_id })
      const entry = (await api('GET', `${prefix}/content?q=${content_data_id}`)).body
      expect(entry.published_by).toBe(user_id)
      const versions = await api('GET', `${prefix}/content/versions?content_data_id=${content_data_id}`)
      expect(versions.body[0].published_by).toBe(user_id)
      clock.advance(12_000)
      const ended = await traces(() => space.publishing.runDue())
      if (prefix === '') expect(ended.data.at(-1)).toMatchObject({ unpublished_by: users.admin })
      // The service has done it, which the audit log says.
      expect((await audits()).at(-1)).toMatchObject({ surface: 'system', user_id: null })
      expect((await api('DELETE', `${prefix}/content?q=${content_data_id}`)).status).toBe(204)
    }
  })

  it('is told, seen, and comes true once in its time', async () => {
    const { root, visit } = await page()
    const plan = { content_data_id: root, publish_at: at(100), unpublish_at: at(200) }
    const told = await traces(() => api('POST', '/content/schedule', plan))
    expect(told.events).toEqual(['content.scheduled'])
    expect(told.data[0]).toMatchObject({
      content_data_id: root,
      publish_at: plan.publish_at,
      unpublish_at: plan.unpublish_at,
    })
    expect(await entryOf(root)).toMatchObject({ status: 'draft', publish_at: plan.publish_at })
    const run = () => services.space.publishing.runDue()
    expect((await traces(run)).changes).toEqual([])
    clock.advance(100_000)
    const done = await traces(() => Promise.all([run(), run(), run()]))
    expect(done.events).toEqual(['version.created', 'content.published'])
    expect((await visit()).status).toBe(200)
    expect(await entryOf(root)).toMatchObject({
      status: 'published',
      publish_at: null,
      unpublish_at: plan.unpublish_at,
    })
    expect((await api('GET', `/content/versions?content_data_id=${root}`)).body[0].trigger).toBe('schedule')
    clock.advance(100_000)
    expect((await traces(() => Promise.all([run(), run()]))).events).toEqual(['content.unpublished'])
    expect((await visit()).status).toBe(404)
    expect((await traces(run)).changes).toEqual([])
  })

  it('is looked for ahead', async () => {
    const [first, second] = [await page(), await page()]
    const { publishing } = services.space
    for (const { root } of [first, second])
      await api('POST', '/content/schedule', { content_data_id: root, publish_at: at(10) })
    expect(await publishing.runDue(2000)).toBe(undefined)
    clock.advance(8500)
    expect(await publishing.runDue(2000)).toBe(1500)
    clock.advance(1500)
    expect(await publishing.runDue(2000)).toBe(undefined)
    for (const { visit } of [first, second]) expect((await visit()).status).toBe(200)
  })

  it('is tried again soon when the database was away', async () => {
    const { root, visit } = await page()
    await api('POST', '/content/schedule', { content_data_id: root, publish_at: at(10) })
    clock.advance(10_000)
    const away = vi.spyOn(db, 'edit').mockRejectedValue(new DatabaseAwayError())
    expect(await services.space.publishing.runDue(2000)).toBe(500)
    away.mockRestore()
    expect(await services.space.publishing.runDue(2000)).toBe(undefined)
    expect((await visit()).status).toBe(200)
  })

  it('comes true once however many instances there are', async () => {
    const second = await open({ config: app.config, ports: app.parts.ports, variables: {} })
    try {
      const all = await Promise.all(Array.from({ length: 10 }, page))
      for (const { root } of all)
        await api('POST', '/content/schedule', { content_data_id: root, publish_at: at(10) })
      clock.advance(10_000)
      const left = await traces(() =>
        Promise.all([
          services.space.publishing.runDue(),
          second.services.space.publishing.runDue(),
          services.space.publishing.runDue(),
        ]),
      )
      expect(left.events.toSorted()).toEqual([
        ...Array(10).fill('content.published'),
        ...Array(10).fill('version.created'),
      ])
    } finally {
      await second.db.close()
    }
  })

  it('is done when it was missed, and gone when the entry is published or deleted before', async () => {
    const [missed, early, gone] = [await page(), await page(), await page()]
    for (const { root } of [missed, early, gone])
      await api('POST', '/content/schedule', { content_data_id: root, publish_at: at(10) })
    await api('PUT', `/content?q=${early.root}`, { status: 'published' })
    expect(await entryOf(early.root)).toMatchObject({ publish_at: null })
    await api('DELETE', `/content?q=${gone.root}&recursive=true`)
    clock.advance(3_600_000)
    expect((await traces(() => services.space.publishing.runDue())).events).toEqual([
      'version.created',
      'content.published',
    ])
    expect((await missed.visit()).status).toBe(200)
  })

  it('can be changed and taken back', async () => {
    const { root } = await page()
    const schedule = (body: object) => api('POST', '/content/schedule', { content_data_id: root, ...body })
    await schedule({ publish_at: at(10) })
    expect((await schedule({ publish_at: at(20) })).body.publish_at).toBe(at(20))
    expect((await schedule({ publish_at: null })).body.publish_at).toBeNull()
    clock.advance(60_000)
    expect((await traces(() => services.space.publishing.runDue())).changes).toEqual([])
    for (const body of [
      { publish_at: at(-1) },
      { publish_at: 'tomorrow' },
      { publish_at: at(20), unpublish_at: at(10) },
      { unpublish_at: at(0) },
    ])
      expect([body, (await schedule(body)).status]).toEqual([body, 400])
  })
})

describe('versions', () => {
  const set = (id: string, fields: object) => api('PUT', `/content?q=${id}`, { fields })
  const values = async (id: string) =>
    Object.fromEntries(
      (await api('GET', `/content-fields?content_data_id=${id}`)).body.map(
        (row: { field_id: string; field_value: string }) => [row.field_id, row.field_value],
      ),
    )

  it('bring back values and deleted entries, and keep what was there before', async () => {
    const { root, a, b, deep, visit } = await page()
    await api('POST', '/content/publish', { content_data_id: root })
    const shown = (await visit()).body
    const kept = await api('POST', '/content/versions', { content_data_id: root, label: 'Before the rework' })
    expect([kept.status, kept.body.label, kept.body.version_number, kept.body.trigger]).toEqual([
      201,
      'Before the rework',
      2,
      'manual',
    ])
    await set(root, { title: 'other', more: 'new' })
    await api('DELETE', `/content?q=${a}&recursive=true`)
    const added = (await post('/content', { datatype_id: type, parent_id: root, status: 'published' }))
      .content_data_id
    let restored: Awaited<ReturnType<typeof api>> | undefined
    const left = await traces(async () => {
      restored = await api('POST', '/content/restore', { content_version_id: kept.body.content_version_id })
    })
    expect(left.events).toEqual(['version.created', 'content.updated'])
    expect(restored?.body).toMatchObject({
      content_data_id: root,
      restored: 4,
      recreated: [a, deep],
      missing_fields: [],
      missing_entries: [],
      newer_entries: [added],
    })
    expect(await values(root)).toEqual({ [title]: 'root' })
    const { body } = await visit()
    expect(body.children.slice(0, 2)).toEqual(shown.children)
    expect(body.children).toHaveLength(3)
    const undo = restored?.body.kept_version_id
    expect((await api('POST', '/content/restore', { content_version_id: undo })).body).toMatchObject({
      newer_entries: [a, deep],
    })
    expect(await values(root)).toEqual({ [title]: 'other', [more]: 'new' })
    expect(await values(b)).toEqual({ [title]: 'b' })
  })

  it('say what they cannot bring back', async () => {
    const extra = (await post('/fields', { label: 'Extra', field_type: 'text', parent_id: type })).field_id
    const { root } = await page()
    await set(root, { extra: 'x', title: 'one' })
    const { content_version_id } = await post('/content/versions', { content_data_id: root })
    await set(root, { title: 'two' })
    const value = (await db.findAll(tables.contentFields, { content_data_id: root, field_id: extra }))[0]
    await api('DELETE', `/content-fields?q=${value?.content_field_id}`)
    expect((await api('DELETE', `/fields?q=${extra}`)).status).toBe(204)
    const { body } = await api('POST', '/content/restore', { content_version_id })
    expect(body).toMatchObject({ restored: 1, missing_fields: [extra] })
    expect(await values(root)).toEqual({ [title]: 'one' })
  })

  it('bring back what a user wrote who is gone', async () => {
    const { root, b } = await page()
    const writer = await post('/users', { email: 'writer@example.com' })
    await api('PUT', `/content?q=${b}`, { author_id: writer.user_id })
    for (const { content_field_id } of (await api('GET', `/content-fields?content_data_id=${b}`)).body)
      await api('PUT', `/content-fields?q=${content_field_id}`, { author_id: writer.user_id })
    const { content_version_id } = await post('/content/versions', { content_data_id: root })
    await api('DELETE', `/content?q=${b}`)
    expect((await api('DELETE', `/users?q=${writer.user_id}`)).status).toBe(204)
    const restored = await api('POST', '/content/restore', { content_version_id })
    expect([restored.status, restored.body.recreated]).toEqual([200, [b]])
    expect((await entryOf(b)).author_id).toBe(users.admin)
    expect(await values(b)).toEqual({ [title]: 'b' })
  })

  it('are compared', async () => {
    const { root, a, b } = await page()
    const first = (await post('/content/versions', { content_data_id: root })).content_version_id
    await set(a, { title: 'A', more: 'x' })
    await api('DELETE', `/content?q=${b}`)
    const second = (await post('/content/versions', { content_data_id: root })).content_version_id
    const difference = (from: string, to: string) =>
      api('GET', `/content/versions/difference?from=${from}&to=${to}`)
    const { body } = await difference(first, second)
    expect([body.added, body.removed]).toEqual([[], [b]])
    const changed = (entry: string, field: string, before: string | null, after: string | null) => ({
      content_data_id: entry,
      field_id: field,
      locale: '',
      before,
      after,
    })
    expect(body.values).toEqual(
      expect.arrayContaining([
        changed(a, title, 'a', 'A'),
        changed(a, more, null, 'x'),
        changed(b, title, 'b', null),
      ]),
    )
    expect(body.values).toHaveLength(3)
    const other = (await post('/content/versions', { content_data_id: a })).content_version_id
    expect((await difference(first, other)).status).toBe(400)
    expect((await difference(first, missing)).status).toBe(404)
    expect((await api('GET', '/content/versions/difference')).status).toBe(400)
  })

  it('whose format is not known are neither restored nor compared, and say so', async () => {
    const { root, a } = await page()
    const keep = async () => (await post('/content/versions', { content_data_id: root })).content_version_id
    const [sound, other] = [await keep(), await keep()]
    const { snapshot } = (await api('GET', `/content/versions?q=${sound}`)).body
    expect(Object.keys(snapshot)).toEqual(['v', 'entries', 'fields'])
    expect(snapshot.v).toBe(1)
    await set(a, { title: 'now' })
    const { v: _, ...unmarked } = snapshot
    for (const stored of [
      { ...snapshot, v: 2 },
      { ...snapshot, v: '1' },
      unmarked,
      { v: 1 },
      { v: 2 },
      [],
      'text',
    ]) {
      await db.write(systemActor, tx => tx.update(tables.contentVersions, other, { snapshot: stored }))
      const before = [await values(a), await db.count(tables.contentVersions, { content_data_id: root })]
      for (const refused of [
        await api('POST', '/content/restore', { content_version_id: other }),
        await api('GET', `/content/versions/difference?from=${sound}&to=${other}`),
        await api('GET', `/content/versions/difference?from=${other}&to=${sound}`),
      ])
        expect([stored, refused.status, refused.body]).toEqual([
          stored,
          409,
          {
            error: expect.stringMatching(
              /^the stored snapshot (has (format 2|an unknown format),|is damaged)/,
            ),
            code: 'damaged',
          },
        ])
      expect([await values(a), await db.count(tables.contentVersions, { content_data_id: root })]).toEqual(
        before,
      )
    }
    expect((await api('GET', `/content/versions?content_data_id=${root}`)).body).toHaveLength(2)
    expect((await api('POST', '/content/restore', { content_version_id: sound })).body).toMatchObject({
      restored: 1,
    })
  })

  it('are kept up to the configured number, the newest', async () => {
    const { root } = await page()
    for (let i = 0; i < 7; i++) await post('/content/versions', { content_data_id: root, label: `v${i}` })
    const { body } = await api('GET', `/content/versions?content_data_id=${root}`)
    expect(body.map(({ version_number }: { version_number: number }) => version_number)).toEqual([4, 5, 6, 7])
    const { content_version_id } = body[0]
    // The one that is restored does not make room for what is kept of it.
    expect((await api('POST', '/content/restore', { content_version_id })).status).toBe(200)
    expect((await api('DELETE', `/content/versions?q=${content_version_id}`)).status).toBe(204)
    expect((await api('DELETE', `/content/versions?q=${content_version_id}`)).status).toBe(404)
  })

  it('are refused for what is not there', async () => {
    expect((await api('POST', '/content/versions', { content_data_id: missing })).status).toBe(400)
    expect((await api('POST', '/content/restore', { content_version_id: missing })).status).toBe(400)
    expect((await api('POST', '/content/versions', {})).status).toBe(400)
    expect((await api('POST', '/content/versions', {}, 'viewer')).status).toBe(403)
  })
})
