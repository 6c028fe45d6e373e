import { generate } from 'otplib'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { testApp } from '../support/app.js'

const app = await testApp({ app_secret: 'the secret of this test' })
const { call, clock, db, services, users, audits, deliveries, logged } = app
await app.subscribe()

const password = 'correct horse'
const path = '/api/v1/auth/second-factor'
const table = tables.secondFactors
const codeNow = (secret: string, steps = 0) =>
  generate({ secret, epoch: Math.floor(clock.now() / 1000) + 30 * steps })
/** The next code of the app is of another time step. */
const wait = () => clock.advance(30_000)

const login = (body: object) => call('POST', '/api/v1/auth/login', { as: 'nobody', body })
const cookieOf = (answer: { headers: Headers }) => answer.headers.get('set-cookie')?.split(';')[0] ?? ''
const by = (Cookie: string) => (method: string, at: string, body?: unknown) =>
  call(method, at, { as: 'nobody', body, headers: { Cookie } })

let n = 0
/** Somebody with a password, who is signed in. */
async function somebody(role = 'viewer') {
  const email = `ada${++n}@example.com`
  const { user_id } = await services.users.create(systemActor, {
    name: '',
    username: `ada${n}`,
    email,
    password,
  })
  const [row] = await db.findAll(tables.roles, { label: role })
  await db.write(systemActor, tx => tx.update(tables.users, user_id, { role: row?.role_id ?? '' }))
  const signIn = (more: object = {}) => login({ email, password, ...more })
  return { user_id, email, signIn, as: by(cookieOf(await signIn())) }
}

/** Somebody with a second factor that is on. */
async function guarded(role?: string) {
  const one = await somebody(role)
  const { body } = await one.as('POST', path, { current_password: password })
  const secret: string = body.secret
  const on = await one.as('POST', `${path}/confirm`, { code: await codeNow(secret) })
  expect(on.status).toBe(200)
  wait()
  return { ...one, secret, recovery: on.body.recovery_codes as string[] }
}

const required = { status: 401, body: { code: 'second_factor_required', member: 'code' } }
const wrongCode = { status: 401, body: { code: 'wrong_credentials', member: 'code', error: 'wrong code' } }
const eventsSince = async (before: number, name = table.name) =>
  (await audits()).slice(before).filter(({ table_name }) => table_name === name)

