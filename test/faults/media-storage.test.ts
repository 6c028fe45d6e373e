import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, bucket_media_prefix: '/site/' })
const { call, db, clock } = app
const upload = uploader(app)
const health = async (space = '') => (await call('GET', `/api/v1${space}/media/health`)).body
const cleanup = (query = '') => call('DELETE', `/api/v1/media/cleanup${query}`)
const recordsOf = async (space: string) =>
  (await call('GET', `/api/v1${space}/media`)).body as { media_id: string; url: string }[]
const records = async () => [...(await recordsOf('')), ...(await recordsOf('/admin'))]

/** Every record's objects are there, and health and cleanup agree with the storage about the rest. */
async function inOrder(): Promise<void> {
  const keys = await storage.keys('site/')
  const ids = (await records()).map(({ media_id }) => media_id)
  const expected = keys.filter(key => ids.some(id => key.includes(id)))
  const report = await health()
  expect(report.missing_objects).toBe(0)
  expect(report.orphaned_keys).toEqual(keys.filter(key => !expected.includes(key)))
  const { status, body } = await cleanup()
  expect([status, body.deleted, body.failed]).toEqual([200, report.orphaned_keys, []])
  expect(await storage.keys('site/')).toEqual(expected)
  expect(await health()).toMatchObject({ orphaned_objects: 0, missing_objects: 0 })
}

const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
const bytes = await sharp({ create: { width: 1200, height: 1200, channels: 3, background: 'white', noise } })
  .png()
  .toBuffer()

describe('a storage that is cut', () => {
  it('in the middle of an upload leaves no record, and what is left is found and removed at once', async () => {
    const { body: whole } = await upload('first.png', bytes)
    expect(whole.variants).toHaveLength(6)
    for (const after of [0, 20_000, bytes.length / 2, bytes.length + 20_000, bytes.length + 500_000]) {
      const before = await records()
      storage.cut(after)
      const { status, body } = await upload('cut.png', bytes)
      expect([after, status, body.error]).toEqual([after, 503, 'the media storage does not respond'])
      // All else goes on meanwhile.
      expect((await call('GET', '/api/v1/content')).status).toBe(200)
      storage.mend()
      expect(await records()).toEqual(before)
      expect(await db.findAll(internalTables.mediaUploads)).toEqual([])
      await inOrder()
    }
    expect((await upload('again.png', bytes)).status).toBe(201)
  })

  it('in the middle of a delete leaves objects without a record, never a record without objects', async () => {
    const { body: media } = await upload('gone.png', bytes)
    storage.cut()
    expect((await call('DELETE', `/api/v1/media/?q=${media.media_id}`)).status).toBe(204)
    storage.mend()
    expect((await call('GET', `/api/v1/media/?q=${media.media_id}`)).status).toBe(404)
    expect((await health()).orphaned_objects).toBe(1 + media.variants.length)
    await inOrder()
  })

  it('in the middle of a regeneration keeps the variants that there were', async () => {
    const { body: media } = await upload('kept.png', bytes)
    const path = `/api/v1/media/${media.media_id}/regenerate`
    for (const after of [0, 20_000]) {
      storage.cut(after)
      expect((await call('POST', path)).status).toBe(503)
      storage.mend()
      expect((await call('GET', `/api/v1/media/?q=${media.media_id}`)).body).toEqual(media)
      await inOrder()
    }
  })

  it('in the middle of a cleanup is cleaned by the next one', async () => {
    for (let i = 0; i < 5; i++) await storage.put(`site/leftover-${i}`, 'x')
    storage.cut()
    expect((await cleanup()).status).toBe(503)
    storage.mend()
    expect((await health()).orphaned_objects).toBe(5)
    await inOrder()
  })

  it('and silent makes an upload fail', async () => {
    storage.stall()
    const { status } = await upload('late.txt', 'text')
    expect(status).toBe(503)
    storage.mend()
    await inOrder()
  })

  it('from the start is found again by itself', async () => {
    storage.cut()
    const late = await testApp(storage.config)
    expect((await late.call('GET', '/api/v1/health')).body.checks).toEqual({ database: true, storage: false })
    expect((await uploader(late)('a.txt', 'text')).status).toBe(503)
    storage.mend()
    const { status, body } = await uploader(late)('a.txt', 'text')
    expect(status).toBe(201)
    late.clock.advance(10_000)
    expect((await late.call('GET', '/api/v1/health')).body.checks.storage).toBe(true)
    await late.call('DELETE', `/api/v1/media/?q=${body.media_id}`)
  })
})

describe('cleanup', () => {
  it('touches neither uploads in progress, nor the other space, nor backups, nor what is elsewhere', async () => {
    const { body: plan } = await upload('plan.txt', 'a plan', { space: '/admin' })
    expect(await health('/admin')).toMatchObject({ orphaned_objects: 0, missing_objects: 0 })
    const others = ['outside.txt', 'site-other/x', 'backups/2026/dump', 'site/going/part']
    for (const key of others) await storage.put(key, 'x')
    const going = (started_at: string) =>
      db.write(systemActor, async tx => {
        const upload_id = tx.newId()
        await tx.insertInternal(internalTables.mediaUploads, {
          upload_id,
          space: 'media',
          key_prefix: 'site/going/',
          started_at,
        })
      })
    await going(new Date(clock.now()).toISOString())
    await storage.put('site/leftover', 'x')
    const { body } = await cleanup()
    expect(body).toEqual({ deleted: ['site/leftover'], deleted_count: 1, failed: [], failed_count: 0 })
    const keys = await storage.keys()
    for (const key of others) expect(keys).toContain(key)
    expect(keys).toContain(`site/${plan.media_id}/plan.txt`)
    // A process that died says no more that it is alive.
    clock.advance(6 * 60_000)
    expect((await health()).orphaned_keys).toEqual(['site/going/part'])
    await inOrder()
    expect(await db.findAll(internalTables.mediaUploads)).toEqual([])
  })

  it('does not take a whole bucket for leftovers of an empty database', async () => {
    const empty = await testApp(storage.config)
    const before = await storage.keys()
    const refused = await empty.call('DELETE', '/api/v1/media/cleanup')
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'there are no media records, so every file would be deleted: use force=true to delete them anyway',
    ])
    expect(await storage.keys()).toEqual(before)
    const forced = await empty.call('DELETE', '/api/v1/media/cleanup?force=true')
    expect(forced.status).toBe(200)
    expect(await storage.keys()).toEqual(['backups/2026/dump'])
  })

  it('goes through more objects than a listing has, and says only so many', async () => {
    const many = await testApp({ ...storage.config, bucket_media_prefix: 'many' })
    await uploader(many)('a.txt', 'text')
    await Promise.all(Array.from({ length: 1100 }, (_, i) => storage.put(`many/${i}`, 'x')))
    const { body } = await many.call('GET', '/api/v1/media/health')
    expect(body).toMatchObject({ total_objects: 1101, tracked_objects: 1, orphaned_objects: 1100 })
    expect(body.orphaned_keys).toHaveLength(1000)
    const { body: done } = await many.call('DELETE', '/api/v1/media/cleanup')
    expect([done.deleted_count, done.deleted.length, done.failed_count]).toEqual([1100, 1000, 0])
    expect(await storage.keys('many/')).toHaveLength(1)
  })
})
