import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { open } from '../../src/server.js'
import { formatNames } from '../../src/services/content-formats/index.js'
import { type Caller, testApp } from '../support/app.js'

const app = await testApp({ publish_mode: 'staged', webhook_enabled: true, i18n_enabled: true })
const { call, db, services, clock, config, parts, audits } = app
await app.subscribe()
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const api = async (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })
const post = async (path: string, body: unknown) => (await api('POST', path, body)).body
const done = async (method: string, path: string, body?: unknown) => {
  const answer = await api(method, path, body)
  expect([path, answer.status, answer.text]).toEqual([path, expect.toSatisfy(n => n < 300), answer.text])
  return answer.body
}

await post('/locales', { code: 'en', label: 'English' })
await post('/locales', { code: 'de', label: 'Deutsch' })
const type = (await post('/datatypes', { label: 'Page', type: 'content' })).datatype_id
const other = (await post('/datatypes', { label: 'Other', type: 'content' })).datatype_id
const global = (await post('/datatypes', { label: 'Menu', type: '_global' })).datatype_id
const field = async (parent_id: string, label: string, field_type: string, more: object = {}) =>
  (await post('/fields', { label, field_type, parent_id, ...more })).field_id as string
const name = await field(type, 'Name', 'text', { translatable: true })
await field(type, 'Next', 'relation')
await field(global, 'Name', 'text')

const formats = [...formatNames, 'strapi-v4']
let pages = 0
const entry = async (place: object, name: string, more: object = {}) =>
  (
    await done('POST', '/content', {
      datatype_id: type,
      ...place,
      ...more,
      fields: { name, ...((more as { fields?: object }).fields ?? {}) },
    })
  ).content_data_id as string

/** A published page with two children, one of which has a child, and what the public gets of it. */
async function page(fields: object = {}) {
  const slug = `/page-${++pages}`
  const { route_id } = await post('/routes', { slug, title: slug })
  const root = await entry({ route_id }, 'root', { fields })
  const a = await entry({ parent_id: root }, 'a')
  const b = await entry({ parent_id: root }, 'b')
  const deep = await entry({ parent_id: a }, 'deep')
  await publish(root)
  clock.advance(1)
  return { slug, route_id: route_id as string, root, a, b, deep }
}
const publish = (id: string) => done('POST', '/content/publish', { content_data_id: id })
const unpublish = (id: string) => done('POST', '/content/unpublish', { content_data_id: id })
const set = (id: string, name: string) => done('PUT', `/content?q=${id}`, { fields: { name } })
const changes = async (id: string) => done('GET', `/content/changes?q=${id}`)
const drop = (id: string) => done('POST', '/content/changes/drop', { content_data_id: id })
const clean = async (slug: string) =>
  (await call('GET', `${slug}?format=clean`, { as: 'nobody' })).body ?? null
const working = async (slug: string) => (await api('GET', `/page${slug}?format=clean`)).body

/** What everybody gets of a page in every format and locale, from this instance, from a new one, and by `/page`. */
async function seen(slug: string) {
  const texts: Record<string, string> = {}
  for (const format of formats)
    for (const locale of ['', '&locale=de']) {
      const [shape, version] = format.split('-')
      const headers = version ? { 'Strapi-Response-Format': version } : {}
      const query = `format=${shape}${locale}`
      const answer = await call('GET', `${slug}?${query}`, { as: 'nobody', headers })
      const own = await call('GET', `/api/v1/page${slug}?${query}&status=published`, { headers })
      expect(own.text).toBe(answer.text)
      texts[format + locale] = `${answer.status} ${answer.headers.get('etag')} ${answer.text}`
    }
  return texts
}
/** Events and audited changes that `work` leaves. */
async function traces(work: () => Promise<unknown>) {
  const known = new Set([
    ...(await app.deliveries()).map(({ delivery_id }) => delivery_id),
    ...(await audits()).map(({ audit_event_id }) => audit_event_id),
  ])
  await work()
  const [told, changed] = [await app.deliveries(), await audits()]
  return {
    events: told.filter(({ delivery_id }) => !known.has(delivery_id)).map(({ event }) => event),
    changes: changed
      .filter(({ audit_event_id }) => !known.has(audit_event_id))
      .map(event => `${event.operation} ${event.table_name}`),
  }
}
/** Rows kept for what the public sees of a tree. */
const kept = async (root_id: string) => [
  await db.count(tables.publicTrees, { root_id }),
  await db.count(tables.publicEntries, { root_id }),
]
const value = async (id: string, locale = '') =>
  (await db.find(tables.contentFields, { content_data_id: id, field_id: name, locale }))?.content_field_id

