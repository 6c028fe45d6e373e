import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/node/http-listener.js'
import { testApp } from '../support/app.js'
import { callerOf, dial, getText, healthOf, made, statusOf } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { factories } from '../support/factories.js'
import { startProduct } from '../support/process.js'
import { samplePage } from '../support/sample-page.js'

const readers = 50
/** What the answers would be together is 475 MB for each list. */
const mostGrowthMb = 300

/** Asks for what it never reads. */
function dontRead(port: number, path: string, headers: Record<string, string>): void {
  const socket = dial(port)
  socket.pause()
  socket.write(getText(path, headers))
}

const memoryMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024

it.skipIf(process.platform !== 'linux')(
  'costs a bounded amount of memory for each list that is not read',
  async () => {
    const { address, drop } = await migratedDatabase()
    onTestFinished(drop)
    const product = await startProduct(address)
    const cookie = await product.login()
    const call = await callerOf(product, cookie)
    const { datatype_id, content_data_id: parent_id } = await samplePage(call, 'textarea')
    const text = 'x'.repeat(300_000)
    for (let i = 0; i < 33; i++)
      await made(call('POST', '/content', { datatype_id, parent_id, fields: { text } }))
    const page = `${product.url}/?format=clean`
    expect(await statusOf(page)).toBe(200)
    const lists = ['/content-fields', '/audit-events?limit=1000']
    for (const list of lists)
      expect(JSON.stringify(await made(call('GET', list))).length).toBeGreaterThan(9_500_000)

    const before = memoryMb(product.pid)
    for (const list of lists)
      for (let i = 0; i < readers; i++) dontRead(product.port, `/api/v1${list}`, { Cookie: cookie })
    let most = 0
    for (let i = 0; i < 20; i++) {
      await sleep(250)
      most = Math.max(most, memoryMb(product.pid) - before)
    }
    expect(most).toBeLessThan(mostGrowthMb)
    await expect.poll(() => healthOf(product), { timeout: 30_000 }).toBe(200)
    expect(await statusOf(page)).toBe(200)
  },
  180_000,
)

it('ends each list that is not read', async () => {
  const app = await testApp()
  const make = factories(app)
  const { datatype_id } = await make.datatype('Page')
  await make.field(datatype_id, 'Text', 'textarea')
  const text = 'x'.repeat(300_000)
  const { route_id } = await make.route('/')
  const { content_data_id: parent_id } = await make.entry(datatype_id, { route_id })
  for (let i = 0; i < 40; i++) await make.entry(datatype_id, { parent_id, fields: { text } })
  const headers = {
    Authorization: `Bearer ${(await made(app.call('POST', '/api/v1/tokens', { body: { label: 'x' } }))).token}`,
  }
  const noLog = { debug() {}, info() {}, warn() {}, error() {} }
  const unread = { afterMs: 500, everyMs: 50 }
  const listener = await listen('127.0.0.1:0', app.app.fetch, { log: noLog, maxConnections: 100, unread })
  onTestFinished(() => listener.stop())
  const served: Socket[] = []
  const keep = (message: unknown) => served.push((message as { socket: Socket }).socket)
  const whole: unknown[] = []
  const finished = (message: unknown) => whole.push(message)
  subscribe('http.server.request.start', keep)
  subscribe('http.server.response.finish', finished)
  onTestFinished(() => {
    unsubscribe('http.server.request.start', keep)
    unsubscribe('http.server.response.finish', finished)
  })
  const lists = ['/content-fields', '/audit-events?limit=1000']
  for (const list of lists) for (let i = 0; i < 5; i++) dontRead(listener.port, `/api/v1${list}`, headers)
  await expect.poll(() => served.length, { timeout: 60_000 }).toBe(10)
  await expect.poll(() => served.every(({ destroyed }) => destroyed), { timeout: 120_000 }).toBe(true)
  // It was not the end of the list that ended them.
  expect(whole).toEqual([])
  expect((await app.call('GET', '/api/v1/health')).status).toBe(200)
})
