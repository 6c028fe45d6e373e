import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { receiver, testNetwork } from '../support/receiver.js'

const net = testNetwork()
net.names.set('receiver.test', ['93.184.216.34'])
net.names.set('other.test', ['93.184.216.35'])
const target = await receiver()
const settings = { webhook_enabled: true, webhook_allow_http: true, environment: 'production' }
const app = await testApp(settings, { outgoing: net.outgoing })
const { call, db, clock } = app
const path = '/api/v1/admin/webhooks'
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const url = `http://receiver.test:${target.port}/hook`
const given = { name: 'Build', url, events: ['content.published'] }
const mask = '********'
const make = async (more = {}) => (await call('POST', path, { body: { ...given, ...more } })).body
const read = async (id: string) => (await call('GET', `${path}/${id}`)).body
const put = (id: string, body: object, headers = {}) => call('PUT', `${path}/${id}`, { body, headers })
const storedSecret = async (id: string) => (await db.get(tables.webhooks, id))?.secret
const remove = (id: string) => call('DELETE', `${path}/${id}`)
const entry = {
  content_data_id: missing,
  locale: '',
  slug: null,
  datatypes: [],
  slugs: [],
  surrogate_keys: [],
}
const data = {
  'content.published': { ...entry, content_version_id: missing, version_number: 1, published_by: null },
  'content.updated': { ...entry, updated_by: null },
  'content.deleted': { ...entry, deleted_by: null },
}
type Emitted = keyof typeof data
const emit = (event: Emitted) =>
  db.write(systemActor, tx => tx.emit<Emitted, (typeof data)[Emitted]>(event, async () => data[event]))

