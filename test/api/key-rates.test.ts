import { afterAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../src/app.js'
import { parseConfig } from '../../src/config.js'
import { tables } from '../../src/db/tables.js'
import { createLog, nodePorts } from '../../src/node/ports.js'
import { open } from '../../src/server.js'
import { testApp } from '../support/app.js'
import { migratedDatabase } from '../support/database.js'
import { factories } from '../support/factories.js'
import { servingCommands } from '../support/remote.js'

const app = await testApp({}, { limited: true })
const { call, services } = app
const refusal = { error: 'too many requests, try again later', code: 'too_many_requests' }

async function keyWith(given: object): Promise<{ token: string; token_id: string }> {
  const made = await call('POST', '/api/v1/tokens', { body: given })
  expect([made.status, made.body.error]).toEqual([201, undefined])
  return made.body
}
const sentWith =
  (token: string) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    call(method, path, {
      as: 'nobody',
      headers: { Authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    })

const { datatype, entry, route } = factories(app)
const kind = await datatype('Post')
await call('PUT', `/api/v1/datatypes/?q=${kind.datatype_id}`, { body: { visibility: 'public' } })
const { route_id } = await route('/post', 'Post')
await entry(kind.datatype_id, { route_id, status: 'published' })

describe('a key with a rate limit', () => {
  it('is answered 429 beyond it, with the time to wait, before anything is read', async () => {
    const send = sentWith((await keyWith({ rate_limit: 3 })).token)
    for (let i = 0; i < 3; i++) expect((await send('GET', '/api/v1/content')).status).toBe(200)
    const read = vi.spyOn(app.db, 'findAll')
    const refused = await send('GET', '/api/v1/content')
    expect([refused.status, refused.body]).toEqual([429, refusal])
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait > 0 && wait <= 60).toBe(true)
    expect(refused.headers.get('x-request-id')).toMatch(/\S/)
    expect((await send('POST', '/api/v1/content', 'x'.repeat(1000))).status).toBe(429)
    expect(read).not.toHaveBeenCalled()
    read.mockRestore()
    // Others go on.
    expect((await sentWith((await keyWith({})).token)('GET', '/api/v1/content')).status).toBe(200)
    expect((await sentWith((await keyWith({ rate_limit: 3 })).token)('GET', '/api/v1/content')).status).toBe(
      200,
    )
  })

  it('counts every kind of request once, refused ones too', async () => {
    const send = sentWith((await keyWith({ rate_limit: 10, permissions: ['content:read'] })).token)
    const requests: [string, string, unknown?][] = [
      ['GET', '/api/v1/content'],
      ['GET', '/api/v1/query/post'],
      ['GET', '/api/v1/query/post'],
      ['GET', '/api/v1/query/nothing'],
      ['GET', '/api/v1/search?q=post'],
      ['GET', '/api/v1/page/'],
      ['GET', '/api/v1/globals'],
      ['POST', '/api/v1/routes', {}],
      ['GET', '/api/v1/users'],
      ['GET', '/api/v1/routes/published'],
    ]
    for (const [method, path, body] of requests)
      expect([path, (await send(method, path, body)).status === 429]).toEqual([path, false])
    for (const [method, path, body] of requests)
      expect([path, (await send(method, path, body)).status]).toEqual([path, 429])
  })

  it('counts public pages that are in memory, for the key and for nobody else', async () => {
    const path = '/api/v1/query/post'
    for (let i = 0; i < 3; i++) expect((await call('GET', path, { as: 'nobody' })).status).toBe(200)
    const send = sentWith((await keyWith({ rate_limit: 2 })).token)
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await send('GET', path)).status)
    expect(statuses).toEqual([200, 200, 429, 429])
    expect((await call('GET', path, { as: 'nobody' })).status).toBe(200)
  })

  it('counts agents and remote commands', async () => {
    const remote = await servingCommands(app)
    const { token } = await keyWith({ rate_limit: 2 })
    const headers = { Accept: 'application/json, text/event-stream' }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const agent = () => sentWith(token)('POST', '/api/mcp', body, headers)
    expect((await agent()).status).toBe(200)
    const command = async () => {
      const answer = await fetch(`${remote.address}/api/commands`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
        body: 'x',
      })
      return answer.status
    }
    expect([await command(), await command()]).toEqual([415, 429])
    const refused = await agent()
    expect([refused.status, refused.body]).toEqual([429, refusal])
  })

  it('begins anew when the limit is changed, and ends when it is removed', async () => {
    const { token, token_id } = await keyWith({ rate_limit: 1 })
    const send = async () => (await sentWith(token)('GET', '/api/v1/content')).status
    const limit = (rate_limit: number | null) =>
      call('PUT', `/api/v1/tokens/?q=${token_id}`, { body: { rate_limit } })
    expect([await send(), await send()]).toEqual([200, 429])
    await limit(2)
    expect([await send(), await send(), await send()]).toEqual([200, 200, 429])
    await limit(null)
    expect([await send(), await send(), await send(), await send()]).toEqual([200, 200, 200, 200])
  })

  it('still obeys the limits of the site', async () => {
    const send = sentWith((await keyWith({ rate_limit: 1000 })).token)
    const login = { email: 'x@example.com', password: 'wrong' }
    const statuses = []
    for (let i = 0; i < 12; i++) statuses.push((await send('POST', '/api/v1/auth/login', login)).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect((await send('GET', '/api/v1/content')).status).toBe(200)
  })

  it('makes no further keys, and raises no limit', async () => {
    const { token, token_id } = await keyWith({ rate_limit: 50 })
    const send = sentWith(token)
    for (const given of [{}, { rate_limit: 50 }, { rate_limit: 1 }]) {
      const made = await send('POST', '/api/v1/tokens', given)
      expect([made.status, made.body.error]).toEqual([403, 'an API key with a rate limit cannot create keys'])
    }
    const path = `/api/v1/tokens/?q=${token_id}`
    for (const rate_limit of [51, null]) expect((await send('PUT', path, { rate_limit })).status).toBe(403)
    const free = await keyWith({})
    expect((await send('PUT', `/api/v1/tokens/?q=${free.token_id}`, { rate_limit: 60 })).status).toBe(403)
    expect((await send('PUT', path, { label: 'same' })).body.rate_limit).toBe(50)
    expect((await send('PUT', path, { rate_limit: 49 })).body.rate_limit).toBe(49)
  })
})

