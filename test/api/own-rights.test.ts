import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { testApp } from '../support/app.js'

const app = await testApp()
const { call, db } = app

/** Everything that manages accounts, and nothing else. */
const managing = [
  ...['create', 'read', 'update', 'delete'].flatMap(operation =>
    ['users', 'roles', 'permissions', 'tokens'].map(resource => `${resource}:${operation}`),
  ),
  ...['sessions:read', 'sessions:delete', 'ssh_keys:read', 'ssh_keys:delete'],
]
const headers = { Authorization: 'Bearer key-of-the-manager' }
const asManager = (method: string, path: string, body?: unknown) =>
  call(method, `/api/v1${path}`, { as: 'nobody', headers, ...(body === undefined ? {} : { body }) })

let made = 0
const name = () => `made_${++made}`

async function permission(label: string): Promise<string> {
  const found = await db.find(tables.permissions, { label })
  if (found) return found.permission_id
  return db.write(systemActor, async tx => (await tx.insert(tables.permissions, { label })).permission_id)
}

async function role(labels: readonly string[]): Promise<string> {
  const ids = await Promise.all(labels.map(permission))
  return db.write(systemActor, async tx => {
    const { role_id } = await tx.insert(tables.roles, { label: name() })
    for (const permission_id of ids) await tx.insert(tables.rolePermissions, { role_id, permission_id })
    return role_id
  })
}

/** Whoever the manager acts on: a user of that role with one of everything. */
async function account(roleId: string) {
  const user = name()
  return db.write(systemActor, async tx => {
    const { user_id } = await tx.insert(tables.users, {
      username: user,
      name: user,
      email: `${user}@example.com`,
      role: roleId,
    })
    const session = await tx.insert(tables.sessions, {
      user_id,
      token_hash: nodeHashing.sha256(user),
      last_access: '2026-11-21T12:00:00.000Z',
      expires_at: '2999-01-01T00:00:00.000Z',
    })
    const token = await tx.insert(tables.tokens, {
      user_id,
      token_type: 'api_key',
      token_hash: nodeHashing.sha256(`key ${user}`),
      issued_at: '2026-11-21T12:00:00.000Z',
    })
    const key = await tx.insert(tables.sshKeys, {
      user_id,
      public_key: user,
      key_type: 'ssh-ed25519',
      fingerprint: user,
      label: '',
    })
    return {
      roleId,
      user_id,
      session_id: session.session_id,
      token_id: token.token_id,
      ssh_key_id: key.ssh_key_id,
    }
  })
}
type Account = Awaited<ReturnType<typeof account>>

const equalRole = await role(managing)
const manager = await account(equalRole)
await db.write(systemActor, tx =>
  tx.insert(tables.tokens, {
    user_id: manager.user_id,
    token_type: 'api_key',
    token_hash: nodeHashing.sha256('key-of-the-manager'),
    issued_at: '2026-11-21T12:00:00.000Z',
  }),
)
/** Everything that an equal may, and one thing more. */
const greater = [...managing, 'content:read']

/** What takes from an account or role, or changes it; done to one that may the same, and to one that may more. */
const changes: [what: string, done: number, act: (of: Account) => Promise<{ status: number }>][] = [
  ['sets its password', 200, of => asManager('PUT', `/users/?q=${of.user_id}`, { password: 'of the thief' })],
  [
    'sets its address',
    200,
    of => asManager('PUT', `/users/?q=${of.user_id}`, { email: `${name()}@example.com` }),
  ],
  ['deletes the account', 204, of => asManager('DELETE', `/users/?q=${of.user_id}`)],
  [
    'deletes the account and keeps its work',
    200,
    of => asManager('POST', '/users/reassign-delete', { user_id: of.user_id, reassign_to: manager.user_id }),
  ],
  ['ends a session', 204, of => asManager('DELETE', `/sessions/?q=${of.session_id}`)],
  ['ends a session as its own', 204, of => asManager('DELETE', `/users/sessions?q=${of.session_id}`)],
  ['removes an SSH key', 204, of => asManager('DELETE', `/ssh-keys/${of.ssh_key_id}`)],
  ['revokes a key', 200, of => asManager('PUT', `/tokens/?q=${of.token_id}`, { revoked: true })],
  ['prolongs a key', 200, of => asManager('PUT', `/tokens/?q=${of.token_id}`, { expires_at: null })],
  ['deletes a key', 204, of => asManager('DELETE', `/tokens/?q=${of.token_id}`)],
  ['renames the role', 200, of => asManager('PUT', `/roles/?q=${of.roleId}`, { label: name() })],
  [
    'takes a permission from the role',
    204,
    async of => {
      const [mapping] = await db.findAll(tables.rolePermissions, { role_id: of.roleId })
      return asManager('DELETE', `/role-permissions/?q=${mapping?.role_permission_id}`)
    },
  ],
  [
    'deletes the role',
    204,
    async of => {
      await call('PUT', `/api/v1/users/?q=${of.user_id}`, { body: { role: 'viewer' } })
      return asManager('DELETE', `/roles/?q=${of.roleId}`)
    },
  ],
]

