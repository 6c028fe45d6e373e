import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { timestamp } from '../../src/ids.js'
import { archives } from '../../src/node/ports.js'
import { checkArchive } from '../../src/services/operation/archive-check.js'
import { type TestApp, testApp } from '../support/app.js'
import { dumpOf, engines, restoredOn, schema, scratchFolder, siteOver } from '../support/backups.js'
import { amount } from '../support/effort.js'
import { factories } from '../support/factories.js'
import { uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const address = '/api/v1/admin/backups'
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const idle = { records: 0 }

/** Waits until nothing of the backup goes on, not even the removal of older ones. */
async function ended({ call, db }: TestApp, id: string) {
  while ((await db.findAll(internalTables.leases, { name: 'backup' })).length > 0) await sleep(5)
  return (await call('GET', `${address}?q=${id}`)).body
}

async function finished(app: TestApp, as: 'admin' | 'key' = 'admin') {
  const begun = await app.call('POST', address, { as })
  expect([begun.status, begun.body.status]).toEqual([201, 'running'])
  return ended(app, begun.body.backup_id)
}

const backupAudits = async ({ audits }: TestApp) =>
  (await audits()).filter(({ table_name }) => table_name === 'backups')

describe('backups by the API', async () => {
  const folder = join(scratchFolder(), 'kept')
  const app = await testApp({ backup_dir: folder, backup_retention: 2 })
  const { call, users, db } = app

  it('begins one, whose record says how it went', async () => {
    await app.subscribe()
    const done = await finished(app)
    expect(done).toMatchObject({
      status: 'completed',
      storage: 'local',
      triggered_by: users.admin,
      error_message: null,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(done.location.startsWith(`${folder}/slugline-20261121T120000Z-`)).toBe(true)
    const [file, place] = [statSync(done.location), statSync(folder)]
    expect([file.size, file.mode & 0o777, place.mode & 0o777]).toEqual([done.size_bytes, 0o600, 0o700])
    const { manifest } = await checkArchive({ archives, schema }, done.location)
    expect(manifest.records).toBe(done.record_count)
    const audits = await backupAudits(app)
    expect(audits.map(({ operation, user_id, surface }) => [operation, user_id, surface])).toEqual([
      ['INSERT', users.admin, 'api'],
      ['UPDATE', users.admin, 'api'],
    ])
    expect(await app.deliveries()).toEqual([])
    expect(readdirSync(folder)).toEqual([done.location.slice(folder.length + 1)])
    expect(await db.findAll(internalTables.leases, { name: 'backup' })).toEqual([])
  })

  it('lists them, and refuses those who may not, unknown ids and a second one at the same time', async () => {
    const list = await call('GET', address)
    expect([list.status, list.body.length, list.headers.get('x-total-count')]).toEqual([200, 1, '1'])
    for (const as of ['nobody', 'viewer', 'editor', 'key'] as const)
      for (const method of ['GET', 'POST']) expect((await call(method, address, { as })).status).toBe(403)
    expect((await call('GET', `${address}?q=${missing}`)).status).toBe(404)
    expect((await call('GET', `${address}?q=x`)).status).toBe(404)
    expect((await call('GET', `${address}?status=failed`)).status).toBe(400)
    const [one, other] = await Promise.all([call('POST', address), call('POST', address)])
    const refused = one.status === 409 ? one : other
    expect([one.status, other.status].sort()).toEqual([201, 409])
    expect(refused.body.error).toBe('another backup is running')
    await ended(app, (one.status === 201 ? one : other).body.backup_id)
  })

  it('keeps so many, and removes older ones with their records', async () => {
    app.clock.advance(60_000)
    const newest = await finished(app)
    const { body } = await call('GET', address)
    expect(body.length).toBe(2)
    expect(body.at(-1)).toEqual(newest)
    expect(readdirSync(folder).sort()).toEqual(
      body.map(({ location }: { location: string }) => location.slice(folder.length + 1)).sort(),
    )
    expect((await backupAudits(app)).filter(({ operation }) => operation === 'DELETE').length).toBe(1)
  })

  it('says what went wrong, and lets the next one begin', async () => {
    const broken = join(scratchFolder(), 'file')
    writeFileSync(broken, '')
    const other = await testApp({ backup_dir: broken })
    const failed = await finished(other)
    expect(failed).toMatchObject({ status: 'failed', size_bytes: null, checksum: null })
    expect(failed.error_message).toMatch(/^the backup failed \((ENOTDIR|EEXIST)\): see the log$/)
    expect((await finished(other)).status).toBe('failed')
  })

  it('closes the record of a process that has died', async () => {
    const lost = await db.write(systemActor, tx =>
      tx.insert(tables.backups, {
        status: 'running',
        started_at: tx.now,
        storage: 'local',
        location: '/nowhere',
      }),
    )
    await db.write(systemActor, tx =>
      tx.insertInternal(internalTables.leases, {
        name: 'backup',
        holder: 'dead',
        expires_at: timestamp(app.clock.now() + 1000),
      }),
    )
    const parts = ['part', 'dump', 'media', 'sums'].map(end => `slugline-x.tar.gz.${end}`)
    for (const name of [...parts, 'not-ours.part']) writeFileSync(join(folder, name), '')
    expect((await call('POST', address)).status).toBe(409)
    app.clock.advance(2000)
    await finished(app)
    const left = readdirSync(folder).filter(name => !name.endsWith('.tar.gz'))
    expect(left).toEqual(['not-ours.part'])
    expect(await db.get(tables.backups, lost.backup_id)).toMatchObject({
      status: 'failed',
      error_message: 'the process that made it has ended',
    })
  })

  it('gives up what is under way when the service stops, and leaves nothing', async () => {
    const place = join(scratchFolder(), 'stopped')
    const other = await testApp({ backup_dir: place })
    const { body } = await other.call('POST', address)
    await other.services.backups.stop()
    expect(await other.db.get(tables.backups, body.backup_id)).toMatchObject({
      status: 'failed',
      error_message: 'the service was stopped before the backup was complete',
    })
    expect(existsSync(place) ? readdirSync(place) : []).toEqual([])
  })
})

describe('the schedule of backups', () => {
  it('makes one when the newest is old enough, once, and a failed one again after an hour', async () => {
    const folder = join(scratchFolder(), 'scheduled')
    mkdirSync(folder)
    const app = await testApp({ backup_dir: folder, backup_schedule: '24h' })
    const { services, clock, db } = app
    const count = () => db.count(tables.backups)
    const statuses = async () => (await db.findAll(tables.backups)).map(({ status }) => status)
    await Promise.all([services.backups.runDue(), services.backups.runDue()])
    await services.backups.runDue()
    expect(await statuses()).toEqual(['completed'])
    expect((await backupAudits(app))[0]).toMatchObject({ user_id: null, surface: 'system' })
    clock.advance(86_399_000)
    await services.backups.runDue()
    expect(await count()).toBe(1)
    clock.advance(1000)
    writeFileSync(join(folder, 'in-the-way'), '')
    chmodSync(folder, 0o700)
    const { backup_dir } = app.parts.config()
    Object.assign(app.parts.config(), { backup_dir: join(folder, 'in-the-way') })
    await expect(services.backups.runDue()).rejects.toThrow()
    expect(await statuses()).toEqual(['completed', 'failed'])
    Object.assign(app.parts.config(), { backup_dir })
    clock.advance(3_599_000)
    await services.backups.runDue()
    expect(await count()).toBe(2)
    clock.advance(1000)
    await services.backups.runDue()
    expect(await statuses()).toEqual(['completed', 'failed', 'completed'])
    clock.advance(90_000)
    const { text } = await app.parts.ports.exposition(() => services.metrics.measure())()
    expect(text).toContain('\nslugline_backup_age_seconds 90\n')
  })

  it('makes none without a schedule', async () => {
    const { services, db } = await testApp()
    await services.backups.runDue()
    expect([await db.count(tables.backups), await services.backups.ageSeconds()]).toEqual([0, undefined])
  })
})

describe('a backup in a bucket', async () => {
  const [store, media] = [await testStorage(), await testStorage()]
  const folder = join(scratchFolder(), 'made')
  const own = {
    ...media.config,
    bucket_endpoint: store.config.bucket_endpoint,
    bucket_access_key: store.config.bucket_access_key,
    bucket_secret_key: store.config.bucket_secret_key,
    bucket_backup: store.config.bucket_media,
    backup_option: 's3',
    backup_dir: folder,
    backup_retention: 1,
  }

  it('is there, and nowhere else; older ones are removed', async () => {
    const app = await testApp(own)
    const first = await finished(app)
    expect([first.status, first.storage]).toEqual(['completed', 's3'])
    const [key = ''] = await store.keys()
    expect(first.location).toBe(`${store.config.bucket_media}/${key}`)
    expect(key).toMatch(/^backups\/slugline-/)
    const { bytes, type } = await store.object(key)
    expect([bytes.byteLength, type]).toEqual([first.size_bytes, 'application/gzip'])
    expect(readdirSync(folder)).toEqual([])
    const download = await app.call('GET', `/admin/backups/${first.backup_id}/archive`)
    expect([download.status, download.headers.get('cache-control')]).toEqual([303, 'no-store'])
    const given = await fetch(download.headers.get('location') ?? '')
    expect(Buffer.from(await given.arrayBuffer()).equals(bytes)).toBe(true)
    app.clock.advance(1000)
    const second = await finished(app)
    expect(await store.keys()).toEqual([second.location.slice(String(store.config.bucket_media).length + 1)])
  })

  it('is refused where there is no bucket for it, or it is one of media, and fails while it is away', async () => {
    const none = await testApp({ ...own, bucket_backup: undefined })
    const refused = await none.call('POST', address)
    expect([refused.status, refused.body.code]).toEqual([400, 'not_configured'])
    const shared = await testApp({ ...own, bucket_media: own.bucket_backup })
    expect((await shared.call('POST', address)).body.error).toMatch(/a different bucket from those for media/)
    const app = await testApp(own)
    store.cut()
    expect((await finished(app)).status).toBe('failed')
    store.mend()
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a backup while others write', async () => {
  const store = await testStorage()
  const app = await testApp(store.config)
  const { db, services, users, clock } = app
  const { datatype, field, entry, route } = factories(app)
  const folder = scratchFolder()
  const operator = async () => ({ ...systemActor, roleId: await services.access.systemRole('admin') })

  it('is of one moment, with every object that its rows name', async () => {
    const { datatype_id } = await datatype('Page')
    await field(datatype_id, 'Body', 'textarea')
    for (let i = 0; i < amount(30, 300); i++) {
      const { route_id } = await route(`/page-${i}`)
      await entry(datatype_id, { route_id }, { fields: { body: `text ${i} `.repeat(500) } })
    }
    const upload = uploader(app)
    const { body: item } = await upload('removed.txt', 'is removed while the backup is made')
    const [key = ''] = await store.keys()
    // Two rows that every transaction changes together.
    const author_id = users.admin
    const pair = await db.write(systemActor, tx =>
      tx.insertAll(tables.mediaFolders, [
        { name: 'n 0', author_id },
        { name: 'n 0', author_id },
      ]),
    )
    let [more, written] = [true, 0]
    const writing = (async () => {
      while (more) {
        written++
        await db.write(systemActor, async tx => {
          for (const { folder_id } of pair)
            await tx.update(tables.mediaFolders, folder_id, { name: `n ${written}` })
        })
        await sleep(1)
      }
    })()
    let removal: Promise<unknown> | undefined
    const path = join(folder, 'moment.tar.gz')
    const made = await services.backups.make(await operator(), path, ({ mediaInAll }) => {
      if (mediaInAll === undefined)
        removal ??= app.call('DELETE', `/api/v1/media/?q=${item.media_id}`).then(async ({ status }) => {
          expect(status).toBe(204)
          expect((await app.call('DELETE', '/api/v1/media/cleanup?force=true')).status).toBe(409)
        })
    })
    await removal
    more = false
    await writing
    expect(written).toBeGreaterThan(1)
    expect(made).toMatchObject({ status: 'completed', error_message: null, storage: 'file' })
    expect(await db.get(tables.media, item.media_id)).toBeUndefined()
    const checked = await checkArchive({ archives, schema }, path)
    expect([checked.manifest.media, checked.missing]).toEqual([1, []])
    const on = engines.at(-1) ?? 'sqlite'
    const site = await siteOver(await restoredOn(on, path), app)
    const names = (await site.db.findAll(tables.mediaFolders)).map(({ name }) => name)
    expect(names[0]).toBe(names[1])
    // What had to stay is removed a little later.
    expect(await store.keys()).toEqual([key])
    clock.advance(60_000)
    await services.pendingWork.runDue()
    expect(await store.keys()).toEqual([])
  })

  it('tells of objects that the store does not have, and leaves them out', async () => {
    const upload = uploader(app)
    expect((await upload('lost.txt', 'x')).status).toBe(201)
    const [key = ''] = await store.keys()
    const path = join(folder, 'lost.tar.gz')
    const { storage } = app.parts.ports
    const { mediaAddress } = await import('../../src/services/media/storage.js')
    const at = mediaAddress(app.config, 'media')
    if (at) await (await storage.open(at)).remove([key])
    const made = await services.backups.make(await operator(), path, () => idle)
    expect(made.error_message).toBe(`the media storage does not have 1 of its objects: media/${key}`)
    expect((await checkArchive({ archives, schema }, path)).missing).toEqual([`media/${key}`])
    expect((await dumpOf(app)).includes(key)).toBe(true)
  })
})
