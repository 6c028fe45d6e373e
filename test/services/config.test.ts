import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseConfig } from '../../src/config.js'
import { type ConfigName, configFields } from '../../src/config-fields.js'
import { type DatabaseAddress, serverAddress } from '../../src/db/connect.js'
import { duration, durationWords } from '../../src/durations.js'
import { loadConfig, refuseLeftDatabase } from '../../src/node/config-file.js'

const parse = (file: unknown, variables = {}) => parseConfig(file, variables)

describe('configuration', () => {
  it('has a default for everything', () => {
    const { config, unknown } = parse({})
    expect(unknown).toEqual([])
    expect(config).toMatchObject({
      environment: 'local',
      port: ':8080',
      ssh_port: ':2233',
      db_driver: 'sqlite',
      cookie_name: 'cms_session',
      cookie_duration: '24h',
      cookie_secure: false,
      cookie_samesite: 'lax',
      webhook_enabled: false,
      webhook_allow_http: false,
      webhook_timeout: 10,
      webhook_max_retries: 3,
      webhook_workers: 4,
      webhook_delivery_retention_days: 30,
      webhook_retry_delays: ['1m', '5m', '30m'],
      webhook_scan_interval: '60s',
      max_upload_size: 10_485_760,
      media_formats: ['webp'],
      bucket_force_path_style: true,
    })
  })

  it.each([
    [{ bucket_endpoint: 'file:' }, 'bucket_endpoint: must name a folder'],
    [{ bucket_endpoint: 'file://host/media' }, 'bucket_endpoint: must name a folder'],
    [{ bucket_admin_endpoint: 'File:////media' }, 'bucket_admin_endpoint: must name a folder'],
    [{ bucket_media: 'Pictures' }, 'bucket_media: must have only a-z'],
    [{ bucket_media: '../out' }, 'bucket_media: must have only a-z'],
    [{ bucket_admin_media: 'a/b' }, 'bucket_admin_media: must have only a-z'],
    [{ bucket_backup: '..' }, 'bucket_backup: must have only a-z'],
    [{ bucket_media_prefix: '../out' }, 'bucket_media_prefix: must have only letters'],
    [{ bucket_media_prefix: 'a/.hidden' }, 'bucket_media_prefix: must have only letters'],
    [{ bucket_media_prefix: 'a b' }, 'bucket_media_prefix: must have only letters'],
  ])('refuses media in a folder with %j', (given, problem) => {
    expect(() => parse({ bucket_endpoint: 'file:./media', ...given })).toThrow(problem)
  })

  it('takes media in a folder without any other setting, and names of a store as they are', () => {
    const folder = { bucket_endpoint: 'file:./media' }
    expect(parse(folder).config.bucket_endpoint).toBe('file:./media')
    const more = { bucket_media: 'my-files.1', bucket_media_prefix: '/Sites/one_1/' }
    expect(parse({ ...folder, ...more }).config).toMatchObject(more)
    const store = {
      bucket_endpoint: 'https://s3.example',
      bucket_media: 'Pictures',
      bucket_media_prefix: 'a b',
    }
    expect(parse(store).config).toMatchObject(store)
  })

  describe('with more OAuth providers', () => {
    const one = {
      id: 'partner',
      name: 'Partner',
      oauth_client_id: 'us',
      oauth_client_secret: '${PARTNER}',
      oauth_redirect_url: 'https://site.example/api/v1/auth/oauth/callback/partner',
      oauth_endpoint: {
        oauth_auth_url: 'https://id.example/auth',
        oauth_token_url: 'https://id.example/token',
        oauth_userinfo_url: 'https://id.example/me',
      },
    }
    const parseList = (...oauth_providers: object[]) => parse({ oauth_providers }, { PARTNER: 'secret' })
    const { id: _, ...nameless } = one

    it('takes their secrets from variables, and the usual scopes', () => {
      expect(parseList(one).config.oauth_providers).toEqual([
        { ...one, oauth_client_secret: 'secret', oauth_scopes: ['openid', 'email', 'profile'] },
      ])
      expect(() => parse({ oauth_providers: [one] })).toThrow(
        'oauth_providers[0].oauth_client_secret: environment variable PARTNER is not set',
      )
    })

    it.each([
      ['without an id', [nameless], 'oauth_providers.0.id: '],
      ['with a capital letter', [{ ...one, id: 'Partner' }], 'oauth_providers.0.id: must be 1 to 32'],
      ['with a path', [{ ...one, id: '../x' }], 'oauth_providers.0.id: must be 1 to 32'],
      ['with an empty id', [{ ...one, id: '' }], 'oauth_providers.0.id: must be 1 to 32'],
      ['with a long id', [{ ...one, id: 'x'.repeat(33) }], 'oauth_providers.0.id: must be 1 to 32'],
      ['with the id of the other', [{ ...one, id: 'default' }], 'oauth_providers.0.id: must not be default'],
      ['twice', [one, one], 'oauth_providers: must not repeat an id'],
      ['21 times', Array(21).fill(one), 'oauth_providers: '],
      ['without a name', [{ ...one, name: '' }], 'oauth_providers.0.name: '],
      ['with a line break', [{ ...one, name: 'a\nb' }], 'oauth_providers.0.name: must have no control'],
      ['with an unknown field', [{ ...one, client_id: 'x' }], 'oauth_providers.0: '],
      [
        'without endpoints',
        [{ ...one, oauth_endpoint: {} }],
        'oauth_providers.0.oauth_endpoint.oauth_auth_url',
      ],
      [
        'with a script',
        [{ ...one, oauth_redirect_url: 'javascript:1' }],
        'oauth_providers.0.oauth_redirect_url',
      ],
      [
        'at the callback of another',
        [{ ...one, oauth_redirect_url: 'https://site.example/api/v1/auth/oauth/callback' }],
        'oauth_providers.0.oauth_redirect_url: must end with /auth/oauth/callback/ and the id',
      ],
    ])('refuses one %s', (_, list, problem) => {
      expect(() => parseList(...list)).toThrow(problem)
    })

    it('refuses the name of the other provider as an id, for accounts are linked by it', () => {
      for (const oauth_provider_name of ['partner', 'Partner '])
        expect(() => parse({ oauth_provider_name, oauth_providers: [one] }, { PARTNER: 'x' })).toThrow(
          'oauth_provider_name: must differ from each id in oauth_providers',
        )
    })
  })

  it('keeps no control character in any text', () => {
    const texts = ['https://a.example/b', 'https://a.example', ':80', '10.0.0.0/8', '24h', 'en', 'local', 'a']
    const shapes = [
      (text: string) => text,
      (text: string) => [text],
      (oauth_auth_url: string) => ({ oauth_auth_url }),
    ]
    const kept: unknown[] = []
    for (const [name, { schema }] of Object.entries(configFields))
      for (const text of texts)
        for (const shape of shapes)
          for (const sign of ['\r\n', '\n', '\t', '\0', '\u0085'])
            for (const odd of [sign + text, text.slice(0, 1) + sign + text.slice(1), text + sign]) {
              const { data } = schema.safeParse(shape(odd))
              const held = JSON.stringify(data) ?? ''
              // A file has lines and tabs.
              const isOdd = name === 'robots_txt' ? /\\u|\u0085/ : /\\[nrtu]|\u0085/
              if (isOdd.test(held)) kept.push([name, odd])
            }
    expect(kept).toEqual([])
  })

  it('takes the example for servers with its variables', () => {
    const text = readFileSync('cms.config.servers.json.example', 'utf8')
    const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
    const { config, unknown } = parse(
      JSON.parse(text),
      Object.fromEntries(names.map(name => [name, `value of ${name}`])),
    )
    expect(unknown).toEqual([])
    expect(config).toMatchObject({ db_driver: 'postgres', db_password: 'value of DB_PASSWORD', tls: 'off' })
  })

  it.each([
    ['local', true, false],
    ['development-docker', true, false],
    ['staging', false, true],
    ['production-docker', false, true],
  ])('in %s lets strangers register: %s, and keeps the cookie to HTTPS: %s', (environment, open, secure) => {
    expect(parse({ environment }).config).toMatchObject({
      registration_enabled: open,
      readers_see_drafts: open,
      cookie_secure: secure,
    })
    expect(parse({ environment: '${E}' }, { E: environment }).config.registration_enabled).toBe(open)
    const set = { environment, registration_enabled: !open, cookie_secure: !secure }
    expect(parse(set).config).toMatchObject(set)
  })

  it('puts variables in, at any depth and of any kind', () => {
    const { config } = parse(
      {
        db_url: 'pre-${A}-${B}',
        oauth_scopes: ['${A}'],
        oauth_endpoint: { oauth_auth_url: 'https://${A}/' },
        webhook_enabled: '${ON}',
        webhook_workers: '${N}',
      },
      { A: 'a.example', B: '', ON: 'true', N: '7' },
    )
    expect(config).toMatchObject({
      db_url: 'pre-a.example-',
      oauth_scopes: ['a.example'],
      oauth_endpoint: { oauth_auth_url: 'https://a.example/' },
      webhook_enabled: true,
      webhook_workers: 7,
    })
  })

  it.each([
    [{ port: 8080 }, {}, { port: ':8080' }],
    [{ port: '${P}', ssh_port: 22 }, { P: '99' }, { port: '99', ssh_port: ':22' }],
    [{ db_driver: 'mariadb', db_name: 'a' }, {}, { db_driver: 'mysql' }],
    [{ db_driver: '${D}', db_name: 'a' }, { D: 'postgresql' }, { db_driver: 'postgres' }],
  ])('takes %j as people write it', (file, variables, expected) => {
    expect(parse(file, variables).config).toMatchObject(expected)
  })

  it.each([
    ['a list', [], 'must contain a JSON object'],
    [
      'an unset variable',
      { db_password: '${NOT_SET}' },
      'db_password: environment variable NOT_SET is not set',
    ],
    [
      'an unset variable inside',
      { oauth_scopes: ['a', '${X}'] },
      'oauth_scopes[1]: environment variable X is not set',
    ],
    ['an unknown driver', { db_driver: 'oracle' }, 'db_driver: must be sqlite, mysql or postgres'],
    ['an unknown environment', { environment: 'prod' }, 'environment: must be local'],
    ['a wrong type', { webhook_enabled: 'yes' }, 'webhook_enabled: '],
    ['a wrong number', { webhook_workers: 0 }, 'webhook_workers: '],
    ['a bad port', { port: 'http' }, 'port: must look like'],
    ['a port too high', { port: ':70000' }, 'port: must contain a valid port'],
    ['a number too high', { port: 70_000 }, 'port: must contain a valid port'],
    ['a number that is no port', { port: 80.5 }, 'port: must look like'],
    ['a port of no kind', { port: true }, 'port: must look like'],
    ['a driver of no kind', { db_driver: 5 }, 'db_driver: must be sqlite, mysql or postgres'],
    ['a bad duration', { cookie_duration: 'soon' }, 'cookie_duration: must be a duration'],
    ['a bad cookie name', { cookie_name: 'a=b' }, 'cookie_name: '],
    ['a prefix without https', { cookie_name: '__Host-x' }, 'cookie_name: this prefix needs cookie_secure'],
    ['none without secure', { cookie_samesite: 'none' }, 'cookie_samesite: "none" requires cookie_secure'],
    ['another way of mail', { email_provider: 'sendgrid' }, 'email_provider: must be smtp'],
    ['everybody with the cookie', { cors_origins: ['*'] }, 'cors_origins: '],
    ['a database in memory', { db_url: ':memory:' }, 'db_url: must be a file'],
  ])('refuses %s and names the field', (_, file, message) => {
    expect(() => parse(file)).toThrow(message)
  })

  it('names the file, and the fields that it does not know', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'slugline-config-')), 'cms.config.json')
    expect(() => loadConfig(path, {})).toThrow(`${path}: the file does not exist`)
    writeFileSync(path, '{ "port": ":1", }')
    expect(() => loadConfig(path, {})).toThrow(`${path}: is not JSON`)
    writeFileSync(path, JSON.stringify({ prot: ':1' }))
    expect(loadConfig(path, {}).unknown).toEqual(['prot'])
  })

  it('lets relative paths begin at the file, wherever a command is typed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'slugline-config-'))
    const path = join(folder, 'cms.config.json')
    const load = (file: unknown) => {
      writeFileSync(path, JSON.stringify(file))
      return loadConfig(relative(process.cwd(), path), {}).config
    }
    mkdirSync(join(folder, 'certs'))
    const paths = {
      cert_dir: 'certs',
      tls_cert_file: './own.pem',
      tls_key_file: 'keys/own.key',
      ssh_host_key: './host.key',
      backup_dir: '../backups',
    }
    expect(load({ ...paths, db_url: './site.db' })).toMatchObject({
      cert_dir: join(folder, 'certs'),
      tls_cert_file: join(folder, 'own.pem'),
      tls_key_file: join(folder, 'keys/own.key'),
      ssh_host_key: join(folder, 'host.key'),
      backup_dir: join(folder, '../backups'),
      db_url: join(folder, 'site.db'),
    })
    expect(load({})).toMatchObject({
      db_url: join(folder, 'modula.db'),
      backup_dir: join(folder, 'backups'),
    })
    expect(load({}).cert_dir).toBeUndefined()
    expect(load({ db_url: '/srv/site.db', backup_dir: '/srv/backups' })).toMatchObject({
      db_url: '/srv/site.db',
      backup_dir: '/srv/backups',
    })
    expect(load({ db_driver: 'postgres', db_url: 'database:5432', db_name: 'site' }).db_url).toBe(
      'database:5432',
    )
    expect(
      load({ bucket_endpoint: 'file:./media', bucket_admin_endpoint: 'FILE:///srv/panel' }),
    ).toMatchObject({
      bucket_endpoint: `file:${join(folder, 'media')}`,
      bucket_admin_endpoint: 'file:/srv/panel',
    })
    expect(load({ bucket_endpoint: 'http://127.0.0.1:9000' }).bucket_endpoint).toBe('http://127.0.0.1:9000')
    // Without a file there is only the working folder.
    expect(loadConfig(undefined, {}).config.db_url).toBe(join(process.cwd(), 'modula.db'))
  })

  it('refuses to begin an empty database where the one of before is in the working folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'slugline-config-'))
    const path = join(folder, 'cms.config.json')
    const name = `left-${process.pid}.db`
    writeFileSync(path, JSON.stringify({ db_url: name }))
    writeFileSync(name, '')
    try {
      expect(() => refuseLeftDatabase(loadConfig(path, {}))).toThrow(
        `db_url: there is no database ${join(folder, name)}, but there is ${resolve(name)}`,
      )
      writeFileSync(join(folder, name), '')
      expect(() => refuseLeftDatabase(loadConfig(path, {}))).not.toThrow()
    } finally {
      rmSync(name)
    }
  })

  it('wants a certificate directory that is there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'slugline-config-'))
    const path = join(folder, 'cms.config.json')
    const load = (file: unknown) => {
      writeFileSync(path, JSON.stringify(file))
      return loadConfig(path, {}).config
    }
    const message = 'Certificate Directory path is invalid'
    expect(() => load({ cert_dir: join(folder, 'missing') })).toThrow(message)
    expect(() => load({ cert_dir: path })).toThrow(message)
    expect(() => load({ environment: 'production' })).toThrow(message)
    expect(load({ environment: 'local-docker' }).cert_dir).toBeUndefined()
    expect(load({ environment: 'staging', cert_dir: folder }).cert_dir).toBe(folder)
    // A proxy has them.
    expect(load({ environment: 'production', tls: 'off' }).cert_dir).toBeUndefined()
    expect(() => load({ environment: 'production', tls: 'files' })).toThrow(message)
    expect(() => load({ tls: 'off', cert_dir: join(folder, 'missing') })).toThrow(message)
  })
})

