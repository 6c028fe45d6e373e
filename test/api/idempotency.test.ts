import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../src/app.js'
import { oldKeys } from '../../src/db/queries/idempotency.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { type Caller, testApp } from '../support/app.js'
import { engine } from '../support/database.js'
import { factories } from '../support/factories.js'

const secret = 'a secret of this service that is long enough'
const app = await testApp({ app_secret: secret, webhook_enabled: true })
const { call, db, clock, services } = app
const make = factories(app)
const dayMs = 86_400_000

interface Post {
  as?: Caller
  to?: typeof call
}
const post = (path: string, key: string, body?: unknown, { as = 'admin', to = call }: Post = {}) =>
  to('POST', `/api/v1${path}`, {
    as,
    headers: { 'Idempotency-Key': key },
    ...(body === undefined ? {} : { body }),
  })
const shown = ({ status, text, headers }: Awaited<ReturnType<typeof call>>) => ({
  status,
  text,
  etag: headers.get('etag'),
  type: headers.get('content-type'),
})
const isReplayed = ({ headers }: Awaited<ReturnType<typeof call>>) => headers.get('idempotency-replayed')
const rows = () => db.findAll(internalTables.idempotencyKeys)
let number = 0
const route = () => ({ slug: `/r-${number++}`, title: 'R' })
const { datatype_id } = await make.datatype('Page')

