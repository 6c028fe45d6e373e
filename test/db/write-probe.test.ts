import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { connect } from '../../src/db/connect.js'
import { Database } from '../../src/db/database.js'
import type { Dialect } from '../../src/db/dialects/dialect.js'
import { DriverError } from '../../src/db/dialects/driver-error.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { createIds } from '../../src/ids.js'
import { testApp } from '../support/app.js'

const { clock, config, users } = await testApp()
const settings = {
  clock,
  ids: createIds(clock, { bytes: length => crypto.getRandomValues(new Uint8Array(length)) }),
  webhooksEnabled: () => false,
  log: { debug() {}, info() {}, warn() {}, error() {} },
}

/** The real engine, whose disk is full until told otherwise. */
async function full() {
  const dialect = await connect(config)
  const { transaction } = dialect
  let isFull = true
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
  const dialect = await connect(config)
  const db = new Database(dialect, settings)
  for (let i = 0; i < 5; i++) expect(await db.ping()).toBe(true)
  expect((await db.get(internalTables.counters, 'write_probe'))?.value).toBe(1)
  await db.close()
})

it('a database that only reads is none that answers', async () => {
  const { db, makeRoom } = await full()
  expect(await db.ping()).toBe(false)
  expect(await db.find(internalTables.counters, { name: 'changes' })).toBeDefined()
  makeRoom()
  // What was known is not asked again at once.
  expect(await db.ping()).toBe(false)
  await db.close()
})

it('a write that fails or goes well is known to the next question', async () => {
  const { db, makeRoom } = await full()
  const write = () =>
    db.write(systemActor, tx => tx.insert(tables.routes, { slug: '/a', title: 'A', author_id: users.admin }))
  await expect(write()).rejects.toMatchObject({ status: 503 })
  expect(await db.ping()).toBe(false)
  makeRoom()
  await write()
  expect(await db.ping()).toBe(true)
  await db.close()
})
