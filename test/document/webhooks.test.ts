import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { made } from '../support/calls.js'
import { receiver } from '../support/receiver.js'
import { startedSite, timestamp, ulid } from '../support/site.js'

/** Webhooks in the words of the product document (2.3, 3.1, 4.11, 6, 7), at the started product. */

const target = await receiver()
const { admin, rows, account } = await startedSite({
  config: {
    i18n_enabled: true,
    webhook_enabled: true,
    webhook_allow_http: true,
    // Longer than a receiver on a busy machine takes.
    webhook_timeout: 60,
    webhook_retry_delays: ['100ms'],
    webhook_scan_interval: '200ms',
  },
})
const page = await rows.datatype('Page')
await rows.field(page.datatype_id, 'Text', 'text')
const administrator = (await made(admin('GET', '/auth/me'))).user_id as string
const elsewhere = 'https://receiver.example/'

let hooks = 0
/** A webhook with a path of its own at the receiver, by which its deliveries are told. */
async function webhook(events: string[], more: object = {}) {
  const path = `/hook-${++hooks}`
  const body = { name: path, url: `${target.origin}${path}`, events, is_active: true, ...more }
  const row = await made(admin('POST', '/admin/webhooks', body))
  return { path, id: row.webhook_id as string, secret: row.secret as string }
}

let pages = 0
async function entry(more: object = {}) {
  const { route_id } = await rows.route(`/page-${++pages}`)
  const { content_data_id } = await rows.entry(page.datatype_id, { route_id }, more)
  return content_data_id as string
}
const publish = (content_data_id: string, more: object = {}) =>
  made(admin('POST', '/content/publish', { content_data_id, ...more }))

const receivedAt = (path: string) => target.received.filter(request => request.path === path)
const soon = (look: () => unknown) => expect.poll(look, { timeout: 120_000, interval: 50 })
async function firstAt(path: string) {
  await soon(() => receivedAt(path).length).toBeGreaterThan(0)
  const [request] = receivedAt(path)
  if (!request) throw new Error('nothing came')
  return { ...request, payload: JSON.parse(request.body.toString()) }
}
const deliveries = async (id: string) =>
  (await made(admin('GET', `/admin/webhooks/${id}/deliveries`))) as Row[]
interface Row {
  delivery_id: string
  status: string
  [member: string]: unknown
}

afterEach(() => {
  target.answer = (_, response) => response.end()
})

