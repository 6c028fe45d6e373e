import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { connect } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { RestoreError, restoreRows } from '../../src/db/restore.js'
import { archives } from '../../src/node/ports.js'
import { endBlocks, headerOf, paddingOf } from '../../src/node/tar.js'
import { ArchiveError } from '../../src/ports.js'
import { checkArchive, rowsOfArchive } from '../../src/services/operation/archive-check.js'
import { testApp } from '../support/app.js'
import { archiveOf, schema, scratchFolder } from '../support/backups.js'
import { freshDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { factories } from '../support/factories.js'
import { uploader } from '../support/media.js'
import { chooser } from '../support/random.js'
import { testStorage } from '../support/storage.js'

const folder = scratchFolder()
const app = await testApp({ ...(await testStorage()).config })
const { datatype, field, route, entry } = factories(app)
const { datatype_id } = await datatype('Page')
await field(datatype_id, 'Body', 'textarea')
const { route_id } = await route('/page')
await entry(datatype_id, { route_id }, { fields: { body: "it's a text" } })
const upload = uploader(app)
for (const name of ['one.txt', 'two.txt']) expect((await upload(name, `content of ${name}`)).status).toBe(201)

const path = join(folder, 'good.tar.gz')
await archiveOf(app, path)
const good = readFileSync(path)

const checking = { archives, schema }
const check = (at: string) => checkArchive(checking, at)
type Files = [name: string, content: Buffer][]

const files: Files = []
for await (const { name, content } of archives.read(path)) {
  const parts: Uint8Array[] = []
  for await (const part of content) parts.push(part)
  files.push([name, Buffer.concat(parts)])
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
const tarOf = (all: Files, header = headerOf): Buffer =>
  Buffer.concat([
    ...all.flatMap(([name, bytes]) => [
      header({ name, size: bytes.byteLength, time: 1 }),
      bytes,
      new Uint8Array(paddingOf(bytes.byteLength)),
    ]),
    endBlocks,
  ])
/** Any bytes as an archive whose last bytes say that it is whole. */
const sealed = (packed: Buffer): Buffer =>
  Buffer.concat([
    packed,
    Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 36, 0, 0x53, 0x4c, 32, 0]),
    sha256(packed),
    Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  ])

let made = 0
function written(bytes: Buffer): string {
  const at = join(folder, `hostile-${made++}.tar.gz`)
  writeFileSync(at, bytes)
  return at
}

/** The files with every sum made again, so that only what was changed can be found. */
function summed(all: Files): Files {
  const dump = all.find(([name]) => name === 'dump.sql')?.[1]
  const rest = all.filter(([name]) => name !== 'SHA256SUMS')
  for (const [at, [name, content]] of rest.entries())
    if (name === 'manifest.json' && dump && content.toString().startsWith('{')) {
      const manifest = JSON.parse(content.toString())
      manifest.dump = { size: dump.byteLength, sha256: sha256(dump).toString('hex') }
      rest[at] = [name, Buffer.from(JSON.stringify(manifest))]
    }
  const sums = rest.map(([name, bytes]) => `${sha256(bytes).toString('hex')}  ${name}\n`).join('')
  return [...rest, ['SHA256SUMS', Buffer.from(sums)]]
}

const changed = (change: (all: Files) => Files): string =>
  written(sealed(gzipSync(tarOf(summed(change(files.map(([name, bytes]) => [name, bytes])))))))
const withDump = (change: (dump: string) => string): string =>
  changed(all =>
    all.map(([name, bytes]) => {
      if (name !== 'dump.sql') return [name, bytes]
      const text = change(bytes.toString())
      expect(text).not.toBe(bytes.toString())
      return [name, Buffer.from(text)]
    }),
  )
const withManifest = (change: (manifest: Record<string, unknown>) => object): string =>
  changed(all =>
    all.map(([name, bytes]) =>
      name === 'manifest.json'
        ? [name, Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString()))))]
        : [name, bytes],
    ),
  )

const isRefused = async (at: string, why: RegExp) => {
  const error = await check(at).catch(error => error)
  expect([String(error), error instanceof ArchiveError]).toEqual([expect.stringMatching(why), true])
}

it('takes the archive itself, and the same made again', async () => {
  expect((await check(path)).manifest.media).toBe(2)
  expect((await check(changed(all => all))).missing).toEqual([])
})