it.each([
  [
    'host and port',
    { db_url: 'db:1', db_name: 'n', db_username: 'u', db_password: 'p' },
    ['db', 1, 'u', 'p', 'n'],
  ],
  ['a host', { db_url: 'db', db_name: 'n' }, ['db', 5432, 'postgres', '', 'n']],
  [
    'a URL',
    { db_url: 'postgres://a:b%2Fc@db:2/x', db_name: 'n', db_username: 'u' },
    ['db', 2, 'a', 'b/c', 'x'],
  ],
  ['IPv6', { db_url: '[::1]:3', db_name: 'n' }, ['::1', 3, 'postgres', '', 'n']],
])('reads a database address from %s', (_, fields, expected) => {
  const { hosts, state, user, password, database } = serverAddress(
    { db_driver: 'postgres', ...fields } as Parameters<typeof serverAddress>[0],
    'postgres',
    5432,
    'postgres',
  )
  const [{ host, port } = { host: '', port: 0 }] = hosts
  expect([host, port, user, password, database]).toEqual(expected)
  expect([hosts.length, state]).toEqual([1, 'any'])
})

it.each([
  ['postgres://u:p%40@one:1,two,[::1]:3/db', 'read-write', ['one:1', 'two:5432', '::1:3']],
  ['one,two:2', 'read-write', ['one:5432', 'two:2']],
  ['one:1, two:2/db?target_session_attrs=any', 'any', ['one:1', 'two:2']],
  ['postgres://one/db?target_session_attrs=read-only', 'read-only', ['one:5432']],
])('reads several hosts of a database from %s', (db_url, state, expected) => {
  const read = (fields: object) =>
    serverAddress(
      { db_driver: 'postgres', db_url, db_name: 'n', ...fields } as DatabaseAddress,
      'postgres',
      5432,
      'u',
    )
  const { hosts, ...rest } = read({})
  expect([hosts.map(({ host, port }) => `${host}:${port}`), rest.state]).toEqual([expected, state])
  const isGiven = db_url.includes('target')
  expect(read({ db_read_only: true }).state).toBe(isGiven ? state : 'any')
})

