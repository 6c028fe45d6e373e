import { describe, expect, it } from 'vitest'
import { adminTables, tables } from '../../src/db/tables.js'
import { type Caller, testApp } from '../support/app.js'

const app = await testApp({ webhook_enabled: true })
const { call, db, services, users, audits, clock } = app
const api = (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })

describe('the admin space', () => {
  it('is the content space again, over tables, events and rights of its own', async () => {
    await app.subscribe()
    const before = (await audits()).length
    const post = async (path: string, body: unknown) =>
      (await api('POST', `/admin${path}`, body, 'editor')).body
    const type = await post('/datatypes', { label: 'Dashboard', type: 'content' })
    const field = await post('/fields', { label: 'Note', field_type: 'text', parent_id: type.datatype_id })
    const route = await post('/routes', { slug: '/start', title: 'Start' })
    const root = await post('/content', {
      datatype_id: type.datatype_id,
      route_id: route.route_id,
      status: 'published',
      fields: { note: 'Hello' },
    })
    const child = await post('/content', { datatype_id: type.datatype_id, parent_id: root.content_data_id })
    await post('/content-fields', {
      content_data_id: child.content_data_id,
      field_id: field.field_id,
      field_value: 'Child',
    })
    const tree = await api('GET', '/admin/tree/start?format=clean', undefined, 'editor')
    expect(tree.body).toEqual({
      type: 'dashboard',
      title: 'Start',
      slug: '/start',
      note: 'Hello',
      children: [{ type: 'dashboard', note: 'Child' }],
    })
    expect((await api('GET', `/admin/content/tree/${route.route_id}`)).body.root.children).toHaveLength(1)
    const tablesChanged = new Set((await audits()).slice(before).map(event => event.table_name))
    expect([...tablesChanged].sort()).toEqual([
      'admin_content_data',
      'admin_content_fields',
      'admin_content_versions',
      'admin_datatypes',
      'admin_fields',
      'admin_routes',
    ])
    expect((await app.deliveries()).map(({ event }) => event)).toEqual(['admin.content.published'])
    await api('PUT', `/admin/content?q=${root.content_data_id}`, { fields: { note: 'New' } })
    expect((await api('GET', '/admin/tree/start?format=clean')).body.note).toBe('New')
    await api('PUT', `/admin/content?q=${root.content_data_id}`, { status: 'draft' })
    await api('DELETE', `/admin/content?q=${root.content_data_id}&recursive=true`)
    expect((await app.deliveries()).map(({ event }) => event)).toEqual([
      'admin.content.published',
      'admin.content.updated',
      'admin.content.unpublished',
      'admin.content.deleted',
    ])
  })

  it('shows nothing to the public, and neither space knows the other’s records', async () => {
    const { body: type } = await api('POST', '/admin/datatypes', { label: 'Secret', type: 'content' })
    const { body: route } = await api('POST', '/admin/routes', { slug: '/secret', title: 'Secret' })
    await api('POST', '/admin/content', {
      datatype_id: type.datatype_id,
      route_id: route.route_id,
      status: 'published',
    })
    expect((await call('GET', '/secret', { as: 'nobody' })).status).toBe(404)
    expect((await api('GET', '/page/secret')).status).toBe(404)
    expect((await api('GET', '/admin/tree/secret')).status).toBe(200)
    expect((await api('GET', `/routes?q=${route.route_id}`)).status).toBe(404)
    expect(
      (await api('POST', '/content', { datatype_id: type.datatype_id, route_id: route.route_id })).status,
    ).toBe(400)
    expect((await api('POST', '/routes', { slug: '/secret', title: 'Another' })).status).toBe(201)
    expect([await db.count(tables.datatypes), await db.count(adminTables.datatypes)]).toEqual([0, 2])
  })

  it('cannot be written by whoever may only write content', async () => {
    for (const [method, path] of [
      ['GET', '/admin/routes'],
      ['POST', '/admin/content'],
      ['GET', '/admin/tree/secret'],
    ] as const)
      expect([path, (await api(method, path, method === 'POST' ? {} : undefined, 'viewer')).status]).toEqual([
        path,
        403,
      ])
  })
})

