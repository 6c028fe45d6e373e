import { generate } from 'otplib'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { createApp } from '../../src/app.js'
import { parseConfig } from '../../src/config.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { limits } from '../../src/limits.js'
import { nodeHashing } from '../../src/node/ports.js'
import { passkeyOrigins } from '../../src/services/site-origin.js'
import { type TestApp, testApp } from '../support/app.js'
import { Authenticator, type Lies } from '../support/passkey.js'

const app = await testApp({ app_secret: 'the secret of this test' })
const { call, clock, db, services, users, audits, deliveries, logged } = app
await app.subscribe()

const password = 'correct horse'
const path = '/api/v1/auth/passkeys'
const table = tables.passkeys

const cookieOf = (answer: { headers: Headers }) => answer.headers.get('set-cookie')?.split(';')[0] ?? ''
const by = (Cookie: string) => (method: string, at: string, body?: unknown) =>
  call(method, at, { as: 'nobody', body, headers: { Cookie } })
const nobody = by('')

let n = 0
/** Somebody with a password, who is signed in by it. */
async function somebody(role = 'viewer') {
  const email = `grace${++n}@example.com`
  const { user_id } = await services.users.create(systemActor, {
    ...{ name: '', username: `grace${n}`, email, password },
  })
  const [row] = await db.findAll(tables.roles, { label: role })
  await db.write(systemActor, tx => tx.update(tables.users, user_id, { role: row?.role_id ?? '' }))
  const signIn = (more: object = {}) => nobody('POST', '/api/v1/auth/login', { email, password, ...more })
  return { user_id, email, signIn, as: by(cookieOf(await signIn())) }
}

type As = ReturnType<typeof by>
const begin = async (as: As, given: object = { current_password: password }) =>
  (await as('POST', `${path}/options`, given)).body
async function add(as: As, name = 'Laptop', authenticator = new Authenticator()) {
  const credential = authenticator.create(await begin(as))
  const answer = await as('POST', path, { name, credential })
  expect(answer.status).toBe(201)
  return { authenticator, passkey_id: answer.body.passkey_id as string }
}
const options = async () => (await nobody('POST', `${path}/login/options`)).body
const signIn = async (authenticator: Authenticator, lies?: Lies) =>
  nobody('POST', `${path}/login`, { credential: authenticator.get(await options(), lies) })

/** Somebody with a passkey. */
async function holder(role?: string) {
  const one = await somebody(role)
  return { ...one, ...(await add(one.as)) }
}

const refused = {
  status: 401,
  body: { code: 'wrong_credentials', member: 'credential', error: 'the passkey was not accepted' },
}
const late = { status: 401, body: { error: expect.stringContaining('too late, or was used before') } }
const since = async (before: number) =>
  (await audits()).slice(before).map(one => `${one.operation} ${one.table_name} ${one.user_id}`)