describe('an archive is refused', () => {
  it('with any flipped bit', async () => {
    const { below } = chooser(15)
    for (let i = 0; i < amount(40, 1000); i++) {
      const bytes = Buffer.from(good)
      const at = below(bytes.byteLength)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8))
      const error = await check(written(bytes)).catch(error => error)
      expect([at, error instanceof ArchiveError]).toEqual([at, true])
    }
  })

  it.each([0, 1, 57, 58, 512])('when it ends %i bytes too early or goes on', async cut => {
    if (cut > 0) await isRefused(written(good.subarray(0, -cut)), /damaged|early|not an archive/)
    await isRefused(written(Buffer.concat([good, Buffer.alloc(cut + 1)])), /damaged/)
    await isRefused(written(good.subarray(0, cut)), /not an archive|damaged/)
    await isRefused(written(sealed(Buffer.concat([gzipSync(tarOf(files)), Buffer.from('more')]))), /damaged/)
    await isRefused(written(sealed(gzipSync(Buffer.concat([tarOf(files), endBlocks])))), /data after its end/)
  })

  it('with files that are missing, more, or in another order', async () => {
    const [manifest, dump, one, two] = files
    if (!manifest || !dump || !one || !two) throw new Error('the archive has no media')
    await isRefused(
      changed(all => all.filter(file => file[0] !== one[0])),
      /has no media/,
    )
    await isRefused(
      changed(() => [manifest, dump, one]),
      /has no media/,
    )
    await isRefused(
      changed(() => [manifest, dump, two, one]),
      /in its place/,
    )
    await isRefused(
      changed(() => [dump, manifest, one, two]),
      /not an archive of this service/,
    )
    await isRefused(
      changed(() => [manifest, one, two]),
      /no dump.sql/,
    )
    await isRefused(
      changed(all => [...all, ['more.txt', Buffer.from('x')]]),
      /files that do not match/,
    )
    await isRefused(
      changed(() => [manifest, dump, one, one]),
      /in its place/,
    )
    const unsummed = written(sealed(gzipSync(tarOf([manifest, dump, one, two]))))
    await isRefused(unsummed, /files that do not match/)
    const twice = written(sealed(gzipSync(tarOf([...files, ['SHA256SUMS', Buffer.alloc(0)]]))))
    await isRefused(twice, /more files/)
  })

  it('with a path out of its folder, in its files or in its rows', async () => {
    const key = String(files[2]?.[0].replace('media/', ''))
    for (const name of ['../../../etc/cron.d/x', '/etc/passwd', 'media/../../x', 'C:\\x', 'backups/x'])
      await isRefused(
        changed(all => all.map(([path, bytes], i) => [i === 2 ? name : path, bytes])),
        /in its place/,
      )
    for (const name of ['../x', '/x', 'a//b', 'a/./b', 'a\\b', 'backups/x', 'a\nb', 'a/..']) {
      const sql = name.replaceAll("'", "''")
      await isRefused(
        withDump(dump => dump.replaceAll(key, sql)),
        /with the key/,
      )
    }
  })

  it('with a link, a folder, another owner or another form of header', async () => {
    const with_ = (change: (header: Buffer) => void) =>
      written(
        sealed(
          gzipSync(
            tarOf(files, file => {
              const header = Buffer.from(headerOf(file))
              change(header)
              header.fill(' ', 148, 156)
              const sum = header.subarray(0, 512).reduce((all, byte) => all + byte, 0)
              header.write(`${sum.toString(8).padStart(6, '0')} \0`, 148)
              return header
            }),
          ),
        ),
      )
    expect((await check(with_(() => undefined))).manifest.format).toBe(1)
    for (const type of ['1', '2', '3', '5', 'g', 'L', 'x', '\0'])
      await isRefused(
        with_(header => header.write(type, 156)),
        /not a regular file|early/,
      )
    await isRefused(
      with_(header => header.write('0000777', 100)),
      /not a regular file/,
    )
    await isRefused(
      with_(header => header.write('0001000', 108)),
      /not a regular file/,
    )
    await isRefused(
      with_(header => header.write('etc/passwd', 157)),
      /not a regular file/,
    )
    await isRefused(
      with_(header => header.write('../..', 345)),
      /not a regular file/,
    )
  })

  it('of a newer or an older version, in words that say what to do', async () => {
    await isRefused(
      withManifest(was => ({ ...was, format: 2, new_member: 1 })),
      /by a newer version: restore it with/,
    )
    const more = [...schema, '999-later']
    await isRefused(
      withManifest(was => ({ ...was, schema: more, version: '9.0.0' })),
      /newer version \(9.0.0\)/,
    )
    await isRefused(
      withManifest(was => ({ ...was, schema: schema.slice(0, -1) })),
      /of an older version/,
    )
    for (const manifest of [{}, { format: '1' }, { format: 0 }, [], 'x'])
      await isRefused(
        withManifest(() => manifest as object),
        /manifest that cannot be read/,
      )
    await isRefused(
      withManifest(was => ({ ...was, records: 1 })),
      /number of records that differs/,
    )
    await isRefused(
      withManifest(was => ({ ...was, media: 1 })),
      /media that differ/,
    )
  })

  it('that becomes far too large', async () => {
    const bomb = Buffer.alloc(amount(16, 256) * 2 ** 20)
    await isRefused(written(sealed(gzipSync(bomb, { level: 9 }))), /far too large|data after/)
    const media = files.map(([name, bytes], i): Files[number] => [name, i === 2 ? bomb : bytes])
    await isRefused(written(sealed(gzipSync(tarOf(summed(media)), { level: 9 }))), /far too large/)
    // A row that never ends costs no more memory than a row may have.
    await isRefused(
      withDump(dump => `${dump.slice(0, dump.indexOf("('"))}('${'x'.repeat(2 ** 20)}`),
      /ends too early/,
    )
  })

  const statements = [
    'copy users from program $$touch /tmp/x$$;',
    '\\! touch /tmp/x',
    '.shell touch /tmp/x',
    "attach database '/tmp/x' as x;",
    "select load_extension('/tmp/x');",
    "load data local infile '/etc/passwd' into table users;",
    'create function f() returns int language c;',
    'grant all on users to public;',
    'drop table "users";',
    'delimiter //',
    '/*!40101 drop table users */;',
    '-- a comment',
    ' ',
    'insert into "nowhere" ("a") values\n(1);',
    'insert into "sessions" ("session_id") values\n(\'x\');',
    'insert into "users" ("user_id") values\n(\'x\');',
    'insert into "roles" ("role_id", "label", "system_protected", "date_created", "date_modified") values\n(\'x\',\'y\',0,\'z\',\'z\');',
  ]

  it.each(statements)('whose dump has %j', async statement => {
    await isRefused(
      withDump(dump => `${statement}\n${dump}`),
      /dump.sql/,
    )
    await isRefused(
      withDump(dump => dump.replace('begin;\n', `begin;\n${statement}\n`)),
      /dump.sql/,
    )
    await isRefused(
      withDump(dump => dump.replace(/;\n(?=insert into "permissions")/, `;\n${statement}\n`)),
      /dump.sql/,
    )
    await isRefused(
      withDump(dump => dump.replace(/commit;\n$/, `${statement}\ncommit;\n`)),
      /dump.sql/,
    )
    await isRefused(
      withDump(dump => `${dump}${statement}\n`),
      /dump.sql/,
    )
  })

  it.each([
    ["'it''s a text'", "'a'||'b'"],
    ["'it''s a text'", 'now()'],
    ["'it''s a text'", '(select password from users limit 1)'],
    ["'it''s a text'", "replace('a','a','\r'||'\n')"],
    ["'it''s a text'", "replace('x','','\r'||'\n')"],
    ["'it''s a text'", "E'\\x41'"],
    ["'it''s a text'", "x'41'"],
    ["'it''s a text'", 'null'],
    ["'it''s a text'", '1'],
    ["'it''s a text'", "'nul \0'"],
    ["'it''s a text'", "'a\r\nb'"],
  ])('whose dump has for %j %j', async (was, is) => {
    await isRefused(
      withDump(dump => dump.replace(was, () => is)),
      /dump.sql/,
    )
  })

  it('whose dump is no UTF-8, or has a credential that no dump holds', async () => {
    const broken = changed(all =>
      all.map(([name, bytes]) => {
        const copy = Buffer.from(bytes)
        if (name === 'dump.sql') copy[bytes.indexOf("it''s a text")] = 0xff
        return [name, copy]
      }),
    )
    await isRefused(broken, /UTF-8/)
    const marker = 'insert into "seeds" ("name") values\n'
    await isRefused(
      withDump(dump => dump.replace(marker, `${marker}('admin_public_entries 1'),\n`)),
      /no dump holds/,
    )
  })
})

