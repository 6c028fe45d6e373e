import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { type Caller, testApp } from '../support/app.js'

const { call, db, users, audits, clock } = await testApp()
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const api = (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })
const statuses = async (answers: Promise<{ status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)
const roleIds = new Map((await db.findAll(tables.roles)).map(role => [role.label, role.role_id]))
const role = (label: string) => roleIds.get(label) ?? ''

let made = 0
/** A user with a password, and a way to call as them. */
async function person(label: string, permissions: readonly string[] = []) {
  made++
  if (!roleIds.has(label)) {
    const { body } = await api('POST', '/roles', { label })
    roleIds.set(label, body.role_id)
    for (const permission of permissions) {
      const found = await db.find(tables.permissions, { label: permission })
      const id =
        found?.permission_id ?? (await api('POST', '/permissions', { label: permission })).body.permission_id
      await api('POST', '/role-permissions', { role_id: body.role_id, permission_id: id })
    }
  }
  const email = `person${made}@example.com`
  const { body } = await api('POST', '/users', { email, password: 'long enough', role: label })
  const login = () =>
    call('POST', '/api/v1/auth/login', { as: 'nobody', body: { email, password: 'long enough' } })
  const cookie = async () => (await login()).headers.get('set-cookie')?.split(';')[0] ?? ''
  const Cookie = await cookie()
  return {
    id: body.user_id as string,
    email,
    cookie,
    Cookie,
    login,
    call: (method: string, path: string, body?: unknown) =>
      call(method, `/api/v1${path}`, {
        as: 'nobody',
        headers: { Cookie },
        ...(body === undefined ? {} : { body }),
      }),
  }
}

describe('users', () => {
  it('are created, listed, read, changed and deleted', async () => {
    const before = (await audits()).length
    const created = await api('POST', '/users', {
      email: ' Ann@Example.com ',
      name: 'Ann',
      password: 'correct horse',
      role: 'editor',
      user_id: missing,
      date_created: '2001-01-01T00:00:00.000Z',
    })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      email: 'ann@example.com',
      username: 'ann',
      role: role('editor'),
      role_label: 'editor',
    })
    expect(Object.keys(created.body)).toEqual([
      'user_id',
      'username',
      'name',
      'email',
      'email_verified',
      'role',
      'role_label',
      'created_at',
      'date_created',
      'date_modified',
    ])
    const id = created.body.user_id
    expect(id).not.toBe(missing)
    expect((await api('GET', `/users/?q=${id}`)).body).toEqual(created.body)
    expect((await api('GET', '/users')).body).toContainEqual(created.body)
    clock.advance(1000)
    // What was read can be sent back.
    const back = await api('PUT', '/users/', { ...created.body, name: 'Anna' })
    expect([back.status, back.body.name, back.body.role_label]).toEqual([200, 'Anna', 'editor'])
    expect((await api('DELETE', `/users/?q=${id}`)).status).toBe(204)
    expect((await api('GET', `/users/?q=${id}`)).status).toBe(404)
    const events = (await audits()).slice(before).map(event => `${event.operation} ${event.table_name}`)
    expect(events).toEqual(['INSERT users', 'UPDATE users', 'DELETE users'])
    expect(JSON.stringify(await audits())).not.toContain('argon2')
  })

  it('take a role by its name or its id, and refuse two that differ', async () => {
    const post = (email: string, more: object) => api('POST', '/users', { email, ...more })
    expect((await post('r1@example.com', { role_id: role('editor') })).body.role_label).toBe('editor')
    expect((await post('r2@example.com', { role: role('editor'), role_id: role('editor') })).status).toBe(201)
    expect((await post('r3@example.com', { role: 'editor', role_id: role('viewer') })).status).toBe(400)
    expect((await post('r3@example.com', { role: 'nothing' })).status).toBe(400)
    expect((await post('r3@example.com', {})).body.role_label).toBe('viewer')
  })

  it.each([
    ['no e-mail', { name: 'x' }, 400],
    ['no address', { email: 'x' }, 400],
    ['a short password', { email: 'x@example.com', password: '1234567' }, 400],
    ['a long password', { email: 'x@example.com', password: 'x'.repeat(129) }, 400],
    ['an object as e-mail', { email: { $ne: '' } }, 400],
    ['a username with a blank', { email: 'x@example.com', username: 'a b' }, 400],
    ['an e-mail that is taken', { email: 'EDITOR@example.com' }, 409],
    ['a username that is taken', { email: 'x@example.com', username: 'editor' }, 409],
  ])('refuse %s', async (_, body, status) => {
    expect((await api('POST', '/users', body)).status).toBe(status)
  })

  it('keep an administrator, whoever tries at once', async () => {
    const { id } = await person('admin')
    const answers = await statuses([
      api('PUT', `/users/?q=${id}`, { role: 'viewer' }),
      api('PUT', `/users/?q=${users.admin}`, { role: 'viewer' }),
    ])
    expect(answers.toSorted()).toEqual([200, 409])
    await db.write(systemActor, tx => tx.update(tables.users, users.admin, { role: role('admin') }))
    await db.write(systemActor, tx => tx.update(tables.users, id, { role: role('viewer') }))
    await db.write(systemActor, async tx => {
      await tx.insert(tables.sessions, {
        user_id: users.admin,
        token_hash: nodeHashing.sha256('admin-secret-of-this-test-2'),
        last_access: '2027-01-01T00:00:00.000Z',
        expires_at: '2027-01-01T00:00:00.000Z',
      })
    })
    const again = (method: string, path: string, body?: unknown) =>
      call(method, `/api/v1${path}`, {
        as: 'nobody',
        headers: { Cookie: 'cms_session=admin-secret-of-this-test-2' },
        ...(body === undefined ? {} : { body }),
      })
    expect((await again('DELETE', `/users/?q=${users.admin}`)).status).toBe(409)
    expect((await again('PUT', `/users/?q=${users.admin}`, { role: 'editor' })).status).toBe(409)
    expect(
      (await again('POST', '/users/reassign-delete', { user_id: users.admin, reassign_to: users.editor }))
        .status,
    ).toBe(409)
    expect((await again('GET', '/auth/me')).body.role_label).toBe('admin')
  })

  it('lose their sessions, and nobody else does, when password or role change or they are deleted', async () => {
    const [a, b] = [await person('viewer'), await person('viewer')]
    const me = async (p: { call: typeof a.call }) => (await p.call('GET', '/auth/me')).status
    expect(await me(a)).toBe(200)
    await api('PUT', `/users/?q=${a.id}`, { name: 'Same' })
    expect(await me(a)).toBe(200)
    await api('PUT', `/users/?q=${a.id}`, { password: 'another long one' })
    expect([await me(a), await me(b)]).toEqual([401, 200])
    expect((await a.login()).status).toBe(401)
    await api('PUT', `/users/?q=${b.id}`, { role: 'editor' })
    expect(await me(b)).toBe(401)
    const c = await person('viewer')
    const key = (await api('POST', '/tokens', { user_id: c.id })).body.token
    const byKey = () =>
      call('GET', '/api/v1/routes', { as: 'nobody', headers: { Authorization: `Bearer ${key}` } })
    expect([await me(c), (await byKey()).status]).toEqual([200, 200])
    expect((await api('DELETE', `/users/?q=${c.id}`)).status).toBe(204)
    expect([await me(c), (await byKey()).status]).toEqual([401, 403])
  })

  it('leave what they wrote to another, with an event for each record', async () => {
    const writer = await person('editor')
    const { body: route } = await writer.call('POST', '/routes', { slug: '/by-writer', title: 'x' })
    const { body: type } = await writer.call('POST', '/datatypes', { label: 'Writers page', type: 'content' })
    const { body: entry } = await writer.call('POST', '/content', {
      datatype_id: type.datatype_id,
      route_id: route.route_id,
    })
    await api('POST', '/content/publish', { content_data_id: entry.content_data_id })
    const raw = async () => (await call('GET', '/by-writer?format=raw', { as: 'nobody' })).body
    expect((await raw()).root.author_id).toBe(writer.id)
    expect((await api('DELETE', `/users/?q=${writer.id}`)).status).toBe(409)
    const reassign = (body: object, as: Caller = 'admin') => api('POST', '/users/reassign-delete', body, as)
    const both = { user_id: writer.id, reassign_to: users.editor }
    expect((await reassign({ ...both, reassign_to: writer.id })).status).toBe(400)
    expect((await reassign({ ...both, reassign_to: missing })).status).toBe(400)
    expect((await reassign({ ...both, user_id: missing })).status).toBe(404)
    expect((await reassign({})).status).toBe(400)
    const before = (await audits()).length
    expect(await reassign(both)).toMatchObject({
      status: 200,
      body: { ...both, reassigned: { routes: 1, datatypes: 1, content_data: 1 } },
    })
    const page = await raw()
    expect([page.root.author_id, page.route.author_id, page.datatypes[0].author_id]).toEqual(
      Array(3).fill(users.editor),
    )
    expect(
      (await audits()).slice(before).map(({ operation, table_name }) => `${operation} ${table_name}`),
    ).toEqual(['UPDATE routes', 'UPDATE datatypes', 'UPDATE content_data', 'DELETE sessions', 'DELETE users'])
  })
})