it('costs nothing while a key has none', async () => {
  const send = sentWith((await keyWith({})).token)
  const consume = vi.spyOn(services.rateLimiter, 'consume')
  const read = vi.spyOn(app.db, 'query')
  for (let i = 0; i < 5; i++) expect((await send('GET', '/api/v1/query/post')).status).toBe(200)
  const first = read.mock.calls.length
  for (let i = 0; i < 5; i++) expect((await send('GET', '/api/v1/query/post')).status).toBe(200)
  expect([consume.mock.calls.length, read.mock.calls.length]).toEqual([0, first])
  consume.mockRestore()
  read.mockRestore()
})

describe('two instances on one database', async () => {
  const { address, drop } = await migratedDatabase()
  const close: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const one of close) await one()
    await drop()
  })
  const instance = async () => {
    const opened = await open({
      config: parseConfig({ ...address, workers: 2 }, {}).config,
      ports: nodePorts(createLog('silent'), 'no-such-file.json'),
      variables: { CMS_ADMIN_EMAIL: 'admin@example.com', CMS_ADMIN_PASSWORD: 'correct horse' },
    })
    close.push(() => opened.db.close())
    return { ...opened, app: createApp({ ...opened, version: '0.0.0' }) }
  }
  const [one, two] = [await instance(), await instance()]

  it('count the requests of a key together', async () => {
    const admin = await one.db.find(tables.users, { email: 'admin@example.com' })
    const { user_id = '', role = '' } = admin ?? {}
    const actor = {
      ...{
        userId: user_id,
        roleId: role,
        credential: { kind: 'session' as const, id: 'of a test' },
        surface: 'cli' as const,
      },
      ...{ requestId: '', ipAddress: '', userAgent: '' },
    }
    const { token } = await one.services.tokens.create(actor, {
      ...{ label: '', token_type: 'api_key', revoked: false, permissions: null },
      ...{ read_only: false, limits: null, rate_limit: 20 },
    })
    const get = async (i: number) => {
      const request = new Request('http://localhost/api/v1/users', {
        headers: { Authorization: `Bearer ${token}` },
      })
      return (await (i % 2 ? one : two).app.fetch(request, { address: '127.0.0.1' })).status
    }
    const statuses = []
    for (let i = 0; i < 10; i++) statuses.push(await get(i))
    expect(statuses).toEqual(Array(10).fill(200))
    const crowd = await Promise.all(Array.from({ length: 30 }, (_, i) => get(i)))
    expect(crowd.filter(status => status === 200)).toHaveLength(10)
    expect(crowd.filter(status => status === 429)).toHaveLength(20)
  })
})
