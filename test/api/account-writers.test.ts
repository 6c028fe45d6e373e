import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Actor, systemActor } from '../../src/actor.js'
import { userRole } from '../../src/cli/accounts.js'
import { tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'

const app = await testApp()
const { services, db } = app
const { callerWith, roleWith } = callersOf(app)
const { users, passwordReset, sessions, tokens, sshKeys, roles, permissions, rolePermissions, secondFactor } =
  services

const accountTables = {
  users: tables.users,
  sessions: tables.sessions,
  tokens: tables.tokens,
  sshKeys: tables.sshKeys,
  oauthConnections: tables.oauthConnections,
  secondFactors: tables.secondFactors,
  passkeys: tables.passkeys,
  userPreferences: tables.userPreferences,
  roles: tables.roles,
  permissions: tables.permissions,
  rolePermissions: tables.rolePermissions,
}

let count = 0
const fresh = (what: string) => `${what}${++count}`

/** Somebody with one of everything, and a permission that nobody here has. */
async function account(role: string) {
  const name = fresh('target-')
  return db.write(systemActor, async tx => {
    const { user_id } = await tx.insert(tables.users, {
      ...{ username: name, name, email: `${name}@example.com`, role },
    })
    const hash = (of: string) => nodeHashing.sha256(`${of} ${name}`)
    const { session_id } = await tx.insert(tables.sessions, {
      ...{ user_id, token_hash: hash('session') },
      ...{ last_access: '2026-11-21T12:00:00.000Z', expires_at: '2999-01-01T00:00:00.000Z' },
    })
    const { token_id } = await tx.insert(tables.tokens, {
      ...{ user_id, token_type: 'api_key', token_hash: hash('key'), issued_at: '2026-11-21T12:00:00.000Z' },
    })
    const { ssh_key_id } = await tx.insert(tables.sshKeys, {
      ...{ user_id, public_key: name, key_type: 'ssh-ed25519', fingerprint: name, label: '' },
    })
    await tx.insert(tables.secondFactors, { ...{ user_id, secret: name, confirmed_at: tx.now } })
    const { permission_id } = await tx.insert(tables.permissions, { label: `${fresh('thing_')}:read` })
    return { user_id, role, session_id, token_id, ssh_key_id, permission_id }
  })
}
type Target = Awaited<ReturnType<typeof account>>

const permissionId = async (label: string) => {
  const known = await db.find(tables.permissions, { label })
  const made = known ?? (await db.write(systemActor, tx => tx.insert(tables.permissions, { label })))
  return made.permission_id
}
const mappingOf = async (role_id: string) =>
  (await db.find(tables.rolePermissions, { role_id }))?.role_permission_id ?? ''

interface Writer {
  /** All that the caller may: what the endpoint or command of the writer asks for. */
  readonly permission: string
  readonly acts: readonly ((actor: Actor, target: Target) => Promise<unknown>)[]
}

/** Every method of the services of accounts. What changes something of others has its tries, all others a reason. */
const methods: Readonly<Record<string, Writer | string>> = {
  'users.list': 'reads',
  'users.count': 'reads',
  'users.get': 'reads',
  'users.byEmail': 'reads',
  'users.recordOf': 'reads',
  'users.create': 'makes viewers: a role is ignored unless an administrator sends it',
  'users.update': {
    permission: 'users:update',
    acts: [
      (actor, { user_id }) => users.update(actor, user_id, { password: 'a password of the thief' }),
      (actor, { user_id }) => users.update(actor, user_id, { email: `${fresh('thief')}@example.com` }),
    ],
  },
  'users.remove': {
    permission: 'users:delete',
    acts: [(actor, { user_id }) => users.remove(actor, user_id)],
  },
  'users.reassignAndDelete': {
    permission: 'users:delete',
    acts: [
      (actor, { user_id }) => users.reassignAndDelete(actor, { user_id, reassign_to: actor.userId ?? '' }),
    ],
  },
  'passwordReset.set': {
    permission: 'users:admin',
    acts: [(actor, { user_id }) => passwordReset.set(actor, user_id, 'a password of the thief')],
  },
  'passwordLinks.create': {
    permission: 'users:update',
    acts: [(actor, { user_id }) => services.passwordLinks.create(actor, { user_id })],
  },
  'passwordReset.change': 'is about the own account, with its password',
  'passwordReset.request': 'sends a mail to the owner',
  'passwordReset.confirm': 'takes the token of that mail',
  'registration.register': 'makes a viewer',
  'sessions.get': 'reads',
  'sessions.live': 'reads',
  'sessions.own': 'reads',
  'sessions.endOthers': 'is about the own account',
  'sessions.end': {
    permission: 'sessions:delete',
    acts: [(actor, { session_id }) => sessions.end(actor, session_id)],
  },
  'tokens.list': 'reads',
  'tokens.count': 'reads',
  'tokens.get': 'reads',
  'tokens.create': {
    permission: 'tokens:create',
    acts: [
      (actor, { user_id }) =>
        tokens.create(actor, {
          ...{ user_id, label: '', token_type: 'api_key', revoked: false, permissions: null },
          ...{ read_only: false, limits: null, rate_limit: null },
        }),
    ],
  },
  'tokens.createByHash': {
    permission: 'tokens:create',
    acts: [
      (actor, { user_id }) =>
        tokens.createByHash(
          actor,
          {
            ...{ user_id, label: '', token_type: 'api_key', revoked: false, permissions: null },
            ...{ read_only: false, limits: null, rate_limit: null },
          },
          { token_hash: nodeHashing.sha256(fresh('key')), token_prefix: 'slk_' },
        ),
    ],
  },
  'tokens.update': {
    permission: 'tokens:update',
    acts: [
      (actor, { token_id }) => tokens.update(actor, token_id, { revoked: true }),
      (actor, { token_id }) => tokens.update(actor, token_id, { permissions: ['tokens:update'] }),
    ],
  },
  'tokens.remove': {
    permission: 'tokens:delete',
    acts: [(actor, { token_id }) => tokens.remove(actor, token_id)],
  },
  'deviceSignIn.begin': 'is about nobody yet',
  'deviceSignIn.state': 'takes the secret of the device',
  'deviceSignIn.find': 'reads',
  'deviceSignIn.approve': 'makes a key of the own account',
  'deviceSignIn.deny': 'takes the code, and makes no key',
  'sshKeys.list': 'reads',
  'sshKeys.add': 'is about the own account',
  'sshKeys.remove': {
    permission: 'ssh_keys:delete',
    acts: [(actor, { ssh_key_id }) => sshKeys.remove(actor, ssh_key_id)],
  },
  'roles.list': 'reads',
  'roles.count': 'reads',
  'roles.get': 'reads',
  'roles.create': 'makes a role that may nothing',
  'roles.update': {
    permission: 'roles:update',
    acts: [(actor, { role }) => roles.update(actor, role, { label: fresh('role ') })],
  },
  'roles.remove': { permission: 'roles:delete', acts: [(actor, { role }) => roles.remove(actor, role)] },
  'permissions.list': 'reads',
  'permissions.count': 'reads',
  'permissions.get': 'reads',
  'permissions.create': {
    permission: 'permissions:create',
    acts: [actor => permissions.create(actor, { label: `${fresh('thing_')}:read` })],
  },
  'permissions.update': {
    permission: 'permissions:update',
    acts: [
      (actor, { permission_id }) =>
        permissions.update(actor, permission_id, { label: `${fresh('thing_')}:read` }),
      (actor, { permission_id }) => permissions.update(actor, permission_id, { label: 'permissions:update' }),
    ],
  },
  'permissions.remove': {
    permission: 'permissions:delete',
    acts: [(actor, { permission_id }) => permissions.remove(actor, permission_id)],
  },
  'rolePermissions.list': 'reads',
  'rolePermissions.count': 'reads',
  'rolePermissions.get': 'reads',
  'rolePermissions.ofRole': 'reads',
  'rolePermissions.grant': {
    permission: 'roles:create',
    acts: [
      (actor, { permission_id }) =>
        rolePermissions.grant(actor, { role_id: actor.roleId ?? '', permission_id }),
      async (actor, { role }) =>
        rolePermissions.grant(actor, { role_id: role, permission_id: await permissionId('roles:create') }),
    ],
  },
  'rolePermissions.replace': {
    permission: 'roles:create',
    acts: [
      (actor, { permission_id }) => rolePermissions.replace(actor, actor.roleId ?? '', [permission_id]),
      (actor, { role }) => rolePermissions.replace(actor, role, []),
    ],
  },
  'rolePermissions.remove': {
    permission: 'roles:delete',
    acts: [async (actor, { role }) => rolePermissions.remove(actor, await mappingOf(role))],
  },
  'auth.verifyLogin': 'reads',
  'auth.login': 'takes the password',
  'auth.loginByPassword': 'takes the password',
  'auth.loginWithCode': 'takes the ticket of the password, and the code',
  'auth.open': 'is called for who has shown who they are',
  'auth.logout': 'takes the cookie',
  'auth.countRequest': 'counts a request of a key',
  'auth.identify': 'reads',
  'auth.identifyCached': 'reads',
  'auth.profile': 'reads',
  'oauth.offered': 'reads',
  'oauth.begin': 'is about nobody yet',
  'oauth.finish': 'takes what the provider says',
  'oauth.refresh': 'renews tokens of the one who signs in',
  'sshSignIn.byPassword': 'takes the password',
  'sshSignIn.byKey': 'takes what the key has signed',
  'sshSignIn.open': 'is called for who has shown who they are',
  'sshSignIn.hasGuests': 'reads',
  'sshSignIn.openForGuest': 'stores nothing',
  'sshSignIn.close': 'ends the session of a connection',
  'sshSignIn.identify': 'reads',
  'sshSignIn.live': 'reads',
  'accounts.full': 'reads',
  'secondFactor.state': 'reads',
  'secondFactor.holders': 'reads',
  'secondFactor.begin': 'is about the own account, with its password',
  'secondFactor.confirm': 'is about the own account',
  'secondFactor.renewCodes': 'is about the own account, with its password and a code',
  'secondFactor.turnOff': 'is about the own account, with its password and a code',
  'secondFactor.reset': {
    permission: 'users:update',
    acts: [(actor, { user_id }) => secondFactor.reset(actor, user_id)],
  },
  'passkeys.isAvailable': 'reads',
  'passkeys.list': 'reads',
  'passkeys.asks': 'reads',
  'passkeys.begin': 'is about the own account, with its password and a code',
  'passkeys.add': 'is about the own account, after begin',
  'passkeys.rename': 'is about the own account',
  'passkeys.remove': 'is about the own account',
  'passkeys.beginSignIn': 'is about nobody yet',
  'passkeys.signIn': 'takes what the passkey has signed',
  'savedViews.own': 'reads',
  'savedViews.create': 'is about the own account',
  'savedViews.rename': 'is about the own account',
  'savedViews.remove': 'is about the own account',
  'terminalTheme.own': 'reads',
  'terminalTheme.choose': 'is about the own account',
  'calendarAddress.key': 'reads',
  'calendarAddress.create': 'is about the own account',
  'calendarAddress.revoke': 'is about the own account',
  'calendarAddress.open': 'reads',
}

/** The names of the functions of a service, whether it is an object or made by a class. */
function namesOf(service: object): string[] {
  const prototype: object = Object.getPrototypeOf(service)
  const ofClass = prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype)
  const values = service as Readonly<Record<string, unknown>>
  return [...new Set([...Object.keys(service), ...ofClass])].filter(
    name => name !== 'constructor' && typeof values[name] === 'function',
  )
}