describe('an edit of a published page', () => {
  const edits: Record<string, (one: Awaited<ReturnType<typeof page>>) => Promise<unknown>> = {
    'a value': ({ a }) => set(a, 'other'),
    'a value of a locale': ({ a }) =>
      done('PUT', `/content?q=${a}`, { fields: { name: 'anders' }, locale: 'de' }),
    'a value by its own address': async ({ b }) =>
      done('PUT', `/content-fields?q=${await value(b)}`, { field_value: 'other' }),
    'a value that is new': ({ root }) =>
      done('POST', '/content-fields', {
        content_data_id: root,
        field_id: name,
        locale: 'de',
        field_value: 'neu',
      }),
    'a value that goes': async ({ deep }) => api('DELETE', `/content-fields?q=${await value(deep)}`),
    'a published child': ({ root }) => entry({ parent_id: root }, 'late', { status: 'published' }),
    'a deleted child': ({ b }) => api('DELETE', `/content?q=${b}`),
    'a deleted subtree': ({ a }) => api('DELETE', `/content?q=${a}&recursive=true`),
    'an order': ({ root, a, b }) =>
      done('POST', '/content/reorder', { parent_id: root, content_data_ids: [b, a] }),
    'a move': ({ a, b }) => done('POST', '/content/move', { content_data_id: a, parent_id: b, position: 0 }),
    'a move by update': ({ deep, root }) => done('PUT', `/content?q=${deep}`, { parent_id: root }),
    'a copy': ({ deep, root }) =>
      done('POST', '/content/duplicate', { content_data_id: deep, parent_id: root }),
    'an author': ({ root }) => done('PUT', `/content?q=${root}`, { author_id: app.users.editor }),
    'a kind': async ({ b }) => {
      await api('DELETE', `/content-fields?q=${await value(b)}`)
      await done('PUT', `/content?q=${b}`, { datatype_id: other })
    },
  }

  it.each(Object.keys(edits))('waits for the next publish: %s', async name => {
    const one = await page()
    const before = await seen(one.slug)
    const left = await traces(() => edits[name]?.(one) ?? Promise.resolve())
    expect(left.events).toEqual([])
    expect(left.changes.length).toBeGreaterThan(0)
    expect(await seen(one.slug)).toEqual(before)
    const { changes: waiting } = await changes(one.root)
    expect(waiting.length).toBeGreaterThan(0)
    const told = await traces(() => publish(one.root))
    expect(told.events.filter(event => event !== 'content.deleted')).toEqual([
      'version.created',
      'content.updated',
    ])
    expect((await seen(one.slug))['raw&locale=de']).not.toBe(before['raw&locale=de'])
    expect(await clean(one.slug)).toEqual(await working(one.slug))
    expect(await changes(one.root)).toEqual({ content_data_id: one.root, waiting_since: null, changes: [] })
    expect(await traces(() => publish(one.root))).toEqual({ events: [], changes: [] })
    expect(await kept(one.root)).toEqual([0, 0])
  })

  it.each(Object.keys(edits))('is dropped: %s', async name => {
    const one = await page()
    const before = await seen(one.slug)
    const texts = await working(one.slug)
    await edits[name]?.(one)
    const left = await traces(() => drop(one.root))
    expect(left.events).toEqual(['version.created'])
    expect(await working(one.slug)).toEqual(texts)
    const after = await seen(one.slug)
    expect(after.clean).toBe(before.clean)
    expect(after['clean&locale=de']).toBe(before['clean&locale=de'])
    expect(await changes(one.root)).toMatchObject({ changes: [] })
    expect(await kept(one.root)).toEqual([0, 0])
    expect(await traces(() => drop(one.root))).toEqual({ events: [], changes: [] })
  })
})

