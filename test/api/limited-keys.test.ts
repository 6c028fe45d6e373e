import { describe, expect, it } from 'vitest'
import { refuseReadOnly, systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'

const app = await testApp()
const { call, clock, db, users, services } = app
const api = (method: string, path: string, body?: unknown, as: 'admin' | 'key' = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })
const by = (
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) =>
  call(method, `/api/v1${path}`, {
    as: 'nobody',
    headers: { Authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body }),
  })
const keyWith = async (limits: object): Promise<string> => {
  const made = await api('POST', '/tokens', limits)
  expect([made.status, made.body.error]).toEqual([201, undefined])
  return made.body.token
}
const inAnHour = '2026-11-21T13:00:00.000Z'

describe('a key with a list of permissions', () => {
  it('may only what is in the list, and only while its user may', async () => {
    const key = (
      await api('POST', '/tokens', {
        user_id: users.editor,
        permissions: ['routes:read', 'routes:create', 'routes:read'],
      })
    ).body
    expect(key).toMatchObject({ permissions: ['routes:read', 'routes:create'], read_only: false })
    const post = () => by(key.token, 'POST', '/routes', { slug: `/at-${clock.now()}`, title: 'T' })
    expect((await by(key.token, 'GET', '/routes')).status).toBe(200)
    expect((await post()).status).toBe(201)
    for (const path of [
      '/content',
      '/page/',
      '/globals',
      '/users',
      '/tokens',
      '/users/sessions',
      '/ssh-keys',
    ])
      expect([path, (await by(key.token, 'GET', path)).status]).toEqual([path, 403])
    clock.advance(1)
    await api('PUT', `/users/?q=${users.editor}`, { role: 'viewer' })
    expect((await post()).status).toBe(403)
    expect((await by(key.token, 'GET', '/routes')).status).toBe(200)
    await api('PUT', `/users/?q=${users.editor}`, { role: 'editor' })
    expect((await post()).status).toBe(201)
  })

  it('is shown with its limits in lists and items, which change at once', async () => {
    const made = (
      await api('POST', '/tokens', { permissions: ['routes:read'], read_only: true, expires_at: inAnHour })
    ).body
    const limits = { permissions: ['routes:read'], read_only: true, expires_at: inAnHour }
    expect((await api('GET', `/tokens/?q=${made.token_id}`)).body).toMatchObject(limits)
    const listed = (await api('GET', '/tokens')).body.find(
      (one: { token_id: string }) => one.token_id === made.token_id,
    )
    expect(listed).toMatchObject(limits)
    expect((await by(made.token, 'GET', '/content')).status).toBe(403)
    const widened = await api('PUT', `/tokens/?q=${made.token_id}`, { ...listed, permissions: null })
    expect(widened.body).toMatchObject({ permissions: null, read_only: true })
    expect((await by(made.token, 'GET', '/content')).status).toBe(200)
  })

  it('is no administrator, though its user is one', async () => {
    const key = await keyWith({
      permissions: [
        'users:create',
        'users:update',
        'roles:update',
        'roles:create',
        'tokens:create',
        'tokens:update',
      ],
    })
    const forbidden = async (method: string, path: string, body: object) =>
      expect([method, path, (await by(key, method, path, body)).status]).toEqual([method, path, 403])
    await forbidden('POST', '/tokens', {})
    await forbidden('POST', '/tokens', { permissions: ['content:read'] })
    await forbidden('POST', '/tokens', { user_id: users.editor, permissions: ['users:create'] })
    await forbidden('POST', '/users', { email: 'ann@example.com', password: 'a long password' })
    await forbidden('PUT', `/users/?q=${users.admin}`, { email: 'mine@example.com' })
    await forbidden('PUT', `/users/?q=${users.admin}`, { name: 'Mine' })
    await forbidden('PUT', `/users/?q=${users.viewer}`, { password: 'a long password' })
    await forbidden('POST', '/ssh-keys', { public_key: 'ssh-ed25519 AAAA', label: '' })
    await forbidden('DELETE', '/users/sessions?q=others', {})
    const own = await db.find(tables.tokens, {
      label: '',
      user_id: users.admin,
      token_prefix: key.slice(0, 8),
    })
    await forbidden('PUT', `/tokens/?q=${own?.token_id}`, { permissions: null })
    await forbidden('PUT', `/tokens/?q=${own?.token_id}`, { permissions: ['users:create', 'content:read'] })
    const less = await by(key, 'POST', '/tokens', { permissions: ['users:create'] })
    expect(less.body).toMatchObject({ permissions: ['users:create'], user_id: users.admin })
  })

  it('names only permissions that there are and that its user has', async () => {
    const problem = async (body: object, as: 'admin' | 'key' = 'admin') => {
      const { status, body: answer } = await api('POST', '/tokens', body, as)
      return [status, answer.error]
    }
    expect(await problem({ permissions: ['content:reed'] })).toEqual([
      400,
      'permissions: there is no permission content:reed: did you mean content:read?',
    ])
    expect(await problem({ user_id: users.viewer, permissions: ['content:create'] })).toEqual([
      400,
      'permissions: the user of the key does not have content:create',
    ])
    expect((await problem({ permissions: [] }))[0]).toBe(400)
    expect((await problem({ permissions: ['content'] }))[0]).toBe(400)
    expect((await problem({ read_only: 'yes' }))[0]).toBe(400)
    await keyWith({ permissions: ['audit:read', 'tokens:read', 'content:read'] })
    const words = new Set(app.app.declarations.map(({ access }) => access).filter(word => word.includes(':')))
    await keyWith({ permissions: [...words] })
  })

  it('gives nobody what they lack, also by an account with tokens:create', async () => {
    const { body: role } = await api('POST', '/roles', { label: 'Key makers' })
    for (const label of ['tokens:create', 'tokens:update']) {
      const { body } = await api('POST', '/permissions', { label })
      await api('POST', '/role-permissions', { role_id: role.role_id, permission_id: body.permission_id })
    }
    await api('PUT', `/users/?q=${users.editor}`, { role: 'Key makers' })
    expect((await api('POST', '/tokens', { permissions: ['content:delete'] }, 'key')).status).toBe(403)
    const made = await api('POST', '/tokens', { permissions: ['tokens:create'] }, 'key')
    expect(made.status).toBe(201)
    const path = `/tokens/?q=${made.body.token_id}`
    expect((await api('PUT', path, { permissions: ['content:delete'] }, 'key')).status).toBe(403)
    expect((await api('PUT', path, { permissions: null, label: 'all of mine' }, 'key')).status).toBe(200)
    await api('PUT', `/users/?q=${users.editor}`, { role: 'editor' })
  })
})