describe('a webhook', () => {
  it('is created, listed, read, updated and deleted', async () => {
    const body = { name: 'site', url: elsewhere, events: ['content.published'] }
    const created = await admin('POST', '/admin/webhooks', body)
    expect([created.status, created.body]).toEqual([201, expect.objectContaining(body)])
    const { webhook_id } = created.body
    const item = `/admin/webhooks/${webhook_id}`
    const list = await made(admin('GET', '/admin/webhooks'))
    expect(list).toContainEqual(expect.objectContaining({ webhook_id }))
    const changed = { name: 'other', url: `${elsewhere}x`, events: ['*'], is_active: false }
    expect((await admin('PUT', item, changed)).body).toMatchObject(changed)
    expect((await admin('GET', item)).body).toMatchObject(changed)
    expect((await admin('DELETE', item)).status).toBe(204)
    expect((await admin('GET', item)).status).toBe(404)
  })

  it('is not active by default, and has a secret of 32 random bytes in hex', async () => {
    const create = () =>
      made(admin('POST', '/admin/webhooks', { name: 'site', url: elsewhere, events: ['*'] }))
    const [one, other] = [await create(), await create()]
    expect(one).toMatchObject({ is_active: false, secret: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(other.secret).not.toBe(one.secret)
  })

  it('has a secret of at least eight characters', async () => {
    const body = { name: 'site', url: elsewhere, events: ['*'] }
    expect((await admin('POST', '/admin/webhooks', { ...body, secret: '1234567' })).status).toBe(400)
    expect((await admin('POST', '/admin/webhooks', { ...body, secret: '12345678' })).status).toBe(201)
  })

  it.each([
    ['without a name', { name: undefined }],
    ['without a URL', { url: undefined }],
    ['without events', { events: undefined }],
    ['for an event that there is not', { events: ['nothing'] }],
    ['at a private address', { url: 'https://10.0.0.1/' }],
    ['at a private address of IPv6', { url: 'https://[fd00::1]/' }],
    ['at an address of this link', { url: 'https://169.254.169.254/' }],
    ['at an address that is not of the web', { url: 'ftp://receiver.example/' }],
  ])('is refused %s', async (_, more) => {
    const body = { name: 'site', url: elsewhere, events: ['*'], ...more }
    expect((await admin('POST', '/admin/webhooks', body)).status).toBe(400)
  })

  it('is for administrators only by default', async () => {
    for (const role of ['editor', 'viewer']) {
      const { call } = await account(role)
      expect([role, (await call('GET', '/admin/webhooks')).status]).toEqual([role, 403])
    }
  })

  it('is tested at once: status, status_code and duration; the event holds its id and a message', async () => {
    const { path, id } = await webhook(['content.published'])
    const { body } = await admin('POST', `/admin/webhooks/${id}/test`)
    expect(body).toMatchObject({ status: 'success', status_code: 200, duration: expect.any(String) })
    const { payload, headers } = await firstAt(path)
    expect(headers['x-cms-event']).toBe('webhook.test')
    expect(payload.data).toEqual({ webhook_id: id, message: expect.any(String) })
  })
})

describe('events', () => {
  it('are all sent to who has subscribed to *', async () => {
    const { path } = await webhook(['*'])
    const content_data_id = await entry()
    const item = `/content/?q=${content_data_id}`
    await publish(content_data_id)
    await made(admin('PUT', item, { fields: { text: 'Hello' } }))
    await publish(content_data_id, { locale: 'en' })
    const unpublish_at = '2999-01-01T00:00:00.000Z'
    await made(admin('POST', '/content/schedule', { content_data_id, unpublish_at }))
    await made(admin('POST', '/content/unpublish', { content_data_id }))
    await made(admin('DELETE', item))
    await adminContent()
    const expected = [
      ...['published', 'unpublished', 'updated', 'scheduled', 'deleted'].map(name => `content.${name}`),
      ...['published', 'unpublished', 'updated', 'deleted'].map(name => `admin.content.${name}`),
      'locale.published',
      'version.created',
    ]
    const names = () => [...new Set(receivedAt(path).map(({ headers }) => headers['x-cms-event']))]
    await soon(names).toEqual(expect.arrayContaining(expected))
  })

  /** Everything that happens to an entry of the panel's own content. */
  async function adminContent() {
    const post = (path: string, body: object) => made(admin('POST', `/admin${path}`, body))
    const { datatype_id } = await post('/datatypes', { label: 'Panel page', type: 'content' })
    await post('/fields', { label: 'Text', field_type: 'text', parent_id: datatype_id })
    const { route_id } = await post('/routes', { slug: '/panel', title: 'Panel' })
    const { content_data_id } = await post('/content', { datatype_id, route_id })
    const item = `/admin/content/?q=${content_data_id}`
    await post('/content/publish', { content_data_id })
    await made(admin('PUT', item, { fields: { text: 'Hello' } }))
    await post('/content/unpublish', { content_data_id })
    await made(admin('DELETE', item))
  }

  it('are sent to who has subscribed to them and is active', async () => {
    const subscribed = await webhook(['content.published'])
    const [other, inactive] = [
      await webhook(['content.deleted']),
      await webhook(['content.published'], { is_active: false }),
    ]
    await publish(await entry())
    await firstAt(subscribed.path)
    expect([await deliveries(other.id), await deliveries(inactive.id)]).toEqual([[], []])
  })

  it('have id, event, occurred_at and data', async () => {
    const { path } = await webhook(['content.published'])
    const content_data_id = await entry()
    await publish(content_data_id)
    expect((await firstAt(path)).payload).toEqual({
      id: expect.stringMatching(ulid),
      event: 'content.published',
      occurred_at: expect.stringMatching(timestamp),
      data: expect.objectContaining({
        content_data_id,
        content_version_id: expect.stringMatching(ulid),
        version_number: 1,
        locale: '',
        published_by: administrator,
      }),
    })
  })

  it('have Content-Type, signature, name, User-Agent and the headers of the webhook', async () => {
    const { path, secret } = await webhook(['content.published'], { headers: { 'X-Site': 'main' } })
    await publish(await entry())
    const { headers, body } = await firstAt(path)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-cms-signature': createHmac('sha256', secret).update(body).digest('hex'),
      'x-cms-event': 'content.published',
      'user-agent': 'CMS-Webhook/1.0',
      'x-site': 'main',
    })
  })
})