it.each([
  ['postgres://one,two:x/db', 'must be host:port'],
  ['postgres://one,/db', 'must be host:port'],
  ['postgres://secret:word@one:1:2/db', 'must be host:port'],
  ['one,two/db?target_session_attrs=primary', 'target_session_attrs must be read-write, read-only, any'],
])('refuses %s', (db_url, sentence) => {
  const read = () =>
    serverAddress({ db_driver: 'postgres', db_url } as DatabaseAddress, 'postgres', 5432, 'u')
  expect(read).toThrow(sentence)
  expect(read).not.toThrow(/secret|word/)
})

it('writes durations in words', () => {
  const words = ['30d', '1h30m', '90s', '100ms', '0.5h', 'soon'].map(text => durationWords(text, 'en'))
  expect(words).toEqual(['30 days', '1 hour 30 minutes', '90 seconds', '100 milliseconds', '0.5 hours', ''])
  expect(durationWords('30d', 'de')).toBe('30 Tage')
})

it('reads durations', () => {
  expect(['24h', '90s', '1h30m', '250ms', '1.5m'].map(duration)).toEqual([
    86_400_000, 90_000, 5_400_000, 250, 90_000,
  ])
  expect(() => duration('1 day')).toThrow(RangeError)
})

describe('every number and duration', () => {
  interface Shape {
    type?: string
    minimum?: number
    maximum?: number
    maxItems?: number
    items?: Shape
  }
  const fields = Object.entries(configFields).map(([name, { schema }]) => ({
    name,
    usual: parse({}).config[name as ConfigName],
    shape: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape,
  }))
  const isTime = (value: unknown) => typeof value === 'string' && /^\d+(ms|s|m|h|d)$/.test(value)
  const takes = (name: string, value: unknown) => {
    try {
      parse({ [name]: value })
      return true
    } catch (error) {
      expect([name, value, String(error)]).toEqual([name, value, expect.stringContaining(`${name}`)])
      return false
    }
  }

  it('has a range that is finite, and nothing outside of it is taken', () => {
    const numbers = fields.filter(({ usual }) => typeof usual === 'number')
    expect(numbers.length).toBeGreaterThanOrEqual(8)
    for (const { name, shape } of numbers) {
      const { type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = shape
      expect([name, type, minimum >= 0, maximum <= 2 ** 40]).toEqual([name, 'integer', true, true])
      expect([name, takes(name, minimum), takes(name, maximum)]).toEqual([name, true, true])
      for (const absurd of [minimum - 1, maximum + 1, minimum + 0.5, 1e308, Number.NaN, '1'])
        expect([name, absurd, takes(name, absurd)]).toEqual([name, absurd, false])
    }
  })

  it('lasts neither longer than any time there is nor shorter than a timer counts', () => {
    const times = fields.filter(
      // No timer counts how long deleted content stays, and 0s is no time at all.
      ({ name, usual }) =>
        name !== 'trash_retention' && (isTime(usual) || (Array.isArray(usual) && isTime(usual[0]))),
    )
    expect(times.map(({ name }) => name)).toEqual([
      'ssh_idle_timeout',
      'cookie_duration',
      'webhook_retry_delays',
      'webhook_scan_interval',
    ])
    const absurd = [
      '0s',
      '0.000001ms',
      '999999h',
      '99999999999d',
      `${'9'.repeat(400)}d`,
      '1e9h',
      '-1h',
      '',
      '1',
    ]
    for (const { name, usual } of times)
      for (const one of absurd) {
        const value = Array.isArray(usual) ? [one] : one
        expect([name, value, takes(name, value)]).toEqual([name, value, false])
      }
    expect(takes('webhook_scan_interval', '25d')).toBe(false)
    expect([takes('cookie_duration', '720h'), takes('cookie_duration', '1h30m')]).toEqual([true, true])
  })

  it('comes in lists that end', () => {
    const lists = fields.filter(({ shape }) => shape.type === 'array')
    expect(lists.length).toBeGreaterThanOrEqual(6)
    for (const { name, shape } of lists) expect([name, shape.maxItems]).toEqual([name, expect.any(Number)])
  })
})