describe('adding a passkey', () => {
  it('takes the password, stores the public key, and shows no secret', async () => {
    const ada = await somebody()
    const before = (await audits()).length
    const asked = await begin(ada.as)
    expect(asked).toMatchObject({
      rp: { id: 'localhost', name: 'Slugline' },
      user: { name: ada.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    })
    const authenticator = new Authenticator()
    const credential = authenticator.create(asked)
    const { status, body } = await ada.as('POST', path, { name: ' Laptop ', credential })
    expect([status, body]).toEqual([
      201,
      {
        passkey_id: body.passkey_id,
        name: 'Laptop',
        host: 'localhost',
        last_used: null,
        date_created: expect.any(String),
      },
    ])
    expect((await ada.as('GET', path)).body).toEqual([body])
    expect(await since(before)).toEqual([`INSERT user_passkeys ${ada.user_id}`])
    expect(JSON.stringify((await audits()).slice(before))).not.toContain(authenticator.id)
    expect((await begin(ada.as)).excludeCredentials).toMatchObject([{ id: authenticator.id }])
    // Nobody else can have the same.
    const bob = await somebody()
    const again = authenticator.create(await begin(bob.as))
    expect(await bob.as('POST', path, { name: 'Copy', credential: again })).toMatchObject({ status: 409 })
    expect(await deliveries()).toEqual([])
  })

  it('is for a session that has just shown the password, and the code of a second factor', async () => {
    const ada = await somebody()
    const asks = (given: unknown, as = ada.as) => as('POST', `${path}/options`, given)
    const wrong = { status: 401, body: { code: 'wrong_credentials', member: 'current_password' } }
    for (const given of [{}, { current_password: '' }, { current_password: 'wrong horse' }])
      expect([given, await asks(given)]).toMatchObject([given, wrong])
    expect(await asks({ current_password: password, user_id: users.admin })).toMatchObject({ status: 400 })
    expect(await asks({ current_password: 'x'.repeat(2000) })).toMatchObject({ status: 400 })
    expect(await asks({ current_password: password }, nobody)).toMatchObject({
      status: 403,
      body: { code: 'unauthenticated' },
    })
    const key = await call('POST', `${path}/options`, { as: 'key', body: { current_password: password } })
    expect(key).toMatchObject({ status: 401, body: { code: 'session_expired' } })
    const factor = await ada.as('POST', '/api/v1/auth/second-factor', { current_password: password })
    const codeNow = () => generate({ secret: factor.body.secret, epoch: Math.floor(clock.now() / 1000) })
    await ada.as('POST', '/api/v1/auth/second-factor/confirm', { code: await codeNow() })
    clock.advance(30_000)
    expect(await asks({ current_password: password })).toMatchObject({
      status: 401,
      body: { code: 'second_factor_required' },
    })
    expect(await asks({ current_password: password, code: '000000' })).toMatchObject({ status: 401 })
    expect(await asks({ current_password: password, code: await codeNow() })).toMatchObject({ status: 200 })
    expect(await db.count(table, { user_id: ada.user_id })).toBe(0)
  })

  it('takes an answer once, in time, in the session that began, from this address, with a verified user', async () => {
    const ada = await somebody()
    const elsewhere = by(cookieOf(await ada.signIn()))
    const bob = await somebody()
    const give = async (lies: Lies, as = ada.as) =>
      as('POST', path, {
        name: 'x',
        credential: new Authenticator().create(await begin(ada.as), lies),
      })
    for (const as of [elsewhere, bob.as]) expect(await give({}, as)).toMatchObject(late)
    for (const lies of [
      { origin: 'https://evil.example' },
      { origin: 'http://localhost:81' },
      { rpId: 'evil.example' },
      { type: 'webauthn.get' },
      { isVerified: false },
      { isCrossOrigin: true },
    ])
      expect([lies, await give(lies)]).toMatchObject([lies, refused])
    expect(await give({ challenge: 'AAAA' })).toMatchObject(late)
    // One that was asked for to sign in adds nothing.
    expect(await give({ challenge: (await options()).challenge })).toMatchObject(late)
    const credential = new Authenticator().create(await begin(ada.as))
    const body = { name: 'x', credential }
    expect((await ada.as('POST', path, body)).status).toBe(201)
    expect(await ada.as('POST', path, body)).toMatchObject(late)
    const slow = new Authenticator().create(await begin(ada.as))
    clock.advance(300_000)
    expect(await ada.as('POST', path, { name: 'x', credential: slow })).toMatchObject(late)
    expect(await db.count(table, { user_id: ada.user_id })).toBe(1)
    // The next challenge removes those that are over.
    await options()
    expect(await db.count(internalTables.passkeyChallenges)).toBe(1)
  })

  it('refuses malformed answers', async () => {
    const ada = await somebody()
    const credential = new Authenticator().create(await begin(ada.as))
    const { response } = credential
    for (const body of [
      {},
      { name: 'x' },
      { name: '', credential },
      { name: 'x'.repeat(81), credential },
      { name: 'x', credential: { ...credential, type: 'password' } },
      { name: 'x', credential: { ...credential, id: 'x'.repeat(2000) } },
      { name: 'x', credential: { ...credential, response: { ...response, clientDataJSON: '{"a":1}' } } },
      {
        name: 'x',
        credential: { ...credential, response: { ...response, attestationObject: 'x'.repeat(70_000) } },
      },
      { name: 'x', credential, user_id: users.admin },
    ])
      expect([body, await ada.as('POST', path, body)]).toMatchObject([body, { status: 400 }])
    for (const broken of [
      { clientDataJSON: 'AAAA' },
      { clientDataJSON: Buffer.from('null').toString('base64url') },
      { clientDataJSON: Buffer.from('{"challenge":1}').toString('base64url') },
      { attestationObject: 'AAAA' },
      { attestationObject: Buffer.from('not CBOR').toString('base64url') },
    ]) {
      const fresh = new Authenticator().create(await begin(ada.as))
      const given = { ...fresh, response: { ...fresh.response, ...broken } }
      expect([broken, await ada.as('POST', path, { name: 'x', credential: given })]).toMatchObject([
        broken,
        refused,
      ])
    }
  })

  it('looks at no statement about the authenticator, which names addresses to load', async () => {
    const ada = await somebody()
    const attStmt = new Map<string, unknown>([
      ['alg', -7],
      ['sig', new Uint8Array(70)],
      ['x5c', [new Uint8Array(500)]],
    ])
    const credential = new Authenticator().create(await begin(ada.as), {
      statement: { fmt: 'packed', attStmt },
    })
    expect((await ada.as('POST', path, { name: 'x', credential })).status).toBe(201)
  })

  it('ends at 20', async () => {
    const ada = await somebody()
    const credential = new Authenticator().create(await begin(ada.as))
    await db.write(systemActor, async tx => {
      for (let i = 0; i < limits.accounts.passkeys; i++)
        await tx.insert(table, {
          ...{ user_id: ada.user_id, name: `${i}`, host: 'localhost' },
          ...{
            credential_id: `${ada.user_id}${i}`,
            credential_hash: nodeHashing.sha256(`${ada.user_id}${i}`),
          },
          public_key: '',
        })
    })
    const full = { status: 409, body: { error: 'an account has at most 20 passkeys' } }
    expect(await ada.as('POST', path, { name: 'x', credential })).toMatchObject(full)
    expect(await ada.as('POST', `${path}/options`, { current_password: password })).toMatchObject(full)
  })

  it('of an account without a password needs a sign-in of the last 10 minutes', async () => {
    const session = async () =>
      by(`${app.config.cookie_name}=${await services.auth.open({ ...systemActor }, users.viewer, undefined)}`)
    const fresh = await session()
    clock.advance(599_000)
    expect((await fresh('POST', `${path}/options`, {})).status).toBe(200)
    clock.advance(1000)
    expect(await fresh('POST', `${path}/options`, { current_password: password })).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('more than 10 minutes ago') },
    })
    const credential = new Authenticator().create(await begin(await session(), {}))
    expect((await fresh('POST', path, { name: 'x', credential })).status).toBe(401)
  })
})

