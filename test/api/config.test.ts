import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { parseConfig } from '../../src/config.js'
import { configFields } from '../../src/config-fields.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { configFileAt } from '../../src/node/config-file.js'
import { nodeHashing } from '../../src/node/ports.js'
import type { ConfigFile } from '../../src/ports.js'
import { open } from '../../src/server.js'
import { secretBox } from '../../src/services/secret-box.js'
import { testApp } from '../support/app.js'

const original = {
  x_comment: 'kept as it is',
  cookie_duration: '12h',
  client_site: '${CLIENT_SITE}',
  oauth_client_secret: '${CLIENT_SECRET}',
  bucket_endpoint: 'https://s3.example',
  bucket_access_key: 'the access key',
  bucket_secret_key: 'the secret key',
  db_password: 'the database password',
  app_secret: 'the secret of the app',
  oauth_endpoint: { oauth_auth_url: 'https://${PROVIDER}/auth', oauth_token_url: 'https://id.example/token' },
  webhook_enabled: false,
  zz_unknown: { nested: ['${NOTHING}'] },
}
const variables = {
  CLIENT_SITE: 'site.example',
  CLIENT_SECRET: 'from the environment',
  PROVIDER: 'id.example',
  NOTHING: 'x',
  HOME: '/root-of-somebody',
}
const { zz_unknown: _, x_comment: __, db_password: ___, ...inEffect } = original
const app = await testApp(
  {
    ...inEffect,
    client_site: 'site.example',
    oauth_client_secret: 'from the environment',
    oauth_endpoint: { ...original.oauth_endpoint, oauth_auth_url: 'https://id.example/auth' },
  },
  { file: original, variables },
)
const get = (as: 'admin' | 'editor' = 'admin') => app.call('GET', '/api/v1/config', { as })
const put = (body: unknown, headers = {}) => app.call('PUT', '/api/v1/config', { body, headers })
const file = () => JSON.parse(app.file.text ?? '')

/** The settings that the database has. */
const settings = async (of = app) =>
  Object.fromEntries((await of.db.findAll(internalTables.settings)).map(({ name, value }) => [name, value]))

beforeEach(async () => {
  app.file.text = JSON.stringify(original)
  app.file.isFixed = true
  const names = Object.keys(await settings())
  await app.db.write(systemActor, tx => tx.deleteAllInternal(internalTables.settings, 'name', names))
  await app.services.configuration.follow()
  app.file.isFixed = false
})

describe('GET /config', () => {
  it('shows every field, no secret and no expanded variable, to whoever may read it', async () => {
    for (const as of ['admin', 'editor'] as const) {
      const { status, body, text } = await get(as)
      expect(status).toBe(200)
      expect(Object.keys(body)).toEqual([...Object.keys(configFields), 'restart_required', 'set_by_file'])
      expect(body.set_by_file).toEqual([
        ...['client_site', 'cookie_duration', 'oauth_client_secret', 'oauth_endpoint', 'webhook_enabled'],
        ...['bucket_endpoint', 'bucket_access_key', 'bucket_secret_key'],
      ])
      expect(body).toMatchObject({
        cookie_duration: '12h',
        cookie_name: 'cms_session',
        client_site: '${CLIENT_SITE}',
        oauth_client_secret: '********',
        bucket_secret_key: '********',
        db_password: '********',
        db_url: null,
        email_password: null,
        oauth_endpoint: original.oauth_endpoint,
      })
      for (const secret of ['the secret', 'the access', 'the database', 'the environment', 'site.example'])
        expect(text).not.toContain(secret)
    }
  })

  it('has a description of each field', async () => {
    const { body } = await app.call('GET', '/api/v1/config/meta', { as: 'editor' })
    expect(body.map(({ name }: { name: string }) => name)).toEqual(Object.keys(configFields))
    expect(body).toContainEqual({
      name: 'webhook_timeout',
      type: { type: 'integer', minimum: 1, maximum: 300, default: 10 },
      default: 10,
      meaning: 'Seconds for one delivery request.',
      secret: false,
      restart: false,
      file_only: false,
      administrator_only: false,
      per_instance: false,
    })
    const secrets = body
      .filter((field: { secret: boolean }) => field.secret)
      .map(({ name }: { name: string }) => name)
    expect(secrets).toEqual([
      'app_secret',
      'db_url',
      'db_password',
      'oauth_client_secret',
      'oauth_providers',
      'email_password',
      'bucket_access_key',
      'bucket_secret_key',
      'bucket_admin_access_key',
      'bucket_admin_secret_key',
    ])
  })
})