describe('a delivery', () => {
  it('is a record with these members, and a success with a 2xx response', async () => {
    const { id, path } = await webhook(['content.published'])
    await publish(await entry())
    await soon(async () => (await deliveries(id))[0]?.status).toBe('success')
    expect(await deliveries(id)).toEqual([
      expect.objectContaining({
        delivery_id: expect.stringMatching(ulid),
        webhook_id: id,
        event: 'content.published',
        payload: (await firstAt(path)).payload,
        attempts: 1,
        last_status_code: 200,
        last_error: expect.toSatisfy(value => !value),
        next_retry_at: null,
        created_at: expect.stringMatching(timestamp),
        completed_at: expect.stringMatching(timestamp),
      }),
    ])
  })

  it('is listed with all others, or some at a time', async () => {
    const { id } = await webhook(['content.published'])
    for (let i = 0; i < 4; i++) await publish(await entry())
    const all = await deliveries(id)
    expect(all).toHaveLength(4)
    const { body, headers } = await admin('GET', `/admin/webhooks/${id}/deliveries?limit=2&offset=1`)
    expect(headers.get('x-total-count')).toBe('4')
    const ids = (list: Row[]) => list.map(({ delivery_id }) => delivery_id)
    expect(ids(body)).toEqual(ids(all).slice(1, 3))
  })

  it('that gets a redirect is not sent there, is retried, and fails after webhook_max_retries attempts', async () => {
    const { id, path } = await webhook(['content.published'])
    target.answer = (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end()
    await publish(await entry())
    await soon(async () => (await deliveries(id))[0]?.status).toBe('failed')
    expect(await deliveries(id)).toMatchObject([
      {
        attempts: 3,
        last_status_code: 302,
        last_error: expect.stringContaining('302'),
        next_retry_at: null,
        completed_at: expect.stringMatching(timestamp),
      },
    ])
    expect(receivedAt(path)).toHaveLength(3)
    expect(receivedAt('/elsewhere')).toEqual([])
  })

  it('has the time of its next attempt while it is retrying', async () => {
    const { id } = await webhook(['content.published'])
    await made(admin('PUT', '/config', { webhook_retry_delays: ['1h'] }))
    target.answer = (_, response) => response.writeHead(500).end()
    await publish(await entry())
    await soon(async () => (await deliveries(id))[0]?.status).toBe('retrying')
    await made(admin('PUT', '/config', { webhook_retry_delays: ['100ms'] }))
    expect(await deliveries(id)).toMatchObject([
      { attempts: 1, last_status_code: 500, next_retry_at: expect.stringMatching(timestamp) },
    ])
  })

  it('that has failed is sent again on demand; one that is a success is not', async () => {
    const { id } = await webhook(['content.published'])
    target.answer = (_, response) => response.writeHead(500).end()
    await publish(await entry())
    await soon(async () => (await deliveries(id))[0]?.status).toBe('failed')
    target.answer = (_, response) => response.end()
    const again = `/admin/webhooks/deliveries/${(await deliveries(id))[0]?.delivery_id}/retry`
    expect((await admin('POST', again)).status).toBe(200)
    await soon(async () => (await deliveries(id))[0]?.status).toBe('success')
    expect((await admin('POST', again)).status).toBe(409)
  })
})
