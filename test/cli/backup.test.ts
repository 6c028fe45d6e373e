import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { systemActor } from '../../src/actor.js'
import { siteCommands } from '../../src/cli/site-commands.js'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { dumpOf, engines, scratchFolder, siteOver } from '../support/backups.js'
import { engine, freshDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { factories } from '../support/factories.js'
import { uploader } from '../support/media.js'
import { productEnv } from '../support/process.js'
import { testStorage } from '../support/storage.js'
import { runHere } from '../support/terminal.js'

const folder = scratchFolder()
const store = await testStorage()
const app = await testApp(store.config)
const { datatype, field, entry, route } = factories(app)
const { datatype_id } = await datatype('Page')
await field(datatype_id, 'Body', 'textarea')
for (let i = 0; i < amount(40, 2000); i++) {
  const { route_id } = await route(`/page-${i}`)
  const { content_data_id } = await entry(
    datatype_id,
    { route_id },
    { status: 'published', fields: { body: `text ${i}` } },
  )
  await entry(datatype_id, { parent_id: content_data_id }, { fields: { body: 'below' } })
}
const upload = uploader(app)
for (let i = 0; i < 3; i++) await upload(`file-${i}.txt`, `content ${i} `.repeat(1000))

let files = 0
/** A configuration file for a database. */
function configured(address: DatabaseAddress, more: object = store.config): string {
  const place = join(folder, `site-${files++}`)
  mkdirSync(place)
  const path = join(place, 'cms.config.json')
  const app_secret = 'a secret of this test'
  writeFileSync(path, JSON.stringify({ ...address, ...more, app_secret, backup_dir: join(place, 'backups') }))
  return path
}
const { db_driver, db_url } = app.config
const own = configured({ db_driver, db_url })
const line = (text: string, config?: string) =>
  runHere([...text.split(' '), ...(config ? ['--config', config] : [])])

const file = join(folder, 'site.tar.gz')
const made = await line(`backup create ${file} --json`, own)

describe('slugline backup', () => {
  it('creates one as a file or in its usual place, and lists both', async () => {
    expect([made.code, made.err]).toEqual([0, ''])
    const record = JSON.parse(made.out)
    expect(record).toMatchObject({ status: 'completed', storage: 'file', location: file, triggered_by: null })
    const kept = await line('backup create', own)
    expect([kept.code, kept.out]).toEqual([
      0,
      expect.stringMatching(/backups\/slugline-\S+: \d+ records, [\d.]+ [kM]B\n$/),
    ])
    const list = await line('backup list', own)
    expect(list.out.trim().split('\n').length).toBe(2)
    expect(JSON.parse((await line('backup list --json', own)).out)[0]).toEqual(record)
    const audits = (await app.audits()).filter(({ table_name }) => table_name === 'backups')
    expect(audits.map(({ operation, surface }) => [operation, surface])).toEqual(
      ['INSERT', 'UPDATE', 'INSERT', 'UPDATE'].map(operation => [operation, 'cli']),
    )
  })

  it('verifies one, and says of a damaged one what is wrong', async () => {
    const good = await line(`backup verify ${file}`)
    expect([good.code, good.out]).toEqual([
      0,
      expect.stringMatching(/is complete: \d+ records and 3 media of /),
    ])
    expect(JSON.parse((await line(`backup verify ${file} --json`)).out)).toMatchObject({
      media: 3,
      missing: [],
    })
    const damaged = join(folder, 'damaged.tar.gz')
    const bytes = readFileSync(file)
    bytes[bytes.byteLength >> 1] = (bytes[bytes.byteLength >> 1] ?? 0) ^ 1
    writeFileSync(damaged, bytes)
    const bad = await line(`backup verify ${damaged}`)
    expect([bad.code, bad.out, bad.err]).toEqual([
      1,
      '',
      expect.stringMatching(/^slugline: the archive .*damaged/),
    ])
    const address = { db_driver: 'sqlite', db_url: join(folder, 'never-made.db') } as const
    const restored = await line(`backup restore ${damaged}`, configured(address))
    expect([restored.code, restored.err]).toEqual([1, expect.stringMatching(/damaged/)])
    expect(existsSync(address.db_url)).toBe(false)
    expect((await line('backup verify')).code).toBe(2)
  })

  it('says in plain words that a file is not there, or is a folder', async () => {
    const nothing = join(folder, 'nothing')
    for (const command of ['verify', 'restore'])
      expect([
        (await line(`backup ${command} ${nothing}`)).err,
        (await line(`backup ${command} ${folder}`)).err,
      ]).toEqual([
        `slugline: ${nothing}: the file does not exist\n`,
        `slugline: ${folder}: is a folder: add the name of a file\n`,
      ])
  })

  it('says that media have no store, and its log is on standard error', async () => {
    const nowhere = configured({ db_driver, db_url }, {})
    const { code, out, err } = await line(`backup create ${join(folder, 'without.tar.gz')}`, nowhere)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('slugline: the site has media, but no storage for media is configured\n')
    expect(err).toContain('"msg":"a backup failed"')
    const left = await line(`backup create ${join(folder, 'without.tar.gz')}`, own)
    expect([left.code, left.err]).toEqual([0, ''])
  })

  it('makes a file where the usual place is a bucket that is not configured', async () => {
    const bucketless = configured({ db_driver, db_url }, { ...store.config, backup_option: 's3' })
    expect((await line('backup create', bucketless)).err).toMatch(/bucket_backup/)
    const { code, err } = await line(`backup create ${join(folder, 'bucketless.tar.gz')}`, bucketless)
    expect([code, err]).toEqual([0, ''])
  })

  it('replaces an older one, and no other file', async () => {
    const again = join(folder, 'again.tar.gz')
    copyFileSync(file, again)
    expect((await line(`backup create ${again}`, own)).code).toBe(0)
    expect(readFileSync(again).equals(readFileSync(file))).toBe(false)
    const database = join(folder, 'other.db')
    writeFileSync(database, 'SQLite format 3')
    expect(await line(`backup create ${database}`, own)).toMatchObject({
      code: 1,
      out: '',
      err: `slugline: ${database}: exists already and is not a backup: choose a different file name\n`,
    })
    expect(readFileSync(database, 'utf8')).toBe('SQLite format 3')
    expect((await line('backup create /dev/null', own)).err).toMatch(/^slugline: \/dev\/null: exists already/)
    expect((await line(`backup create ${folder}`, own)).err).toBe(
      `slugline: ${folder}: is a folder: add the name of a file\n`,
    )
  })
})

describe('slugline backup restore', () => {
  // Every engine into every other one: test/operation/backup-dump.test.ts.
  const others = [...engines.slice(engines.indexOf(engine) + 1), ...engines].slice(0, amount(1, 3))
  it.each(others)('restores rows and media into an empty database of %s, and into no other', async on => {
    const database = await freshDatabase(on)
    const target = await testStorage()
    const config = configured(database.address, target.config)
    const restored = await line(`backup restore ${file} --json`, config)
    expect([restored.code, restored.err]).toEqual([0, ''])
    expect(JSON.parse(restored.out)).toMatchObject({ media: 3, missing: [], webhooks_without_headers: 0 })
    const keys = await store.keys()
    expect(await target.keys()).toEqual(keys)
    for (const key of keys) expect(await target.object(key)).toEqual(await store.object(key))
    const again = await line(`backup restore ${file}`, config)
    expect([again.code, again.err]).toEqual([1, expect.stringMatching(/not empty \(\w+ has rows\).*--force/)])
    const site = await siteOver(database.address, app, target.config)
    const before = await dumpOf(site)
    const page = () => site.app.fetch(new Request('http://localhost/page-7?format=clean'), { address: '' })
    expect(await (await page()).text()).toContain('text 7')
    const query = await site.app.fetch(new Request('http://localhost/page-7?format=contentful'), {
      address: '',
    })
    expect(query.status).toBe(200)
    await site.db.write(systemActor, tx => tx.insert(tables.roles, { label: 'made since' }))
    expect((await dumpOf(site)) === before).toBe(false)
    const forced = await line(`backup restore ${file} --force`, config)
    expect([forced.code, forced.out]).toEqual([
      0,
      expect.stringMatching(/^Restored \d+ records and 3 media from the backup of /),
    ])
    expect((await dumpOf(site)) === before).toBe(true)
    expect(await (await page()).text()).toContain('text 7')
    await site.db.close()
    await database.drop()
  })

  it('restores media into a folder, from which another backup has the same files', async () => {
    const database = await freshDatabase()
    const media = join(folder, 'restored-media')
    const config = configured(database.address, { bucket_endpoint: `file:${media}` })
    const restored = await line(`backup restore ${file} --json`, config)
    expect([restored.code, restored.err]).toEqual([0, ''])
    expect(JSON.parse(restored.out)).toMatchObject({ media: 3, missing: [] })
    for (const key of await store.keys())
      expect(readFileSync(join(media, 'media', key)).equals((await store.object(key)).bytes), key).toBe(true)
    const again = join(folder, 'of-a-folder.tar.gz')
    expect(await line(`backup create ${again}`, config)).toMatchObject({ code: 0, err: '' })
    expect((await line(`backup verify ${again}`)).out).toContain('and 3 media of')
    const unusable = join(folder, 'no-folder')
    writeFileSync(unusable, '')
    const bad = configured(database.address, { bucket_endpoint: `file:${unusable}` })
    const refused = await line(`backup restore ${file} --force`, bad)
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('media storage does not respond'),
    ])
    await database.drop()
  })

  it('leaves the database empty where the media have no store', async () => {
    const database = await freshDatabase()
    const refused = await line(`backup restore ${file}`, configured(database.address, {}))
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/no storage for media is configured/),
    ])
    const away = await testStorage()
    away.cut()
    const failed = await line(`backup restore ${file}`, configured(database.address, away.config))
    expect([failed.code, failed.err]).toEqual([1, expect.stringMatching(/storage does not respond/)])
    expect(await rowsIn(database.address)).toEqual([])
    await database.drop()
  })

  it('leaves the database empty when it is killed half-way, and can be done again', async () => {
    const database = await freshDatabase()
    for (const part of [0.5, 2, 0, 0.9].slice(0, amount(2, 4))) {
      const child = spawnSync(process.execPath, [resolve('test/support/restore-until-fault.mjs')], {
        env: {
          ...productEnv,
          FAULT: JSON.stringify({ address: database.address, path: file, part }),
        },
        encoding: 'utf8',
      })
      expect([part, child.signal, child.stderr]).toEqual([part, 'SIGKILL', ''])
      expect([part, await rowsIn(database.address)]).toEqual([part, []])
      // Somebody looks what is there, and changes nothing by it.
      for (const look of ['content list', 'user list', 'audit list', 'query page'])
        expect(await line(look, configured(database.address))).toMatchObject({
          code: 1,
          out: '',
          err: expect.stringMatching(/no account.*repeat a restore that was interrupted/),
        })
      expect([part, await rowsIn(database.address)]).toEqual([part, []])
    }
    const restored = await line(`backup restore ${file}`, configured(database.address))
    expect([restored.code, restored.err]).toEqual([0, ''])
    expect(await rowsIn(database.address)).toContain('content_data')
    await database.drop()
  })

  it('is what is advised when it was killed in a step of the schema, and can be done again', async () => {
    const database = await freshDatabase()
    const steps = migrations.flatMap(one => one.steps).length
    for (const more of [1, Math.floor(steps / 2), Math.floor(steps / 3)]) {
      const dialect = await connect(database.address)
      let recorded = 0
      const cut = migrate(dialect, migrations, {
        now: () => '2026-01-01T00:00:00.000Z',
        reached(point) {
          if (point.endsWith('recorded') && ++recorded > more) throw new Error('cut off')
        },
      })
      await expect(cut).rejects.toThrow('cut off')
      await dialect.close()
      const advice = /pending migrations: \d+.*repeat a restore that was interrupted/
      const config = configured(database.address)
      expect([more, (await line('user list', config)).err]).toEqual([more, expect.stringMatching(advice)])
      const doctor = await line('doctor --json', config)
      const found = JSON.parse(doctor.out).checks.find(({ check }: { check: string }) => check === 'database')
      expect(found).toMatchObject({ advice: expect.stringContaining('slugline backup restore') })
    }
    const restored = await line(`backup restore ${file}`, configured(database.address))
    expect([restored.code, restored.err]).toEqual([0, ''])
    await database.drop()
  })

  it('is what a service asks for that finds a dump in its database', async () => {
    const database = await freshDatabase()
    const dialect = await connect(database.address)
    await dialect.read.all('select 1 as one', [])
    await dialect.transaction(session =>
      session.run(`create table ${dialect.quote('users')} (${dialect.quote('user_id')} varchar(26))`, []),
    )
    await dialect.close()
    const started = await line('migrate up', configured(database.address))
    expect([started.code, started.err]).toEqual([
      1,
      expect.stringMatching(/the table users of another program.*slugline backup restore/),
    ])
    await database.drop()
  })
})

