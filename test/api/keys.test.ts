import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { type Caller, testApp } from '../support/app.js'

const { call, db, users, audits, clock } = await testApp()
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const api = (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
  call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })
const withKey = (key: string, path = '/content') =>
  call('GET', `/api/v1${path}`, { as: 'nobody', headers: { Authorization: `Bearer ${key}` } })

describe('API keys', () => {
  it('are shown once, and only their hash is stored', async () => {
    const made = await api('POST', '/tokens', { label: 'Build', user_id: users.editor })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      label: 'Build',
      user_id: users.editor,
      token_type: 'api_key',
      revoked: false,
    })
    expect(made.body.token).toMatch(/^slk_[\w-]{43}$/)
    expect(made.body.token_prefix).toBe(made.body.token.slice(0, 8))
    expect((await withKey(made.body.token)).status).toBe(200)
    const everything = [
      await api('GET', '/tokens'),
      await api('GET', `/tokens/?q=${made.body.token_id}`),
      await api('GET', `/users/full/?q=${users.editor}`),
      await audits(),
      await db.findAll(tables.tokens),
    ]
    expect(JSON.stringify(everything)).not.toContain(made.body.token)
    expect(JSON.stringify(everything.slice(0, 4))).not.toContain(nodeHashing.sha256(made.body.token))
    expect((await api('GET', `/tokens/?q=${made.body.token_id}`)).body.last_used_at).not.toBeNull()
  })

  it('may have a value of their own, strong enough and only once', async () => {
    const own = {
      user_id: users.admin,
      token_type: 'api_key',
      token: 'x'.repeat(40),
      issued_at: '2026-01-01T00:00:00Z',
      expires_at: '2027-01-01T01:00:00+01:00',
      revoked: false,
    }
    const made = await api('POST', '/tokens', own)
    expect(made.body).toMatchObject({
      token: own.token,
      issued_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2027-01-01T00:00:00.000Z',
    })
    expect((await api('POST', '/tokens', own)).status).toBe(409)
    for (const body of [
      { ...own, token: 'short' },
      { ...own, token: 'with blank '.repeat(4) },
      { token_type: 'password_reset' },
      { token_type: 'refresh' },
      { expires_at: 'tomorrow' },
      { user_id: missing },
      { label: 1 },
    ])
      expect([body, (await api('POST', '/tokens', body)).status]).toEqual([body, 400])
  })

  it('stop when they are revoked, expire or are deleted, and never come back', async () => {
    const { body } = await api('POST', '/tokens', { expires_at: '2026-11-21T13:00:00Z' })
    expect((await withKey(body.token)).status).toBe(200)
    clock.advance(3_600_001)
    expect((await withKey(body.token)).status).toBe(403)
    await api('PUT', '/tokens/', { token_id: body.token_id, expires_at: null })
    expect((await withKey(body.token)).status).toBe(200)
    const revoked = await api('PUT', `/tokens/?q=${body.token_id}`, {
      revoked: true,
      user_id: users.editor,
      token_type: 'x',
    })
    expect(revoked.body).toMatchObject({ revoked: true, user_id: users.admin, token_type: 'api_key' })
    expect((await withKey(body.token)).status).toBe(403)
    expect((await api('PUT', `/tokens/?q=${body.token_id}`, { revoked: false })).status).toBe(400)
    expect((await api('DELETE', `/tokens/?q=${body.token_id}`)).status).toBe(204)
    expect((await api('DELETE', `/tokens/?q=${body.token_id}`)).status).toBe(404)
    expect((await api('PUT', `/tokens/?q=${missing}`, {})).status).toBe(404)
  })

  it('are made for others by administrators only, and changed by nobody who may less', async () => {
    const { body: role } = await api('POST', '/roles', { label: 'Key makers' })
    for (const label of ['tokens:create', 'tokens:read', 'tokens:update', 'tokens:delete']) {
      const { body } = await api('POST', '/permissions', { label })
      await api('POST', '/role-permissions', { role_id: role.role_id, permission_id: body.permission_id })
    }
    await api('PUT', `/users/?q=${users.editor}`, { role: 'Key makers' })
    const foreign = await api('POST', '/tokens', { user_id: users.admin }, 'key')
    expect(foreign.status).toBe(403)
    const own = await api('POST', '/tokens', {}, 'key')
    expect([own.status, own.body.user_id]).toEqual([201, users.editor])
    const { body: admins } = await api('POST', '/tokens', {})
    for (const change of [{ expires_at: '2999-01-01T00:00:00Z' }, { revoked: true }, { label: 'x' }])
      expect((await api('PUT', `/tokens/?q=${admins.token_id}`, change, 'key')).status).toBe(403)
    expect((await api('DELETE', `/tokens/?q=${admins.token_id}`, undefined, 'key')).status).toBe(403)
    // A key has the rights that its user has now.
    expect((await withKey(own.body.token, '/tokens')).status).toBe(200)
    await api('PUT', `/users/?q=${users.editor}`, { role: 'viewer' })
    expect((await withKey(own.body.token, '/tokens')).status).toBe(403)
  })
})