describe('setting a second factor up', () => {
  it('takes the password, then a code, and ends the other sessions', async () => {
    const ada = await somebody()
    const elsewhere = by(cookieOf(await ada.signIn()))
    const before = (await audits()).length
    expect((await ada.as('GET', path)).body).toEqual({
      enabled: false,
      required: false,
      recovery_codes_left: 0,
      confirmed_at: null,
    })
    expect(await ada.as('POST', path, { current_password: 'wrong horse' })).toMatchObject({
      status: 401,
      body: { code: 'wrong_credentials', member: 'current_password' },
    })
    expect(await ada.as('POST', `${path}/confirm`, { code: '123456' })).toMatchObject({ status: 409 })
    const first = await ada.as('POST', path, { current_password: password })
    const { body, headers } = await ada.as('POST', path, { current_password: password })
    expect(headers.get('cache-control')).toContain('no-store')
    expect(body.secret).not.toBe(first.body.secret)
    expect(body.address).toBe(
      `otpauth://totp/Slugline:${encodeURIComponent(ada.email)}?secret=${body.secret}&issuer=Slugline`,
    )
    // Until it is confirmed it is asked for nowhere.
    expect((await ada.signIn()).status).toBe(200)
    for (const code of ['000000', await codeNow(first.body.secret), 'mfzw-k3ta-ob2g-c5dj', ''])
      expect(await ada.as('POST', `${path}/confirm`, { code })).toMatchObject(wrongCode)
    const on = await ada.as('POST', `${path}/confirm`, { code: await codeNow(body.secret) })
    expect(on.body.recovery_codes).toHaveLength(10)
    expect((await ada.as('GET', path)).body).toMatchObject({ enabled: true, recovery_codes_left: 10 })
    expect(await elsewhere('GET', '/api/v1/auth/me')).toMatchObject({ status: 401 })
    const events = await eventsSince(before)
    expect(events.map(one => [one.operation, one.user_id])).toEqual(
      ['INSERT', 'UPDATE', 'UPDATE'].map(what => [what, ada.user_id]),
    )
    const told = JSON.stringify(await audits())
    const stored = JSON.stringify(await db.findAll(table))
    for (const secret of [first.body.secret, body.secret, ...on.body.recovery_codes]) {
      expect(told).not.toContain(secret)
      expect(stored).not.toContain(secret)
      expect(stored).not.toContain(secret.replaceAll('-', ''))
    }
    expect(await ada.as('POST', path, { current_password: password })).toMatchObject({ status: 409 })
    expect(await ada.as('POST', `${path}/confirm`, { code: await codeNow(body.secret, 1) })).toMatchObject({
      status: 409,
    })
    expect(await deliveries()).toEqual([])
  })

  it('is for sessions of accounts with a password', async () => {
    for (const [method, at, body] of [
      ['POST', '', { current_password: password }],
      ['POST', '/confirm', { code: '123456' }],
      ['POST', '/recovery-codes', { current_password: password, code: '123456' }],
      ['POST', '/disable', { current_password: password, code: '123456' }],
    ] as const) {
      const of = (as: 'nobody' | 'key' | 'viewer', given: object = body) =>
        call(method, `${path}${at}`, { as, body: given })
      expect([at, await of('nobody')]).toMatchObject([at, { status: 403, body: { code: 'unauthenticated' } }])
      expect([at, await of('key')]).toMatchObject([at, { status: 401, body: { code: 'session_expired' } }])
      expect([at, await of('viewer')]).toMatchObject([at, { status: 409 }])
      expect([at, await of('viewer', {})]).toMatchObject([at, { status: 400 }])
      expect([at, await of('viewer', { ...body, user_id: users.admin })]).toMatchObject([at, { status: 400 }])
      expect([
        at,
        await of('viewer', { current_password: 'x'.repeat(2000), code: 'x'.repeat(65) }),
      ]).toMatchObject([at, { status: 400 }])
    }
    expect(await db.count(table, { user_id: users.viewer })).toBe(0)
  })

  it('needs an app_secret', async () => {
    const plain = await testApp()
    const signed = await plain.call('POST', '/api/v1/auth/login', {
      as: 'nobody',
      body: { email: 'admin@example.com', password },
    })
    const answer = await plain.call('POST', path, {
      as: 'nobody',
      headers: { Cookie: cookieOf(signed) },
      body: { current_password: password },
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'not_configured' } })
    expect(await plain.db.count(table, {})).toBe(0)
  })
})

describe('signing in with a second factor', () => {
  it('asks for the code after the right password only, and accepts each code once', async () => {
    const ada = await guarded()
    const code = await codeNow(ada.secret)
    const wrong = { status: 401, body: { error: 'wrong e-mail or password' } }
    expect(await ada.signIn({ password: 'wrong horse' })).toMatchObject(wrong)
    expect(await ada.signIn({ password: 'wrong horse', code })).toMatchObject(wrong)
    expect(await ada.signIn()).toMatchObject(required)
    expect(await ada.signIn({ code: '' })).toMatchObject(required)
    expect(await ada.signIn({ code: '000000' })).toMatchObject(wrongCode)
    const before = (await audits()).length
    const opened = await ada.signIn({ code })
    expect(opened).toMatchObject({ status: 200, body: { user_id: ada.user_id } })
    expect((await by(cookieOf(opened))('GET', '/api/v1/auth/me')).status).toBe(200)
    expect((await audits()).slice(before).map(one => `${one.operation} ${one.table_name}`)).toEqual([
      'INSERT sessions',
    ])
    expect(await ada.signIn({ code })).toMatchObject(wrongCode)
    // An older code is not accepted after a newer one, though it is within the drift.
    expect(await ada.signIn({ code: await codeNow(ada.secret, -1) })).toMatchObject(wrongCode)
    expect((await ada.signIn({ code: await codeNow(ada.secret, 1) })).status).toBe(200)
    expect(await ada.signIn({ code: await codeNow(ada.secret, 3) })).toMatchObject(wrongCode)
  })

  it('accepts a code once, however many requests and instances get it at a time', async () => {
    const ada = await guarded()
    const code = await codeNow(ada.secret)
    const tries = await Promise.all(Array.from({ length: 8 }, () => ada.signIn({ code })))
    expect(tries.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)])
    const [recovery = ''] = ada.recovery
    const again = await Promise.all(Array.from({ length: 8 }, () => ada.signIn({ code: recovery })))
    expect(again.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)])
  })

  it('ignores the code of an account without a factor', async () => {
    const ada = await somebody()
    expect((await ada.signIn({ code: '000000' })).status).toBe(200)
  })

  it('counts the tries of both steps by address', async () => {
    const limited = await testApp({ app_secret: 'x' }, { limited: true })
    const codes = []
    for (let i = 0; i < 11; i++)
      codes.push(
        (
          await limited.call('POST', '/api/v1/auth/login', {
            as: 'nobody',
            body: { email: 'admin@example.com', password: 'wrong horse', code: '000000' },
          })
        ).status,
      )
    expect(codes).toEqual([...Array(10).fill(401), 429])
  })

  it('leaves API keys as they are', async () => {
    const ada = await somebody('admin')
    const key = await ada.as('POST', '/api/v1/tokens', { label: 'mine' })
    expect(key.status).toBe(201)
    const { body } = await ada.as('POST', path, { current_password: password })
    await ada.as('POST', `${path}/confirm`, { code: await codeNow(body.secret) })
    const answer = await call('GET', path, {
      as: 'nobody',
      headers: { Authorization: `Bearer ${key.body.token}` },
    })
    expect(answer).toMatchObject({ status: 200, body: { enabled: true } })
  })
})