describe('a POST with an Idempotency-Key', () => {
  it('is done once, and answered again as the first', async () => {
    const body = route()
    const first = await post('/routes', 'one', body)
    expect([first.status, isReplayed(first)]).toEqual([201, null])
    const before = await db.count(internalTables.auditEvents)
    for (const spelling of ['one', '"one"']) {
      const again = await post('/routes', spelling, body)
      expect(shown(again)).toEqual(shown(first))
      expect(isReplayed(again)).toBe('true')
    }
    expect(await db.count(internalTables.auditEvents)).toBe(before)
  })

  it('is done once when it comes many times at once, at two instances', async () => {
    const other = createApp(app.otherInstance())
    const body = route()
    const answers = await Promise.all(
      Array.from({ length: engine === 'sqlite' ? 200 : 50 }, async (_, i) => {
        if (i % 2) return (await post('/routes', 'many', body)).status
        const request = new Request('http://localhost/api/v1/routes', {
          method: 'POST',
          headers: {
            Cookie: `${app.config.cookie_name}=admin-secret-of-this-test`,
            'Content-Type': 'application/json',
            'Idempotency-Key': 'many',
          },
          body: JSON.stringify(body),
        })
        return (await other.fetch(request)).status
      }),
    )
    expect(new Set(answers)).toEqual(new Set(answers.includes(409) ? [201, 409] : [201]))
    expect(await db.count(tables.routes, { slug: body.slug })).toBe(1)
    expect((await post('/routes', 'many', body)).status).toBe(201)
  })

  it('is refused while the first is running', async () => {
    const begun = await services.idempotency.begin({
      caller: { userId: app.users.admin, credential: { kind: 'session', id: '' } },
      key: 'running',
      address: 'POST /api/v1/routes',
      content: JSON.stringify(['', route()]),
    })
    expect(begun).toHaveProperty('claim')
    number--
    const body = route()
    const refused = await post('/routes', 'running', body)
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      409,
      'still_running',
      '1',
    ])
    expect(await db.count(tables.routes, { slug: body.slug })).toBe(0)
    // Its process has died: a minute later it is done.
    clock.advance(61_000)
    expect((await post('/routes', 'running', body)).status).toBe(201)
    // The first has not died after all: it cannot write any more.
    const actor = {
      userId: app.users.admin,
      roleId: null,
      credential: null,
      surface: 'api',
      requestId: '',
      ipAddress: '',
      userAgent: '',
      ...('claim' in begun ? { claim: begun.claim } : {}),
    } as const
    await expect(services.space.routes.create(actor, route())).rejects.toMatchObject({ status: 409 })
  })

  it('says that the answer is lost where its records are stored and the process died before the answer was', async () => {
    const caller = { userId: app.users.admin, credential: { kind: 'session', id: '' } } as const
    const body = route()
    const request = {
      caller,
      key: 'lost',
      address: 'POST /api/v1/routes',
      content: JSON.stringify(['', body]),
    }
    const begun = await services.idempotency.begin(request)
    if (!('claim' in begun)) throw new Error('there is no claim')
    const actor = {
      ...caller,
      roleId: null,
      surface: 'api',
      requestId: '',
      ipAddress: '',
      userAgent: '',
    } as const
    await services.space.routes.create({ ...actor, claim: begun.claim }, body)
    expect((await post('/routes', 'lost', body)).body.code).toBe('still_running')
    clock.advance(61_000)
    expect((await post('/routes', 'lost', body)).body.code).toBe('answer_lost')
    expect(await db.count(tables.routes, { slug: body.slug })).toBe(1)
  })

  it('is refused with another body or query under the same key', async () => {
    await post('/routes', 'reused', route())
    const other = await post('/routes', 'reused', route())
    expect([other.status, other.body.code, other.body.member]).toEqual([422, 'key_reused', 'Idempotency-Key'])
    expect((await post('/routes?a=1', 'reused', route())).status).toBe(422)
  })

  it('is another one of another caller, or at another address', async () => {
    const keyed = route()
    const ids = [
      await post('/routes', 'shared', keyed, { as: 'editor' }),
      await post('/routes', 'shared', route(), { as: 'admin' }),
      await post('/routes', 'shared', route(), { as: 'key' }),
      await post('/admin/routes', 'shared', route()),
    ].map(({ status, body }) => [status, body.route_id])
    expect(new Set(ids.map(([, id]) => id)).size).toBe(4)
    expect(isReplayed(await post('/routes/', 'shared', keyed, { as: 'editor' }))).toBe('true')
  })

  it('keeps refusals of the service, and none of its failures, of access and of what is malformed', async () => {
    const body = { datatype_id, route_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }
    const first = await post('/content', 'refused', body)
    expect(first.status).toBe(400)
    const again = await post('/content', 'refused', body)
    expect([shown(again), isReplayed(again)]).toEqual([shown(first), 'true'])
    const before = await rows()
    expect((await post('/routes', 'denied', route(), { as: 'viewer' })).status).toBe(403)
    expect((await post('/routes', 'malformed', '{')).status).toBe(400)
    expect(await rows()).toEqual(before)
    // An upload without storage is refused by the service; without a database nothing is stored at all.
    expect((await post('/routes', 'malformed', route())).status).toBe(201)
  })

  it.each(['', 'ä', 'a b', 'x'.repeat(256), '"a'])('is refused when the key is %j', async key => {
    const answer = await call('POST', '/api/v1/routes', {
      body: route(),
      headers: { 'Idempotency-Key': Buffer.from(key).toString('latin1') },
    })
    expect([answer.status, answer.body.member]).toEqual([400, 'Idempotency-Key'])
  })

  const resources: [string, () => Promise<unknown>][] = [
    ['/datatypes', async () => ({ label: `D${number++}`, type: 'content' })],
    ['/fields', async () => ({ label: `F${number++}`, field_type: 'text', parent_id: datatype_id })],
    [
      '/content',
      async () => ({
        datatype_id,
        route_id: (await make.route(route().slug)).route_id,
        children: [{ datatype_id }],
      }),
    ],
    ['/pages', async () => ({ ...route(), datatype_id, status: 'published', children: [{ datatype_id }] })],
    ['/locales', async () => ({ code: 'de', label: 'Deutsch' })],
    ['/roles', async () => ({ label: `role ${number++}` })],
    ['/permissions', async () => ({ label: `things${String.fromCharCode(97 + (number++ % 26))}:read` })],
    [
      '/users',
      async () => ({
        username: 'new',
        email: 'new@example.com',
        password: 'wonderful weather today',
        role: 'viewer',
      }),
    ],
    ['/media-dimensions', async () => ({ label: 'tiny', width: 10, height: 10 })],
    ['/media-folders', async () => ({ name: 'folder' })],
    ['/tokens', async () => ({ label: 'key' })],
    ['/admin/webhooks', async () => ({ name: 'hook', url: 'https://receiver.example/', events: ['*'] })],
    ['/admin/routes', async () => route()],
  ]
  it.each(resources)('is answered again at %s', async (path, bodyOf) => {
    const body = await bodyOf()
    const first = await post(path, 'each', body)
    expect([path, first.status, first.text]).toEqual([path, 201, first.text])
    const again = await post(path, 'each', body)
    expect([shown(again), isReplayed(again)]).toEqual([shown(first), 'true'])
  })

  it('keeps no secret that is shown once in plain', async () => {
    const { body } = await post('/tokens', 'secret', { label: 'a' })
    const again = await post('/tokens', 'secret', { label: 'a' })
    expect(again.body.token).toBe(body.token)
    expect(JSON.stringify(await rows())).not.toContain(body.token)
  })

  it('has no effect where anybody may call', async () => {
    const before = (await rows()).length
    const login = { email: 'admin@example.com', password: 'correct horse' }
    const signIn = () => post('/auth/login', 'login', login, { as: 'nobody' })
    const [one, two] = [await signIn(), await signIn()]
    expect([one.status, two.status, isReplayed(two)]).toEqual([200, 200, null])
    expect(one.headers.get('set-cookie')).not.toBe(two.headers.get('set-cookie'))
    expect((await rows()).length).toBe(before)
  })

  it('is forgotten after a day', async () => {
    const first = await post('/routes', 'day', route())
    expect(first.status).toBe(201)
    clock.advance(dayMs - 1000)
    await services.removeExpired()
    expect((await rows()).length).toBeGreaterThan(0)
    clock.advance(2000)
    expect(await db.count(internalTables.idempotencyKeys, { state: 'answered' })).toBeGreaterThan(0)
    await services.removeExpired()
    expect(await rows()).toEqual([])
  })

  it('stays when it is taken again while old ones are removed', async () => {
    await post('/routes', 'again', route(), { as: 'key' })
    await post('/routes', 'left', route(), { as: 'key' })
    clock.advance(dayMs + 1000)
    const body = route()
    const read = db.query.bind(db)
    let first: Awaited<ReturnType<typeof call>> | undefined
    const spy = vi.spyOn(db, 'query').mockImplementation(async (query, values) => {
      const found = await read(query, values)
      if (Object.is(query, oldKeys) && !first) {
        expect(found.length).toBeGreaterThan(1)
        first = await post('/routes', 'again', body, { as: 'key' })
      }
      return found
    })
    await services.removeExpired()
    spy.mockRestore()
    expect(first?.status).toBe(201)
    const again = await post('/routes', 'again', body, { as: 'key' })
    expect([isReplayed(again), again.text]).toEqual(['true', first?.text])
    expect(await rows()).toHaveLength(1)
  })
})

it('keeps no answer that holds a secret where nothing can seal it', async () => {
  const plain = await testApp()
  const first = await post('/tokens', 'secret', { label: 'a' }, { to: plain.call })
  expect(first.status).toBe(201)
  plain.clock.advance(61_000)
  const again = await post('/tokens', 'secret', { label: 'a' }, { to: plain.call })
  expect([again.status, again.body.code]).toEqual([409, 'answer_lost'])
  expect(await plain.db.count(tables.tokens, { label: 'a' })).toBe(1)
  expect(JSON.stringify(await plain.db.findAll(internalTables.idempotencyKeys))).not.toContain(
    first.body.token,
  )
})
