import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { databaseFile, parseConfig } from '../../src/config.js'
import { withAppSecret } from '../../src/node/app-secret.js'
import { callerOf } from '../support/calls.js'
import { startProduct } from '../support/process.js'

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-secret-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function start(folder: string, file: object) {
  const lines: string[] = []
  const note = (_: object, message: string) => void lines.push(message)
  const log = { debug: note, info: note, warn: note, error: note }
  const { config } = parseConfig(file, {})
  return {
    ...withAppSecret(
      config,
      { configuration: join(folder, 'cms.config.json'), database: databaseFile(config) },
      log,
    ),
    lines,
  }
}

it('makes a secret beside the SQLite database once, and reads it at every later start', () => {
  const folder = folderOf()
  const file = { db_url: join(folder, 'site.db') }
  const first = start(folder, file)
  expect(first.app_secret).toMatch(/^[\w-]{43}$/)
  expect(first.lines).toHaveLength(1)
  expect([readdirSync(folder), statSync(`${file.db_url}.secret`).mode & 0o777]).toEqual([
    ['site.db.secret'],
    0o600,
  ])
  expect(start(folder, file)).toMatchObject({ app_secret: first.app_secret, lines: [] })
  expect(start(folderOf(), { db_url: join(folder, 'other.db') }).app_secret).not.toBe(first.app_secret)
})

it('makes none where one is set', () => {
  const folder = folderOf()
  const set = start(folder, { db_url: join(folder, 'site.db'), app_secret: 'of the operator' })
  expect([set.app_secret, set.lines, readdirSync(folder)]).toEqual(['of the operator', [], []])
})

it('says at each start on a database server that all instances need the same', () => {
  const folder = folderOf()
  const file = { db_driver: 'postgres', db_url: '127.0.0.1:5432', db_name: 'x' }
  const shared = 'app_secret is not set: instances that share the database must have the same one'
  const first = start(folder, file)
  expect(first.lines.at(-1)).toBe(shared)
  expect(existsSync(join(folder, 'cms.config.json.secret'))).toBe(true)
  expect(start(folder, file)).toMatchObject({ app_secret: first.app_secret, lines: [shared] })
})

it('is not another one because the file was emptied', () => {
  const folder = folderOf()
  const file = { db_url: join(folder, 'site.db') }
  writeFileSync(`${file.db_url}.secret`, '\n')
  expect(() => start(folder, file)).toThrow('site.db.secret is empty')
  expect(readFileSync(`${file.db_url}.secret`, 'utf8')).toBe('\n')
})

it('starts without one, and says so, where no file can be made', () => {
  const folder = folderOf()
  const file = { db_url: join(folder, 'no', 'such', 'folder.db') }
  const { app_secret, lines } = start(folder, file)
  expect([app_secret, lines.length, lines[0]]).toEqual([
    undefined,
    1,
    expect.stringContaining('cannot be stored'),
  ])
})

it('seals webhook secrets of a product that was configured with nothing', async () => {
  const folder = folderOf()
  const address = { db_driver: 'sqlite', db_url: join(folder, 'data.db') } as const
  const config = { webhook_allow_http: true }
  const product = await startProduct(address, { config })
  const call = await callerOf(product)
  const secret = 'a secret in the clear'
  const body = { name: 'x', url: 'http://127.0.0.1:9/', events: ['*'], secret }
  expect((await call('POST', '/admin/webhooks', body)).status).toBe(201)
  await product.stop()
  const stored = ['data.db', 'data.db-wal'].flatMap(name =>
    existsSync(join(folder, name)) ? [readFileSync(join(folder, name), 'latin1')] : [],
  )
  expect([stored.join('').includes(secret), stored.join('').includes('sealed:')]).toEqual([false, true])
})