describe('a webhook', () => {
  it('is made with a secret that is shown only once, and its audit event holds none', async () => {
    const before = (await app.audits()).length
    const { status, body } = await call('POST', path, {
      body: { ...given, webhook_id: missing, headers: { 'X-Api-Key': 'k1' } },
    })
    expect([status, body]).toEqual([
      201,
      {
        webhook_id: expect.not.stringMatching(missing),
        ...given,
        secret: expect.stringMatching(/^[0-9a-f]{64}$/),
        previous_secret_until: null,
        is_active: false,
        headers: { 'X-Api-Key': 'k1' },
        filter: null,
        body_template: null,
        author_id: app.users.admin,
        date_created: expect.any(String),
        date_modified: expect.any(String),
      },
    ])
    const events = (await app.audits()).slice(before)
    expect(events).toMatchObject([
      { operation: 'INSERT', table_name: 'webhooks', record_id: body.webhook_id, user_id: app.users.admin },
    ])
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`${body.secret}|k1`))
    const shown = { ...body, secret: mask, headers: { 'X-Api-Key': mask } }
    expect(await read(body.webhook_id)).toEqual(shown)
    const list = await call('GET', `${path}/`)
    expect([list.body, list.headers.get('x-total-count')]).toEqual([[shown], '1'])
    expect((await call('GET', `${path}?limit=1&offset=1`)).body).toEqual([])
    await remove(body.webhook_id)
  })

  it('keeps its secret when the mask or nothing is sent back, and takes another', async () => {
    const { webhook_id, secret } = await make()
    const record = await read(webhook_id)
    expect((await put(webhook_id, { ...record, name: 'Other' })).body).toMatchObject({
      name: 'Other',
      secret: mask,
    })
    expect((await put(webhook_id, { is_active: true })).body).toMatchObject({ is_active: true, url })
    expect(await storedSecret(webhook_id)).toBe(secret)
    const changed = await put(webhook_id, { secret: 'another of sixteen' })
    expect([changed.status, changed.text.includes('another of sixteen')]).toEqual([200, false])
    expect(await storedSecret(webhook_id)).toBe('another of sixteen')
    const audits = (await app.audits()).filter(({ record_id }) => record_id === webhook_id)
    expect(audits.map(({ operation }) => operation)).toEqual(['INSERT', 'UPDATE', 'UPDATE', 'UPDATE'])
    expect(audits.at(-1)?.new_values).toEqual({ secret: '[secret]' })
    expect((await put(webhook_id, { secret: 'another of sixteen' })).status).toBe(200)
    expect((await app.audits()).filter(({ record_id }) => record_id === webhook_id)).toHaveLength(4)
    await remove(webhook_id)
  })

  it('shows no value of its headers again, and keeps those that the mask stands for', async () => {
    const { webhook_id } = await make({ headers: { Authorization: 'Bearer k1', 'X-Site': 'main' } })
    const stored = async () => (await db.get(tables.webhooks, webhook_id))?.headers
    const record = await read(webhook_id)
    expect(record.headers).toEqual({ Authorization: mask, 'X-Site': mask })
    const same = await put(webhook_id, { ...record, name: 'Other' })
    expect(same.body).toMatchObject({ name: 'Other', headers: record.headers })
    expect(await stored()).toEqual({ Authorization: 'Bearer k1', 'X-Site': 'main' })
    const changed = await put(webhook_id, { headers: { authorization: mask, 'X-Key': 'k2' } })
    expect(changed.body.headers).toEqual({ authorization: mask, 'X-Key': mask })
    expect(await stored()).toEqual({ authorization: 'Bearer k1', 'X-Key': 'k2' })
    const refusal = { code: 'invalid', member: 'headers.X-Site' }
    const headers = { 'X-Site': mask }
    expect([
      await put(webhook_id, { headers }),
      await call('POST', path, { body: { ...given, headers } }),
    ]).toMatchObject([
      { status: 400, body: refusal },
      { status: 400, body: refusal },
    ])
    expect(await stored()).toEqual({ authorization: 'Bearer k1', 'X-Key': 'k2' })
    await remove(webhook_id)
  })

  it('sends no stored secret or header value to a server that was just set', async () => {
    const headers = { Authorization: 'Bearer k1', 'X-Site': 'main' }
    const { webhook_id } = await make({ headers })
    const { callerWith } = callersOf(app)
    const caller = await callerWith('webhook:update')
    const to = (body: object) => caller.call('PUT', `${path}/${webhook_id}`, body)
    const secret = 'given again with it'
    const before = [await db.get(tables.webhooks, webhook_id), (await app.audits()).length]
    const names = (...members: string[]) => ({
      status: 400,
      body: { code: 'invalid', errors: members.map(member => ({ member })) },
    })
    const all = names('headers.Authorization', 'headers.X-Site')
    for (const other of [
      'http://other.test/hook',
      `https://receiver.test:${target.port}/hook`,
      'http://receiver.test/hook',
    ]) {
      expect([other, await to({ url: other })]).toMatchObject([other, all])
      expect(await to({ url: other, headers, secret: mask })).toMatchObject(names('secret'))
      expect(await to({ url: other, secret, headers: { Authorization: mask } })).toMatchObject(
        names('headers.Authorization'),
      )
    }
    expect([await db.get(tables.webhooks, webhook_id), (await app.audits()).length]).toEqual(before)
    // Another address on the same server is told what it was told before.
    expect((await to({ url: `${url}?of=2` })).status).toBe(200)
    expect((await to({ url: url.replace('receiver.test', 'RECEIVER.test') })).status).toBe(200)
    expect(await db.get(tables.webhooks, webhook_id)).toMatchObject({ headers })
    const url2 = 'http://other.test/hook'
    expect((await to({ url: url2, secret, headers: { 'X-Site': 'other' } })).status).toBe(200)
    const stored = { url: url2, secret, headers: { 'X-Site': 'other' }, previous_secret: null }
    expect(await db.get(tables.webhooks, webhook_id)).toMatchObject(stored)
    // Without a secret a new one is made, which the answer shows, as for a new webhook.
    const moved = await to({ url, headers: {} })
    expect([moved.status, moved.body.secret]).toEqual([200, expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(await storedSecret(webhook_id)).toBe(moved.body.secret)
    expect((await call('GET', `${path}/${webhook_id}`)).body.secret).toBe(mask)
    await remove(webhook_id)
  })

  it('takes a secret of eight characters', async () => {
    const { webhook_id, secret } = await make({ secret: '8 chars.' })
    expect([secret, await storedSecret(webhook_id)]).toEqual(['8 chars.', '8 chars.'])
    await remove(webhook_id)
  })

  it('is saved over by nobody who has not read it', async () => {
    const { webhook_id } = await make()
    const etag = (await call('GET', `${path}/${webhook_id}`)).headers.get('etag') ?? ''
    expect((await put(webhook_id, { name: 'One' }, { 'If-Match': etag })).status).toBe(200)
    expect((await put(webhook_id, { name: 'Two' }, { 'If-Match': etag })).status).toBe(412)
    expect((await call('DELETE', `${path}/${webhook_id}`, { headers: { 'If-Match': etag } })).status).toBe(
      412,
    )
    expect((await remove(webhook_id)).status).toBe(204)
    for (const answer of [
      await remove(webhook_id),
      await put(webhook_id, { name: 'x' }),
      await call('GET', `${path}/${webhook_id}`),
      await call('POST', `${path}/${webhook_id}/rotate-secret`),
      await call('POST', `${path}/${webhook_id}/test`),
      await call('GET', `${path}/${webhook_id}/deliveries`),
      await call('GET', `${path}/x`),
    ])
      expect(answer.status).toBe(404)
  })

  it.each([
    ['no name', { name: undefined }],
    ['a blank name', { name: ' ' }],
    ['no url', { url: undefined }],
    ['a url that is a list', { url: [url] }],
    ['a url that is too long', { url: `https://receiver.test/${'x'.repeat(2048)}` }],
    ['no events', { events: undefined }],
    ['an empty list of events', { events: [] }],
    ['an event that there is not', { events: ['content.published', 'content.exploded'] }],
    ['an event in capitals', { events: ['CONTENT.PUBLISHED'] }],
    ['all and one', { events: ['*', 'content.published'] }],
    ['10,000 events', { events: Array.from({ length: 10_000 }, () => 'content.published') }],
    ['events that are a text', { events: '*' }],
    ['a name of Object.prototype', { events: ['constructor'] }],
    ['an empty secret', { secret: '' }],
    ['a secret of seven characters', { secret: '7 chars' }],
    ['a secret of a megabyte', { secret: 'x'.repeat(2 ** 20) }],
    ['a secret with a NUL', { secret: `${'x'.repeat(20)}\0` }],
    ['a secret that is a number', { secret: 1234567890123456 }],
    ['a secret that is null', { secret: null }],
    ['is_active that is a text', { is_active: 'true' }],
    ['headers that are a list', { headers: ['x'] }],
    ['headers that are null', { headers: null }],
  ])('is refused with %s', async (_, more) => {
    const [rows, audits] = [await db.count(tables.webhooks), (await app.audits()).length]
    expect((await call('POST', path, { body: { ...given, ...more } })).status).toBe(400)
    expect([await db.count(tables.webhooks), (await app.audits()).length]).toEqual([rows, audits])
  })

  it('is not made with the mask as its secret', async () => {
    expect((await call('POST', path, { body: { ...given, secret: mask } })).status).toBe(400)
  })

  it('subscribes to each event once, or to all', async () => {
    const some = await make({ events: ['content.deleted', 'content.published', 'content.deleted'] })
    expect(some.events).toEqual(['content.deleted', 'content.published'])
    const all = await make({ events: ['*', '*'] })
    expect(all.events).toEqual(['*'])
    await remove(some.webhook_id)
    await remove(all.webhook_id)
  })

  it.each(
    'X-CMS-Signature x-cms-event X-Cms-Anything Webhook-Id webhook-signature Content-Type content-length Content-Encoding User-Agent Host Transfer-Encoding Connection Keep-Alive Upgrade Expect Cookie TE Trailer Proxy-Authorization Proxy-Connection :authority __proto__'
      .split(' ')
      .concat('', 'with blank', 'ümlaut', 'a:b', 'a\r\nb', 'x'.repeat(257)),
  )('has no custom header %j', async name => {
    const body = `{"name":"x","url":"${url}","events":["*"],"headers":{${JSON.stringify(name)}:"v"}}`
    expect((await call('POST', path, { body })).status).toBe(400)
  })

  it.each([
    ...['\r', '\n', '\r\n X-Other: 1', 'a\r\n folded', '\0', '\t', '\u007f', '\u0085', '漢', '€'].map(
      text => `a${text}b`,
    ),
    'x'.repeat(4097),
    1,
    ['a'],
    null,
    { a: 'b' },
  ])('has no custom header with the value %j', async value => {
    expect((await call('POST', path, { body: { ...given, headers: { 'X-A': value } } })).status).toBe(400)
  })

  it('has as many headers as it may, each once', async () => {
    const named = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`X-${i}`, 'v']))
    const { webhook_id } = await make({ headers: { ...named(63), 'X-Long': `${'é'.repeat(4095)}.` } })
    expect(Object.keys((await read(webhook_id)).headers)).toHaveLength(64)
    await remove(webhook_id)
    for (const headers of [named(65), named(500), { 'X-A': '1', 'x-a': '2' }])
      expect((await call('POST', path, { body: { ...given, headers } })).status).toBe(400)
  })

  it('is for those with a webhook permission, in either spelling', async () => {
    for (const as of ['nobody', 'viewer', 'editor', 'key'] as const)
      expect((await call('GET', path, { as })).status).toBe(403)
    const editor = await db.find(tables.roles, { label: 'editor' })
    const permission = (await call('POST', '/api/v1/permissions', { body: { label: 'webhooks:read' } })).body
    await call('POST', '/api/v1/role-permissions', {
      body: { role_id: editor?.role_id, permission_id: permission.permission_id },
    })
    expect((await call('GET', path, { as: 'editor' })).status).toBe(200)
    expect((await call('POST', path, { as: 'editor', body: given })).status).toBe(403)
  })
})