describe('PUT /config', () => {
  it('sets what it is given, at once where no restart is needed, and takes it out of the file', async () => {
    const before = (await app.audits()).length
    const answer = await put({ cookie_duration: '2h', cookie_name: 'other', webhook_timeout: 20 })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      cookie_duration: '2h',
      cookie_name: 'other',
      restart_required: ['cookie_name'],
    })
    const { cookie_duration: _, ...rest } = original
    expect(file()).toEqual(rest)
    expect(await settings()).toEqual({
      cookie_duration: '"2h"',
      cookie_name: '"other"',
      webhook_timeout: '20',
    })
    const login = await app.call('POST', '/api/v1/auth/login', {
      as: 'nobody',
      body: { email: 'admin@example.com', password: 'correct horse' },
    })
    expect(login.headers.get('set-cookie')).toMatch(/^cms_session=[\w-]+; Max-Age=7200;/)
    const [event] = (await app.audits()).slice(before)
    expect(event).toMatchObject({
      operation: 'UPDATE',
      table_name: 'config',
      user_id: app.users.admin,
      old_values: { cookie_duration: '12h', cookie_name: 'cms_session', webhook_timeout: 10 },
      new_values: { cookie_duration: '2h', cookie_name: 'other', webhook_timeout: 20 },
    })
  })

  it('says which fields wait for a restart, until they are as they were at the start', async () => {
    const due = async () => (await get()).body.restart_required
    await put({ webhook_workers: 5, publish_mode: 'staged', webhook_timeout: 21 })
    expect(await due()).toEqual(['webhook_workers', 'publish_mode'])
    // Whatever is changed later does not take it back, and nor does saving the same again.
    for (const body of [{ webhook_timeout: 22 }, { webhook_workers: 5 }, {}]) {
      const answer = await put(body)
      expect([answer.status, answer.body.restart_required]).toEqual([
        200,
        ['webhook_workers', 'publish_mode'],
      ])
    }
    await put({ webhook_workers: null })
    expect(await due()).toEqual(['publish_mode'])
    // An answer shows it without being another version of the configuration.
    const changed = await put({ log_level: 'warn' })
    const tagged = await put({ log_level: null }, { 'If-Match': changed.headers.get('etag') ?? '' })
    expect([tagged.status, tagged.body.restart_required]).toEqual([200, ['publish_mode']])
    expect((await put({ publish_mode: null })).body.restart_required).toEqual([])
    const refused = await put({ publish_mode: 'sometimes' })
    expect([refused.status, await due()]).toEqual([400, []])
    const without = await app.call('PUT', '/api/v1/config', {
      as: 'editor',
      body: { publish_mode: 'staged' },
    })
    expect([without.status, await due()]).toEqual([403, []])
  })

  it('takes back what it has shown, and changes nothing by it', async () => {
    const { body } = await get()
    const before = (await app.audits()).length
    const text = app.file.text
    const answer = await put({ ...body, restart_required: ['x'] })
    expect([answer.status, answer.body.restart_required]).toEqual([200, []])
    expect(app.file.text).toBe(text)
    expect((await app.audits()).length).toBe(before)
    const { body: again } = await put({ ...body, oauth_success_redirect: '/in' })
    expect(again.oauth_success_redirect).toBe('/in')
    expect(app.file.text).toBe(text)
    expect(await settings()).toEqual({ oauth_success_redirect: '"/in"' })
  })

  it('replaces a secret and never shows it', async () => {
    const answer = await put({ oauth_client_secret: 'a new one', email_password: 'of the mail server' })
    expect(answer.body).toMatchObject({ oauth_client_secret: '********', email_password: '********' })
    expect('oauth_client_secret' in file()).toBe(false)
    const { oauth_client_secret, email_password } = await settings()
    const box = secretBox(original.app_secret)
    const opened = [oauth_client_secret, email_password].map(text =>
      box.open(text?.replace(/^sealed:/, '') ?? ''),
    )
    expect(await Promise.all(opened)).toEqual(['"a new one"', '"of the mail server"'])
    expect(JSON.stringify(await app.audits())).not.toMatch(/a new one|of the mail server/)
    const removed = await put({ oauth_client_secret: null })
    expect(removed.body.oauth_client_secret).toBeNull()
    expect(Object.keys(await settings())).toEqual(['email_password'])
  })

  it.each([
    ['a variable', { client_site: '${HOME}' }, 400],
    ['a variable inside a text', { client_site: 'a${PATH}b' }, 400],
    ['a variable in a list', { oauth_scopes: ['${HOME}'] }, 400],
    ['a variable in an object', { oauth_endpoint: { oauth_auth_url: 'https://${HOME}/' } }, 400],
    ['a variable of another place', { admin_site: '${CLIENT_SITE}' }, 400],
    ['the mask for a secret that is not set', { email_password: '********' }, 400],
    ['the engine', { db_driver: 'mysql' }, 403],
    ['the database', { db_url: './other.db' }, 403],
    ['the database password', { db_password: 'x' }, 403],
    ['the secret of the app', { app_secret: 'x' }, 403],
    ['another way of mail', { email_provider: 'sendgrid' }, 400],
    ['a place that is no port', { port: 'somewhere' }, 400],
    ['an environment that there is not', { environment: 'prod' }, 400],
    ['a folder of certificates that is missing', { cert_dir: '/nowhere/to/be/found' }, 400],
    ['an environment whose certificates have no folder', { environment: 'production' }, 400],
    ['a field that there is not', { nothing: 1 }, 400],
    ['a field of every object', { constructor: 1 }, 400],
    ['another type', { webhook_timeout: '10' }, 400],
    ['too much', { webhook_workers: 10_000 }, 400],
    ['too little', { max_upload_size: 0 }, 400],
    ['a wrong word', { cookie_samesite: 'None ' }, 400],
    ['a wrong duration', { cookie_duration: 'soon' }, 400],
    ['a session longer than a time can say', { cookie_duration: '999999h' }, 400],
    ['a session that is over at once', { cookie_duration: '0s' }, 400],
    ['a look every month', { webhook_scan_interval: '25d' }, 400],
    ['retries after centuries', { webhook_retry_delays: ['1m', '99999999999d'] }, 400],
    ['fields that do not go together', { cookie_samesite: 'none' }, 400],
    ['a cookie name with a line break', { cookie_name: 'a\r\nb' }, 400],
    ['storage elsewhere with the stored keys', { bucket_endpoint: 'https://evil.example' }, 400],
    ['a folder of the machine', { bucket_endpoint: 'file:./media' }, 403],
    ['a folder of the machine for admin media', { bucket_admin_endpoint: 'FILE:/etc' }, 403],
    ['a provider elsewhere with the stored secret', { oauth_endpoint: {} }, 400],
    ['a line break in a text', { email_from_name: 'a\r\nBcc: b@example.com' }, 400],
    ['a line break in a list', { cors_headers: ['a\nb'] }, 400],
    ['a line break in an address', { oauth_success_redirect: '/\r\nSet-Cookie: a=b' }, 400],
    ['a list', [], 400],
    ['one good and one bad', { cookie_duration: '3h', webhook_timeout: -1 }, 400],
  ])('refuses %s, and changes nothing', async (_, body, status) => {
    const before = [app.file.text, (await app.audits()).length, (await get()).text]
    const answer = await put(body)
    expect(answer.status).toBe(status)
    expect(answer.body.error).not.toMatch(/root-of-somebody|from the environment/)
    expect([app.file.text, (await app.audits()).length, (await get()).text]).toEqual(before)
  })

  it('lets an administrator set ports, environment and certificates, for the next start', async () => {
    const placed = {
      port: ':1',
      ssl_port: ':2',
      ssh_port: ':3',
      environment: 'staging',
      cert_dir: tmpdir(),
    }
    const { status, body } = await put(placed)
    expect([status, body]).toEqual([200, expect.objectContaining(placed)])
    expect(body.restart_required).toEqual(Object.keys(placed))
    expect(file()).toEqual({ ...original, ...placed })
    for (const name of Object.keys(placed)) {
      const change = { [name]: name === 'environment' ? 'local' : ':9' }
      const refused = await app.call('PUT', '/api/v1/config', { as: 'key', body: change })
      expect([name, refused.status]).toEqual([name, 403])
    }
  })

  it('takes no private address together with an environment that would allow one', async () => {
    const live = await testApp(
      { environment: 'production', tls: 'off' },
      { file: { tls: 'off', environment: 'production' } },
    )
    const body = { environment: 'local', bucket_endpoint: 'http://127.0.0.1:1' }
    const refused = await live.call('PUT', '/api/v1/config', { body })
    expect([refused.status, refused.body.member]).toEqual([400, 'bucket_endpoint'])
    expect((await live.call('PUT', '/api/v1/config', { body: { environment: 'local' } })).status).toBe(200)
    const later = { bucket_endpoint: 'http://127.0.0.1:1' }
    expect((await live.call('PUT', '/api/v1/config', { body: later })).status).toBe(400)
  })

  it('lets storage move when its keys come along', async () => {
    const moved = { bucket_endpoint: 'https://other.example', bucket_access_key: 'a', bucket_secret_key: 'b' }
    expect((await put(moved)).status).toBe(200)
  })

  it('shows a folder of the file, and takes none from the database', async () => {
    const folder = { bucket_endpoint: 'file:./media' }
    const site = await testApp(folder, { file: folder })
    const { body } = await site.call('GET', '/api/v1/config')
    expect(body).toMatchObject({ ...folder, set_by_file: ['bucket_endpoint'] })
    // What was read can be sent back.
    expect((await site.call('PUT', '/api/v1/config', { body })).status).toBe(200)
    const bad = await site.call('PUT', '/api/v1/config', { body: { bucket_media: 'My Files' } })
    expect([bad.status, bad.body.member]).toEqual([400, 'bucket_media'])
    const other = await testApp({}, { file: {} })
    const row = { name: 'bucket_endpoint', value: '"file:/etc"' }
    await other.db.write(systemActor, tx => tx.insertInternal(internalTables.settings, row))
    const shown = (await other.call('GET', '/api/v1/config')).body
    expect([shown.bucket_endpoint, shown.restart_required]).toEqual([null, []])
  })

  it('is not undone by a second change at the same time, and honours If-Match', async () => {
    const both = await Promise.all([put({ admin_site: 'zero.example' }), put({ webhook_timeout: 33 })])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(await settings()).toEqual({ admin_site: '"zero.example"', webhook_timeout: '33' })

    // Of two who saw the same, whichever comes second is refused.
    const tag = (await get()).headers.get('etag') ?? ''
    const sites = ['one.example', 'two.example']
    const answers = await Promise.all(sites.map(admin_site => put({ admin_site }, { 'If-Match': tag })))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 412])
    expect(await settings()).toMatchObject({ admin_site: `"${sites[statuses.indexOf(200)]}"` })
  })

  it('leaves the file when the audit event cannot be written, and leaves no audit event otherwise', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slugline-config-'))
    const path = join(folder, 'cms.config.json')
    writeFileSync(path, '{"a":1}', { mode: 0o640 })
    const real = configFileAt(path)
    await expect(
      real.write('{"b":2}', async () => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['{"a":1}', ['cms.config.json']])
    await real.write('{"b":2}', async () => undefined)
    expect([await real.read(), statSync(path).mode & 0o777, readdirSync(folder)]).toEqual([
      '{"b":2}',
      0o640,
      ['cms.config.json'],
    ])
    const fresh = configFileAt(join(folder, 'new.json'))
    expect(await fresh.read()).toBeUndefined()
    await fresh.write('{}', async () => undefined)
    expect(statSync(join(folder, 'new.json')).mode & 0o777).toBe(0o600)
  })
})