describe('a key that only reads', () => {
  it('changes nothing, whatever its user may, and reads what they read', async () => {
    const key = await keyWith({ read_only: true })
    for (const path of ['/content', '/users', '/tokens', '/users/sessions', '/media', '/audit-events'])
      expect([path, (await by(key, 'GET', path)).status]).toEqual([path, 200])
    expect((await by(key, 'HEAD', '/users')).status).toBe(200)
    const before = (await app.audits()).length
    for (const { method, path, access } of app.app.declarations)
      if (method !== 'get' && access !== 'public') {
        const at = path.replaceAll(/:\w+/g, users.viewer)
        const answer = await by(key, method.toUpperCase(), at, method === 'delete' ? undefined : {})
        expect([method, path, answer.status]).toEqual([method, path, 403])
      }
    expect((await app.audits()).length).toBe(before)
    expect((await by(key, 'POST', '/routes', { slug: '/x', title: 'X' })).body.error).toBe(
      'this key is read-only',
    )
  })

  it('is stopped at the database too, on whatever way it gets there', async () => {
    const identity = await services.auth.identify({
      cookie: undefined,
      bearer: await keyWith({ read_only: true }),
    })
    const actor = { ...systemActor, ...identity }
    expect(() => refuseReadOnly(actor)).toThrow('this key is read-only')
    await expect(
      services.space.routes.create(actor, { slug: '/x', title: 'X', status: 1 }),
    ).rejects.toMatchObject({
      status: 403,
    })
    expect(await db.exists(tables.routes, { slug: '/x' })).toBe(false)
  })

  it('sees the same pages as its user, drafts among them, on the fast path as well', async () => {
    const type = (await api('POST', '/datatypes', { label: 'Page', type: 'content' })).body
    const route = (await api('POST', '/routes', { slug: '/draft', title: 'Draft' })).body
    await api('POST', '/content', { datatype_id: type.datatype_id, route_id: route.route_id })
    const [reading, limited, other] = [
      await keyWith({ read_only: true }),
      await keyWith({ permissions: ['content:read', 'content:update'] }),
      await keyWith({ permissions: ['media:read'] }),
    ]
    for (let n = 0; n < 3; n++) {
      expect((await by(reading, 'GET', '/page/draft?format=clean')).body.title).toBe('Draft')
      expect((await by(limited, 'GET', '/page/draft?format=clean')).body.title).toBe('Draft')
      expect((await by(other, 'GET', '/page/draft?format=clean')).status).toBe(403)
    }
  })
})

describe('a key that ends', () => {
  it('ends in the future, and gives no key more time than it has', async () => {
    for (const expires_at of ['2026-11-21T11:59:59Z', new Date(clock.now()).toISOString()])
      expect((await api('POST', '/tokens', { expires_at })).body.error).toBe(
        'expires_at: must be in the future',
      )
    const made = (await api('POST', '/tokens', { expires_at: inAnHour })).body
    const of = (expires_at: unknown) => by(made.token, 'POST', '/tokens', { expires_at })
    expect((await of(null)).status).toBe(403)
    expect((await of('2026-11-21T13:00:01Z')).status).toBe(403)
    expect((await of('2026-11-21T12:59:00Z')).status).toBe(201)
    const path = `/tokens/?q=${made.token_id}`
    expect((await by(made.token, 'PUT', path, { expires_at: null })).status).toBe(403)
    expect((await api('PUT', path, { expires_at: '2026-11-01T00:00:00Z' })).status).toBe(400)
    clock.advance(3_600_001)
    expect((await by(made.token, 'GET', '/routes')).status).toBe(403)
    // What was read can be sent back, also when it is over.
    const record = (await api('GET', path)).body
    expect((await api('PUT', path, { ...record, label: 'Old' })).body.label).toBe('Old')
  })
})