describe('rights', () => {
  it('ignore the role in an own PUT, and let everyone change their own name only', async () => {
    const me = await person('viewer')
    const own = (body: object) => me.call('PUT', '/users/', { user_id: me.id, ...body })
    expect((await own({ name: 'New', role: 'admin', role_id: role('admin') })).body).toMatchObject({
      name: 'New',
      role_label: 'viewer',
    })
    expect((await own({ password: 'another long one' })).status).toBe(400)
    expect((await own({ email: 'taken-over@example.com' })).status).toBe(403)
    expect((await me.call('PUT', `/users/?q=${users.editor}`, { name: 'x' })).status).toBe(403)
    expect((await me.call('PUT', `/users/?q=${users.editor}`, { user_id: me.id, name: 'x' })).status).toBe(
      400,
    )
    expect((await me.call('GET', '/users')).status).toBe(403)
    expect((await me.call('GET', `/users/full/?q=${users.editor}`)).status).toBe(403)
    const full = await me.call('GET', `/users/full/?q=${me.id}`)
    expect(Object.keys(full.body).slice(-4)).toEqual(['oauth_connections', 'ssh_keys', 'sessions', 'tokens'])
  })

  it('do not grow by users:create, users:update or users:delete', async () => {
    const clerk = await person('clerk', ['users:create', 'users:read', 'users:update', 'users:delete'])
    const made = await clerk.call('POST', '/users', {
      email: 'by-clerk@example.com',
      role: 'admin',
      role_id: role('admin'),
    })
    expect(made.body.role_label).toBe('viewer')
    for (const body of [{ email: 'mine@example.com' }, { password: 'mine from now on' }])
      for (const id of [users.admin, users.editor])
        expect((await clerk.call('PUT', `/users/?q=${id}`, body)).status).toBe(403)
    expect((await clerk.call('PUT', `/users/?q=${users.admin}`, { name: 'x' })).status).toBe(403)
    expect((await clerk.call('DELETE', `/users/?q=${users.admin}`)).status).toBe(403)
    const colleague = await person('clerk')
    const changed = await clerk.call('PUT', `/users/?q=${colleague.id}`, { name: 'x', role: 'admin' })
    expect([changed.status, changed.body.role_label]).toEqual([200, 'clerk'])
  })

  it('are given only by those who have them', async () => {
    const keeper = await person('keeper', ['roles:create', 'roles:read', 'permissions:read', 'content:read'])
    const { body: permissions } = await keeper.call('GET', '/permissions')
    const idOf = (label: string) =>
      permissions.find((row: { label: string }) => row.label === label).permission_id
    const grant = (label: string) =>
      keeper.call('POST', '/role-permissions', { role_id: role('keeper'), permission_id: idOf(label) })
    expect((await grant('users:update')).status).toBe(403)
    expect((await grant('content:read')).status).toBe(409)
    const { body: fresh } = await keeper.call('POST', '/roles', { label: 'Readers' })
    const given = await keeper.call('POST', '/role-permissions', {
      role_id: fresh.role_id,
      permission_id: idOf('content:read'),
    })
    expect(given.status).toBe(201)
    expect((await keeper.call('GET', `/role-permissions/role/?q=${fresh.role_id}`)).body).toEqual(
      [{ ...given.body, date_created: undefined, label: 'content:read' }].map(
        ({ date_created: _, ...row }) => row,
      ),
    )
  })

  it('follow a mapping that is removed, at once', async () => {
    const reader = await person('once', ['users:read'])
    expect((await reader.call('GET', '/users')).status).toBe(200)
    const { body } = await api('GET', `/role-permissions/role/?q=${role('once')}`)
    expect((await api('DELETE', `/role-permissions/?q=${body[0].role_permission_id}`)).status).toBe(204)
    expect((await reader.call('GET', '/users')).status).toBe(403)
  })
})