describe('publishing a part', () => {
  it('shows that part and leaves the rest waiting', async () => {
    const { slug, root, a, b, deep } = await page()
    await set(root, 'root 2')
    await set(b, 'b 2')
    await set(deep, 'deep 2')
    const left = await traces(() => publish(a))
    expect(left.events).toEqual(['version.created', 'content.updated'])
    expect(await clean(slug)).toMatchObject({
      name: 'root',
      children: [{ name: 'a', children: [{ name: 'deep 2' }] }, { name: 'b' }],
    })
    expect(
      (await changes(root)).changes.map((one: { content_data_id: string }) => one.content_data_id),
    ).toEqual([root, b].sort())
    expect(await traces(() => publish(a))).toEqual({ events: [], changes: [] })
    await drop(b)
    expect(await working(slug)).toEqual(await clean(slug))
  })

  it('takes along what has left it, so that nothing is lost in a circle', async () => {
    const { slug, root, a, b } = await page()
    await done('POST', '/content/move', { content_data_id: b, parent_id: a })
    await publish(root)
    await done('POST', '/content/move', { content_data_id: b, parent_id: root })
    await done('POST', '/content/move', { content_data_id: a, parent_id: b })
    await publish(a)
    // b's new place waits no longer, for a is under it now.
    expect(await clean(slug)).toMatchObject({
      children: [{ name: 'b', children: [{ name: 'a', children: [{ name: 'deep' }] }] }],
    })
  })

  it('by status shows the entry alone, where the public last saw it', async () => {
    const { slug, root, a, b } = await page()
    await done('PUT', `/content?q=${a}`, { status: 'draft' })
    expect(await clean(slug)).toMatchObject({ children: [{ name: 'b' }] })
    await set(b, 'b 2')
    await done('PUT', `/content?q=${a}`, { fields: { name: 'a 2' }, parent_id: b })
    const left = await traces(() => done('PUT', `/content?q=${a}`, { status: 'published' }))
    expect(left.events).toEqual(['version.created', 'content.published'])
    expect(await clean(slug)).toMatchObject({
      name: 'root',
      children: [{ name: 'a 2', children: [{ name: 'deep' }] }, { name: 'b' }],
    })
    await publish(root)
    expect(await clean(slug)).toMatchObject({ children: [{ name: 'b 2', children: [{ name: 'a 2' }] }] })
  })
})

describe('taking back', () => {
  it('takes a part away at once, with what waits in it', async () => {
    const { slug, root, a } = await page()
    await set(root, 'root 2')
    await set(a, 'a 2')
    expect((await traces(() => unpublish(a))).events).toEqual(['content.unpublished'])
    expect(await clean(slug)).toEqual({
      type: 'page',
      title: slug,
      slug,
      name: 'root',
      children: [{ type: 'page', name: 'b' }],
    })
    await publish(a)
    expect(await clean(slug)).toMatchObject({ name: 'root', children: [{ name: 'a 2' }, { name: 'b' }] })
  })

  it('takes a page away at once, and it comes back as what it is then', async () => {
    const { slug, root, a } = await page()
    await set(a, 'a 2')
    await unpublish(root)
    expect((await call('GET', slug, { as: 'nobody' })).status).toBe(404)
    await set(root, 'root 2')
    expect((await traces(() => publish(root))).events).toEqual(['version.created', 'content.published'])
    expect(await clean(slug)).toMatchObject({ name: 'root 2', children: [{ name: 'a 2' }, { name: 'b' }] })
    expect(await kept(root)).toEqual([0, 0])
  })

  it('of the root alone shows nothing that waits when it comes back', async () => {
    const { slug, root, a } = await page()
    await set(a, 'a 2')
    await done('PUT', `/content?q=${root}`, { status: 'draft' })
    expect((await call('GET', slug, { as: 'nobody' })).status).toBe(404)
    await done('PUT', `/content?q=${root}`, { status: 'published', fields: { name: 'root 2' } })
    expect(await clean(slug)).toMatchObject({ name: 'root 2', children: [{ name: 'a' }, { name: 'b' }] })
    await publish(root)
  })
})