describe('a device that is lost', () => {
  it('is replaced by a recovery code, once, which the audit log shows', async () => {
    const ada = await guarded()
    const [code = ''] = ada.recovery
    const before = (await audits()).length
    const opened = await ada.signIn({ code: code.toUpperCase().replaceAll('-', ' ') })
    expect(opened.status).toBe(200)
    expect(await eventsSince(before)).toMatchObject([
      {
        operation: 'UPDATE',
        user_id: ada.user_id,
        old_values: expect.objectContaining({ recovery_codes_left: 10 }),
        new_values: expect.objectContaining({ recovery_codes_left: 9 }),
      },
    ])
    expect(await ada.signIn({ code })).toMatchObject(wrongCode)
    const session = by(cookieOf(opened))
    const change = { current_password: password, code: ada.recovery[1] }
    const renewed = await session('POST', `${path}/recovery-codes`, change)
    expect(renewed.body.recovery_codes).toHaveLength(10)
    expect(await ada.signIn({ code: ada.recovery[2] })).toMatchObject(wrongCode)
    expect((await ada.signIn({ code: renewed.body.recovery_codes[0] })).status).toBe(200)
  })

  it('is reset by somebody who may change the account', async () => {
    const ada = await guarded()
    const reset = (as: 'nobody' | 'viewer' | 'editor' | 'admin', id: string) =>
      call('DELETE', `/api/v1/users/second-factor/?q=${id}`, { as })
    expect(await reset('nobody', ada.user_id)).toMatchObject({ status: 403 })
    expect(await reset('viewer', ada.user_id)).toMatchObject({
      status: 403,
      body: { code: 'missing_permission' },
    })
    expect(await reset('editor', ada.user_id)).toMatchObject({ status: 403 })
    expect(await reset('admin', users.admin)).toMatchObject({ status: 409 })
    expect(await reset('admin', users.viewer)).toMatchObject({ status: 404 })
    expect(await reset('admin', users.viewer.replace(/.$/, '0'))).toMatchObject({ status: 404 })
    const full = `/api/v1/users/full/?q=${ada.user_id}`
    expect((await call('GET', full, { as: 'admin' })).body.second_factor).toBe(true)
    expect((await call('GET', full, { as: 'editor' })).body).not.toHaveProperty('second_factor')
    expect((await ada.as('GET', full)).body.second_factor).toBe(true)
    const before = (await audits()).length
    expect(await reset('admin', ada.user_id)).toMatchObject({ status: 204 })
    expect(await eventsSince(before)).toMatchObject([{ operation: 'DELETE', user_id: users.admin }])
    expect(await ada.as('GET', '/api/v1/auth/me')).toMatchObject({ status: 401 })
    expect((await ada.signIn()).status).toBe(200)
    expect((await call('GET', full, { as: 'admin' })).body.second_factor).toBe(false)
    expect(await reset('admin', ada.user_id)).toMatchObject({ status: 404 })
    expect(await deliveries()).toEqual([])
  })

  it('is not reset by somebody who may do less than the account', async () => {
    const ada = await guarded('admin')
    const label = `manager ${n}`
    const manager = await call('POST', '/api/v1/roles', { as: 'admin', body: { label } })
    const permission = await db.find(tables.permissions, { label: 'users:update' })
    await call('POST', '/api/v1/role-permissions', {
      as: 'admin',
      body: { role_id: manager.body.role_id, permission_id: permission?.permission_id },
    })
    const helper = await somebody(label)
    const answer = await helper.as('DELETE', `/api/v1/users/second-factor/?q=${ada.user_id}`)
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  })

  it('can be worked without when app_secret was lost', async () => {
    const ada = await guarded()
    const row = await db.find(table, { user_id: ada.user_id })
    await db.write(systemActor, tx =>
      tx.update(table, row?.second_factor_id ?? '', { secret: 'sealed under another' }),
    )
    expect(await ada.signIn({ code: await codeNow(ada.secret) })).toMatchObject(wrongCode)
    expect((await ada.signIn({ code: ada.recovery[0] })).status).toBe(200)
  })
})

