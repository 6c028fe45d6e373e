import { beforeEach, describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { limits } from '../../src/limits.js'
import { nodeHashing } from '../../src/node/ports.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, db, users, clock, services } = app
const { callerIn, callerWith } = callersOf(app)
const { post: postForm } = panelForms(app)
const table = internalTables.deviceSignIns

let made = 0
/** A device code as the command line makes it. */
const newSecret = () => {
  const hash = nodeHashing.sha256(`device ${++made}`)
  return `slk_${Buffer.from(hash, 'hex').toString('base64url')}`
}
/** Addresses that nobody else asks from. */
const newAddress = () => `10.1.${Math.floor(++made / 250)}.${(made % 250) + 1}`

const begin = (body: unknown, address = newAddress()) =>
  call('POST', '/api/v1/auth/device', { as: 'nobody', body, address })
const stateOf = (device_code: unknown) =>
  call('POST', '/api/v1/auth/device/state', { as: 'nobody', body: { device_code }, address: newAddress() })

async function begun() {
  const secret = newSecret()
  const { status, body, text } = await begin({ device_code: secret, host: 'laptop' })
  expect([status, text]).toEqual([200, text])
  return { secret, code: body.user_code as string, body }
}

const page = (code: string, as: 'admin' | 'editor' | 'nobody' = 'admin') =>
  call('GET', `/admin/connect?code=${encodeURIComponent(code)}`, { as })
const rows = () => db.findAll(table)
/** All that a sign-in could leave behind. */
const left = async () => ({
  rows: (await rows()).map(({ state }) => state),
  keys: await db.count(tables.tokens),
  audits: (await app.audits()).length,
  deliveries: (await app.deliveries()).length,
})

beforeEach(async () => {
  await db.write(systemActor, async tx => {
    for (const row of await tx.findAll(table)) await tx.deleteInternal(table, row.device_sign_in_id)
  })
})

/** Sends the form of the page. */
const decide = async (
  verb: 'approve' | 'deny',
  code: string,
  caller: { post(path: string, values: Record<string, string>): Promise<{ status: number; text: string }> },
) => caller.post(`/admin/connect/${verb}`, { code })

const administrator = async () => callerIn(await services.access.systemRole('admin'))

describe('a sign-in', () => {
  it('becomes a key of the one who approves, and no row and no answer holds it', async () => {
    await app.subscribe()
    const before = await left()
    const { secret, code, body } = await begun()
    expect(body).toEqual({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_url: `http://localhost/admin/connect?code=${code}`,
      interval: 2,
      expires_in: 600,
    })
    expect((await stateOf(secret)).body).toMatchObject({ code: 'sign_in_pending' })
    const [row] = await rows()
    expect(row).toMatchObject({ state: 'pending', host: 'laptop', token_prefix: secret.slice(0, 8) })
    for (const hidden of [secret.slice(8), code, code.replace('-', '')])
      expect(JSON.stringify(row)).not.toContain(hidden)
    expect(await left()).toEqual({ ...before, rows: ['pending'] })

    const shown = (await page(code)).text
    for (const part of [code, 'laptop', String(row?.ip_address), '(admin)']) expect(shown).toContain(part)

    const admin = await administrator()
    const keysBefore = await left()
    const done = await decide('approve', code, admin)
    expect([done.status, await left()]).toEqual([
      303,
      {
        ...keysBefore,
        rows: ['approved'],
        keys: keysBefore.keys + 1,
        audits: keysBefore.audits + 1,
        deliveries: keysBefore.deliveries,
      },
    ])
    expect((await app.audits()).at(-1)).toMatchObject({
      operation: 'INSERT',
      table_name: 'tokens',
      user_id: admin.user_id,
      surface: 'panel',
    })
    expect((await page(code)).text).toContain('The command line is signed in')

    const user = await db.get(tables.users, admin.user_id)
    // An answer that was lost on its way is given again.
    for (let i = 0; i < 2; i++)
      expect([(await stateOf(secret)).status, (await stateOf(secret)).body]).toEqual([
        200,
        { email: user?.email },
      ])
    const key = await db.find(tables.tokens, { token_hash: nodeHashing.sha256(secret) })
    expect(key).toMatchObject({
      ...{ user_id: admin.user_id, label: 'slugline login on laptop', token_prefix: secret.slice(0, 8) },
      ...{ permissions: null, read_only: false, expires_at: null, revoked: false },
    })
    const asKey = { as: 'nobody', headers: { Authorization: `Bearer ${secret}` } } as const
    expect((await call('GET', '/api/v1/users', asKey)).status).toBe(200)
    expect(JSON.stringify([await app.audits(), app.logged])).not.toContain(secret)

    await call('PUT', `/api/v1/tokens?q=${key?.token_id}`, { body: { revoked: true } })
    expect((await call('GET', '/api/v1/users', asKey)).status).toBe(403)
    expect((await stateOf(secret)).body).toMatchObject({ code: 'sign_in_expired' })
  })

  it('may no more than the one who approves', async () => {
    const { secret, code } = await begun()
    expect((await decide('approve', code, await callerWith('tokens:create', 'routes:read'))).status).toBe(303)
    const asKey = { as: 'nobody', headers: { Authorization: `Bearer ${secret}` } } as const
    expect((await call('GET', '/api/v1/routes', asKey)).status).toBe(200)
    for (const [method, path] of [
      ['GET', '/api/v1/users'],
      ['POST', '/api/v1/routes'],
    ] as const)
      expect([
        path,
        (await call(method, path, { ...asKey, body: method === 'POST' ? {} : undefined })).status,
      ]).toEqual([path, 403])
  })

  it('that is denied is no key', async () => {
    const { secret, code } = await begun()
    const admin = await administrator()
    const before = await left()
    expect((await decide('deny', code, admin)).status).toBe(303)
    expect(await left()).toEqual({ ...before, rows: ['denied'] })
    expect((await page(code)).text).toContain('No key was created')
    expect([(await stateOf(secret)).status, (await stateOf(secret)).body.code]).toEqual([
      400,
      'sign_in_denied',
    ])
    for (const verb of ['approve', 'deny'] as const)
      expect((await decide(verb, code, admin)).text).toContain('this sign-in is denied already')
    expect(await left()).toEqual({ ...before, rows: ['denied'] })
  })

  it('is approved once, however many try at the same time', async () => {
    const { code } = await begun()
    const admin = await administrator()
    const before = await left()
    const answers = await Promise.all(Array.from({ length: 8 }, () => decide('approve', code, admin)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, ...Array(7).fill(409)])
    expect(await left()).toEqual({
      ...before,
      rows: ['approved'],
      keys: before.keys + 1,
      audits: before.audits + 1,
    })
  })

  it('ends after ten minutes, and leaves no row', async () => {
    const { secret, code } = await begun()
    const admin = await administrator()
    clock.advance(600_000)
    const before = await left()
    expect([(await page(code)).status, (await page(code)).text]).toEqual([
      404,
      expect.stringContaining('unknown or has expired'),
    ])
    for (const verb of ['approve', 'deny'] as const)
      expect((await decide(verb, code, admin)).status).toBe(400)
    expect((await stateOf(secret)).body).toMatchObject({ code: 'sign_in_expired' })
    expect(await left()).toEqual(before)
    await services.removeExpired()
    expect(await rows()).toEqual([])
    expect((await stateOf(secret)).body).toMatchObject({ code: 'sign_in_expired' })
  })

  it('is asked about at most every second', async () => {
    const { secret } = await begun()
    expect((await stateOf(secret)).status).toBe(400)
    const early = await stateOf(secret)
    expect([early.status, early.body.code, early.headers.get('retry-after')]).toEqual([
      429,
      'too_many_requests',
      '2',
    ])
    clock.advance(1000)
    expect((await stateOf(secret)).body.code).toBe('sign_in_pending')
  })

  it('is found however its code is typed', async () => {
    const { code } = await begun()
    for (const typed of [code.toLowerCase(), code.replace('-', ''), ` ${code.replace('-', ' ')} `])
      expect((await page(typed)).text).toContain(code)
  })
})

describe('is refused and leaves nothing:', () => {
  const [device_code, host] = [newSecret(), 'laptop']
  it.each<[string, unknown, number]>([
    ['no body', undefined, 415],
    ['no object', [], 400],
    ['no device code', { host }, 400],
    ['no host', { device_code }, 400],
    ['an unknown member', { device_code, host, user_id: users.admin }, 400],
    ['a short device code', { device_code: device_code.slice(0, -1), host }, 400],
    ['a device code of other characters', { device_code: `${device_code.slice(0, -1)}+`, host }, 400],
    ['a device code that repeats itself', { device_code: `slk_${'A'.repeat(43)}`, host }, 400],
    ['a list', { device_code: [device_code], host }, 400],
    ['a host in a right-to-left script', { device_code, host: '\u202eevil' }, 400],
    ['markup as host', { device_code, host: '<b>' }, 400],
    ['a long host', { device_code, host: 'x'.repeat(65) }, 400],
    ['an empty host', { device_code, host: '' }, 400],
    ['a hostile size', { device_code, host: 'x'.repeat(limits.requests.anonymousBodyBytes) }, 413],
  ])('%s', async (_, body, status) => {
    const before = await left()
    expect((await begin(body)).status).toBe(status)
    expect(await left()).toEqual(before)
  })

  it('a device code that is in use', async () => {
    const { secret } = await begun()
    expect((await begin({ device_code: secret, host })).body).toMatchObject({
      code: 'duplicate',
      member: 'device_code',
    })
    expect(await rows()).toHaveLength(1)
  })

  it.each<[string, unknown, number]>([
    ['an unknown code', newSecret(), 400],
    ['no code', undefined, 400],
    ['a malformed code', 'slk_', 400],
    ['a list', [newSecret()], 400],
    ['a hostile size', 'x'.repeat(limits.requests.anonymousBodyBytes), 413],
  ])('the state of %s', async (_, secret, status) => {
    await begun()
    const before = await left()
    expect((await stateOf(secret)).status).toBe(status)
    expect(await left()).toEqual(before)
  })

  it('of a key that is no sign-in, nothing is said', async () => {
    const { body } = await call('POST', '/api/v1/tokens', { body: { token: newSecret() } })
    expect((await stateOf(body.token)).body).toMatchObject({ code: 'sign_in_expired' })
  })

  it('a key that exists already', async () => {
    const secret = newSecret()
    await call('POST', '/api/v1/tokens', { body: { token: secret } })
    const { body } = await begin({ device_code: secret, host })
    const admin = await administrator()
    const before = await left()
    expect((await decide('approve', body.user_code, admin)).status).toBe(409)
    expect(await left()).toEqual(before)
  })

  it('too many of one address, and too many of all', async () => {
    const { openDeviceSignIns: ofAll, openDeviceSignInsOfAddress: ofAddress } = limits.accounts
    const fill = (count: number, ip_address: string) =>
      db.write(systemActor, tx =>
        tx.insertAllInternal(
          table,
          Array.from({ length: count }, () => {
            const hash = nodeHashing.sha256(newSecret())
            return {
              ...{ device_sign_in_id: tx.newId(), device_code_hash: hash, user_code_hash: hash },
              ...{ token_prefix: 'slk_0000', host, ip_address, state: 'pending' as const },
              expires_at: new Date(clock.now() + 600_000).toISOString(),
            }
          }),
        ),
      )
    const address = newAddress()
    await fill(ofAddress, address)
    const refused = await begin({ device_code: newSecret(), host }, address)
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests'])
    expect((await begin({ device_code: newSecret(), host })).status).toBe(200)
    await fill(ofAll - ofAddress - 1, newAddress())
    expect((await begin({ device_code: newSecret(), host })).body).toMatchObject({ code: 'unavailable' })
    expect(await rows()).toHaveLength(ofAll)
    clock.advance(600_000)
    expect((await begin({ device_code: newSecret(), host }, address)).status).toBe(200)
  })
})

describe('the page', () => {
  it('sends visitors to sign in, and back with the code', async () => {
    const { code } = await begun()
    const answer = await page(code, 'nobody')
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/admin/sign-in?to=${encodeURIComponent(`/admin/connect?code=${code}`)}`,
    ])
  })

  it('asks for a code, and says that one is unknown', async () => {
    expect((await call('GET', '/admin/connect')).text).toContain('name="code"')
    expect((await page('BBBB-BBBB')).status).toBe(404)
    expect((await page('x'.repeat(7000))).status).toBe(404)
  })

  it.each(['approve', 'deny'] as const)('refuses to %s for anybody but who may create keys', async verb => {
    const { code, secret } = await begun()
    expect((await page(code, 'editor')).text).toContain('tokens:create')
    const path = `/admin/connect/${verb}`
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ code }).toString()
    const admin = await administrator()
    const before = await left()
    const answers = {
      nobody: (await app.send('POST', path, { as: 'nobody', body, headers: form })).status,
      key: (await app.send('POST', path, { as: 'key', body, headers: form })).status,
      'itself as key': (
        await app.send('POST', path, {
          as: 'nobody',
          body,
          headers: { ...form, Authorization: `Bearer ${secret}` },
        })
      ).status,
      'the wrong role': (await postForm(path, { code }, { as: 'editor' })).status,
      'no token of the form': (await app.send('POST', path, { as: 'admin', body, headers: form })).status,
      'a foreign token': (await postForm(path, { code }, { token: 'x' })).status,
      'a foreign page': (
        await app.send('POST', path, {
          as: 'admin',
          body,
          headers: { ...form, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
        })
      ).status,
      'no code': (await admin.post(path, {})).status,
      'an unknown code': (await admin.post(path, { code: 'BBBB-BBBB' })).status,
      'a hostile size': (await admin.post(path, { code: 'B'.repeat(100_000) })).status,
      GET: (await call('GET', path)).status,
    }
    expect(answers).toEqual({
      ...{ nobody: 403, key: 403, 'itself as key': 403, 'the wrong role': 403 },
      ...{ 'no token of the form': 403, 'a foreign token': 403, 'a foreign page': 403 },
      ...{ 'no code': 400, 'an unknown code': 400, 'a hostile size': 400, GET: 405 },
    })
    expect(await left()).toEqual(before)
  })
})