describe('what is not content does not wait', () => {
  it('routes: a new slug and title are public at once, and the page stays as it is', async () => {
    const { slug, route_id, root } = await page()
    await set(root, 'root 2')
    await done('PUT', `/routes?q=${route_id}`, { slug: `${slug}-new`, title: 'New' })
    expect((await call('GET', slug, { as: 'nobody' })).status).toBe(404)
    expect(await clean(`${slug}-new`)).toMatchObject({ title: 'New', name: 'root' })
    const target = (await post('/routes', { slug: `${slug}-third`, title: 'Third' })).route_id
    await done('PUT', `/content?q=${root}`, { route_id: target })
    expect((await call('GET', `${slug}-new`, { as: 'nobody' })).status).toBe(404)
    const raw = (await call('GET', `${slug}-third?format=raw`, { as: 'nobody' })).body
    expect(raw).toMatchObject({ route: { title: 'Third' }, root: { route_id: target } })
    expect(raw.root.fields[0]).toMatchObject({ field_value: 'root', route_id: target })
    await publish(root)
    expect(await kept(root)).toEqual([0, 0])
  })

  it('a deleted page is gone at once, with what waits in it', async () => {
    const { slug, root } = await page()
    await set(root, 'root 2')
    const left = await traces(() => api('DELETE', `/content?q=${root}&recursive=true`))
    expect(left.events).toEqual(['content.deleted'])
    expect((await call('GET', slug, { as: 'nobody' })).status).toBe(404)
    expect(await kept(root)).toEqual([0, 0])
  })
})

describe('a deletion that waits', () => {
  it('is told when the public no longer sees the entry, once for each subtree', async () => {
    const { slug, root, a, b } = await page()
    const draft = await entry({ parent_id: root }, 'never public')
    await api('DELETE', `/content?q=${a}&recursive=true`)
    await api('DELETE', `/content?q=${b}`)
    expect((await traces(() => api('DELETE', `/content?q=${draft}`))).events).toEqual(['content.deleted'])
    const before = (await app.deliveries()).length
    await publish(root)
    const told = (await app.deliveries())
      .slice(before)
      .map(({ event, payload }) => [event, JSON.parse(payload).data.content_data_id])
    expect(told).toEqual([
      ['version.created', root],
      ['content.deleted', a],
      ['content.deleted', b],
      ['content.updated', root],
    ])
    expect(await clean(slug)).toMatchObject({ children: [] })
  })
})

describe('between trees', () => {
  it('an entry stays where the public sees it until each page is published', async () => {
    const [one, two] = [await page(), await page()]
    await done('POST', '/content/move', { content_data_id: one.a, parent_id: two.root })
    expect((await clean(one.slug)).children).toHaveLength(2)
    expect((await clean(two.slug)).children).toHaveLength(2)
    for (const root of [one.root, two.root])
      expect((await api('POST', '/content/changes/drop', { content_data_id: root })).status).toBe(409)
    await publish(two.root)
    expect((await clean(one.slug)).children).toHaveLength(2)
    expect((await clean(two.slug)).children).toHaveLength(3)
    expect((await traces(() => publish(one.root))).events).toEqual(['version.created', 'content.updated'])
    expect((await clean(one.slug)).children).toHaveLength(1)
    for (const root of [one.root, two.root]) expect(await kept(root)).toEqual([0, 0])
  })

  it('a page that is made of a part waits to be published', async () => {
    const { slug, root, a } = await page()
    await set(a, 'a 2')
    const own = `${slug}-own`
    const { route_id } = await post('/routes', { slug: own, title: own })
    await done('PUT', `/content?q=${a}`, { route_id, parent_id: null })
    expect((await call('GET', own, { as: 'nobody' })).status).toBe(404)
    expect(await clean(slug)).toMatchObject({ children: [{ name: 'a' }, { name: 'b' }] })
    await publish(a)
    expect(await clean(own)).toMatchObject({ name: 'a 2', children: [{ name: 'deep' }] })
    await publish(root)
    expect(await clean(slug)).toMatchObject({ children: [{ name: 'b' }] })
    expect(await kept(root)).toEqual([0, 0])
  })
})