describe('signing in with a passkey', () => {
  it('needs nothing else, and opens a session', async () => {
    const ada = await holder()
    const before = (await audits()).length
    const asked = await options()
    expect(asked).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(asked.allowCredentials ?? []).toEqual([])
    const opened = await signIn(ada.authenticator)
    expect(opened).toMatchObject({ status: 200, body: { user_id: ada.user_id, email: ada.email } })
    expect((await by(cookieOf(opened))('GET', '/api/v1/auth/me')).body.user_id).toBe(ada.user_id)
    expect(await since(before)).toEqual([`INSERT sessions ${ada.user_id}`])
    const [passkey] = (await ada.as('GET', path)).body
    expect(Date.parse(passkey.last_used)).toBe(clock.now())
    expect(await deliveries()).toEqual([])
  })

  it('takes each answer once, however many requests and instances get it at a time', async () => {
    const ada = await holder()
    const credential = ada.authenticator.get(await options())
    const other = createApp(app.otherInstance())
    const give = (at: TestApp['app']) =>
      at.fetch(
        new Request(`http://localhost${path}/login`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ credential }),
        }),
        { address: '127.0.0.1' },
      )
    const tries = await Promise.all(Array.from({ length: 8 }, (_, i) => give(i % 2 ? app.app : other)))
    expect(tries.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)])
    expect(await nobody('POST', `${path}/login`, { credential })).toMatchObject(late)
  })

  it('refuses answers of other sites, other people, and for other questions', async () => {
    const ada = await holder()
    const bob = await holder()
    const handleOf = (id: string) => Buffer.from(id).toString('base64url')
    for (const lies of [
      { origin: 'https://evil.example' },
      { origin: 'http://localhost:81' },
      { rpId: 'evil.example' },
      { type: 'webauthn.create' },
      { isVerified: false },
      { isCrossOrigin: true },
      { userHandle: handleOf(bob.user_id) },
      { userHandle: '' },
    ])
      expect([lies, await signIn(ada.authenticator, lies)]).toMatchObject([
        lies,
        lies.userHandle === '' ? { status: 400 } : refused,
      ])
    expect(await signIn(ada.authenticator, { challenge: 'AAAA' })).toMatchObject(late)
    const { challenge } = await begin(ada.as)
    expect(await signIn(ada.authenticator, { challenge })).toMatchObject(late)
    // Bob's key under Ada's name.
    for (const names of [
      { id: ada.authenticator.id },
      { id: ada.authenticator.id, rawId: ada.authenticator.id },
    ]) {
      const credential = { ...bob.authenticator.get(await options()), ...names }
      expect(await nobody('POST', `${path}/login`, { credential })).toMatchObject(refused)
    }
    const asAda = bob.authenticator.get(await options(), { userHandle: handleOf(ada.user_id) })
    const both = { ...asAda, id: ada.authenticator.id, rawId: ada.authenticator.id }
    expect(await nobody('POST', `${path}/login`, { credential: both })).toMatchObject(refused)
    expect(await signIn(new Authenticator('http://localhost', handleOf(ada.user_id)))).toMatchObject({
      status: 401,
      body: { error: expect.stringContaining('unknown here') },
    })
    expect(logged.filter(({ message }) => message === 'a passkey was not accepted').length).toBeGreaterThan(5)
    expect((await signIn(ada.authenticator)).status).toBe(200)
  })

  it('refuses an answer after five minutes', async () => {
    const ada = await holder()
    const credential = ada.authenticator.get(await options())
    clock.advance(300_000)
    expect(await nobody('POST', `${path}/login`, { credential })).toMatchObject(late)
  })

  it('refuses a count that does not grow, as of a copied authenticator; some do not count', async () => {
    const ada = await holder()
    expect((await signIn(ada.authenticator, { count: 0 })).status).toBe(200)
    expect((await signIn(ada.authenticator, { count: 0 })).status).toBe(200)
    expect((await signIn(ada.authenticator, { count: 7 })).status).toBe(200)
    for (const count of [7, 6, 0]) expect(await signIn(ada.authenticator, { count })).toMatchObject(refused)
    const [one, two] = [
      ada.authenticator.get(await options(), { count: 8 }),
      ada.authenticator.get(await options(), { count: 8 }),
    ]
    const both = await Promise.all(
      [one, two].map(credential => nobody('POST', `${path}/login`, { credential })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('counts the tries by address, with those of passwords', async () => {
    const limited = await testApp({}, { limited: true })
    const codes = []
    for (let i = 0; i < 11; i++)
      codes.push(
        (
          await limited.call('POST', `${path}/login`, {
            as: 'nobody',
            body: { credential: new Authenticator().get({ challenge: 'AAAA' }, { userHandle: 'AAAA' }) },
          })
        ).status,
      )
    expect(codes).toEqual([...Array(10).fill(401), 429])
    expect((await limited.call('POST', `${path}/login/options`, { as: 'nobody' })).status).toBe(429)
  })
})

describe('one that its owner changes', () => {
  it('is renamed and removed by its owner alone', async () => {
    const ada = await holder()
    const bob = await holder()
    const at = `${path}/${ada.passkey_id}`
    for (const [method, body] of [
      ['PUT', { name: 'Mine' }],
      ['DELETE', undefined],
    ] as const) {
      expect(await bob.as(method, at, body)).toMatchObject({ status: 404 })
      expect(await call(method, at, { as: 'admin', body })).toMatchObject({ status: 404 })
      expect(await call(method, at, { as: 'key', body })).toMatchObject({ status: 401 })
      expect(await nobody(method, at, body)).toMatchObject({ status: 403 })
    }
    expect(await ada.as('PUT', at, {})).toMatchObject({ status: 400 })
    const before = (await audits()).length
    expect((await ada.as('PUT', at, { name: 'Phone' })).body).toMatchObject({ name: 'Phone' })
    expect(await ada.as('DELETE', at)).toMatchObject({ status: 204 })
    expect(await ada.as('DELETE', at)).toMatchObject({ status: 404 })
    expect(await since(before)).toEqual([
      `UPDATE user_passkeys ${ada.user_id}`,
      `DELETE user_passkeys ${ada.user_id}`,
    ])
    expect(await signIn(ada.authenticator)).toMatchObject({
      status: 401,
      body: { error: expect.stringContaining('it may have been removed') },
    })
    expect((await ada.as('GET', path)).body).toEqual([])
  })

  it('goes with the account', async () => {
    const ada = await holder()
    await call('DELETE', `/api/v1/users/?q=${ada.user_id}`, { as: 'admin' })
    expect(await db.count(table, { user_id: ada.user_id })).toBe(0)
    expect(await signIn(ada.authenticator)).toMatchObject({ status: 401 })
  })

  it('is removed by somebody who may change the account, when its device is lost', async () => {
    const ada = await holder()
    const full = `/api/v1/users/full/?q=${ada.user_id}`
    expect((await call('GET', full, { as: 'admin' })).body.second_factor).toBe(true)
    const opened = by(cookieOf(await signIn(ada.authenticator)))
    const reset = (as: 'viewer' | 'editor' | 'admin') =>
      call('DELETE', `/api/v1/users/second-factor/?q=${ada.user_id}`, { as })
    for (const as of ['viewer', 'editor'] as const) expect(await reset(as)).toMatchObject({ status: 403 })
    expect(await reset('admin')).toMatchObject({ status: 204 })
    expect(await reset('admin')).toMatchObject({ status: 404 })
    expect(await opened('GET', '/api/v1/auth/me')).toMatchObject({ status: 401 })
    expect(await signIn(ada.authenticator)).toMatchObject({ status: 401 })
    expect((await call('GET', full, { as: 'admin' })).body.second_factor).toBe(false)
  })
})

describe('a role that requires a second factor', () => {
  const requires = async (label: string, second_factor: boolean) => {
    const role = await db.find(tables.roles, { label })
    await db.write(systemActor, tx => tx.update(tables.roles, role?.role_id ?? '', { second_factor }))
  }
  const missing = { status: 403, body: { code: 'second_factor_missing' } }

  it('has it in a passkey, and not in a password beside one', async () => {
    const ada = await holder('editor')
    const bob = await somebody('editor')
    await requires('editor', true)
    const opened = by(cookieOf(await signIn(ada.authenticator)))
    expect((await opened('GET', '/api/v1/content')).status).toBe(200)
    expect(await ada.as('GET', '/api/v1/content')).toMatchObject(missing)
    // Whoever knows the password alone adds nothing of their own.
    const alone = { status: 403, body: { error: expect.stringContaining('sign in with your passkey') } }
    const given = { current_password: password }
    expect(await ada.as('POST', `${path}/options`, given)).toMatchObject(alone)
    expect(await ada.as('POST', '/api/v1/auth/second-factor', given)).toMatchObject(alone)
    expect(await ada.as('POST', '/api/v1/auth/second-factor/confirm', { code: '123456' })).toMatchObject(
      alone,
    )
    expect(await ada.as('DELETE', `${path}/${ada.passkey_id}`)).toMatchObject(missing)
    // The first one is set up in the session that needs it.
    expect(await bob.as('GET', '/api/v1/content')).toMatchObject(missing)
    await add(bob.as)
    expect((await bob.as('GET', '/api/v1/content')).status).toBe(200)
    const next = by(cookieOf(await bob.signIn()))
    expect(await next('GET', '/api/v1/content')).toMatchObject(missing)
    expect((await opened('POST', `${path}/options`, given)).status).toBe(200)
    await requires('editor', false)
    expect((await ada.as('GET', '/api/v1/content')).status).toBe(200)
  })

  it('asks for no code after a passkey', async () => {
    const ada = await holder()
    await db.write(systemActor, tx =>
      tx.insert(tables.secondFactors, { user_id: ada.user_id, secret: 'x', confirmed_at: tx.now }),
    )
    expect(await ada.signIn()).toMatchObject({ status: 401, body: { code: 'second_factor_required' } })
    expect((await signIn(ada.authenticator)).status).toBe(200)
  })
})

it('exists only where browsers allow it: at the configured domain with HTTPS', async () => {
  for (const [given, host, origins] of [
    [{}, 'localhost', ['http://localhost', 'https://localhost']],
    [{}, 'localhost:8080', ['http://localhost:8080', 'https://localhost:8080']],
    [{}, 'cms.example.com', []],
    [{}, '127.0.0.1:8080', []],
    [{ cors_origins: ['https://app.example.com'] }, 'app.example.com', []],
    [{ client_site: 'cms.example.com' }, 'cms.example.com', ['https://cms.example.com']],
    [{ client_site: 'cms.example.com' }, 'cms.example.com:8443', []],
    [{ client_site: 'cms.example.com' }, 'evil.example', []],
    [{ client_site: 'cms.example.com' }, 'localhost', []],
    [
      { client_site: 'www.example.com', admin_site: 'cms.example.com:8443' },
      'cms.example.com:8443',
      ['https://cms.example.com:8443'],
    ],
    [{ client_site: 'http://cms.example.com' }, 'cms.example.com', []],
    [{ client_site: 'https://192.0.2.1' }, '192.0.2.1', []],
    [{ client_site: 'https://[2001:db8::1]' }, '[2001:db8::1]', []],
  ] as const) {
    const { config } = parseConfig({ ...given, environment: 'production' }, {})
    expect([given, host, passkeyOrigins(config, host)]).toEqual([given, host, origins])
  }
  const site = await testApp({ client_site: 'https://cms.example.com' })
  const ask = (host: string) =>
    site.app.fetch(new Request(`http://${host}${path}/login/options`, { method: 'POST' }), {
      address: '127.0.0.1',
    })
  const unavailable = { status: 400, body: { code: 'not_configured' } }
  expect(await site.call('POST', `${path}/login/options`, { as: 'nobody' })).toMatchObject(unavailable)
  expect((await ask('evil.example')).status).toBe(400)
  expect(await (await ask('cms.example.com')).json()).toMatchObject({ rpId: 'cms.example.com' })
})
