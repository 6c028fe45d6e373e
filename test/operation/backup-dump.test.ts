import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { dumpedTables } from '../../src/db/dump/tables.js'
import { everyTable, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import {
  archiveOf,
  dumpOf,
  engines,
  fillSite,
  readsOf,
  restoredOn,
  schema,
  scratchFolder,
  siteOver,
} from '../support/backups.js'
import { engine, freshDatabase } from '../support/database.js'
import { testStorage } from '../support/storage.js'

const folder = scratchFolder()
const store = await testStorage()
const app = await testApp({
  webhook_enabled: true,
  i18n_enabled: true,
  publish_mode: 'staged',
  ...store.config,
})
const key = await fillSite(app)
const { db, users } = app

/** Texts that a client of a database could take for something else than a value. */
const hostile = [
  "it's ''quoted''",
  'back\\slash \\\\ \\n',
  'a\r\nb\rc\nd\r\n\r\n',
  'has <crlf> itself\r\n<crlf1>',
  `\\! touch ${folder}/psql`,
  `x\n\\! touch ${folder}/line\n.shell touch ${folder}/sqlite\nsystem touch ${folder}/maria\ndelimiter //\n`,
  "'; drop table users; --",
  '/*!40101 drop table users */',
  ":name :'name' $1 ? ??",
  '\u001a\t\u0001\u2028 😀 ÿ',
  ' ends with a blank ',
  '',
]
const author_id = users.admin
await db.write(systemActor, async tx => {
  const folders = await tx.insertAll(
    tables.mediaFolders,
    hostile.map(name => ({ name: name || 'none', author_id })),
  )
  // A parent that is newer than its child.
  const [older, newer] = [folders[0]?.folder_id ?? '', folders.at(-1)?.folder_id ?? '']
  await tx.update(tables.mediaFolders, older, { parent_id: newer })
  await tx.insert(tables.webhooks, {
    name: 'with secrets',
    url: 'https://receiver.example/',
    secret: 'plain-webhook-secret',
    headers: { Authorization: 'Bearer receiver-password' },
    events: ['*'],
    author_id,
  })
})

const path = join(folder, 'site.tar.gz')
const made = await archiveOf(app, path)

it('leaves no file behind, open or not, when one of its scratch files cannot be made', async () => {
  const own = scratchFolder()
  const to = join(own, 'site.tar.gz')
  mkdirSync(`${to}.media`)
  await expect(archiveOf(app, to)).rejects.toThrow('EISDIR')
  expect(readdirSync(own)).toEqual(['site.tar.gz.media'])
})

it('leaves an older archive where it is until the new one has been read back', async () => {
  const own = scratchFolder()
  const older = join(own, 'site.tar.gz')
  writeFileSync(older, 'of yesterday')
  const damaged = async (part: string) => {
    expect([readFileSync(older, 'utf8'), existsSync(part)]).toEqual(['of yesterday', true])
    throw new Error('is damaged')
  }
  await expect(archiveOf(app, older, { check: damaged })).rejects.toThrow('is damaged')
  expect([readdirSync(own), readFileSync(older, 'utf8')]).toEqual([['site.tar.gz'], 'of yesterday'])
  await archiveOf(app, older)
  expect(readFileSync(older).byteLength).toBe(made.size)
})

describe('an archive', () => {
  const unpacked = join(folder, 'unpacked')
  mkdirSync(unpacked)
  execFileSync('tar', ['xzf', path, '-C', unpacked])

  it('is a tar.gz whose files other programs read and whose checksums they confirm', () => {
    execFileSync('gzip', ['-t', path])
    expect(execFileSync('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], { cwd: unpacked }).toString()).toBe('')
    const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'))
    expect(manifest).toMatchObject({
      format: 1,
      service: 'slugline',
      schema,
      records: made.records,
      media: made.media,
    })
    expect([made.missing, made.media > 5]).toEqual([[], true])
    const listed = execFileSync('tar', ['tvzf', path]).toString().trim().split('\n')
    expect(listed.length).toBe(made.media + 3)
    expect(listed.every(line => line.startsWith('-rw-------'))).toBe(true)
  })

  it('has the bytes of every object', async () => {
    const keys = await store.keys()
    // Both spaces share a bucket, and each has its own part of the archive.
    const found = ['media', 'admin_media'].map(space =>
      execFileSync('find', [space, '-type', 'f'], { cwd: unpacked, maxBuffer: 2 ** 26 }).toString(),
    )
    const files = found.join('').trim().split('\n')
    expect(files.map(file => file.slice(file.indexOf('/') + 1)).sort()).toEqual([...keys].sort())
    for (const file of files) {
      const { bytes } = await store.object(file.slice(file.indexOf('/') + 1))
      expect(readFileSync(join(unpacked, file)).equals(bytes)).toBe(true)
    }
  })

  it('has no credential but slow hashes, and no table without a rule', async () => {
    const dump = readFileSync(join(unpacked, 'dump.sql'), 'utf8')
    for (const secret of ['plain-webhook-secret', 'receiver-password', '-secret-of-this-test', key])
      expect(dump).not.toContain(secret)
    for (const [table, column] of [
      [tables.sessions, 'token_hash'],
      [tables.users, 'password'],
    ] as const) {
      const rows = await db.findAll(table)
      const values = rows.map(row => (row as Record<string, unknown>)[column]).filter(Boolean) as string[]
      expect([column, values.length > 0]).toEqual([column, true])
      for (const value of values)
        expect([column, dump.includes(value)]).toEqual([column, column === 'password'])
    }
    // What is left out is left out on purpose.
    const dumped = new Set(dumpedTables().map(({ table }) => table.name))
    expect(everyTable.map(({ name }) => name).filter(name => !dumped.has(name))).toMatchInlineSnapshot(`
      [
        "sessions",
        "backups",
        "imports",
        "content_references",
        "public_search",
        "public_references",
        "admin_content_references",
        "admin_public_search",
        "admin_public_references",
        "oauth_states",
        "device_sign_ins",
        "media_uploads",
        "pending_work",
        "content_changes",
        "counters",
        "locks",
        "idempotency_keys",
        "certificates",
        "acme_challenges",
        "instances",
        "import_records",
        "leases",
      ]
    `)
  })
})

describe('the dump of a site', () => {
  it('is read by the clients of all three engines as it is, and nothing in it is run', async () => {
    const dump = join(folder, 'unpacked', 'dump.sql')
    const wanted = (await db.findAll(tables.mediaFolders)).map(({ name }) =>
      Buffer.from(name).toString('hex'),
    )
    const column = 'select hex(name) from media_folders order by folder_id'
    for (const on of engines) {
      const database = await freshDatabase(on)
      const { db_url = '' } = database.address
      const clients = {
        sqlite: { command: 'sqlite3', args: ['-bail', db_url], query: column },
        postgres: {
          command: 'psql',
          args: ['-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', db_url],
          query: "select encode(convert_to(name, 'UTF8'), 'hex') from media_folders order by folder_id",
        },
        mysql: {
          command: 'mariadb',
          args: on === 'mysql' ? [...mariadbArgs(db_url), '-N'] : [],
          query: column,
        },
      }
      const { command, args, query } = clients[on]
      if (spawnSync(command, ['--version']).error) {
        if (process.env.TEST_ALL) throw new Error(`${command} is not installed`)
        process.stderr.write(`${command} is not installed: the dump was not loaded by it\n`)
        continue
      }
      execFileSync(command, args, { input: readFileSync(dump), stdio: ['pipe', 'pipe', 'inherit'] })
      const shown = execFileSync(command, args, { input: `${query};\n` }).toString()
      expect([on, shown.trim().toLowerCase().split('\n')]).toEqual([on, wanted])
      await database.drop()
    }
    expect(execFileSync('ls', [folder]).toString().trim().split('\n').sort()).toEqual([
      'site.tar.gz',
      'unpacked',
    ])
  })

  it('is the same from every engine, and a site that is restored from it answers the same', async () => {
    const before = await dumpOf(app)
    const reads = await readsOf(app, key)
    expect(reads.size).toBeGreaterThan(200)
    const others = engines.filter(on => on !== engine)
    for (const on of others.length === 0 ? engines : others) {
      const site = await siteOver(await restoredOn(on, path), app)
      expect((await dumpOf(site)) === before).toBe(true)
      for (const [path, answer] of await readsOf(site, key))
        expect([on, path, answer]).toEqual([on, path, reads.get(path)])
    }
  })
})

function mariadbArgs(url: string): string[] {
  const { hostname, port, username, password, pathname } = new URL(url)
  return [
    '-h',
    hostname,
    '-P',
    port,
    '-u',
    username,
    ...(password ? [`-p${password}`] : []),
    pathname.slice(1),
  ]
}