describe('a command beside a database that no start has made ready', () => {
  const refusal = (sentence: string) => ({
    code: 1,
    out: '',
    err: expect.stringMatching(new RegExp(`^slugline: db_url: .*${sentence}.*\n$`)),
  })
  const tablesIn = async (address: DatabaseAddress) => {
    const dialect = await connect(address)
    const names = await dialect.tableNames(dialect.read)
    await dialect.close()
    return names
  }

  it('T18: writes nothing, says what is missing and what to do', async () => {
    const database = await freshDatabase()
    const config = configured(database.address)
    await (await connect(database.address)).close()
    expect(await line('content list', config)).toMatchObject(refusal('is empty: start the service .*restore'))
    expect(await tablesIn(database.address)).toEqual([])

    expect((await line('migrate up', config)).code).toBe(0)
    for (const { words } of siteCommands.filter(({ access }) => access !== 'signed-in')) {
      const { arguments: places = {} } = siteCommands.find(one => one.words === words) ?? {}
      const given = Object.keys(places).map(() => '00000000000000000000000000')
      expect([words, await line([words, ...given].join(' '), config)]).toMatchObject([
        words,
        refusal('has no account: start the service .*restore that was interrupted'),
      ])
    }
    expect(await rowsIn(database.address)).toEqual([])
    await database.drop()
  })

  it('does no step of the schema', async () => {
    const database = await freshDatabase()
    const config = configured(database.address)
    expect((await line('migrate up', config)).code).toBe(0)
    const dialect = await connect(database.address)
    const [last] = await dialect.read.all('select name from schema_migrations order by name desc limit 1', [])
    await dialect.transaction(session =>
      session.run('delete from schema_migrations where name = ?', [String(last?.name)]),
    )
    const before = await dialect.read.all('select name from schema_migrations order by name', [])
    expect(await line('content list', config)).toMatchObject(refusal('pending migrations: 1'))
    await dialect.transaction(session =>
      session.run('insert into schema_migrations (name, applied_at) values (?, ?)', ['999-later/x', 'x']),
    )
    expect(await line('content list', config)).toMatchObject(
      refusal('newer version \\(step 999-later/x\\): start that version'),
    )
    await dialect.transaction(session =>
      session.run('delete from schema_migrations where name = ?', ['999-later/x']),
    )
    expect(await dialect.read.all('select name from schema_migrations order by name', [])).toEqual(before)
    await dialect.close()
    await database.drop()
  })
})

/** The tables that have rows, those apart that a migration fills. */
async function rowsIn(address: DatabaseAddress): Promise<string[]> {
  const dialect = await connect(address)
  const used: string[] = []
  for (const name of await dialect.tableNames(dialect.read)) {
    // SQLite keeps a full text in tables of its own.
    if (['schema_migrations', 'counters', 'locks'].includes(name) || name.includes('_fts_')) continue
    const rows = await dialect.read.all(`select 1 as one from ${dialect.quote(name)} limit 1`, [])
    if (rows.length > 0) used.push(name)
  }
  await dialect.close()
  return used
}