it('an address with letters that fold into ASCII is no address, and signs nobody in', async () => {
  const { email } = await person('viewer')
  const folding = ['\u212a@example.com', `${email.slice(0, -1)}\uff4d`, `\u3000${email}`, `${email}\ufeff`]
  for (const address of folding) {
    const body = { email: address, password: 'long enough' }
    for (const path of ['/users', '/auth/register'])
      expect([address, path, (await api('POST', path, body)).status]).toEqual([address, path, 400])
    expect((await api('POST', '/auth/login', body)).status).toBe(401)
  }
})

describe('a password that can be guessed', () => {
  const refused = { status: 400, body: { code: 'invalid', member: 'password' } }
  const owner = { email: 'ann.smith@guess.example', username: 'asmith', name: 'Ann Smithson' }

  it.each([
    ['a common one', 'password123'],
    ['a common one in capitals', 'QwertyUiop'],
    ['a common one with a sign behind it', 'Password1!'],
    ['a common one in another form of letters', 'ｐassword'],
    ['one of three characters', '121212123'],
    ['the address', owner.email],
    ['the address in capitals', owner.email.toUpperCase()],
    ['the name in the address with a year', 'AnnSmith2024!'],
    ['the host of the address', 'guess-example'],
    ['the username twice', 'asmithasmith'],
    ['the name', 'Ann Smithson'],
  ])('is refused at each endpoint that sets one: %s', async (_, password) => {
    for (const path of ['/users', '/auth/register'])
      expect(await api('POST', path, { ...owner, password })).toMatchObject(refused)
    const own = await person('viewer')
    const { body } = await api('PUT', `/users/?q=${own.id}`, owner)
    expect(body).toMatchObject(owner)
    const changed = { current_password: 'long enough', password }
    expect(await own.call('POST', '/auth/reset', changed)).toMatchObject(refused)
    expect(await api('PUT', `/users/?q=${own.id}`, { password })).toMatchObject(refused)
    expect((await api('DELETE', `/users/?q=${own.id}`)).status).toBe(204)
  })

  it('is refused by what the account will be called', async () => {
    const own = await person('viewer')
    const change = { username: 'mrs.newname', password: 'mrs.newname1' }
    expect(await api('PUT', `/users/?q=${own.id}`, change)).toMatchObject(refused)
    expect(await api('PUT', `/users/?q=${own.id}`, { password: change.password })).toMatchObject({
      status: 200,
    })
  })

  it.each(['smithy of iron and coal', 'ann 8347 # 2!93^', 'correct horse', 'x9$kV!2p'])(
    'is not this one: %s',
    async password => {
      const { status, body } = await api('POST', '/users', { ...owner, password })
      expect([status, body.error]).toEqual([201, undefined])
      await api('DELETE', `/users/?q=${body.user_id}`)
    },
  )
})

