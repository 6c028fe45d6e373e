import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { connect } from '../../src/db/connect.js'
import { Database } from '../../src/db/database.js'
import type { Dialect } from '../../src/db/dialects/dialect.js'
import { DriverError } from '../../src/db/dialects/driver-error.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { WriteProbe } from '../../src/db/write-probe.js'
import { createIds } from '../../src/ids.js'
import { testApp } from '../support/app.js'

const { db, call, clock, config, users } = await testApp()
const written = async () => (await db.get(internalTables.counters, 'write_probe'))?.value ?? 0

/** The real engine, whose disk is full until told otherwise. */
async function full() {
  const dialect = await connect(config)
  const { transaction } = dialect
  let isFull = true
  /** The values of the last statements, by their characters. */
  const written: number[] = []
  const settings = {
    clock,
    ids: createIds(clock, { bytes: length => crypto.getRandomValues(new Uint8Array(length)) }),
    webhooksEnabled: () => false,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  }
  Object.assign(dialect, {
    transaction: async work => {
      if (isFull) {
        // As far as the commit, which fails.
        await transaction(async session => {
          await work(session)
          throw new Error('rolled back')
        }).catch(() => undefined)
        throw new DriverError('unwritable', 'FULL', undefined, '')
      }
      return transaction(session =>
        work({
          ...session,
          run(sql, bindings) {
            written.push(bindings.map(String).join('').length)
            return session.run(sql, bindings)
          },
        }),
      )
    },
  } satisfies Partial<Dialect>)
  return {
    db: new Database(dialect, settings),
    written,
    makeRoom() {
      isFull = false
    },
  }
}

it('health writes something, and not each time that somebody asks', async () => {
  for (let i = 0; i < 5; i++) expect((await call('GET', '/api/v1/health')).status).toBe(200)
  expect(await written()).toBe(1)
})

it('a database that only reads is none that answers', async () => {
  const { db, makeRoom } = await full()
  expect(await db.ping()).toBe(false)
  expect(await db.find(internalTables.counters, { name: 'changes' })).toBeDefined()
  makeRoom()
  // What was known is not asked again at once; a failed write is reason to.
  expect(await db.ping()).toBe(false)
  await db.close()
})

it('a write that fails makes the next question try again', async () => {
  const { db, makeRoom } = await full()
  await expect(db.write(systemActor, async () => undefined)).rejects.toMatchObject({ status: 503 })
  makeRoom()
  expect(await db.ping()).toBe(true)
  await db.close()
})

it('after a write that failed something as large is written, and removed again', async () => {
  const { db, written, makeRoom } = await full()
  const public_key = 'k'.repeat(300_000)
  const key = { user_id: users.admin, key_type: '', fingerprint: 'f', label: '', public_key }
  const create = () => db.write(systemActor, tx => tx.insert(tables.sshKeys, key))
  await expect(create()).rejects.toMatchObject({ status: 503 })
  makeRoom()
  expect(await db.ping()).toBe(true)
  expect(Math.max(...written)).toBeGreaterThan(public_key.length)
  expect(await db.findAll(internalTables.idempotencyKeys)).toEqual([])
  await create()
  await db.close()
})

it('shows room by what is as large as that which failed, and by nothing smaller', async () => {
  const tried: number[] = []
  let room = 200_000
  const probe = new WriteProbe(async bytes => {
    tried.push(bytes)
    return bytes <= room
  })
  expect(await probe.writable()).toBe(true)
  probe.failed(100_000)
  expect(await probe.writable()).toBe(false)
  probe.succeeded(99_999)
  expect(await probe.writable()).toBe(false)
  probe.succeeded(100_000)
  expect(await probe.writable()).toBe(true)
  probe.failed(100_000)
  room = 1_000_000
  expect(await probe.writable()).toBe(true)
  expect(tried).toEqual([0, 231_072, 231_072])
})

it('a write that fails during the probe knows better', async () => {
  let end = (_: boolean) => {}
  const probe = new WriteProbe(() => new Promise<boolean>(resolve => (end = resolve)))
  const said = probe.writable()
  probe.failed(1)
  end(true)
  expect(await said).toBe(false)
})