describe('turning it off', () => {
  it('takes the password and a code: a session that somebody has found is not enough', async () => {
    const ada = await guarded()
    const off = async (body: object) => ada.as('POST', `${path}/disable`, body)
    const code = await codeNow(ada.secret)
    expect(await off({ code })).toMatchObject({ status: 400 })
    expect(await off({ current_password: password })).toMatchObject({ status: 400 })
    expect(await off({ current_password: 'wrong horse', code })).toMatchObject({
      status: 401,
      body: { member: 'current_password' },
    })
    expect(await off({ current_password: password, code: '000000' })).toMatchObject(wrongCode)
    expect(
      await ada.as('POST', `${path}/recovery-codes`, { current_password: password, code: '000000' }),
    ).toMatchObject(wrongCode)
    expect((await ada.as('GET', path)).body.enabled).toBe(true)
    const before = (await audits()).length
    expect(await off({ current_password: password, code })).toMatchObject({ status: 200 })
    expect((await audits()).slice(before).map(one => [one.operation, one.table_name, one.user_id])).toEqual([
      ['DELETE', table.name, ada.user_id],
    ])
    expect((await ada.signIn()).status).toBe(200)
    expect(await off({ current_password: password, code })).toMatchObject({ status: 409 })
  })

  it('happens with the account', async () => {
    const ada = await guarded()
    await call('DELETE', `/api/v1/users/?q=${ada.user_id}`, { as: 'admin' })
    expect(await db.count(table, { user_id: ada.user_id })).toBe(0)
  })
})

