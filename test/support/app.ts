import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { systemActor } from '../../src/actor.js'
import { type App, type AppParts, createApp } from '../../src/app.js'
import { type Config, parseConfig } from '../../src/config.js'
import type { InsertOf, RowOf } from '../../src/db/columns.js'
import type { Database } from '../../src/db/database.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { timestamp } from '../../src/ids.js'
import { configFileAt } from '../../src/node/config-file.js'
import { exposition } from '../../src/node/metrics.js'
import { outgoing } from '../../src/node/outgoing.js'
import {
  archives,
  files,
  images,
  importerOf,
  nodeHashing,
  panelFiles,
  publicKeys,
  sandbox,
  storage,
} from '../../src/node/ports.js'
import type { ConfigFile, Hashing, Log, Mail, Outgoing, Ports } from '../../src/ports.js'
import { open } from '../../src/server.js'
import type { Services } from '../../src/services/index.js'
import { migratedDatabase } from './database.js'
import { whenDone } from './when-done.js'

export type Caller = 'nobody' | 'viewer' | 'editor' | 'admin' | 'key'

interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON came
  body: any
  text: string
}

interface Call {
  as?: Caller
  body?: unknown
  headers?: Record<string, string>
  /** The remote address. */
  address?: string
}

export interface TestApp {
  app: App
  /** The parts of the app, for a second instance over the same services. */
  parts: AppParts
  /** The parts with an own rate limiter, as another process has. */
  otherInstance(): AppParts
  db: Database
  services: Services
  config: Config
  /** Stands in for the configuration file. */
  file: { text: string | undefined; isFixed: boolean }
  clock: { now(): number; advance(milliseconds: number): void }
  logged: { level: string; fields: object; message: string }[]
  /** Ids of the users who can call. */
  users: Record<Exclude<Caller, 'nobody'>, string>
  call(method: string, path: string, call?: Call): Promise<Answer>
  /** Calls with a raw body. */
  send(
    method: string,
    path: string,
    call: { as?: Caller; body: BodyInit; headers?: Record<string, string> },
  ): Promise<Answer>
  audits(): Promise<RowOf<typeof internalTables.auditEvents>[]>
  deliveries(): Promise<RowOf<typeof internalTables.webhookDeliveries>[]>
  /** Creates a webhook for all events, so that a test sees deliveries. */
  subscribe(events?: string[]): Promise<string>
}

const secretOf = (caller: Caller) => `${caller}-secret-of-this-test`

function seededRandom(seed: number) {
  let state = seed
  return {
    bytes(length: number) {
      const bytes = new Uint8Array(length)
      for (let i = 0; i < length; i++) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        bytes[i] = state >>> 24
      }
      return bytes
    },
  }
}

/**
 * The product's hashing with the cheapest parameters for passwords: the parameters are part of each hash, and the test
 * of password hashing uses the product's own.
 */
export const cheapHashing: Hashing = {
  ...nodeHashing,
  password: password => hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 }),
}

