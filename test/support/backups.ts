import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { createApp } from '../../src/app.js'
import { parseConfig } from '../../src/config.js'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import { dumpText } from '../../src/db/dump/write.js'
import { migrate } from '../../src/db/migrate.js'
import { restoreRows } from '../../src/db/restore.js'
import { timestamp } from '../../src/ids.js'
import { archives, storage } from '../../src/node/ports.js'
import { open } from '../../src/server.js'
import { mediaAddress } from '../../src/services/media/storage.js'
import { rowsOfArchive } from '../../src/services/operation/archive-check.js'
import { type Made, makeArchive } from '../../src/services/operation/backup-archive.js'
import { steps } from '../whole/identity-steps.js'
import type { Caller, TestApp } from './app.js'
import { freshDatabase } from './database.js'
import { picture, uploader } from './media.js'
import type { Engine } from './servers.js'
import { whenDone } from './when-done.js'

/** All engines of this run. */
export const engines = (process.env.TEST_ENGINES ?? 'sqlite').split(',') as Engine[]
export const schema = migrations.map(({ name }) => name)

export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-backup-'))
  whenDone(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Fills a site with the identity transcript, and uploads media to both spaces. @returns a key of an administrator */
export async function fillSite(app: TestApp): Promise<string> {
  const found = new Map<string, string>(Object.entries(app.users))
  const fill = (text: string) =>
    text.replaceAll(/\$(\w+)/g, (whole, name: string) => found.get(name) ?? whole)
  for (const { as = 'admin', call, body, headers, keep } of steps) {
    app.clock.advance(1000)
    const [method = '', path = ''] = call.split(' ')
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await app.call(method, fill(path), {
      as: as as Caller,
      ...(text === undefined ? {} : { body: fill(text) }),
      ...(headers ? { headers } : {}),
    })
    for (const [name, member] of Object.entries(keep ?? {})) found.set(name, String(answer.body?.[member]))
  }
  if (app.config.bucket_media) {
    const upload = uploader(app)
    const image = await picture(900, 700).png().toBuffer()
    for (const space of ['', '/admin'] as const) {
      expect((await upload('a picture.png', image, { space })).status).toBe(201)
      expect((await upload('Ünïcode – テキスト.txt', `text of ${space}`, { space })).status).toBe(201)
    }
    expect((await upload(`${'long-'.repeat(30)}.txt`, 'a long name')).status).toBe(201)
  }
  const key = await app.call('POST', '/api/v1/tokens', { body: { label: 'reads all' } })
  expect(key.status).toBe(201)
  return key.body.token
}

type Making = Parameters<typeof makeArchive>[0]

/** Writes an archive of an application. */
export function archiveOf(
  { db, config, parts }: Pick<TestApp, 'db' | 'config' | 'parts'>,
  path: string,
  more: Partial<Making> = {},
): Promise<Made> {
  const making: Making = {
    db,
    archives,
    clock: parts.ports.clock,
    version: '0.0.0',
    schema,
    async bucketOf(space) {
      const address = mediaAddress(config, space)
      if (!address) throw new Error('this test has no storage')
      return storage.open(address)
    },
    signal: new AbortController().signal,
    async check() {},
    progress() {},
    ...more,
  }
  return makeArchive(making, path)
}

/** Creates a database of an engine with the rows of an archive. */
export async function restoredOn(engine: Engine, path: string): Promise<DatabaseAddress> {
  const database = await freshDatabase(engine)
  whenDone(() => database.drop())
  const dialect = await connect(database.address)
  try {
    await migrate(dialect, migrations, { now: () => timestamp(Date.now()) })
    const rows = rowsOfArchive({ archives, schema }, path)
    await restoreRows(dialect, rows, { replace: false, progress() {} })
  } finally {
    await dialect.close()
  }
  return database.address
}

export type Site = Pick<TestApp, 'db' | 'config' | 'parts' | 'app'>

/** Opens the product over an existing database, with the ports of another application. */
export async function siteOver(address: DatabaseAddress, like: TestApp, more: object = {}): Promise<Site> {
  const { config } = parseConfig({ ...like.config, ...address, ...more }, {})
  const { ports } = like.parts
  const opened = await open({
    config,
    ports,
    variables: { CMS_ADMIN_EMAIL: 'nobody@example.com', CMS_ADMIN_PASSWORD: 'not to be made' },
    rateLimiter: { consume: async () => undefined },
  })
  whenDone(() => opened.db.close())
  const { db, services, ids } = opened
  const parts = { services, ports, ids, config: opened.config, version: '0.0.0' }
  return { db, config, parts, app: createApp(parts) }
}

export async function dumpOf({ db }: Pick<Site, 'db'>): Promise<string> {
  let dump = ''
  await db.snapshot(
    async read => {
      for await (const text of dumpText(read, () => undefined)) dump += text
    },
    { long: true },
  )
  return dump
}

/** Reads that depend on the installation, or that a read itself changes. */
const notCompared =
  /^\/events$|^\/(sessions|users\/(sessions|full)|admin\/(backups|webhooks)|metrics|health|config|tokens|openapi.json|auth|media\/health|media\/cleanup|admin\/media\/health)/

const formats = ['raw', 'clean', 'contentful', 'sanity', 'strapi', 'wordpress']

/** Returns the responses to all declared reads, and to every public page in every format. */
export async function readsOf({ app }: Pick<Site, 'app'>, key: string): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const request = new Request(`http://localhost${path}`, { headers })
    const answer = await app.fetch(request, { address: '127.0.0.1' })
    const text = await answer.text()
    const shown = ['content-type', 'etag', 'x-total-count'].map(name => answer.headers.get(name))
    answers.set(path, `${answer.status} ${shown.join(' ')}\n${text}`)
    return { status: answer.status, text }
  }
  const signed = { Authorization: `Bearer ${key}` }
  for (const { method, path } of app.declarations) {
    if (method !== 'get' || path.includes(':') || path.includes('*') || notCompared.test(path)) continue
    const { status, text } = await get(`/api/v1${path}`, signed)
    if (status !== 200 || !text.startsWith('[')) continue
    for (const record of JSON.parse(text)) {
      const [id] = Object.values(record)
      if (typeof id === 'string') await get(`/api/v1${path}/?q=${id}`, signed)
    }
  }
  for (const { slug } of JSON.parse((await get('/api/v1/routes', signed)).text))
    for (const format of formats) {
      await get(`${slug}?format=${format}`)
      await get(`/api/v1/page${slug}?format=${format}`, signed)
    }
  for (const { name } of JSON.parse((await get('/api/v1/datatypes', signed)).text))
    await get(`/api/v1/query/${name}`, signed)
  for (const { content_data_id } of JSON.parse((await get('/api/v1/content', signed)).text))
    await get(`/api/v1/content/versions?content_data_id=${content_data_id}`, signed)
  return answers
}