describe('roles and permissions', () => {
  it.each(['admin', 'Admin', ' admin', 'admin ', 'аdmin', 'ádmin', 'Ｅditor', 'vіewer', 'a d m i n'])(
    'refuse a role called %j',
    async label => {
      expect((await api('POST', '/roles', { label })).status).toBe(409)
    },
  )

  it('refuse a role whose name has what nobody sees', async () => {
    expect((await api('POST', '/roles', { label: 'ADMIN\u200b' })).status).toBe(400)
  })

  it('keep those of the system', async () => {
    for (const label of ['admin', 'editor', 'viewer']) {
      const id = role(label)
      expect((await api('PUT', `/roles/?q=${id}`, { label: 'other' })).status).toBe(403)
      expect((await api('DELETE', `/roles/?q=${id}`)).status).toBe(403)
    }
    const permission = await db.find(tables.permissions, { label: 'content:read' })
    expect((await api('PUT', `/permissions/?q=${permission?.permission_id}`, { label: 'a:b' })).status).toBe(
      403,
    )
    expect((await api('DELETE', `/permissions/?q=${permission?.permission_id}`)).status).toBe(403)
  })

  it('of the system are saved as they are, with If-Match and without, and nothing is written', async () => {
    const before = (await audits()).length
    const permission = await db.find(tables.permissions, { label: 'content:read' })
    for (const path of [`/roles/?q=${role('admin')}`, `/permissions/?q=${permission?.permission_id}`]) {
      const { body } = await api('GET', path)
      expect(await api('PUT', path, body)).toMatchObject({ status: 200, body })
      expect((await api('PUT', path, {})).status).toBe(200)
      expect((await api('PUT', path, { ...body, label: `${body.label}x` })).status).toBe(403)
    }
    expect((await audits()).length).toBe(before)
  })

  it('are made, renamed and deleted, a role with its mappings', async () => {
    const { body: own } = await api('POST', '/roles', { label: 'Guests' })
    expect((await api('POST', '/roles', { label: 'Guests' })).status).toBe(409)
    expect((await api('PUT', `/roles/?q=${own.role_id}`, { label: 'admin' })).status).toBe(409)
    expect((await api('PUT', '/roles/', { role_id: own.role_id, label: 'Friends' })).body.label).toBe(
      'Friends',
    )
    const { body: permission } = await api('POST', '/permissions', { label: 'import:create' })
    await api('POST', '/role-permissions', { role_id: own.role_id, permission_id: permission.permission_id })
    expect((await api('DELETE', `/permissions/?q=${permission.permission_id}`)).status).toBe(409)
    const before = (await audits()).length
    expect((await api('DELETE', `/roles/?q=${own.role_id}`)).status).toBe(204)
    expect((await audits()).slice(before).map(event => event.table_name)).toEqual([
      'role_permissions',
      'roles',
    ])
    expect((await api('DELETE', `/permissions/?q=${permission.permission_id}`)).status).toBe(204)
    expect((await api('DELETE', `/roles/?q=${missing}`)).status).toBe(404)
    expect((await api('GET', `/role-permissions/role/?q=${missing}`)).status).toBe(404)
  })

  it('refuse to delete a role that users have', async () => {
    await person('kept')
    expect((await api('DELETE', `/roles/?q=${role('kept')}`)).status).toBe(409)
  })

  it.each([
    'read',
    'Content:read',
    'content:Read',
    'content:read2',
    'con-tent:read',
    ':read',
    'content:',
    'a:b:c',
    '',
  ])('refuse a permission called %j', async label => {
    expect((await api('POST', '/permissions', { label })).status).toBe(400)
  })
})

