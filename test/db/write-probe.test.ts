import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { connect } from '../../src/db/connect.js'
import { Database } from '../../src/db/database.js'
import type { Dialect } from '../../src/db/dialects/dialect.js'
import { DriverError } from '../../src/db/dialects/driver-error.js'
import { internalTables } from '../../src/db/tables.js'
import { createIds } from '../../src/ids.js'
import { testApp } from '../support/app.js'

const { db, call, clock, config } = await testApp()
const written = async () => (await db.get(internalTables.counters, 'write_probe'))?.value ?? 0

/** The real engine, whose disk is full until told otherwise. */
async function full() {
  const dialect = await connect(config)
  const { transaction } = dialect
  let isFull = true
  const settings = {
    clock,
    ids: createIds(clock, { bytes: length => crypto.getRandomValues(new Uint8Array(length)) }),
    webhooksEnabled: () => false,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  }
  Object.assign(dialect, {
    transaction: async work => {
      if (isFull) throw new DriverError('unwritable', 'FULL', undefined, '')
      return transaction(work)
    },
  } satisfies Partial<Dialect>)
  return {
    db: new Database(dialect, settings),
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