describe('the file and the database', () => {
  /** The same database with another file, as another instance has it; it notices changes when it is told to. */
  async function other(inFile: object | undefined, over: object = {}) {
    const kept = { text: inFile && JSON.stringify(inFile), isFixed: false }
    const { ports } = app.parts
    const configFile: ConfigFile = {
      ...ports.configFile,
      read: async () => kept.text,
      isWritable: async () => !kept.isFixed,
      async write(text, before) {
        await before()
        kept.text = text
      },
    }
    const { db_driver, db_url, db_name, db_username, db_password } = app.config
    const address = { db_driver, db_url, db_name, db_username, db_password }
    const { config } = parseConfig({ ...address, app_secret: original.app_secret, ...inFile, ...over }, {})
    const opened = await open({ config, ports: { ...ports, configFile }, variables: {} })
    onTestFinished(() => opened.db.close())
    return { ...opened, kept }
  }

  it('a start takes what was set for what its file does not name', async () => {
    await put({
      email_password: 'of the mail server',
      webhook_timeout: 20,
      output_format: 'clean',
      port: ':9',
    })
    const two = await other({ output_format: 'sanity' })
    expect(two.config()).toMatchObject({
      email_password: 'of the mail server',
      webhook_timeout: 20,
      output_format: 'sanity',
      port: ':8080',
    })
    expect(await two.services.configuration.setByFile()).toEqual(['output_format'])
    const elsewhere = await other({}, { app_secret: 'of another installation' })
    const { webhook_timeout, email_password = 'not set' } = elsewhere.config()
    expect([webhook_timeout, email_password]).toEqual([20, 'not set'])
    expect(app.logged).toContainEqual(expect.objectContaining({ fields: { fields: ['email_password'] } }))
  })

  it('a change acts on the other instance, and shows there what takes a restart', async () => {
    const two = await other({ webhook_timeout: 5 })
    await put({ webhook_timeout: 20, robots_enabled: false, publish_mode: 'staged' })
    await two.services.configuration.follow()
    expect(two.config()).toMatchObject({ webhook_timeout: 20, robots_enabled: false, publish_mode: 'live' })
    expect(await two.services.configuration.restartRequired()).toEqual(['publish_mode'])
    expect(JSON.parse(two.kept.text ?? '')).toEqual({})
    await put({ robots_enabled: null, publish_mode: null })
    await two.services.configuration.follow()
    expect(two.config().robots_enabled).toBe(true)
    expect(await two.services.configuration.restartRequired()).toEqual([])
    // A file that may not be written fixes what it sets.
    two.kept.text = '{"webhook_timeout":5}'
    two.kept.isFixed = true
    await put({ webhook_timeout: 30 })
    await two.services.configuration.follow()
    expect(two.config().webhook_timeout).toBe(20)
    expect((await two.services.configuration.read()).webhook_timeout).toBe(5)
  })

  it('a field of a file that may not be written is refused, and every other one is set', async () => {
    app.file.isFixed = true
    for (const body of [{ cookie_duration: '5h' }, { port: ':9' }, { cookie_duration: null }]) {
      const { status, body: refusal } = await put({ ...body, webhook_timeout: 40 })
      expect([status, refusal.error]).toEqual([403, expect.stringContaining('configuration file')])
    }
    expect(await settings()).toEqual({})
    expect((await put({ webhook_timeout: 40 })).status).toBe(200)
    expect(app.file.text).toBe(JSON.stringify(original))
  })

  it('a setting that does not go with the file keeps no service from starting', async () => {
    await app.db.write(systemActor, async tx => {
      const rows = { cookie_samesite: '"none"', webhook_timeout: '20', db_url: '"x"', port: '":1"', odd: '1' }
      for (const [name, value] of Object.entries({ ...rows, admin_site: '"${HOME}"' }))
        await tx.insertInternal(internalTables.settings, { name, value })
    })
    const two = await other({ cookie_secure: false })
    const { db_url } = app.config
    const expected = { cookie_samesite: 'lax', webhook_timeout: 20, db_url, port: ':8080' }
    expect(two.config()).toMatchObject(expected)
    expect(two.config().admin_site).toBeUndefined()
    const { status } = await put({ cookie_samesite: 'strict' })
    expect(status).toBe(200)
  })
})