describe('relations', () => {
  const shows = async (slug: string) => {
    const { body, text } = await call('GET', `${slug}?format=contentful`, { as: 'nobody' })
    const entries = (body.includes?.Entry ?? []) as { sys: { id: string }; fields: { name?: string } }[]
    return { names: new Map(entries.map(({ sys, fields }) => [sys.id, fields.name])), text }
  }

  it('show what the public sees of the other page, never what waits there', async () => {
    const target = await page()
    const source = await page({ next: target.a })
    const before = (await shows(source.slug)).text
    await set(target.a, 'secret')
    expect((await shows(source.slug)).text).toBe(before)
    await done('POST', '/content/move', { content_data_id: target.a, parent_id: target.b })
    expect((await shows(source.slug)).text).toBe(before)
    await unpublish(target.root)
    expect((await shows(source.slug)).names.has(target.a)).toBe(false)
    expect((await clean(source.slug)).next).toBe('')
    await publish(target.root)
    expect((await shows(source.slug)).names.get(target.a)).toBe('secret')
  })

  it('keep an entry that is deleted, until its page is published', async () => {
    const target = await page()
    const source = await page({ next: target.a })
    const before = (await shows(source.slug)).text
    await api('DELETE', `/content?q=${target.a}&recursive=true`)
    expect((await shows(source.slug)).text).toBe(before)
    await drop(target.root)
    expect((await shows(source.slug)).names.get(target.a)).toBe('a')
    await api('DELETE', `/content?q=${target.a}&recursive=true`)
    await publish(target.root)
    expect((await clean(source.slug)).next).toBe('')
  })

  it('follow an entry into another tree when the public does', async () => {
    const [from, to] = [await page(), await page()]
    const source = await page({ next: from.a })
    await done('POST', '/content/move', { content_data_id: from.a, parent_id: to.root })
    expect((await shows(source.slug)).names.get(from.a)).toBe('a')
    await publish(from.root)
    expect((await shows(source.slug)).names.has(from.a)).toBe(false)
    await set(from.a, 'a 2')
    await publish(to.root)
    expect((await shows(source.slug)).names.get(from.a)).toBe('a 2')
  })

  it('of the page itself wait as every value does', async () => {
    const [one, two] = [await page(), await page()]
    const source = await page({ next: one.root })
    await done('PUT', `/content?q=${source.root}`, { fields: { next: two.root } })
    expect((await clean(source.slug)).next).toBe(one.root)
    expect((await changes(source.root)).changes[0].fields).toMatchObject([
      { name: 'next', locale: '', public: one.root, working: two.root },
    ])
    await drop(source.root)
    expect((await working(source.slug)).next).toBe(one.root)
  })
})

describe('global trees', () => {
  it('wait too', async () => {
    const menu = await done('POST', '/content', { datatype_id: global, fields: { name: 'menu' } })
    const id = menu.content_data_id
    const publicly = async () =>
      (await api('GET', '/globals?format=clean&status=published')).body.map(
        (one: { name: string }) => one.name,
      )
    const own = async () =>
      (await api('GET', '/globals?format=clean')).body.map((one: { name: string }) => one.name)
    expect(await publicly()).toEqual([])
    await publish(id)
    await set(id, 'menu 2')
    await post('/content', { datatype_id: global, status: 'published', fields: { name: 'second' } })
    expect([await publicly(), await own()]).toEqual([
      ['menu', 'second'],
      ['menu 2', 'second'],
    ])
    await publish(id)
    expect(await publicly()).toEqual(['menu 2', 'second'])
  })
})

