import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { selfSignedCertificate } from '../../src/node/self-signed.js'
import { version } from '../../src/node/version.js'
import { testApp } from '../support/app.js'
import { engine, freshDatabase } from '../support/database.js'
import { mailServer } from '../support/mail.js'
import { freePort, runProduct, startProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'
import { runHere } from '../support/terminal.js'

const smtp = await mailServer()
const store = await testStorage()
const { call } = await testApp()

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'slugline-cli-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const line = (args: readonly string[], answers?: readonly string[]) =>
  runHere(args, answers ? { answers } : {})

/** A configuration file of a new database. */
async function configured(fields: Record<string, unknown> = {}) {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const path = join(folder(), 'cms.config.json')
  const text = JSON.stringify({ ...address, app_secret: 'thirty-two characters of a secret', ...fields })
  writeFileSync(path, text, { mode: 0o600 })
  return { path, address }
}

describe('slugline init', () => {
  it('writes what options say, for its owner alone, and the service starts with it', async () => {
    const path = join(folder(), 'site.json')
    const port = `127.0.0.1:${await freePort()}`
    const db = join(folder(), 'own.db')
    const { code, out } = await line(['init', '--config', path, '--port', port, '--db-url', db])
    expect([code, out.split('\n')[0]]).toEqual([0, `Wrote ${path}.`])
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      environment: 'local',
      port,
      db_driver: 'sqlite',
      db_url: db,
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await line(['config', 'check', '--config', path])).code).toBe(0)
    expect((await line(['migrate', 'up', '--config', path])).code).toBe(0)
  })

  it('asks a person, again where an answer cannot be, and keeps passwords out of the file', async () => {
    const path = join(folder(), 'site.json')
    const certificates = join(folder(), 'certificates')
    const { code, out, err, asked } = await line(
      ['init', '--config', path, '--client-site', 'example.com'],
      ['somewhere', 'production', '', 'auto', '', certificates, 'mariadb', 'db.internal:3306', '', ''],
    )
    expect([code, out]).toEqual([0, expect.stringContaining('DB_PASSWORD')])
    expect(err).toBe(
      'slugline: environment: must be local, development, staging or production, with or without "-docker"\n',
    )
    expect(asked).toHaveLength(10)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      environment: 'production',
      port: ':8080',
      client_site: 'example.com',
      tls: 'auto',
      ssl_port: ':8443',
      cert_dir: certificates,
      db_driver: 'mariadb',
      db_url: 'db.internal:3306',
      db_name: 'slugline',
      db_username: 'slugline',
      db_password: '${DB_PASSWORD}',
    })
    expect(statSync(certificates).isDirectory()).toBe(true)
  })

  it('replaces no file, and writes none that a start would refuse', async () => {
    const path = join(folder(), 'site.json')
    expect(await line(['init', '--config', path, '--port', 'http'])).toMatchObject({
      code: 1,
      err: 'slugline: port: must look like ":8080", "127.0.0.1:8080" or 8080\n',
    })
    expect(() => statSync(path)).toThrow('ENOENT')
    writeFileSync(path, 'mine')
    expect(await line(['init', '--config', path])).toMatchObject({
      code: 1,
      err: `slugline: ${path}: exists already and was not replaced\n`,
    })
    expect(readFileSync(path, 'utf8')).toBe('mine')
  })
})

describe('slugline config check', () => {
  it('names misspelt fields and wrong values', async () => {
    const { path } = await configured({ cors_origin: ['https://a.example'] })
    expect(await line(['config', 'check', '--config', path])).toMatchObject({
      code: 1,
      out: `${path}: cors_origin: unknown field: did you mean cors_origins?\n`,
    })
    writeFileSync(path, JSON.stringify({ cookie_duration: 'long' }))
    expect(await line(['config', 'check', '--config', path, '--json'])).toMatchObject({
      code: 1,
      out: '',
      err: `${JSON.stringify({ error: `${path}: cookie_duration: must be a duration such as "24h" or "90s"`, code: 'invalid' })}\n`,
    })
  })
})

describe.runIf(engine === 'sqlite')('in a folder where nothing was started yet', () => {
  const there = async (...args: string[]) => (await runProduct(args, { cwd: folder() })).out

  it('no configuration is called right', async () => {
    expect(await there('config', 'check')).toBe(
      'There is no ./cms.config.json: every field has its default.\n',
    )
  })

  it('the command that init names next finds nothing wrong', async () => {
    const cwd = folder()
    expect((await runProduct(['init'], { cwd })).out).toContain('Next: run slugline doctor')
    const { code, out } = await runProduct(['doctor'], { cwd })
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(
        `warn database: ${join(cwd, 'modula.db')} is missing\n     -> the first start creates it; check that db_url is correct\n`,
      ),
    ])
  })

  it('no secret is said to be there', async () => {
    expect(await there('doctor')).toMatch(
      /^- {4}secrets: app_secret is not set: the first start creates one in \/\S+\/modula\.db\.secret$/m,
    )
    const { path, address } = await configured({ app_secret: undefined })
    expect((await line(['migrate', 'up', '--config', path])).code).toBe(0)
    expect((await line(['doctor', '--config', path])).out).toContain('-    secrets: app_secret is not set')
    expect(await (await startProduct(address)).stop()).toBe(0)
    rmSync(`${address.db_url}.secret`, { force: true })
    expect((await line(['doctor', '--config', path])).out).toContain(
      `warn secrets: ${address.db_url}.secret is missing, and app_secret is not set\n     -> restore the file`,
    )
  })
})