const { registration, auth, oauth, sshSignIn, accounts, savedViews, calendarAddress, deviceSignIn } = services
const { terminalTheme, passwordLinks, passkeys } = services
const named = {
  users,
  passwordReset,
  passwordLinks,
  registration,
  sessions,
  tokens,
  sshKeys,
  roles,
  permissions,
}
const others = {
  ...{ rolePermissions, auth, oauth, sshSignIn, accounts, savedViews, terminalTheme, calendarAddress },
  ...{ deviceSignIn, secondFactor, passkeys },
}

it('has a line for every method of a service of accounts, and no other', () => {
  const found = Object.entries({ ...named, ...others }).flatMap(([name, service]) =>
    namesOf(service).map(method => `${name}.${method}`),
  )
  expect(found.toSorted()).toEqual(Object.keys(methods).toSorted())
})

it('finds nothing outside of those services that writes accounts, but the first start', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name))
  const writes = new RegExp(
    `tx\\s*\\.(insert|update|remove|set)\\w*\\(\\s*(tables\\.(${Object.keys(accountTables).join('|')})\\b|credentialTables)`,
  )
  const found = files.filter(name => writes.test(readFileSync(join('src', name), 'utf8')))
  expect(found.filter(name => !name.startsWith('services/accounts/'))).toEqual(['services/bootstrap.ts'])
})