/** An OpenSSH public key of the pair, as ssh-keygen writes it. */
function openSsh(type: 'ed25519' | 'rsa' | 'ec', bits = 2048): string {
  const string = (bytes: Buffer | string) => {
    const content = Buffer.from(bytes)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(content.length)
    return Buffer.concat([length, content])
  }
  const number = (text = '') => {
    const bytes = Buffer.from(text, 'base64url')
    return string((bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes)
  }
  if (type === 'rsa') {
    const { n, e } = generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' })
    return `ssh-rsa ${Buffer.concat([string('ssh-rsa'), number(e), number(n)]).toString('base64')}`
  }
  if (type === 'ec') {
    const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
    const point = Buffer.concat([
      Buffer.from([4]),
      Buffer.from(x ?? '', 'base64url'),
      Buffer.from(y ?? '', 'base64url'),
    ])
    const name = 'ecdsa-sha2-nistp256'
    return `${name} ${Buffer.concat([string(name), string('nistp256'), string(point)]).toString('base64')}`
  }
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  return `ssh-ed25519 ${Buffer.concat([string('ssh-ed25519'), string(Buffer.from(x ?? '', 'base64url'))]).toString('base64')}`
}

describe('SSH keys', async () => {
  const { call, users } = await testApp()
  const api = (method: string, path: string, body?: unknown, as: Caller = 'admin') =>
    call(method, `/api/v1${path}`, { as, ...(body === undefined ? {} : { body }) })

  it('belong to who adds them, once in the whole service', async () => {
    for (const key of [openSsh('ed25519'), openSsh('rsa'), openSsh('ec')]) {
      const added = await api(
        'POST',
        '/ssh-keys',
        { public_key: `${key} me@laptop\n`, label: 'Laptop' },
        'viewer',
      )
      expect(added.status).toBe(201)
      expect(added.body).toMatchObject({
        user_id: users.viewer,
        key_type: key.split(' ')[0],
        label: 'Laptop',
        last_used: null,
      })
      expect(added.body.fingerprint).toMatch(/^SHA256:[\w+/]{43}$/)
      expect((await api('GET', '/ssh-keys', undefined, 'viewer')).body).toContainEqual(added.body)
      expect((await api('GET', '/ssh-keys', undefined, 'admin')).body).toEqual([])
      for (const as of ['viewer', 'editor'] as const)
        expect((await api('POST', '/ssh-keys', { public_key: key }, as)).status).toBe(409)
      expect((await api('GET', `/ssh-keys?user_id=${users.admin}`, undefined, 'viewer')).status).toBe(403)
      expect(
        (await api('GET', `/ssh-keys?user_id=${users.viewer}`, undefined, 'editor')).body,
      ).toContainEqual(added.body)
      expect((await api('DELETE', `/ssh-keys/${added.body.ssh_key_id}`, undefined, 'editor')).status).toBe(
        403,
      )
      expect((await api('DELETE', `/ssh-keys/${added.body.ssh_key_id}`, undefined, 'viewer')).status).toBe(
        204,
      )
      expect((await api('DELETE', `/ssh-keys/${added.body.ssh_key_id}`)).status).toBe(404)
    }
  })

  const good = openSsh('ed25519')
  it.each([
    ['nothing', ''],
    ['one word', 'ssh-ed25519'],
    ['options in front', `no-pty ${good}`],
    ['a type that its content is not', good.replace('ssh-ed25519', 'ssh-rsa')],
    ['DSA', good.replace('ssh-ed25519', 'ssh-dss')],
    ['__proto__', good.replace('ssh-ed25519', '__proto__')],
    ['a small RSA key', openSsh('rsa', 1024)],
    ['content that is cut off', good.slice(0, -8)],
    ['no base64', 'ssh-ed25519 !!!!'],
    ['a second line', `${good}\n${openSsh('ed25519')}`],
    ['escapes in the comment', `${good} \u001b]0;x`],
    ['a megabyte', `ssh-rsa ${'A'.repeat(1_000_000)}`],
  ])('refuse %s', async (_, public_key) => {
    expect((await api('POST', '/ssh-keys', { public_key })).status).toBe(400)
  })
})