describe('the audit log', () => {
  it('says what was done to a record, newest first, and pages', async () => {
    const { body: route } = await api('POST', '/routes', { slug: '/audited', title: 'One' })
    const from = new Date(clock.now()).toISOString()
    for (const title of ['Two', 'Three', 'Four']) {
      clock.advance(1000)
      await api('PUT', `/routes?q=${route.route_id}`, { title })
    }
    const of = (query: string) => api('GET', `/audit-events?${query}`)
    const all = (await of(`record_id=${route.route_id}`)).body
    expect(all.map(({ operation }: { operation: string }) => operation)).toEqual([
      'UPDATE',
      'UPDATE',
      'UPDATE',
      'INSERT',
    ])
    expect(Object.keys(all[0])).toEqual([
      'audit_event_id',
      'occurred_at',
      'operation',
      'table_name',
      'record_id',
      'old_values',
      'new_values',
      'user_id',
      'surface',
      'request_id',
      'ip_address',
      'user_agent',
    ])
    expect(all[0]).toMatchObject({
      table_name: 'routes',
      old_values: { title: 'Three' },
      new_values: { title: 'Four' },
      user_id: users.admin,
      surface: 'api',
      ip_address: '127.0.0.1',
    })
    const page = (await of(`record_id=${route.route_id}&limit=2`)).body
    expect(page).toEqual(all.slice(0, 2))
    expect((await of(`record_id=${route.route_id}&limit=2&before=${page[1].audit_event_id}`)).body).toEqual(
      all.slice(2),
    )
    expect((await of(`record_id=${route.route_id}&operation=INSERT`)).body).toEqual(all.slice(3))
    expect((await of(`record_id=${route.route_id}&user_id=${users.editor}`)).body).toEqual([])
    expect(
      (await of(`table_name=routes&since=${all[1].occurred_at}&until=${all[0].occurred_at}`)).body,
    ).toEqual([all[1]])
    expect((await of(`table_name=routes&until=${from}&limit=1000`)).body).not.toContainEqual(all[0])
    expect((await of(`record_id=${route.route_id}&since=1900-01-01T00:00:00Z`)).body).toEqual(all)
    expect((await of('since=9999-12-31T23:59:59Z')).body).toEqual([])
    expect((await of(`q=${all[0].audit_event_id}`)).body).toEqual(all[0])
  })

  it('finds the same events by the same filters, in whatever order they are given', async () => {
    const { body: route } = await api('POST', '/routes', { slug: '/any-order', title: 'One' })
    await api('PUT', `/routes?q=${route.route_id}`, { title: 'Two' })
    await api('PUT', `/routes?q=${route.route_id}`, { title: 'Three' })
    const since = new Date(clock.now()).toISOString()
    const filters = {
      table_name: 'routes',
      record_id: route.route_id as string,
      user_id: users.admin,
      operation: 'UPDATE',
      since,
    } as const
    const names = Object.keys(filters) as (keyof typeof filters)[]
    // Each order begins with another filter, forwards and backwards.
    const orders = names.flatMap((_, i) => {
      const turned = [...names.slice(i), ...names.slice(0, i)]
      return [turned, turned.toReversed()]
    })
    for (const order of orders) {
      const given = order.map(name => [name, filters[name]])
      const { status, body } = await api('GET', `/audit-events?${new URLSearchParams(given)}`)
      expect([order, status, body.map((event: { new_values: unknown }) => event.new_values)]).toEqual([
        order,
        200,
        [{ title: 'Three' }, { title: 'Two' }],
      ])
      // Other surfaces than the API have no schema that puts them in order.
      const listed = []
      for await (const some of services.audit.list(Object.fromEntries(given), 100)) listed.push(...some)
      expect([order, listed]).toEqual([order, body])
    }
  })

  it.each(['limit=0', 'limit=1001', 'limit=x', 'operation=LOOK', 'since=yesterday'])(
    'refuses %s',
    async query => {
      expect((await api('GET', `/audit-events?${query}`)).status).toBe(400)
    },
  )

  it('has no such event, and no way to change one', async () => {
    expect((await api('GET', '/audit-events?q=01ARZ3NDEKTSV4RRFFQ69G5FAV')).status).toBe(404)
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect((await api(method, '/audit-events', {})).status).toBe(405)
  })
})