describe('a role that requires it', () => {
  const requires = async (label: string, second_factor: boolean) => {
    const role = await db.find(tables.roles, { label })
    return call('PUT', `/api/v1/roles/?q=${role?.role_id}`, { as: 'admin', body: { second_factor } })
  }

  it('leaves a session without one nothing but to set one up', async () => {
    const ada = await somebody('editor')
    const bob = await guarded('editor')
    const key = 'a-key-of-ada'
    await db.write(systemActor, tx =>
      tx.insert(tables.tokens, {
        user_id: ada.user_id,
        token_type: 'api_key',
        token_hash: nodeHashing.sha256(key),
        issued_at: tx.now,
      }),
    )
    expect((await ada.as('GET', '/api/v1/content')).status).toBe(200)
    const before = (await audits()).length
    expect(await requires('editor', true)).toMatchObject({ status: 200, body: { second_factor: true } })
    expect(await eventsSince(before, 'roles')).toMatchObject([{ operation: 'UPDATE', user_id: users.admin }])
    const refused = { status: 403, body: { code: 'second_factor_missing' } }
    for (const [method, at, body] of [
      ['GET', '/api/v1/content'],
      ['GET', '/api/v1/users/full/?q=x'],
      ['GET', '/api/v1/page/none'],
      ['POST', '/api/v1/tokens', { label: 'another' }],
      ['POST', '/api/v1/ssh-keys', { public_key: 'x' }],
      ['PUT', `/api/v1/users/?q=${ada.user_id}`, { name: 'Ada' }],
      ['POST', '/api/v1/auth/reset', { current_password: password, password: 'another horse battery' }],
      ['POST', `${path}/disable`, { current_password: password, code: '123456' }],
      ['GET', '/api/v1/events'],
    ] as const)
      expect([at, await ada.as(method, at, body)]).toMatchObject([at, refused])
    // Also the next session, and not those who have one, nor keys, nor accounts without a password.
    const next = by(cookieOf(await ada.signIn()))
    expect(await next('GET', '/api/v1/content')).toMatchObject(refused)
    expect((await bob.as('GET', '/api/v1/content')).status).toBe(200)
    expect((await call('GET', '/api/v1/content', { as: 'editor' })).status).toBe(200)
    const headers = { Authorization: `Bearer ${key}` }
    expect((await call('GET', '/api/v1/content', { as: 'nobody', headers })).status).toBe(200)
    expect((await ada.as('GET', '/api/v1/auth/me')).status).toBe(200)
    expect((await ada.as('GET', path)).body).toMatchObject({ enabled: false, required: true })
    const { body } = await ada.as('POST', path, { current_password: password })
    expect(await ada.as('GET', '/api/v1/content')).toMatchObject(refused)
    await ada.as('POST', `${path}/confirm`, { code: await codeNow(body.secret) })
    expect((await ada.as('GET', '/api/v1/content')).status).toBe(200)
    expect((await ada.as('POST', '/api/v1/auth/logout')).status).toBe(200)
    await requires('editor', false)
  })

  it('may be a built-in one, which keeps its name', async () => {
    const ada = await somebody('admin')
    const role = await db.find(tables.roles, { label: 'admin' })
    expect(await requires('admin', true)).toMatchObject({ status: 200 })
    expect(await ada.as('PUT', `/api/v1/roles/?q=${role?.role_id}`, { second_factor: false })).toMatchObject({
      status: 403,
      body: { code: 'second_factor_missing' },
    })
    await db.write(systemActor, tx => tx.update(tables.roles, role?.role_id ?? '', { second_factor: false }))
    const both = { label: 'chief', second_factor: true }
    expect(await call('PUT', `/api/v1/roles/?q=${role?.role_id}`, { as: 'admin', body: both })).toMatchObject(
      {
        status: 403,
        body: { code: 'protected' },
      },
    )
    expect(
      await call('PUT', `/api/v1/roles/?q=${role?.role_id}`, { as: 'editor', body: both }),
    ).toMatchObject({
      status: 403,
    })
    expect(
      await call('PUT', `/api/v1/roles/?q=${role?.role_id}`, { as: 'admin', body: { second_factor: 'yes' } }),
    ).toMatchObject({ status: 400 })
    expect((await ada.as('GET', '/api/v1/roles')).status).toBe(200)
  })
})

// Last, because it moves the clock beyond the sessions of the test.
it('takes 20 wrong codes in a day, which no right one makes more; recovery codes still work', async () => {
  const ada = await guarded()
  const wrong = async () => (await ada.signIn({ code: '000000' })).status
  for (let i = 0; i < 19; i++) expect(await wrong()).toBe(401)
  expect((await ada.signIn({ code: await codeNow(ada.secret) })).status).toBe(200)
  wait()
  expect(await wrong()).toBe(401)
  const late = await ada.signIn({ code: await codeNow(ada.secret) })
  expect(late).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
  expect(Number(late.headers.get('retry-after'))).toBe(86_400 - 30)
  expect((await ada.signIn({ code: ada.recovery[0] })).status).toBe(200)
  expect((await ada.signIn({ code: ada.recovery[0] })).status).toBe(401)
  // Those who do not know the password learn nothing of it.
  expect(await ada.signIn({ password: 'wrong horse' })).toMatchObject({ status: 401 })
  clock.advance(86_400_000)
  expect((await ada.signIn({ code: await codeNow(ada.secret) })).status).toBe(200)
  expect(
    logged.filter(({ message }) => message === 'a code of a second factor was wrong').length,
  ).toBeGreaterThan(20)
})
