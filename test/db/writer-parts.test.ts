import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { Changes } from '../../src/db/changes.js'
import { connect } from '../../src/db/connect.js'
import { Outbox } from '../../src/db/outbox.js'
import { Reader } from '../../src/db/reader.js'
import { Statements } from '../../src/db/statements.js'
import { type CounterName, internalTables, tables } from '../../src/db/tables.js'
import { TreeVersions } from '../../src/db/tree-versions.js'
import { timestamp } from '../../src/ids.js'
import { testApp } from '../support/app.js'
import { updated } from '../support/events.js'

const { db, users, clock, config } = await testApp()

/** The parts that a writer is made of, in a transaction that has no writer. */
async function inTransaction<T>(work: (read: Reader, changes: Changes) => Promise<T>): Promise<T> {
  const dialect = await connect(config)
  const statements = new Statements(dialect.knex)
  try {
    return await dialect.transaction(session =>
      work(new Reader(statements, session), new Changes(dialect, statements, session)),
    )
  } finally {
    await dialect.close()
  }
}

const counter = async (name: CounterName) => (await db.get(internalTables.counters, name))?.value ?? 0
const counters = async () => ({
  links: await counter('content_version'),
  pages: await counter('schema_version'),
})

it('versions of trees grow once in a transaction, and new trees begin behind the counter', async () => {
  const before = await counters()
  const [one, other] = ['01ARZ3NDEKTSV4RRFFQ69G5FA1', '01ARZ3NDEKTSV4RRFFQ69G5FA2']
  await inTransaction((read, changes) => {
    const versions = new TreeVersions(read, changes, timestamp(clock.now()))
    return versions.create(tables.contentTrees, one)
  })
  expect((await db.get(tables.contentTrees, one))?.version).toBe(before.links + 1)
  await inTransaction(async (read, changes) => {
    const versions = new TreeVersions(read, changes, timestamp(clock.now()))
    for (let i = 0; i < 3; i++) await versions.touch(tables.contentTrees, one, undefined)
    await versions.create(tables.contentTrees, other)
    await versions.drop(tables.contentTrees, other)
    await versions.raiseCounters(timestamp(clock.now()), false)
    expect([...versions.changed]).toEqual([one, other])
  })
  expect((await db.findAll(tables.contentTrees)).map(({ version }) => version)).toEqual([before.links + 2])
  expect(await counters()).toEqual({ ...before, links: before.links + 1 })
  await inTransaction(async (read, changes) => {
    const versions = new TreeVersions(read, changes, timestamp(clock.now()))
    versions.allPages = true
    await versions.raiseCounters(timestamp(clock.now()), false)
  })
  expect(await counters()).toEqual({ ...before, links: before.links + 2, pages: before.pages + 1 })
})

it('the outbox asks for the data of an event only when somebody subscribes to it', async () => {
  const hook = { name: 'x', url: 'https://example.com', secret: 's', is_active: true, author_id: users.admin }
  const { webhook_id } = await db.write(systemActor, tx =>
    tx.insert(tables.webhooks, { ...hook, events: ['content.updated'] }),
  )
  const now = timestamp(clock.now())
  let asked = 0
  const data = async () => {
    asked++
    return updated()()
  }
  const ids = { ulid: () => 'event', numeric: () => 1 }
  const emitted = (enabled: boolean) =>
    inTransaction(async read => {
      const outbox = new Outbox(read, now, 1000, { ids, webhooksEnabled: () => enabled })
      await outbox.emit('content.deleted', async () => Promise.reject(new Error('nobody subscribes')))
      await outbox.emit('content.updated', data)
      return outbox.deliveries
    })
  expect([await emitted(false), asked]).toEqual([[], 0])
  const due_at = timestamp(clock.now() + 1000)
  expect(await emitted(true)).toEqual([
    expect.objectContaining({ webhook_id, event: 'content.updated', status: 'pending', due_at }),
  ])
  expect(asked).toBe(1)
  expect(await db.count(internalTables.webhookDeliveries)).toBe(0)
})
