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
      token: 'a-value-of-my-own-0123456789'.padEnd(40, 'x'),
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
    const shortest = await api('POST', '/tokens', { ...own, token: 'sixteen-of-these' })
    expect([shortest.status, (await withKey(shortest.body.token)).status]).toEqual([201, 200])
    // 16 random hex digits, of which six are different.
    const random = await api('POST', '/tokens', { ...own, token: 'a2b3c1a1b2c3ba13' })
    expect(random.status).toBe(201)
    for (const body of [
      { ...own, token: 'short' },
      { ...own, token: 'fifteen-of-them' },
      { ...own, token: 'x'.repeat(40) },
      { ...own, token: 'passwordpassword' },
      { ...own, token: '123456789'.repeat(5) },
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

/** As ssh-keygen made and showed them. */
const known: [line: string, fingerprint: string][] = [
  [
    'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBMuM1r3CzE6+wIa3opkHj5lpgBeZ+5Hdhx+VXxw17cI0EOdc9OdpDOgTdt4PF1c88Jqb1P3+Hcehg/4ok00hzYQ=',
    'SHA256:yZlatf6w65IWGfetHoDhEaEIRSjfNaa9yWvCP62hODA',
  ],
  [
    'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBNdMFI2uex40Z9ezAGGL3sfSe8DKv8fGhpgd1OlSbOCUiihJxDK57N9YMA1KsdiIGUKAvYuL8HIOaI/5iJBGG7/VVLH58yE3DEKJmhU815VN8Jcw5amvi62vz9EbGQUNJQ==',
    'SHA256:Ifwn8Vl2wiqQvJFrl20/h+HTabGqL9wkZMkzZo0Iv0U',
  ],
  [
    'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAERnIT0EcFC3iyIeDEbcD5vSeBfJvH2oPGy01pe1nBDtvqFM/BPio2SX7nLMDYy+xjscp4tqoc9FUMUdjlL5dWdnQE1KYh1oBUZHbAdsW1FjgUa8pkFRD4L4exj9w4eS9Mp0Ou+yqKoKHc2sZGr4I4kF/PpIUDxvBQ9W+zly0SkUbYQMA==',
    'SHA256:dmW3ERQQMY8yjY2D+VYGYNDtIA4Pn1hfIjwToKjv9HM',
  ],
  [
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIZGOqmHGQL1pa9FibxgX7/T1GqJRrKnaEeiwp4zSaa2',
    'SHA256:17L7YQVxJPt/DETf3oq6RnSAHHhnna/0Haq1BeCZL/w',
  ],
  [
    'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDhuaSHkd7UfqGpw2XFcdFg7+1mnb62vZY3kMqkxZQ2QAaVN/2dlntkWkBRwbeKybF06P0dbno/2ra84xypR1KYrxqtispxgBrazjwIwemqm7k2uFQsi2rBnq3Q60nOJXLr2HozeeX/n9IG1iICZ07caqCv8g+QjvmPc93BA2Y79aheIzC3paWIZr9zl+FFcey1G92sFHBt1iP9fTL+QrwPCZkk8tMs1FpUnLtLN3cPqFksusTiLY6oo5zwFzVY880MftPnCo9nQSFeEFTX+m5tfdmkoQdGgF5aYaOfE9dp2ZU3E7TmuMnivXfNNO3dMy+Ozsr2iOpKSRMSXQl8K8+L',
    'SHA256:U7uPSlh+xqtUrKBfOKITz6QxPEnOB1dP1rW0eNor1do',
  ],
]

const wire = (...parts: (string | Uint8Array)[]) =>
  Buffer.concat(
    parts.flatMap(part => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(Buffer.from(part).length)
      return [length, Buffer.from(part)]
    }),
  ).toString('base64')

describe('SSH keys', async () => {
  const { call, users, db } = await testApp()
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

  it.each(known)('are taken as ssh-keygen writes them: %s', async (line, fingerprint) => {
    const [key_type] = line.split(' ')
    const added = await api('POST', '/ssh-keys', { public_key: ` ${line}\tme@laptop  again\n` })
    expect(added.body).toMatchObject({ key_type, fingerprint })
    const stored = await db.get(tables.sshKeys, added.body.ssh_key_id)
    expect(stored?.public_key).toBe(`${line} me@laptop again`)
  })

  const [p256] = known.find(([line]) => line.includes('nistp256')) ?? ['']
  const point = Buffer.from(p256.split(' ')[1] ?? '', 'base64').subarray(39)
  const ec = (bytes: Uint8Array, curve = 'nistp256') =>
    `ecdsa-sha2-nistp256 ${wire('ecdsa-sha2-nistp256', curve, bytes)}`
  const prefixed = (first: number, bytes: Uint8Array) => Buffer.concat([Buffer.from([first]), bytes])
  const sign = (point[64] ?? 0) & 1
  const modulus = Buffer.alloc(256, 0x9d)
  const rsa = (n: Uint8Array, ...more: Uint8Array[]) =>
    `ssh-rsa ${wire('ssh-rsa', Buffer.from([1, 0, 1]), n, ...more)}`

  it('are whole: the parts that hostile ones are made of are good', async () => {
    expect(ec(point)).toBe(p256)
    expect((await api('POST', '/ssh-keys', { public_key: rsa(prefixed(0, modulus)) })).status).toBe(201)
  })

  const good = openSsh('ed25519')
  const blob = Buffer.from(good.split(' ')[1] ?? '', 'base64')
  const privateKey = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
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
    ['a private key', privateKey],
    ['a certificate', good.replace('ssh-ed25519', 'ssh-ed25519-cert-v01@openssh.com')],
    ['bytes at the end', `ssh-ed25519 ${Buffer.concat([blob, Buffer.from([0])]).toString('base64')}`],
    ['a part more', `ssh-ed25519 ${wire('ssh-ed25519', blob.subarray(19), '')}`],
    ['base64 of URLs', good.replace(/.$/, '-')],
    ['base64 that goes on behind its end', `${good.replace(/=*$/, '')}====AAAA`],
    ['a type whose name goes on inside', `ssh-ed25519 ${wire('ssh-ed25519x', blob.subarray(19))}`],
    ['31 bytes of Ed25519', `ssh-ed25519 ${wire('ssh-ed25519', blob.subarray(20))}`],
    ['another curve by its name', ec(point, 'nistp384')],
    ['a compressed point', ec(prefixed(2 + sign, point.subarray(1, 33)))],
    ['a hybrid point', ec(prefixed(6 + sign, point.subarray(1)))],
    ['a point beside its curve', ec(Buffer.concat([point.subarray(0, 64), Buffer.alloc(1)]))],
    ['no point', ec(new Uint8Array())],
    ['no modulus', rsa(new Uint8Array())],
    ['a modulus of zero', rsa(new Uint8Array(257))],
    ['a fourth number', rsa(prefixed(0, modulus), new Uint8Array(1))],
    ['a large RSA key', rsa(prefixed(0, Buffer.alloc(1025, 0x9d)))],
    ['lengths of gigabytes', `ssh-rsa ${Buffer.alloc(64, 0xff).toString('base64')}`],
    ['nothing behind the type', 'ssh-rsa  comment'],
    ['a megabyte', `ssh-rsa ${'A'.repeat(1_000_000)}`],
  ])('refuse %s', async (_, public_key) => {
    const { status, body } = await api('POST', '/ssh-keys', { public_key })
    expect([status, body.member]).toEqual([400, 'public_key'])
    expect(body.error).toMatch(/^public_key: (must|is|an RSA key|Too big)/)
  })
})
