import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/node/http-listener.js'
import { testApp } from '../support/app.js'
import { callerOf, dial, getText, healthOf, made, statusOf } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
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
    await expect.poll(() => healthOf(product)).toBe(200)
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
  await expect.poll(() => served.length, { timeout: 180_000 }).toBe(10)
  await expect.poll(() => served.every(({ destroyed }) => destroyed), { timeout: 180_000 }).toBe(true)
  // It was not the end of the list that ended them.
  expect(whole).toEqual([])
  expect((await app.call('GET', '/api/v1/health')).status).toBe(200)
})

/** Whether the kernel has a connection of a client's port to the server's as open, seen from the server. */
function isOpen(server: number, client: number | undefined): boolean {
  const hex = (port = 0) => port.toString(16).toUpperCase().padStart(4, '0')
  const established = new RegExp(`^ *\\d+: [0-9A-F]+:${hex(server)} [0-9A-F]+:${hex(client)} 01 `, 'm')
  return established.test(readFileSync('/proc/net/tcp', 'latin1'))
}

// It waits for the limit as it is: half a minute in which nothing else is done.
it.skipIf(amount(0, 1) === 0 || process.platform !== 'linux')(
  'is ended by the started product after its own limit, and a slow reader is not',
  async () => {
    const { address, drop } = await migratedDatabase()
    onTestFinished(drop)
    const product = await startProduct(address)
    const cookie = await product.login()
    const call = await callerOf(product, cookie)
    const { datatype_id, content_data_id: parent_id } = await samplePage(call, 'textarea')
    for (let i = 0; i < 8; i++)
      await made(
        call('POST', '/content', { datatype_id, parent_id, fields: { text: 'x'.repeat(4_500_000) } }),
      )
    const ask = () => {
      const socket = dial(product.port)
      socket.write(getText('/api/v1/content-fields', { Cookie: cookie }))
      return socket
    }
    const unread = ask().pause()
    const slow = ask()
    // As much as makes the kernel ask for more, and then nothing for a while.
    let taken = 0
    slow.on('data', some => {
      taken += some.length
      if (taken < 6_000_000) return
      taken = 0
      slow.pause()
      setTimeout(() => slow.resume(), 15_000).unref()
    })
    await expect.poll(() => isOpen(product.port, unread.localPort)).toBe(true)
    await expect
      .poll(() => isOpen(product.port, unread.localPort), { timeout: 180_000, interval: 500 })
      .toBe(false)
    expect(isOpen(product.port, slow.localPort)).toBe(true)
    expect(await healthOf(product)).toBe(200)
  },
  180_000,
)
