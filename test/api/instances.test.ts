import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { SiteClock } from '../../src/db/site-clock.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { timestamp } from '../../src/ids.js'
import { InstancesService } from '../../src/services/operation/instances.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp({ webhook_enabled: true })
const { call, clock, db, services, parts } = app
const { instances } = services
const place = { host: 'machine', pid: 7, role: 'instance' }
await instances.begin(place)

/** Another process on this database. */
async function another({ version = '0.0.1', schema = ['042+x'] } = {}) {
  const { ids, ports } = parts
  const service = new InstancesService(db, { ...ports, ids, version, schema, clock: new SiteClock(clock) })
  await service.begin({ ...place, host: 'other', pid: 8 })
  return service
}
/** Lets time pass, in which only this instance says that it runs. */
async function pass(milliseconds: number) {
  clock.advance(milliseconds)
  await services.beat()
}
const hosts = async () => (await instances.list()).map(({ host }) => host)

it('lists who runs to administrators, until it has stopped or been silent for 15 seconds', async () => {
  const other = await another()
  const { status, body } = await call('GET', '/api/v1/instances')
  expect(status).toBe(200)
  const [{ instance_id, started_at, beat_at, ...own }, { host, version, is_this }] = body
  expect(own).toEqual({ ...place, version: '0.1.0', clock_ahead_ms: 0, is_this: true })
  expect([instance_id, started_at, beat_at]).toEqual([instances.id, expect.any(String), expect.any(String)])
  expect([host, version, is_this]).toEqual(['other', '0.0.1', false])
  await other.end()
  expect(await hosts()).toEqual(['machine'])
  await another()
  await pass(14_900)
  expect(await hosts()).toEqual(['machine', 'other'])
  await pass(200)
  expect(await hosts()).toEqual(['machine'])
  expect(await db.count(internalTables.instances)).toBe(1)
  expect(app.logged.at(-1)).toMatchObject({ level: 'warn', message: 'an instance has stopped responding' })
})

it('counts instances in the metrics, and makes no other instance look for changes', async () => {
  const other = await another()
  const changes = (await db.get(internalTables.counters, 'changes'))?.value
  const events = await db.count(internalTables.auditEvents)
  const { text } = await call('GET', '/api/v1/metrics')
  expect(text).toContain('slugline_instances{version="0.1.0",role="instance"} 1')
  expect(text).toContain('slugline_instances{version="0.0.1",role="instance"} 1')
  expect(text).toContain('slugline_clock_ahead_seconds 0')
  await other.beat()
  await other.end()
  expect((await db.get(internalTables.counters, 'changes'))?.value).toBe(changes)
  expect(await db.count(internalTables.auditEvents)).toBe(events)
})

it('says again that it runs after its row was removed', async () => {
  const other = await another()
  await pass(15_100)
  expect(await hosts()).toEqual(['machine'])
  await other.beat()
  expect(await hosts()).toEqual(['machine', 'other'])
  await other.end()
})

it('frees an Idempotency-Key when the instance that worked under it has died', async () => {
  const other = await another()
  const body = { slug: '/cut', title: 'Cut' }
  const send = () => call('POST', '/api/v1/routes', { body, headers: { 'Idempotency-Key': 'cut-by-a-kill' } })
  const first = await send()
  expect(first.status).toBe(201)
  // The same request as the other instance has it before it stores anything.
  const [row] = await db.findAll(internalTables.idempotencyKeys)
  await db.write(systemActor, tx =>
    tx.updateInternal(internalTables.idempotencyKeys, [row?.key_hash ?? ''], {
      state: 'running',
      holder: other.newHolder(),
    }),
  )
  await db.write(systemActor, async tx => {
    const [route] = await tx.findAll(tables.routes, { slug: '/cut' })
    await tx.remove(tables.routes, route?.route_id ?? '')
  })
  await pass(14_900)
  expect((await send()).status).toBe(409)
  await pass(200)
  expect((await send()).status).toBe(201)
})

it('frees deliveries that an instance held when it died', async () => {
  const other = await another()
  await app.subscribe()
  await call('POST', '/api/v1/routes', { body: { slug: '/told', title: 'Told' } })
  const [delivery] = (await app.deliveries()).filter(({ due_at }) => due_at !== null)
  const id = delivery?.delivery_id ?? ''
  const later = timestamp(clock.now() + 3_600_000)
  await db.write(systemActor, tx =>
    tx.updateInternal(internalTables.webhookDeliveries, [id], {
      due_at: later,
      leased_by: other.newHolder(),
    }),
  )
  await pass(14_900)
  expect((await db.get(internalTables.webhookDeliveries, id))?.due_at).toBe(later)
  await pass(200)
  const freed = await db.get(internalTables.webhookDeliveries, id)
  expect([freed?.leased_by, freed?.due_at === later]).toEqual([null, false])
})

it('indexes again what an older version has written beside this one', async () => {
  const make = factories(app)
  const { datatype_id } = await make.datatype('Page', { visibility: 'public' })
  await make.field(datatype_id, 'Body', 'text')
  const roots: string[] = []
  for (const [i, body] of ['walnut', 'hazelnut'].entries()) {
    const { route_id } = await make.route(`/nut-${i}`)
    const fields = { body }
    const entry = await make.entry(datatype_id, { route_id }, { status: 'published', fields })
    roots.push(entry.content_data_id)
  }
  const found = async (q: string) =>
    (await call('GET', `/api/v1/search?q=${q}`, { as: 'nobody' })).body.data.length
  const current = async () =>
    (await db.findAll(tables.contentTrees)).every(({ version, book_version }) => version === book_version)
  expect([await found('walnut'), await found('hazelnut'), await current()]).toEqual([1, 1, true])
  await services.followOlder()
  /** Changes the tree as a version without the search does. */
  const olderWrites = (root: string) =>
    db.write(systemActor, async tx => {
      const tree = await tx.lock(tables.contentTrees, root)
      await tx.deleteAllInternal(tables.publicSearch, 'content_data_id', [root])
      await tx.updateInternal(tables.contentTrees, [root], { version: tree.version + 1 })
    })
  const older = await another({ schema: ['041+x'] })
  expect(await instances.hasOlder()).toBe(true)
  await olderWrites(roots[0] ?? '')
  expect([await found('walnut'), await current()]).toEqual([0, false])
  await services.followOlder()
  expect([await found('walnut'), await found('hazelnut'), await current()]).toEqual([1, 1, true])
  // An edit by this version does not take an outdated tree for indexed; and what comes last is found too.
  await olderWrites(roots[1] ?? '')
  await call('PUT', `/api/v1/content/?q=${roots[1]}`, { body: { fields: { body: 'hazelnut' } } })
  expect(await current()).toBe(false)
  await older.end()
  await services.followOlder()
  expect([await found('hazelnut'), await current()]).toEqual([1, true])
})