describe('a plan', () => {
  it('makes public what waits at its time', async () => {
    const { slug, root } = await page()
    const publish_at = new Date(clock.now() + 60_000).toISOString()
    await set(root, 'root 2')
    await done('POST', '/content/schedule', { content_data_id: root, publish_at })
    await set(root, 'root 3')
    await services.space.publishing.runDue()
    expect((await clean(slug)).name).toBe('root')
    clock.advance(60_000)
    const left = await traces(() => services.space.publishing.runDue())
    expect(left.events).toEqual(['version.created', 'content.updated'])
    expect((await clean(slug)).name).toBe('root 3')
  })
})

describe('the changes of a tree', () => {
  it('are told entry by entry, with places and values', async () => {
    const { root, a, b, deep } = await page()
    await set(a, 'a 2')
    await api('DELETE', `/content?q=${deep}`)
    const fresh = await entry({ parent_id: a }, 'fresh')
    await done('POST', '/content/move', { content_data_id: b, parent_id: a })
    const told = await changes(deep).catch(() => changes(a))
    expect(told.content_data_id).toBe(root)
    expect(told.waiting_since).toBe(new Date(clock.now()).toISOString())
    const field = { field_id: name, name: 'name', locale: '' }
    const place = (parent_id: string) => ({ parent_id, sort_order: expect.any(Number) })
    expect(told.changes).toEqual([
      {
        content_data_id: a,
        change: 'updated',
        status: 'published',
        place: { public: place(root), working: place(root) },
        fields: [{ ...field, public: 'a', working: 'a 2' }],
      },
      {
        content_data_id: b,
        change: 'moved',
        status: 'published',
        place: { public: place(root), working: place(a) },
        fields: [],
      },
      {
        content_data_id: deep,
        change: 'deleted',
        status: 'published',
        place: { public: place(a), working: null },
        fields: [{ ...field, public: 'deep', working: null }],
      },
      {
        content_data_id: fresh,
        change: 'created',
        status: 'draft',
        place: { public: null, working: place(a) },
        fields: [{ ...field, public: null, working: 'fresh' }],
      },
    ])
    const left = await traces(() => drop(root))
    expect(left.events).toEqual(['version.created'])
    expect(left.changes.sort()).toEqual([
      'DELETE content_data',
      'DELETE content_fields',
      'INSERT content_data',
      'INSERT content_fields',
      'INSERT content_versions',
      'UPDATE content_data',
      'UPDATE content_fields',
    ])
  })

  it('come back from the version that was kept when they were dropped', async () => {
    const { slug, root } = await page()
    await set(root, 'root 2')
    const { kept_version_id, dropped } = await drop(root)
    expect([dropped, (await working(slug)).name]).toEqual([1, 'root'])
    await done('POST', '/content/restore', { content_version_id: kept_version_id })
    expect([(await clean(slug)).name, (await working(slug)).name]).toEqual(['root', 'root 2'])
    await publish(root)
    expect((await clean(slug)).name).toBe('root 2')
  })

  it('are refused to nobody, and for nothing', async () => {
    const { root } = await page()
    for (const [as, list, undo] of [
      ['nobody', 403, 403],
      ['viewer', 200, 403],
      ['editor', 200, 200],
    ] as const) {
      expect((await api('GET', `/content/changes?q=${root}`, undefined, as)).status).toBe(list)
      expect((await api('POST', '/content/changes/drop', { content_data_id: root }, as)).status).toBe(undo)
    }
    expect((await api('GET', `/content/changes?q=${missing}`)).status).toBe(404)
    expect((await api('GET', '/content/changes')).status).toBe(400)
    expect((await api('POST', '/content/changes/drop', { content_data_id: missing })).status).toBe(404)
    expect((await api('POST', '/content/changes/drop', {})).status).toBe(400)
  })

  it('wait in the admin space too', async () => {
    const kind = (await post('/admin/datatypes', { label: 'Note', type: '_global' })).datatype_id
    await post('/admin/fields', { label: 'Text', field_type: 'text', parent_id: kind })
    const body = { datatype_id: kind, status: 'published', fields: { text: 'one' } }
    const id = (await done('POST', '/admin/content', body)).content_data_id
    const left = await traces(() => done('PUT', `/admin/content?q=${id}`, { fields: { text: 'two' } }))
    expect(left.events).toEqual([])
    expect((await done('GET', `/admin/content/changes?q=${id}`)).changes).toHaveLength(1)
    const told = await traces(() => done('POST', '/admin/content/publish', { content_data_id: id }))
    expect(told.events).toEqual(['admin.content.updated'])
  })
})