it.each(changes)('whoever manages accounts %s of an equal only', async (_, done, act) => {
  expect((await act(await account(await role(greater)))).status).toBe(403)
  expect((await act(await account(await role(managing)))).status).toBe(done)
})

const systemRole = async (label: string) => (await db.find(tables.roles, { label }))?.role_id ?? ''
const ofAccounts = changes.filter(([what]) => !what.includes('role'))

it.each(ofAccounts)(
  'whoever manages accounts %s of a viewer, and of no administrator',
  async (_, done, act) => {
    expect((await act(await account(await systemRole('viewer')))).status).toBe(done)
    for (const label of ['editor', 'admin'])
      expect((await act(await account(await systemRole(label)))).status).toBe(403)
  },
)

it('whoever manages accounts changes the names of all but administrators', async () => {
  for (const roleId of [await role(greater), await role(managing), await systemRole('editor')]) {
    const { user_id } = await account(roleId)
    const { body } = await call('GET', `/api/v1/users/?q=${user_id}`)
    // As it was read, with another name.
    const named = await asManager('PUT', '/users/', { ...body, name: 'New', username: name() })
    expect([named.status, named.body.name, named.body.email]).toEqual([200, 'New', body.email])
  }
  const { user_id } = await account(await systemRole('admin'))
  for (const body of [{ name: 'x' }, { username: name() }, {}])
    expect((await asManager('PUT', `/users/?q=${user_id}`, body)).status).toBe(403)
})

it('whoever manages accounts gives no role', async () => {
  const { user_id } = await account(await systemRole('viewer'))
  const { body } = await asManager('PUT', `/users/?q=${user_id}`, { role: 'editor' })
  expect(body.role_label).toBe('viewer')
})

it.each<[string, (label: string) => Promise<{ status: number; body: unknown }>]>([
  ['makes no permission', label => asManager('POST', '/permissions', { label })],
  [
    'renames no permission that its own role has',
    async label => {
      const permission_id = await permission(`${name()}:read`)
      await db.write(systemActor, tx =>
        tx.insert(tables.rolePermissions, { role_id: equalRole, permission_id }),
      )
      const answer = await asManager('PUT', `/permissions/?q=${permission_id}`, { label })
      const mapping = await db.find(tables.rolePermissions, { role_id: equalRole, permission_id })
      await db.write(systemActor, tx => tx.remove(tables.rolePermissions, mapping?.role_permission_id ?? ''))
      return answer
    },
  ],
  [
    'maps no permission',
    async label =>
      asManager('POST', '/role-permissions', { role_id: equalRole, permission_id: await permission(label) }),
  ],
])('whoever manages accounts %s that they do not have', async (_, act) => {
  // One that endpoints ask for and that nobody made yet, and one that means it by another spelling.
  for (const label of [`${name()}:read`, `webhooks:${name().replace(/[^a-z]/g, '')}`]) {
    expect([label, await act(label)]).toMatchObject([label, { status: 403, body: { code: 'forbidden' } }])
  }
})

it('whoever manages accounts makes a role that may nothing, and gives it what they have', async () => {
  const { status, body } = await asManager('POST', '/roles', { label: name() })
  expect(status).toBe(201)
  const permission_id = await permission('users:read')
  const given = await asManager('POST', '/role-permissions', { role_id: body.role_id, permission_id })
  expect(given.status).toBe(201)
})

it('whoever manages accounts makes keys for themselves only, and accounts of viewers only', async () => {
  const other = await account(await role([]))
  expect((await asManager('POST', '/tokens', { user_id: other.user_id })).status).toBe(403)
  const user = await asManager('POST', '/users', { email: `${name()}@example.com`, role: 'editor' })
  expect([user.status, user.body.role_label]).toEqual([201, 'viewer'])
})
