import { describe, expect, it } from 'vitest'
import { made } from '../support/calls.js'
import { missing, newClient, startedSite, timestamp, ulid } from '../support/site.js'

/** Who may do what in the words of the product document (4.3, 5.1, 5.6, 7), at the started product. */

const { admin, nobody, send, account } = await startedSite({ config: { cookie_name: 'site_cookie' } })
const dead = { Cookie: 'site_cookie=of-no-session' }

interface Labelled {
  role_id: string
  permission_id: string
  label: string
}
const roles: Labelled[] = await made(admin('GET', '/roles'))
const permissions: Labelled[] = await made(admin('GET', '/permissions'))
const roleId = (name: string) => roles.find(({ label }) => label === name)?.role_id ?? ''
const permissionId = (name: string) => permissions.find(({ label }) => label === name)?.permission_id ?? ''
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

/** The labels of resources that have the same operations. */
const labels = (resources: string, operations: string) =>
  resources.split(' ').flatMap(resource => operations.split(' ').map(operation => `${resource}:${operation}`))

interface Endpoint {
  method: string
  path: string
  isPublic: boolean
}
/** What the description of the API lists. Where a path has an identifier, it is that of nothing. */
async function endpoints(): Promise<Endpoint[]> {
  type Operations = Record<string, { security?: unknown[] }>
  const { paths } = (await nobody('GET', '/openapi.json')).body as { paths: Record<string, Operations> }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
      .map(([method, { security }]) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{[^}]+\}/g, missing),
        isPublic: security?.length === 0,
      })),
  )
}

const answerOf = async ({ method, path }: Endpoint, headers: Record<string, string>) => {
  const body = /^P/.test(method) ? { body: '{}' } : {}
  const sent = { 'Content-Type': 'application/json', ...newClient(), ...headers }
  return send(method, `/api/v1${path}`, { headers: sent, ...body })
}

describe('a request', () => {
  it('of nobody to a protected endpoint is answered with 403, on every one', async () => {
    const all = await endpoints()
    const guarded = all.filter(({ isPublic }) => !isPublic)
    expect([guarded.length > 200, all.length - guarded.length]).toEqual([true, 27])
    for (const endpoint of guarded)
      expect([endpoint, (await answerOf(endpoint, {})).status]).toEqual([endpoint, 403])
  })

  it('with a cookie of no session is answered with "sessions don\'t match", on every protected endpoint', async () => {
    const said = { error: "sessions don't match", code: 'session_expired' }
    for (const endpoint of (await endpoints()).filter(({ isPublic }) => !isPublic)) {
      const { status, body } = await answerOf(endpoint, dead)
      expect([endpoint, status, body]).toEqual([endpoint, 403, said])
    }
    expect(await nobody('GET', '/auth/me', undefined, dead)).toMatchObject({ status: 401, body: said })
  })

  it('needs the operation of its method on the resource: a viewer reads media and moves none', async () => {
    const { call } = await account('viewer')
    expect((await call('GET', '/media')).status).toBe(200)
    expect((await call('POST', '/media/move', { media_ids: [], folder_id: null })).status).toBe(403)
    expect((await call('DELETE', `/media/?q=${missing}`)).status).toBe(403)
  })
})