describe('the mode', () => {
  const instance = (publish_mode: 'live' | 'staged') =>
    open({ config: { ...config, publish_mode }, ports: parts.ports, variables: {} })
  const own = (slug: string) => ({ slug, format: 'clean', audience: 'public', locale: '' }) as const
  const textOf = async ({ services }: Pick<typeof app, 'services'>, slug: string) =>
    new TextDecoder().decode((await services.space.pages.page(own(slug))).body)

  it('live at a start makes public what waits, and tells it; staged again hides nothing of it', async () => {
    const { slug, root, b } = await page()
    await set(root, 'root 2')
    await api('DELETE', `/content?q=${b}`)
    const still = await instance('staged')
    expect(await textOf(still, slug)).toContain('"name":"root"')
    await still.db.close()
    for (const tree of await db.findAll(tables.publicTrees))
      if (tree.root_id !== root) await publish(tree.root_id)
    let live: Awaited<ReturnType<typeof instance>> | undefined
    const left = await traces(async () => {
      live = await instance('live')
    })
    expect(left.events).toEqual(['content.deleted', 'content.updated'])
    expect(await kept(root)).toEqual([0, 0])
    expect(await textOf(live as never, slug)).toContain('"name":"root 2"')
    await live?.services.space.content.update(systemActor, root, { fields: { name: 'root 3' } })
    expect(await textOf(live as never, slug)).toContain('"name":"root 3"')
    await live?.db.close()
    const again = await instance('staged')
    expect(await textOf(again, slug)).toContain('"name":"root 3"')
    await again.services.space.content.update(systemActor, root, { fields: { name: 'root 4' } })
    expect(await textOf(again, slug)).toContain('"name":"root 3"')
    await again.db.close()
    await publish(root)
  })

  it('that another instance still has shows nothing that waits', async () => {
    const live = await instance('live')
    const { slug, root, a } = await page()
    await set(root, 'root 2')
    expect(await textOf(live, slug)).toContain('"name":"root"')
    await live.services.space.content.update(systemActor, a, { fields: { name: 'a 2' } })
    for (const each of [live, app]) expect(await textOf(each, slug)).not.toMatch(/root 2|a 2/)
    await live.services.space.publishing.publish(systemActor, { content_data_id: root })
    await live.db.close()
    await db.foreignChangesNow()
    expect((await clean(slug)).children[0].name).toBe('a 2')
  })
})

it('shows a whole state of a page at any moment, however many edit and publish it', async () => {
  const { slug, root, a, b } = await page()
  const source = await page({ next: root })
  const states = new Set<string>()
  let going = true
  const numbersIn = (text: string) => new Set(text.match(/(?<="(?:root|a|b) )\d+/g)).size
  const readers = ['clean', 'contentful'].map(async format => {
    while (going) {
      const { text } = await call('GET', `${format === 'clean' ? slug : source.slug}?format=${format}`, {
        as: 'nobody',
      })
      states.add(text)
      // Never two publications in one answer.
      expect(numbersIn(text)).toBeLessThan(2)
      // What is in memory is answered without waiting, and SQLite too: each leaves the other a turn.
      await new Promise(setImmediate)
    }
  })
  for (let i = 1; i <= 15; i++) {
    await Promise.all([root, a, b].map((id, j) => set(id, `${['root', 'a', 'b'][j]} ${i}`)))
    await new Promise(setImmediate)
    await publish(root)
    await new Promise(setImmediate)
  }
  going = false
  await Promise.all(readers)
  expect(await kept(root)).toEqual([0, 0])
  expect(states.size).toBeGreaterThan(4)
})