describe('rotation', () => {
  it('gives a new secret, shown only once, and lets the old one sign along for a day', async () => {
    const { webhook_id, secret } = await make()
    const { status, body } = await call('POST', `${path}/${webhook_id}/rotate-secret`)
    expect([status, body.secret === secret, /^[0-9a-f]{64}$/.test(body.secret)]).toEqual([200, false, true])
    expect(Date.parse(body.previous_secret_until) - clock.now()).toBe(86_400_000)
    expect(await db.get(tables.webhooks, webhook_id)).toMatchObject({
      secret: body.secret,
      previous_secret: secret,
    })
    expect(await read(webhook_id)).toEqual({ ...body, secret: mask })
    expect(JSON.stringify(await app.audits())).not.toMatch(new RegExp(`${secret}|${body.secret}`))
    await put(webhook_id, { secret: 'set by hand after a leak' })
    expect(await db.get(tables.webhooks, webhook_id)).toMatchObject({
      previous_secret: null,
      previous_secret_until: null,
    })
    await remove(webhook_id)
  })
})

describe('a test', () => {
  it('sends one signed event and says no more than how it went', async () => {
    const { webhook_id } = await make()
    const deliveries = (await app.deliveries()).length
    target.answer = (_, response) => response.writeHead(418, { 'X-Secret': 'inner' }).end('inner text')
    const failed = await call('POST', `${path}/${webhook_id}/test`)
    expect([failed.status, failed.body]).toEqual([
      200,
      { status: 'failed', status_code: 418, duration: expect.stringMatching(/^\d+ms$/) },
    ])
    target.answer = (_, response) => response.writeHead(204).end()
    const done = await call('POST', `${path}/${webhook_id}/test`)
    expect(done.body).toEqual({ status: 'success', status_code: 204, duration: expect.any(String) })
    const last = target.received.at(-1)
    expect(last?.headers['x-cms-event']).toBe('webhook.test')
    expect(JSON.parse(String(last?.body))).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      event: 'webhook.test',
      occurred_at: new Date(clock.now()).toISOString(),
      data: { webhook_id, message: expect.any(String) },
    })
    expect((await app.deliveries()).length).toBe(deliveries)
    await remove(webhook_id)
  })

  it('answers what a receiver that is away gives, too', async () => {
    const { webhook_id } = await make({ url: 'http://receiver.test:1/' })
    expect((await call('POST', `${path}/${webhook_id}/test`)).body).toMatchObject({
      status: 'failed',
      status_code: 0,
    })
    await remove(webhook_id)
  })

  it('can be made ten times a minute by one caller', async () => {
    const limited = await testApp(settings, { outgoing: net.outgoing, limited: true })
    const { body } = await limited.call('POST', path, { body: given })
    const statuses = []
    for (let i = 0; i < 11; i++) statuses.push(await limited.call('POST', `${path}/${body.webhook_id}/test`))
    expect(statuses.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429])
    expect(Number(statuses.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('deliveries', () => {
  it('are listed newest first, narrowed and page by page', async () => {
    const { webhook_id } = await make({ events: ['*'], is_active: true })
    const other = await make({ events: ['content.deleted'], is_active: true })
    const events = [
      'content.published',
      'content.updated',
      'content.deleted',
      'content.updated',
      'content.deleted',
    ] as const
    for (const event of events) await emit(event)
    const list = async (query = '') => (await call('GET', `${path}/${webhook_id}/deliveries${query}`)).body
    const all = await list()
    expect(all.map(({ event }: { event: string }) => event)).toEqual(events.toReversed())
    expect(all[0]).toEqual({
      delivery_id: expect.any(String),
      webhook_id,
      event: 'content.deleted',
      payload: {
        id: expect.any(String),
        event: 'content.deleted',
        occurred_at: expect.any(String),
        data: data['content.deleted'],
      },
      status: 'pending',
      attempts: 0,
      last_status_code: null,
      last_error: null,
      last_duration_ms: null,
      last_response: null,
      next_retry_at: null,
      created_at: expect.any(String),
      completed_at: null,
    })
    const [first, second] = [await list('?limit=2'), await list(`?limit=2&before=${all[1].delivery_id}`)]
    expect([...first, ...second]).toEqual(all.slice(0, 4))
    expect((await list('?event=content.updated')).length).toBe(2)
    expect((await list('?status=pending&event=content.deleted&limit=1')).length).toBe(1)
    expect(await list('?limit=2&offset=3')).toEqual(all.slice(3))
    expect(await list('?limit=0')).toEqual([])
    const narrowed = await call('GET', `${path}/${webhook_id}/deliveries?event=content.updated&limit=1`)
    expect([narrowed.body.length, narrowed.headers.get('x-total-count')]).toEqual([1, '2'])
    expect(await list('?status=failed')).toEqual([])
    expect(await list('?event=nothing')).toEqual([])
    for (const query of ['?limit=-1', '?limit=1e3', '?offset=x', '?status=lost'])
      expect((await call('GET', `${path}/${webhook_id}/deliveries${query}`)).status).toBe(400)
    await remove(webhook_id)
    expect((await app.deliveries()).map(row => row.webhook_id)).toEqual([other.webhook_id, other.webhook_id])
    await remove(other.webhook_id)
    expect(await app.deliveries()).toEqual([])
  })

  it('are listed whole, however many they are', async () => {
    const { webhook_id } = await make({ events: ['*'], is_active: true })
    await db.write(systemActor, async tx => {
      for (let i = 0; i < 450; i++) await tx.emit('content.deleted', async () => data['content.deleted'])
    })
    const { body, headers } = await call('GET', `${path}/${webhook_id}/deliveries`)
    const ids = (await app.deliveries()).map(({ delivery_id }) => delivery_id)
    expect(body.map((row: { delivery_id: string }) => row.delivery_id)).toEqual(ids.toSorted().toReversed())
    expect([ids.length, headers.get('x-total-count')]).toEqual([450, '450'])
    await remove(webhook_id)
  })

  it('begin again when they have failed, and only then', async () => {
    const { webhook_id } = await make({ events: ['*'], is_active: true })
    await emit('content.updated')
    const id = (await app.deliveries())[0]?.delivery_id ?? ''
    const retry = (of = id) => call('POST', `${path}/deliveries/${of}/retry`)
    const finished = '2026-11-21T12:00:00.000Z'
    for (const [status, more] of [
      ['pending', {}],
      ['retrying', { next_retry_at: finished }],
      ['success', { completed_at: finished, due_at: null }],
    ] as const) {
      await db.write(systemActor, tx =>
        tx.updateInternal(internalTables.webhookDeliveries, [id], { status, ...more }),
      )
      const before = await app.deliveries()
      const { status: code, body } = await retry()
      expect([status, code, body.error]).toEqual([
        status,
        409,
        `the delivery is ${status}: only a failed one can be sent again`,
      ])
      expect(await app.deliveries()).toEqual(before)
    }
    const fail = () =>
      db.write(systemActor, tx =>
        tx.updateInternal(internalTables.webhookDeliveries, [id], {
          status: 'failed',
          attempts: 3,
          next_retry_at: null,
          completed_at: finished,
          due_at: null,
          last_error: 'the receiver responded with 500',
          last_status_code: 500,
        }),
      )
    await fail()
    const audits = (await app.audits()).length
    const answers = await Promise.all([retry(), retry(), retry()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({
      delivery_id: id,
      status: 'pending',
      attempts: 0,
      completed_at: null,
      last_status_code: 500,
    })
    expect((await app.audits()).length).toBe(audits)
    const sent = target.received.length
    clock.advance(2000)
    await app.services.delivery.drain()
    expect(target.received.length).toBe(sent + 1)
    expect((await app.deliveries())[0]).toMatchObject({
      status: 'success',
      attempts: 1,
      last_status_code: 204,
    })
    await fail()
    await put(webhook_id, { is_active: false })
    expect((await retry()).status).toBe(409)
    expect((await retry(missing)).status).toBe(404)
    await remove(webhook_id)
    expect((await retry()).status).toBe(404)
    expect(target.received.length).toBe(sent + 1)
  })
})

it('stores nothing and sends nothing while webhooks are not enabled, not even later', async () => {
  const quiet = await testApp({ ...settings, webhook_enabled: false }, { outgoing: net.outgoing, file: {} })
  const made = await quiet.call('POST', path, { body: { ...given, events: ['*'], is_active: true } })
  expect(made.status).toBe(201)
  const { body: type } = await quiet.call('POST', '/api/v1/datatypes', {
    body: { label: 'x', type: 'content' },
  })
  for (let i = 0; i < 20; i++) {
    const route = await quiet.call('POST', '/api/v1/routes', { body: { slug: `/${i}`, title: 'x' } })
    await quiet.call('POST', '/api/v1/content', {
      body: { datatype_id: type.datatype_id, route_id: route.body.route_id, status: 'published' },
    })
  }
  expect(await quiet.deliveries()).toEqual([])
  const sent = target.received.length
  expect((await quiet.call('PUT', '/api/v1/config', { body: { webhook_enabled: true } })).status).toBe(200)
  await quiet.services.delivery.drain()
  expect([(await quiet.deliveries()).length, target.received.length]).toEqual([0, sent])
})