it('refuses servers on private addresses where the service is not local', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-certificates-'))
  const cloud = await testApp(
    { environment: 'production', cert_dir: folder },
    { file: { environment: 'production', cert_dir: folder } },
  )
  const provider = (host: string) => ({ oauth_endpoint: { oauth_token_url: `https://${host}/token` } })
  const storage = (host: string) => ({ bucket_endpoint: `http://${host}:9000` })
  const adminStorage = (host: string) => ({ bucket_admin_endpoint: host })
  const statusOf = async (body: object) => (await cloud.call('PUT', '/api/v1/config', { body })).status
  for (const settings of [provider, storage, adminStorage]) {
    for (const host of ['127.0.0.1', '169.254.169.254', '10.0.0.1', 'localhost', '[::1]', '2130706433'])
      expect([settings(host), await statusOf(settings(host))]).toEqual([settings(host), 400])
    expect(await statusOf(settings('203.0.114.7'))).toBe(200)
  }
  expect(await statusOf({ bucket_endpoint: 'http://no address' })).toBe(400)
})

describe('config:update without the role admin', () => {
  /** What decides over accounts and drafts, written by hand: whoever sets one of these gets at what is of others. */
  const overAccounts = [
    ...['client_site', 'admin_site', 'trusted_proxies', 'password_reset_url'],
    ...['webhook_allow_http', 'webhook_allowed_networks', 'registration_enabled'],
    ...['environment', 'port', 'ssl_port', 'ssh_port', 'cert_dir'],
    ...['readers_see_drafts', 'preview_url', 'ssh_idle_timeout', 'ssh_max_sessions', 'ssh_guest'],
  ]
  const decides = (name: string) =>
    overAccounts.includes(name) || /^(email|oauth|cookie|cors|bucket)_/.test(name)
  /** A valid value of each field that differs from the one it has. */
  const other: Record<string, unknown> = {
    trusted_proxies: ['10.0.0.1'],
    webhook_allowed_networks: ['10.0.0.0/8'],
    log_level: 'debug',
    backup_option: 's3',
    backup_schedule: '48h',
    cookie_duration: '3h',
    cookie_samesite: 'strict',
    oauth_endpoint: { oauth_auth_url: 'https://evil.example/' },
    email_provider: null,
    output_format: 'clean',
    compat: { post: { wordpress: 'articles' } },
    publish_mode: 'staged',
    redirect_mode: 'manual',
    webhook_retry_delays: ['2m'],
    webhook_scan_interval: '90s',
    trash_retention: '2d',
    media_formats: ['avif'],
  }
  const otherOf = (name: string, before: unknown): unknown => {
    if (name in other) return other[name]
    if (typeof before === 'boolean') return !before
    if (typeof before === 'number') return before + 1
    if (Array.isArray(before)) return ['x']
    return /_url$|_endpoint$|redirect/.test(name) ? 'https://evil.example/' : 'other'
  }

  it('changes nothing that decides over accounts, and makes no administrator', async () => {
    const { body: role } = await app.call('POST', '/api/v1/roles', { body: { label: 'Operators' } })
    for (const label of ['config:read', 'config:update']) {
      const permission = await app.db.find(tables.permissions, { label })
      const body = { role_id: role.role_id, permission_id: permission?.permission_id }
      await app.call('POST', '/api/v1/role-permissions', { body })
    }
    await app.call('PUT', `/api/v1/users/?q=${app.users.viewer}`, { body: { role: 'Operators' } })
    await app.db.write(systemActor, tx =>
      tx.insert(tables.tokens, {
        user_id: app.users.viewer,
        token_type: 'api_key',
        token_hash: nodeHashing.sha256('key-of-an-operator'),
        issued_at: '2026-01-01T00:00:00.000Z',
      }),
    )
    const headers = { Authorization: 'Bearer key-of-an-operator' }
    const set = (body: unknown) => app.call('PUT', '/api/v1/config', { as: 'nobody', body, headers })
    const shown = (await get()).body
    const meta: { name: string; administrator_only: boolean; file_only: boolean }[] = (
      await app.call('GET', '/api/v1/config/meta')
    ).body
    for (const { name, administrator_only, file_only } of meta) {
      expect([name, administrator_only]).toEqual([name, decides(name)])
      if (name === 'email_provider') continue
      const before = [app.file.text, await settings()]
      const answer = await set({ [name]: otherOf(name, shown[name]) })
      expect([name, answer.status]).toEqual([name, decides(name) || file_only ? 403 : 200])
      if (answer.status === 403) expect([name, app.file.text, await settings()]).toEqual([name, ...before])
    }
    const mixed = { webhook_timeout: 11, email_host: 'mail.evil.example' }
    const before = [app.file.text, await settings()]
    expect((await set(mixed)).status).toBe(403)
    expect([app.file.text, await settings()]).toEqual(before)
    // What was read may be sent back.
    expect((await set({ ...(await get()).body, webhook_timeout: 11 })).status).toBe(200)
  })
})
