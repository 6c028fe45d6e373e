import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { callerOf, dial, getText, healthOf, made, statusOf } from '../support/calls.js'
import { engine, freshDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'
import { samplePage } from '../support/sample-page.js'

const readers = 50
/** What the answers would be together is 475 MB for each list. */
const mostGrowthMb = 300
/** 30 s without progress, the time between two looks, and a machine that is busy. */
const endsWithinMs = 60_000

const memoryMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024

it.skipIf(process.platform !== 'linux')(
  'costs a bounded amount of memory for each list that is not read, and ends it',
  async () => {
    const { address, drop } = await freshDatabase()
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
    const sockets = lists.flatMap(list =>
      Array.from({ length: readers }, () => {
        const socket = dial(product.port)
        socket.pause()
        socket.write(getText(`/api/v1${list}`, { Cookie: cookie }))
        return socket
      }),
    )
    let most = 0
    for (let i = 0; i < 20; i++) {
      await sleep(250)
      most = Math.max(most, memoryMb(product.pid) - before)
    }
    expect(most).toBeLessThan(mostGrowthMb)
    await expect.poll(() => healthOf(product), { timeout: 30_000 }).toBe(200)
    expect(await statusOf(page)).toBe(200)
    if (engine !== 'sqlite') return
    // Where it came from makes no difference to how long an answer waits for its reader.
    const from = performance.now()
    await sleep(30_000)
    for (const socket of sockets) socket.resume()
    await Promise.all(
      sockets.map(socket => (socket.closed ? undefined : new Promise(done => socket.once('close', done)))),
    )
    expect(performance.now() - from).toBeLessThan(endsWithinMs)
  },
  180_000,
)