const snapshot = async () => ({
  rows: await Promise.all(Object.values(accountTables).map(table => db.findAll(table))),
  audits: (await app.audits()).length,
})

const writers = Object.entries(methods).flatMap(([name, method]) =>
  typeof method === 'string' ? [] : [{ name, ...method }],
)

describe.each(writers)('$name, by who may nothing but $permission', ({ permission, acts }) => {
  it.each([
    ['an administrator', () => services.access.systemRole('admin')],
    ['somebody who may one thing more', () => roleWith(permission, 'content:read')],
  ])('is refused for %s and changes nothing', async (_, roleOf) => {
    const { actor } = await callerWith(permission)
    for (const act of acts) {
      const target = await account(await roleOf())
      const before = await snapshot()
      const refused: unknown = await act(actor, target).catch((error: unknown) => error)
      expect(refused).toMatchObject({ status: 403 })
      expect(await snapshot()).toEqual(before)
    }
  })
})

it('lets the operator of the machine set the password of everybody', async () => {
  const operator: Actor = {
    ...systemActor,
    surface: 'cli',
    roleId: await services.access.systemRole('admin'),
  }
  const { user_id, session_id } = await account(await services.access.systemRole('admin'))
  await passwordReset.set(operator, user_id, 'a password of the operator')
  expect((await db.get(tables.users, user_id))?.password).toMatch(/^\$argon2id/)
  expect(await db.get(tables.sessions, session_id)).toBeUndefined()
})

it('says that a command gives no role where the API ignores it', async () => {
  const { actor } = await callerWith('users:update')
  const { user_id, role } = await account(await services.access.systemRole('viewer'))
  const { email } = await users.get(user_id)
  const before = await snapshot()
  // This command only writes.
  const io = { write: () => undefined } as never
  const refused = userRole(services, actor, io, {}, [email, 'admin'])
  await expect(refused).rejects.toMatchObject({ status: 403 })
  expect((await users.get(user_id)).role).toBe(role)
  expect(await snapshot()).toEqual(before)
})