describe('sessions', () => {
  it('are seen and ended by their owner, and by who may', async () => {
    const [a, b] = [await person('viewer'), await person('viewer')]
    const other = await a.cookie()
    const mine = (await a.call('GET', '/users/sessions')).body
    expect(mine).toHaveLength(2)
    expect(Object.keys(mine[0])).toEqual([
      'session_id',
      'user_id',
      'ip_address',
      'user_agent',
      'created_at',
      'last_access',
      'expires_at',
      'by_passkey',
    ])
    const all = (await api('GET', '/sessions', undefined, 'editor')).body
    expect(all.map((row: { session_id: string }) => row.session_id)).toEqual(
      expect.arrayContaining([mine[0].session_id]),
    )
    // Nothing that is listed signs anyone in.
    for (const value of new Set(all.flatMap((row: object) => Object.values(row)) as string[]))
      if (value)
        expect(
          (
            await call('GET', '/api/v1/auth/me', {
              as: 'nobody',
              headers: { Cookie: `cms_session=${encodeURIComponent(value)}` },
            })
          ).status,
        ).toBe(401)
    for (const as of ['viewer', 'editor'] as const)
      expect((await api('DELETE', `/sessions/?q=${mine[0].session_id}`, undefined, as)).status).toBe(403)
    expect((await b.call('DELETE', `/users/sessions?q=${mine[0].session_id}`)).status).toBe(403)
    expect((await b.call('DELETE', `/sessions?q=${missing}`)).status).toBe(403)
    expect((await api('DELETE', `/sessions?q=${missing}`)).status).toBe(404)
    expect((await a.call('DELETE', '/users/sessions?q=others')).status).toBe(204)
    expect((await a.call('GET', '/users/sessions')).body).toHaveLength(1)
    expect((await call('GET', '/api/v1/auth/me', { as: 'nobody', headers: { Cookie: other } })).status).toBe(
      401,
    )
    const [left] = (await a.call('GET', '/users/sessions')).body
    expect((await api('DELETE', `/sessions/?q=${left.session_id}`)).status).toBe(204)
    expect((await a.call('GET', '/auth/me')).status).toBe(401)
  })
})
