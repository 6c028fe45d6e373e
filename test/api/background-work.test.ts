import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { startBackgroundWork } from '../../src/background.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { type TestApp, testApp } from '../support/app.js'
import { updated } from '../support/events.js'
import { receiver } from '../support/receiver.js'

const settings = {
  webhook_enabled: true,
  webhook_allow_http: true,
  webhook_retry_delays: ['1s'],
  // No scan comes to help.
  webhook_scan_interval: '24h',
}
const log = { debug() {}, info() {}, warn() {}, error() {} }

/** What an instance does without a request, from its start on. */
function begin(app: TestApp) {
  const background = startBackgroundWork(app, log)
  onTestFinished(() => background.stop())
}
const soon = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 180_000, interval: 50 })

it('sends a retry when it is due, not at the scan after', async () => {
  const app = await testApp(settings)
  const target = await receiver()
  let answers = 0
  target.answer = (_, response) => {
    response.statusCode = answers++ === 0 ? 500 : 200
    response.end()
  }
  const body = { name: 'x', url: target.origin, events: ['*'], is_active: true }
  expect((await app.call('POST', '/api/v1/admin/webhooks', { body })).status).toBe(201)
  begin(app)
  await app.db.write(systemActor, tx => tx.emit('content.updated', updated('x')))
  app.clock.advance(2000)
  await soon(async () =>
    expect((await app.deliveries())[0]).toMatchObject({ status: 'retrying', attempts: 1 }),
  )
  await soon(async () => {
    // The clock goes on while a busy machine is late.
    app.clock.advance(2000)
    expect((await app.deliveries())[0]).toMatchObject({ status: 'success', attempts: 2 })
  })
})

it('removes at its start what has expired while no instance was alive', async () => {
  const app = await testApp(settings)
  const target = await receiver()
  await app.subscribe()
  await app.db.write(systemActor, tx => tx.emit('content.updated', updated('x')))
  const [delivery] = await app.deliveries()
  await app.db.write(systemActor, tx =>
    tx.updateInternal(internalTables.webhookDeliveries, [delivery?.delivery_id ?? ''], {
      status: 'success',
      completed_at: '2026-01-01T00:00:00.000Z',
      due_at: null,
    }),
  )
  app.clock.advance(2 * 86_400_000)
  expect(await app.db.count(tables.sessions)).toBe(3)
  begin(app)
  await soon(async () =>
    expect([await app.deliveries(), await app.db.count(tables.sessions)]).toEqual([[], 0]),
  )
  expect(target.received).toEqual([])
})

it('repeats urgent work once when it has failed without an outage, not again until it is due', async () => {
  const app = await testApp(settings)
  const drain = vi.spyOn(app.services.delivery, 'drain')
  onTestFinished(() => void drain.mockRestore())
  drain.mockRejectedValue(new Error('the connection broke'))
  begin(app)
  await soon(() => expect(drain).toHaveBeenCalledTimes(2))
  await sleep(1000)
  expect(drain).toHaveBeenCalledTimes(2)
})