describe('permissions', () => {
  it('are these 72 at first', () => {
    const many =
      'datatypes fields media routes users roles permissions admin_tree field_types admin_field_types'
    const expected = [
      ...labels('content', 'read create update delete admin publish'),
      ...labels(many, 'read create update delete admin'),
      ...labels('sessions', 'read delete admin'),
      ...labels('ssh_keys', 'read create delete admin'),
      ...labels('config', 'read update admin'),
      ...labels('deploy', 'read create'),
      ...labels('webhook', 'create read update delete'),
    ]
    expect(expected).toHaveLength(72)
    expect(permissions.map(({ label }) => label).sort()).toEqual(expected.sort())
  })

  it('are found by their label', async () => {
    const { status, body } = await admin('GET', '/permissions?label=content:read')
    expect([status, body.map(({ label }: Labelled) => label)]).toEqual([200, ['content:read']])
    expect((await admin('GET', '/permissions?label=content:red')).body).toEqual([])
  })

  it('are 36 for editors, 5 for viewers and all for administrators', async () => {
    const of = async (role: string) => {
      const mapped: Labelled[] = (await admin('GET', `/role-permissions/role/?q=${roleId(role)}`)).body
      const ids = new Set(mapped.map(({ permission_id }) => permission_id))
      return permissions.filter(({ permission_id }) => ids.has(permission_id)).map(({ label }) => label)
    }
    const edited = 'content datatypes fields media routes admin_tree field_types admin_field_types'
    const editor = [
      ...labels(edited, 'read create update delete'),
      ...labels('users sessions ssh_keys config', 'read'),
    ]
    expect(editor).toHaveLength(36)
    expect((await of('editor')).sort()).toEqual(editor.sort())
    const viewer = labels('content media routes field_types admin_field_types', 'read')
    expect((await of('viewer')).sort()).toEqual(viewer.sort())
    expect(await of('admin')).toHaveLength(72)
  })

  it('have the form resource:operation, the resource of [a-z0-9_], the operation of [a-z]', async () => {
    const create = async (label: string) => [label, (await admin('POST', '/permissions', { label })).status]
    for (const label of ['tokens', 'Own:read', 'own:Read', 'a:b1', 'a b:c', 'a:b:c', ':x', 'x:'])
      expect(await create(label)).toEqual([label, 400])
    expect(await create('own_2:do')).toEqual(['own_2:do', 201])
  })

  it('of the system cannot be deleted or renamed, others can be deleted', async () => {
    const system = permissionId('content:read')
    expect((await admin('DELETE', `/permissions/?q=${system}`)).status).toBe(403)
    expect((await admin('PUT', `/permissions/?q=${system}`, { label: 'x:y' })).status).toBe(403)
    const { permission_id } = await made(admin('POST', '/permissions', { label: 'own:read' }))
    expect((await admin('DELETE', `/permissions/?q=${permission_id}`)).status).toBe(204)
  })

  it('for tokens reach their endpoints when they are created and assigned to a role, until they are removed', async () => {
    const { call } = await account('editor')
    expect((await call('GET', '/tokens')).status).toBe(403)
    const { permission_id } = await made(admin('POST', '/permissions', { label: 'tokens:read' }))
    const mapping = { role_id: roleId('editor'), permission_id }
    const { role_permission_id } = await made(admin('POST', '/role-permissions', mapping))
    expect((await call('GET', '/tokens')).status).toBe(200)
    expect((await admin('DELETE', `/role-permissions/?q=${role_permission_id}`)).status).toBe(204)
    expect((await call('GET', '/tokens')).status).toBe(403)
  })
})

describe('roles', () => {
  it('are created, read, renamed and deleted', async () => {
    const { role_id } = await made(admin('POST', '/roles', { label: 'helper' }))
    expect((await admin('GET', `/roles/?q=${role_id}`)).body.label).toBe('helper')
    expect((await admin('PUT', '/roles/', { role_id, label: 'helpers' })).body.label).toBe('helpers')
    expect((await admin('DELETE', `/roles/?q=${role_id}`)).status).toBe(204)
    expect((await admin('GET', `/roles/?q=${role_id}`)).status).toBe(404)
  })

  it.each(['admin', 'editor', 'viewer'])(
    'have %s among them, which cannot be deleted or renamed',
    async role => {
      expect((await admin('DELETE', `/roles/?q=${roleId(role)}`)).status).toBe(403)
      expect((await admin('PUT', `/roles/?q=${roleId(role)}`, { label: 'other' })).status).toBe(403)
    },
  )

  it('with users:update change the names of all but administrators, e-mail and password of viewers only', async () => {
    const { role_id } = await made(admin('POST', '/roles', { label: 'people' }))
    for (const label of ['users:read', 'users:update', 'users:delete'])
      await made(admin('POST', '/role-permissions', { role_id, permission_id: permissionId(label) }))
    const { call } = await account('people')
    const [editor, viewer] = [await account('editor'), await account('viewer')]
    const administrator = (await made(admin('GET', '/auth/me'))).user_id
    const change = async (user_id: string, patch: object) =>
      (await call('PUT', '/users/', { user_id, ...patch })).status
    expect(await change(editor.user_id, { name: 'Eva' })).toBe(200)
    expect(await change(editor.user_id, { email: 'eva@example.com' })).toBe(403)
    expect(await change(viewer.user_id, { email: 'vera@example.com' })).toBe(200)
    expect(await change(viewer.user_id, { password: 'another nice day today' })).toBe(200)
    expect(await change(administrator, { name: 'x' })).toBe(403)
  })
})

