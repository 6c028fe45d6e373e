import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { createApp } from '../../src/app.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { endLease, takeLease } from '../../src/services/operation/leases.js'
import { testApp } from '../support/app.js'
import { updated } from '../support/events.js'
import { receiver } from '../support/receiver.js'

const settings = { webhook_enabled: true, webhook_allow_http: true, webhook_timeout: 60 }
const app = await testApp(settings, { file: settings, limited: true })
const { call, clock, db, services } = app
const target = await receiver()
const hours = 3_600_000

/** Both the port and the runtime's own clock, which libraries read. */
function move(milliseconds: number): void {
  clock.advance(milliseconds)
  vi.setSystemTime(clock.now())
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: clock.now() }))
afterEach(() => void vi.useRealTimers())

let hosts = 0
const freshHost = () => `198.51.100.${++hosts}`

async function signIn(address: string, parts = app.parts): Promise<{ status: number; wait: number }> {
  const answer = await createApp(parts).fetch(
    new Request('http://localhost/api/v1/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'x@example.com', password: 'x' }),
    }),
    { address },
  )
  await answer.arrayBuffer()
  return { status: answer.status, wait: Number(answer.headers.get('retry-after') ?? 0) }
}

it('refuses an address for a minute of the database, wherever the clock of an instance goes', async () => {
  if (app.config.db_driver === 'sqlite') return
  const address = freshHost()
  for (let i = 0; i < 10; i++) expect((await signIn(address)).status).toBe(401)
  expect((await signIn(address)).status).toBe(429)
  for (const by of [-2 * hours, 4 * hours]) {
    move(by)
    for (const parts of [app.parts, app.otherInstance()]) {
      const { status, wait } = await signIn(address, parts)
      expect([status, wait > 0 && wait <= 60]).toEqual([429, true])
    }
  }
})

it('counts tries also after the clock went back', async () => {
  const address = freshHost()
  for (let i = 0; i < 5; i++) expect((await signIn(address)).status).toBe(401)
  move(-2 * hours)
  const statuses = []
  for (let i = 0; i < 15; i++) statuses.push((await signIn(address)).status)
  expect(statuses.slice(0, 5)).toEqual(Array(5).fill(401))
  expect(statuses.slice(10)).toEqual(Array(5).fill(429))
  move(2 * hours)
})

async function failedDelivery() {
  target.received.length = 0
  target.answer = (_, response) => response.writeHead(500).end()
  const body = { name: 'x', url: target.origin, events: ['content.updated'], is_active: true }
  expect((await call('POST', '/api/v1/admin/webhooks', { body })).status).toBe(201)
  await db.write(systemActor, tx => tx.emit('content.updated', updated('n1')))
  move(2000)
  await services.delivery.drain()
  expect(target.received).toHaveLength(1)
  const waiting = async () => (await app.deliveries()).filter(({ status }) => status === 'retrying')
  expect(await waiting()).toHaveLength(1)
  return { waiting }
}

it('sends a retry when its wait is over, although the clock went back two hours meanwhile', async () => {
  const { waiting } = await failedDelivery()
  move(-2 * hours)
  target.answer = (_, response) => response.end()
  // The wait is a minute, and a tenth of it at most by chance.
  for (let i = 0; i < 8; i++) {
    move(10_000)
    await services.delivery.drain()
  }
  expect(target.received).toHaveLength(2)
  expect(await waiting()).toEqual([])
})

it('takes a claim over whose process is gone, although the clock went back two hours meanwhile', async () => {
  target.received.length = 0
  await db.write(systemActor, tx => tx.emit('content.updated', updated('n2')))
  move(2000)
  const rows = await db.findAll(internalTables.webhookDeliveries)
  const row = rows.find(({ status }) => status === 'pending')
  if (!row) throw new Error('nothing waits')
  await db.write(systemActor, tx =>
    tx.updateInternal(internalTables.webhookDeliveries, [row.delivery_id], {
      due_at: new Date(clock.now() + 11_000).toISOString(),
      leased_by: 'a process that is gone',
    }),
  )
  move(-2 * hours)
  for (let i = 0; i < 8; i++) {
    move(10_000)
    await services.delivery.drain()
  }
  expect(target.received.map(({ headers }) => headers['x-cms-delivery'])).toContain(row.delivery_id)
})

it('keeps a session over that was seen over, although the clock went back', async () => {
  const cookie = 'cookie-of-a-session'
  await db.write(systemActor, tx =>
    tx.insert(tables.sessions, {
      user_id: app.users.viewer,
      token_hash: nodeHashing.sha256(cookie),
      last_access: new Date(clock.now()).toISOString(),
      expires_at: new Date(clock.now() + 60_000).toISOString(),
    }),
  )
  const me = async () =>
    (await call('GET', '/api/v1/auth/me', { as: 'nobody', headers: { Cookie: `cms_session=${cookie}` } }))
      .status
  expect(await me()).toBe(200)
  move(61_000)
  expect(await me()).toBe(401)
  move(-2 * hours)
  expect(await me()).toBe(401)
})

it('takes a lease over that was taken before the clock went back, and no other', async () => {
  const take = (holder: string) =>
    db.write(systemActor, tx =>
      takeLease(tx, {
        name: 'work of this test',
        holder,
        until: new Date(clock.now() + 60_000).toISOString(),
      }),
    )
  expect([await take('one'), await take('two')]).toEqual([true, false])
  // Clocks of two instances differ by a little.
  move(-10_000)
  expect(await take('two')).toBe(false)
  move(-2 * hours)
  expect(await take('two')).toBe(true)
  await db.write(systemActor, tx => endLease(tx, { name: 'work of this test', holder: 'two' }))
})