describe('slugline migrate', () => {
  it('says what is missing, does it, and does it once', async () => {
    const { path } = await configured()
    const all = (...more: string[]) => line(['migrate', ...more, '--config', path, '--json'])
    const up = await all('up')
    const { done } = JSON.parse(up.out)
    expect([up.code, done.length > 100]).toEqual([0, true])
    expect(await all('status')).toMatchObject({
      code: 0,
      out: `${JSON.stringify({ done, missing: [], waiting: [], unknown: [] })}\n`,
    })
    expect(JSON.parse((await all('up')).out)).toEqual({ done: [] })
  })
})

describe('slugline migrate up', () => {
  it('says in one line how many steps a new database took, and lists them with --verbose', async () => {
    const up = async (...more: string[]) =>
      line(['migrate', 'up', '--config', (await configured()).path, ...more])
    expect(await up()).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^The database is up to date: \d{3} steps done\. --verbose lists them\.\n$/),
    })
    expect((await up('--verbose')).out.split('\n').length).toBeGreaterThan(100)
  })
})

describe('slugline doctor', () => {
  it('finds a whole service in order', async () => {
    const { path } = await configured({
      ...store.config,
      email_enabled: true,
      email_host: '127.0.0.1',
      email_port: smtp.port,
      email_tls: false,
      email_username: 'user',
      email_password: 'pass',
      email_from_address: 'cms@example.com',
      password_reset_url: 'https://example.com/reset',
    })
    await line(['migrate', 'up', '--config', path])
    const { code, out } = await line(['doctor', '--config', path, '--json'])
    const { checks } = JSON.parse(out)
    const states = Object.fromEntries(checks.map((one: Record<string, string>) => [one.check, one.state]))
    expect([code, states]).toEqual([
      0,
      {
        database: 'ok',
        storage: 'ok',
        mail: 'ok',
        certificate: 'skipped',
        clock: 'ok',
        disk: expect.stringMatching(/^(ok|warning)$/),
        secrets: 'ok',
        descriptors: 'ok',
        settings: 'ok',
        instances: 'ok',
      },
    ])
    expect([smtp.messages, await store.keys('slugline-doctor')]).toEqual([[], []])
  })

  it('says what is wrong and what to do', async () => {
    const { path } = await configured({
      ...store.config,
      bucket_media: 'nowhere-to-be-found',
      app_secret: 'short',
      email_enabled: true,
      email_host: '127.0.0.1',
      email_port: smtp.port,
      email_tls: false,
      email_username: 'user',
      email_password: 'wrong',
      email_from_address: 'cms@example.com',
      password_reset_url: 'https://example.com/reset',
    })
    const { code, out } = await line(['doctor', '--config', path, '--json'])
    const { checks } = JSON.parse(out)
    const found = new Map(checks.map((one: Record<string, string>) => [one.check, one]))
    expect(code).toBe(1)
    expect(found.get('database')).toMatchObject({ state: expect.stringMatching(/^(failed|warning)$/) })
    expect(found.get('storage')).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('NoSuchBucket'),
      advice: expect.stringContaining('bucket_media'),
    })
    expect(found.get('mail')).toMatchObject({ state: 'failed', message: expect.stringContaining('535') })
    expect(found.get('secrets')).toMatchObject({ state: 'failed', message: 'app_secret has 5 characters' })
    expect(out).not.toContain('testsecret')
  })

  describe('looks at media in a folder', () => {
    const found = async (bucket_endpoint: string, more: object = {}) => {
      const { path } = await configured({ bucket_endpoint, ...more })
      const { out } = await line(['doctor', '--config', path, '--json'])
      const { checks } = JSON.parse(out)
      const { check: _, ...rest } = checks.find((one: { check: string }) => one.check === 'storage')
      return rest
    }

    it('T23: that is good, missing, a file, or cannot be made', async () => {
      const media = join(folder(), 'media')
      expect(await found(`file:${media}`)).toEqual({
        state: 'skipped',
        message: `${media}/media does not exist yet: the first upload creates it`,
      })
      expect(existsSync(media)).toBe(false)
      mkdirSync(join(media, 'media'), { recursive: true })
      expect(await found(`file:${media}`)).toEqual({
        state: 'ok',
        message: `${media}/media stores, returns and deletes objects`,
      })
      expect(readdirSync(join(media, 'media'))).toEqual(['.incoming'])
      const file = join(folder(), 'file')
      writeFileSync(file, '')
      expect(await found(`file:${file}`)).toMatchObject({
        state: 'failed',
        message: `${file}/media: the media folder is a file: nothing was stored`,
        advice: expect.stringContaining('bucket_endpoint'),
      })
    })

    it('whose addresses have no host', async () => {
      const media = join(folder(), 'media')
      mkdirSync(join(media, 'media'), { recursive: true })
      const site = { environment: 'production', tls: 'off' }
      expect(await found(`file:${media}`, site)).toMatchObject({
        state: 'warning',
        advice: expect.stringContaining('client_site'),
      })
      expect(await found(`file:${media}`, { ...site, client_site: 'example.com' })).toMatchObject({
        state: 'ok',
      })
    })
  })

  describe('looks at the certificate', () => {
    const found = async (fields: Record<string, unknown>) => {
      const { path } = await configured(fields)
      const { out } = await line(['doctor', '--config', path, '--json'])
      const { checks } = JSON.parse(out)
      const { check: _, ...rest } = checks.find((one: { check: string }) => one.check === 'certificate')
      return rest
    }
    /** The paths of a certificate for these names whose life began so many days ago. */
    async function files(names: string[], days: number) {
      const { pem } = await selfSignedCertificate(names, Date.now() - days * 86_400_000)
      const path = join(folder(), 'own.pem')
      writeFileSync(path, pem)
      return { tls: 'files', tls_cert_file: path, tls_key_file: path }
    }
    const site = { environment: 'production', client_site: 'example.com' }

    it('that an operator has', async () => {
      const good = await found({ ...site, ...(await files(['example.com'], 0)) })
      expect(good).toEqual({ state: 'ok', message: expect.stringMatching(/^valid until \d{4}-/) })
      expect(await found({ ...site, ...(await files(['example.com'], 390)) })).toMatchObject({
        state: 'warning',
        message: expect.stringMatching(/^it expires soon/),
      })
      expect(await found({ ...site, ...(await files(['example.com'], 400)) })).toMatchObject({
        state: 'failed',
        message: expect.stringMatching(/^it has expired/),
      })
      expect(await found({ ...site, ...(await files(['other.example'], 0)) })).toMatchObject({
        state: 'warning',
        message: 'it is not valid for example.com',
      })
      const absent = { tls: 'files', tls_cert_file: '/nowhere.pem', tls_key_file: '/nowhere.pem' }
      expect(await found({ ...site, ...absent })).toMatchObject({
        state: 'failed',
        message: 'tls_cert_file: /nowhere.pem cannot be read (ENOENT)',
      })
    })

    it('that an authority is to issue', async () => {
      const auto = { environment: 'production', cert_dir: folder() }
      expect(await found({ ...auto, client_site: 'localhost' })).toMatchObject({
        state: 'failed',
        message: 'no certificate can be issued without a domain',
      })
      expect(await found({ ...auto, client_site: 'nobody-has-this.invalid' })).toMatchObject({
        state: 'warning',
        message: 'DNS has no address for nobody-has-this.invalid',
      })
    })

    it('that is self-signed, or another’s work', async () => {
      expect((await found({ environment: 'development', cert_dir: folder() })).state).toBe('ok')
      expect((await found({ environment: 'production', tls: 'off' })).state).toBe('skipped')
    })
  })

  it.each([
    { bucket_secret_key: 'a secret' },
    {
      oauth_providers: [
        {
          id: 'partner',
          name: 'Partner',
          oauth_client_id: 'x',
          oauth_client_secret: 'a secret',
          oauth_redirect_url: 'https://site.example/api/v1/auth/oauth/callback/partner',
          oauth_endpoint: {
            oauth_auth_url: 'https://id.example/auth',
            oauth_token_url: 'https://id.example/token',
            oauth_userinfo_url: 'https://id.example/me',
          },
        },
      ],
    },
  ])('warns of a file of secrets that others may read: %j', async secrets => {
    const { path } = await configured(secrets)
    chmodSync(path, 0o644)
    const { out } = await line(['doctor', '--config', path])
    expect(out).toContain(`warn secrets: ${path} contains secrets, and other accounts can read it`)
    expect(out).toContain(`-> chmod 600 ${path}`)
  })

  // On a server the address of the database has a password.
  it.runIf(engine === 'sqlite')('warns of no file that has no secret in it', async () => {
    const { path } = await configured({ app_secret: '$' + '{APP_SECRET}' })
    chmodSync(path, 0o644)
    const variables = { APP_SECRET: 'thirty-two characters of a secret' }
    const { out } = await runHere(['doctor', '--config', path], { variables })
    expect(out).toContain('ok   secrets: exist')
  })
})

describe('slugline openapi', () => {
  it('writes what the service shows at /api/v1/openapi.json', async () => {
    const { path } = await configured()
    const written = await line(['openapi', '--config', path])
    const { body } = await call('GET', '/api/v1/openapi.json', { as: 'nobody' })
    expect([written.code, written.err, JSON.parse(written.out)]).toEqual([
      0,
      '',
      { ...body, info: { ...body.info, version } },
    ])
  })
})