describe('an API key', () => {
  it('is created with label and user_id; the answer is 201 with the token', async () => {
    const { user_id } = await account('editor')
    const { status, body } = await admin('POST', '/tokens', { label: 'key', user_id })
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        token_id: expect.stringMatching(ulid),
        token: expect.any(String),
        label: 'key',
        user_id,
        date_created: expect.stringMatching(timestamp),
      }),
    ])
  })

  it('is created with a token of the caller, issued_at, expires_at and revoked', async () => {
    const { user_id } = await account('editor')
    const [token, expires_at] = ['an-own-token-of-0123456789-abcdefgh', '2099-01-01T00:00:00.000Z']
    const issued_at = '2026-01-01T00:00:00.000Z'
    const body = { user_id, token_type: 'api_key', token, issued_at, expires_at, revoked: false }
    expect(await admin('POST', '/tokens', body)).toMatchObject({ status: 201, body: { token, expires_at } })
    expect((await nobody('GET', '/content', undefined, bearer(token))).status).toBe(200)
  })

  it('is told in full only when it is created', async () => {
    const { token, token_id } = await made(admin('POST', '/tokens', { label: 'key' }))
    const shown = [(await admin('GET', '/tokens')).body, (await admin('GET', `/tokens/?q=${token_id}`)).body]
    expect(JSON.stringify(shown)).toContain(token_id)
    expect(JSON.stringify(shown)).not.toContain(token)
  })

  it('acts as its user, with the role and permissions of the user', async () => {
    const { user_id } = await account('editor')
    const { token } = await made(admin('POST', '/tokens', { label: 'key', user_id }))
    const route = { slug: '/by-key', title: 'By key' }
    expect(await nobody('POST', '/routes', route, bearer(token))).toMatchObject({
      status: 201,
      body: { author_id: user_id },
    })
    expect((await nobody('POST', '/users', {}, bearer(token))).status).toBe(403)
  })

  it('is read when the cookie fails', async () => {
    const { token } = await made(admin('POST', '/tokens', { label: 'key' }))
    expect((await nobody('GET', '/content', undefined, { ...bearer(token), ...dead })).status).toBe(200)
  })

  it('that is revoked, deleted or unknown is unauthenticated', async () => {
    const statusWith = async (key: string) => (await nobody('GET', '/content', undefined, bearer(key))).status
    const [revoked, deleted] = [
      await made(admin('POST', '/tokens', { label: 'key' })),
      await made(admin('POST', '/tokens', { label: 'key' })),
    ]
    expect([await statusWith(revoked.token), await statusWith(deleted.token)]).toEqual([200, 200])
    await made(admin('PUT', '/tokens/', { token_id: revoked.token_id, revoked: true }))
    await made(admin('DELETE', `/tokens/?q=${deleted.token_id}`))
    for (const key of [revoked.token, deleted.token, 'unknown'])
      expect([key, await statusWith(key)]).toEqual([key, 403])
  })
})