it('restores nothing of rows that contradict each other', async () => {
  const entryId =
    /insert into "content_data" [^\n]*\n\('(\w{26})'/.exec(files[1]?.[1].toString() ?? '')?.[1] ?? ''
  const doubled = /insert into "roles" [^\n]*\n(\([^\n]*\)),\n/
  const database = await freshDatabase()
  const dialect = await connect(database.address)
  await migrate(dialect, migrations, { now: () => '2026-11-22T12:00:00.000Z' })
  const contradictions = [
    // A value of an entry that there is not.
    withDump(dump =>
      dump.replaceAll(`,'${entryId}',`, `,'${entryId.slice(0, -1)}${entryId.endsWith('0') ? '1' : '0'}',`),
    ),
    withDump(dump => dump.replace(doubled, (head, row) => `${head}${row},\n`)),
  ]
  const before = await dialect.tableNames(dialect.read)
  for (const at of contradictions) {
    const rows = rowsOfArchive(checking, at)
    const refused = await restoreRows(dialect, rows, { replace: false, progress() {} }).catch(error => error)
    expect([String(refused), refused instanceof RestoreError || refused instanceof ArchiveError]).toEqual([
      expect.any(String),
      true,
    ])
    for (const name of before) {
      // SQLite keeps a full text in tables of its own.
      if (['schema_migrations', 'counters', 'locks'].includes(name) || name.includes('_fts_')) continue
      expect([name, await dialect.read.all(`select 1 as one from ${dialect.quote(name)}`, [])]).toEqual([
        name,
        [],
      ])
    }
  }
  const rows = () => rowsOfArchive(checking, path)
  await restoreRows(dialect, rows(), { replace: false, progress() {} })
  const again = restoreRows(dialect, rows(), { replace: false, progress() {} })
  await expect(again).rejects.toThrow('the database is not empty: roles has rows')
  await restoreRows(dialect, rows(), { replace: true, progress() {} })
  await dialect.close()
  await database.drop()
})