/** The whole product except its listeners on a database of its own, with the clock and random numbers of the test. */
export async function testApp(
  overrides: Partial<Record<keyof Config, unknown>> = {},
  more: {
    mail?: Mail
    limited?: boolean
    file?: unknown
    variables?: Record<string, string>
    outgoing?: Outgoing
    hashing?: Hashing
  } = {},
): Promise<TestApp> {
  const database = await migratedDatabase()
  const backups = mkdtempSync(join(tmpdir(), 'slugline-backups-'))
  const { config } = parseConfig({ ...database.address, backup_dir: backups, ...overrides }, {})
  let now = Date.UTC(2026, 10, 21, 12)
  const clock = {
    now: () => now,
    advance(milliseconds: number) {
      now += milliseconds
    },
  }
  const logged: TestApp['logged'] = []
  const write =
    (level: string) =>
    (fields: object, message: string): void => {
      logged.push({ level, fields, message })
    }
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const noMail: Mail = {
    send: async () => {
      throw new Error('this test has no mail server')
    },
  }
  const file = { text: more.file === undefined ? undefined : JSON.stringify(more.file), isFixed: false }
  const memoryFile: ConfigFile = {
    check: configFileAt('').check,
    read: async () => file.text,
    isWritable: async () => !file.isFixed,
    async write(text, before) {
      await before()
      file.text = text
    },
  }
  const ports: Ports = {
    clock,
    random: seededRandom(1),
    hashing: more.hashing ?? cheapHashing,
    log,
    mail: more.mail ?? noMail,
    outgoing: more.outgoing ?? outgoing,
    archives,
    files,
    images,
    importer: importerOf(join(backups, 'cms.config.json')),
    storage,
    publicKeys,
    sandbox,
    panelFiles,
    configFile: memoryFile,
    exposition,
  }
  const {
    db,
    config: inEffect,
    newRateLimiter,
    services,
    ids,
  } = await open({
    config,
    ports,
    // Most tests sign in more often than the limit allows.
    ...(more.limited ? {} : { rateLimiter: { consume: async () => undefined } }),
    variables: {
      ...more.variables,
      CMS_ADMIN_EMAIL: 'admin@example.com',
      CMS_ADMIN_PASSWORD: 'correct horse',
    },
  })
  whenDone(async () => {
    services.changeStreams.stop()
    // A backup that a request has started continues after its response.
    await services.backups.stop()
    await services.importJobs.stop()
    await services.settle()
    await db.close()
    await database.drop()
    rmSync(backups, { recursive: true, force: true })
  })
  const parts: AppParts = {
    services,
    ports,
    ids,
    config: inEffect,
    version: '0.0.0',
  }
  const app = createApp(parts)

  const roles = new Map((await db.findAll(tables.roles)).map(role => [role.label, role.role_id]))
  const admin = await db.find(tables.users, { email: 'admin@example.com' })
  if (!admin) throw new Error('there is no administrator')
  const users = { admin: admin.user_id, viewer: '', editor: '', key: '' }
  await db.write(systemActor, async tx => {
    for (const caller of ['viewer', 'editor'] as const) {
      const user = await tx.insert(tables.users, {
        username: caller,
        name: caller,
        email: `${caller}@example.com`,
        role: roles.get(caller) ?? '',
      })
      users[caller] = user.user_id
    }
    users.key = users.editor
    for (const caller of ['viewer', 'editor', 'admin'] as const)
      await tx.insert(tables.sessions, {
        user_id: users[caller],
        token_hash: nodeHashing.sha256(secretOf(caller)),
        last_access: timestamp(now + 86_400_000),
        expires_at: timestamp(now + 86_400_000),
      })
    const key: InsertOf<typeof tables.tokens> = {
      user_id: users.key,
      token_type: 'api_key',
      token_hash: nodeHashing.sha256(secretOf('key')),
      issued_at: timestamp(now),
      last_used_at: timestamp(now + 86_400_000),
    }
    await tx.insert(tables.tokens, key)
  })

  const lastFailure = (): unknown => {
    const fields = logged.findLast(({ level }) => level === 'error')?.fields
    return fields && 'err' in fields ? fields.err : fields
  }
  const credentials = (as: Caller): Record<string, string> => {
    if (as === 'nobody') return {}
    if (as === 'key') return { Authorization: `Bearer ${secretOf('key')}` }
    return { Cookie: `${config.cookie_name}=${secretOf(as)}` }
  }

  async function answerTo(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: BodyInit | undefined,
    address = '127.0.0.1',
  ): Promise<Answer> {
    const streamed = body instanceof ReadableStream ? { duplex: 'half' } : {}
    const request = new Request(`http://localhost${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body, ...streamed }),
    })
    const response = await app.fetch(request, { address })
    const text = await response.text()
    if (response.status === 500) throw new Error(`${method} ${path} gave a 500`, { cause: lastFailure() })
    let parsed: unknown
    try {
      parsed = text === '' ? undefined : JSON.parse(text)
    } catch {
      parsed = undefined
    }
    return { status: response.status, headers: response.headers, body: parsed, text }
  }

  return {
    app,
    parts,
    otherInstance: () => ({ ...parts, services: { ...services, rateLimiter: newRateLimiter() } }),
    db,
    services,
    config,
    file,
    clock,
    logged,
    users,
    async call(method, path, { as = 'admin', body, headers = {}, address = '127.0.0.1' } = {}) {
      const sent: Record<string, string> = { ...credentials(as), ...headers }
      if (body !== undefined && !sent['Content-Type']) sent['Content-Type'] = 'application/json'
      const raw = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      return answerTo(method, path, sent, raw, address)
    },
    send: (method, path, { as = 'admin', body, headers = {} }) =>
      answerTo(method, path, { ...credentials(as), ...headers }, body),
    audits: () => db.findAll(internalTables.auditEvents),
    deliveries: () => db.findAll(internalTables.webhookDeliveries),
    async subscribe(events = ['*']) {
      const webhook = await db.write(systemActor, tx =>
        tx.insert(tables.webhooks, {
          name: 'test',
          url: 'https://receiver.example/',
          secret: 'secret',
          events,
          is_active: true,
          author_id: users.admin,
        }),
      )
      return webhook.webhook_id
    },
  }
}
