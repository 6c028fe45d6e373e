import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { cheapHashing, testApp } from '../support/app.js'

const { app, call, clock, db, users, audits } = await testApp({
  cookie_secure: true,
  cookie_samesite: 'strict',
})
const correct = { email: 'admin@example.com', password: 'correct horse' }

const login = (body: unknown = correct, headers = {}) =>
  call('POST', '/api/v1/auth/login', { as: 'nobody', body, headers })
const cookieOf = (answer: { headers: Headers }) => answer.headers.get('set-cookie')?.split(';')[0] ?? ''
const me = (cookie: string) => call('GET', '/api/v1/auth/me', { as: 'nobody', headers: { Cookie: cookie } })

it('signs in, says who it is, and signs out', async () => {
  const answer = await login()
  expect(answer.headers.get('set-cookie')).toMatch(
    /^cms_session=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  const cookie = cookieOf(answer)
  expect((await me(cookie)).body).toMatchObject({ email: 'admin@example.com', role_label: 'admin' })
  for (let i = 0; i < 2; i++) {
    const out = await call('POST', '/api/v1/auth/logout', { as: 'nobody', headers: { Cookie: cookie } })
    expect(out.status).toBe(200)
    expect(out.headers.get('set-cookie')).toMatch(
      /^cms_session=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect([(await me(cookie)).status, (await me(cookie)).body]).toEqual([
      401,
      { error: "sessions don't match", code: 'session_expired' },
    ])
  }
})

it('says of a cookie without a live session that sessions don’t match, on every endpoint', async () => {
  const cookie = cookieOf(await login())
  await call('POST', '/api/v1/auth/logout', { as: 'nobody', headers: { Cookie: cookie } })
  const over = { status: 403, body: { error: "sessions don't match", code: 'session_expired' } }
  for (const Cookie of [cookie, 'cms_session=made-up'])
    for (const path of ['/routes', '/users/full?q=x', '/page/none', '/config', '/admin/webhooks']) {
      const of = (headers: Record<string, string>) => call('GET', `/api/v1${path}`, { as: 'nobody', headers })
      expect([path, await of({ Cookie })]).toMatchObject([path, over])
      expect([path, await of({})]).toMatchObject([path, { status: 403, body: { code: 'unauthenticated' } }])
    }
  // What is public is nobody's session.
  const open = { as: 'nobody', headers: { Cookie: cookie } } as const
  expect((await call('GET', '/none', open)).status).toBe(404)
  expect((await call('GET', '/api/v1/health', open)).status).toBe(200)
  expect((await login(correct, { Cookie: cookie })).status).toBe(200)
})

it('ends a session once, however many sign it out at the same time', async () => {
  const cookie = cookieOf(await login())
  const before = (await audits()).length
  const outs = await Promise.all(
    Array.from({ length: 10 }, () =>
      call('POST', '/api/v1/auth/logout', { as: 'nobody', headers: { Cookie: cookie } }),
    ),
  )
  expect(outs.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const events = (await audits()).slice(before).map(event => `${event.operation} ${event.table_name}`)
  expect(events).toEqual(['DELETE sessions'])
})

it('gives a fresh cookie for a chosen one and ends the session that came along', async () => {
  const chosen = cookieOf(await login(correct, { Cookie: 'cms_session=chosen' }))
  expect(chosen).not.toBe('cms_session=chosen')
  const next = cookieOf(await login(correct, { Cookie: chosen }))
  expect([(await me(chosen)).status, (await me(next)).status]).toEqual([401, 200])
})

it('refuses in the same words whoever it is', async () => {
  for (const body of [
    { ...correct, password: 'wrong' },
    { ...correct, email: 'nobody@example.com' },
    { email: 'viewer@example.com', password: '' },
  ]) {
    const answer = await login(body)
    expect([answer.status, answer.body]).toEqual([
      401,
      { error: 'wrong e-mail or password', code: 'wrong_credentials' },
    ])
    expect(answer.headers.get('set-cookie')).toBeNull()
  }
})

it('stores no secret that could be used', async () => {
  const cookie = cookieOf(await login())
  const value = cookie.split('=')[1] ?? ''
  const session = await db.find(tables.sessions, { token_hash: nodeHashing.sha256(value) })
  expect(session?.user_id).toBe(users.admin)
  const log = JSON.stringify(await audits())
  for (const secret of [value, nodeHashing.sha256(value), 'correct horse', '$argon2id'])
    expect(log).not.toContain(secret)
  for (const text of [session?.session_id, session?.token_hash])
    expect((await me(`cms_session=${text}`)).status).toBe(401)
})

const key = 'key-secret-of-this-test'
it.each([
  ['bearer k', 200, `bearer ${key}`],
  ['BEARER k', 200, `BEARER ${key}`],
  ['two blanks', 403, `Bearer  ${key}`],
  ['a tab', 403, `Bearer\t${key}`],
  ['Basic', 403, `Basic ${key}`],
  ['Token', 403, `Token ${key}`],
  ['bare', 403, key],
  ['two keys', 403, `Bearer ${key}, Bearer ${key}`],
  ['another key', 403, 'Bearer wrong'],
])('takes a key as %s: %i', async (_, status, authorization) => {
  const answer = await call('GET', '/api/v1/routes', {
    as: 'nobody',
    headers: { Authorization: authorization },
  })
  expect(answer.status).toBe(status)
})

it('takes a key from nowhere else', async () => {
  for (const path of [`/api/v1/routes?access_token=${key}`, `/api/v1/routes?token=${key}`])
    expect((await call('GET', path, { as: 'nobody' })).status).toBe(403)
  expect(
    (await call('GET', '/api/v1/routes', { as: 'nobody', headers: { Cookie: `cms_session=${key}` } })).status,
  ).toBe(403)
})

it('asks the cookie first and the key when the cookie fails', async () => {
  const admin = cookieOf(await login())
  const Authorization = `Bearer ${key}`
  const create = (headers: Record<string, string>, slug: string) =>
    call('POST', '/api/v1/routes', { as: 'nobody', headers, body: { slug, title: 'x' } })
  expect((await create({ Cookie: admin, Authorization }, '/by-cookie')).body.author_id).toBe(users.admin)
  expect((await create({ Cookie: 'cms_session=old', Authorization }, '/by-key')).body.author_id).toBe(
    users.key,
  )
  expect(
    (await create({ Cookie: 'cms_session=old', Authorization: 'Bearer old' }, '/by-nobody')).status,
  ).toBe(403)
})

it('stops a key at once when it is revoked, expires, changes its kind or loses its user', async () => {
  const used = () => call('GET', '/api/v1/routes', { as: 'key' })
  const [token] = await db.findAll(tables.tokens)
  const id = token?.token_id ?? ''
  const change = (patch: { revoked?: boolean; expires_at?: string | null; token_type?: string }) =>
    db.write(systemActor, tx => tx.update(tables.tokens, id, patch))
  expect((await used()).status).toBe(200)
  for (const [bad, good] of [
    [{ revoked: true }, { revoked: false }],
    [{ expires_at: '2026-01-01T00:00:00.000Z' }, { expires_at: null }],
    [{ token_type: 'password_reset' }, { token_type: 'api_key' }],
  ] as const) {
    await change(bad)
    expect((await used()).status).toBe(403)
    await change(good)
    expect((await used()).status).toBe(200)
  }
  await db.write(systemActor, tx => tx.remove(tables.tokens, id))
  expect((await used()).status).toBe(403)
})

it('follows a change of roles at once', async () => {
  const roles = await db.findAll(tables.roles)
  const role = (label: string) => roles.find(row => row.label === label)?.role_id ?? ''
  const create = () => call('POST', '/api/v1/datatypes', { as: 'viewer', body: {} })
  expect((await create()).status).toBe(403)
  await db.write(systemActor, tx => tx.update(tables.users, users.viewer, { role: role('admin') }))
  expect((await create()).status).toBe(400)
  await db.write(systemActor, tx => tx.update(tables.users, users.viewer, { role: role('viewer') }))
  expect((await create()).status).toBe(403)
  const permission = await db.find(tables.permissions, { label: 'datatypes:create' })
  const mapping = await db.write(systemActor, tx =>
    tx.insert(tables.rolePermissions, {
      role_id: role('viewer'),
      permission_id: permission?.permission_id ?? '',
    }),
  )
  expect((await create()).status).toBe(400)
  await db.write(systemActor, tx => tx.remove(tables.rolePermissions, mapping.role_permission_id))
  expect((await create()).status).toBe(403)
})

it('gives no bypass to a role that only looks like admin', async () => {
  for (const label of ['Admin', 'admin ', 'ADMIN']) {
    const role = await db.write(systemActor, tx => tx.insert(tables.roles, { label }))
    await db.write(systemActor, tx => tx.update(tables.users, users.viewer, { role: role.role_id }))
    expect((await call('GET', '/api/v1/routes', { as: 'viewer' })).status).toBe(403)
  }
})

it('names every request', async () => {
  const answers = [
    await call('GET', '/api/v1/health'),
    await call('GET', '/nothing'),
    await call('PUT', '/x', { body: {} }),
  ]
  for (const answer of answers) expect(answer.headers.get('x-request-id')).toMatch(/^[0-9A-Z]{26}$/)
  expect(app.declarations.length).toBeGreaterThan(0)
})

it('ends a session at its time, by the server’s clock', async () => {
  const cookie = cookieOf(await login())
  clock.advance(86_399_000)
  expect((await me(cookie)).status).toBe(200)
  clock.advance(2000)
  expect((await me(cookie)).status).toBe(401)
  expect((await call('GET', '/api/v1/routes', { as: 'nobody', headers: { Cookie: cookie } })).status).toBe(
    403,
  )
})

it('checks a password without a session, by e-mail address or username, at the same cost whoever it is', async () => {
  const hashed: string[] = []
  const other = await testApp(
    {},
    {
      hashing: {
        ...cheapHashing,
        verifyPassword(hash, password) {
          hashed.push(hash)
          return cheapHashing.verifyPassword(hash, password)
        },
      },
    },
  )
  const { auth, users: people } = other.services
  const { username } = await people.get(other.users.admin)
  await people.create(systemActor, { name: '', username: 'without', email: 'without@example.com' })
  const before = (await other.audits()).length
  const { password } = correct
  for (const given of [
    { email: ' ADMIN@example.com', password },
    { username, password },
  ]) {
    const user = await auth.verifyLogin(systemActor, given)
    expect(user.user_id).toBe(other.users.admin)
    expect(user).not.toHaveProperty('password')
  }
  hashed.length = 0
  const refused = [
    { email: correct.email, password: 'wrong horse' },
    { username, password: 'wrong horse' },
    { email: 'nobody@example.com', password },
    { username: 'nobody', password },
    { username: correct.email, password },
    { email: username, password },
    { username: '', password },
    { username: 'without', password: '' },
    { email: 'without@example.com', password: 'no user has this password' },
  ]
  for (const given of refused)
    await expect(auth.verifyLogin(systemActor, given)).rejects.toMatchObject({
      status: 401,
      code: 'wrong_credentials',
      message: 'wrong e-mail or password',
    })
  expect(hashed.map(hash => hash.replace(/[^$]+\$[^$]+$/, ''))).toEqual(
    refused.map(() => hashed[0]?.replace(/[^$]+\$[^$]+$/, '')),
  )
  expect((await other.audits()).length).toBe(before)
})
