import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { callerOf, getText, healthOf, made } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { startProduct } from '../support/process.js'
import { samplePage } from '../support/sample-page.js'

/** So many connections, and so many of them at once. What breaks does so in front of the engine: one has all of them. */
const [connections, atOnce] = [amount(1000, 10_000), 50]
/** What is read of a database or of a body costs most, so few do. */
const costly = 20

/** Opens a connection, sends something and breaks it, in one way or the other. @returns whether it was open at all */
async function broken(port: number, sent: string, waits: boolean, i: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const ended = new Promise(done => socket.once('close', done))
  let isOpen = false
  await new Promise<void>(done => {
    socket.once('error', () => done())
    socket.once('connect', () => {
      isOpen = true
      done()
    })
  })
  socket.write(sent)
  if (waits) await Promise.race([ended, new Promise(done => socket.once('readable', done))])
  else if (i % 5 > 0) await sleep(i % 5)
  if (i % 2) socket.destroy()
  else socket.resetAndDestroy()
  await ended
  return isOpen
}

/** Descriptors and resident memory in MiB, where the system tells. */
function usedBy(pid: number): { descriptors: number; memory: number } | undefined {
  try {
    const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return { descriptors: readdirSync(`/proc/${pid}/fd`).length, memory: Number(resident) / 1024 }
  } catch {
    return undefined
  }
}

it('leaves no line for connections that are reset or aborted', async () => {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const product = await startProduct(address, { config: { log_level: 'warn' } })
  const cookie = await product.login()
  const call = await callerOf(product, cookie)
  const { datatype_id, content_data_id: parent_id } = await samplePage(call, 'textarea')
  const body = { datatype_id, parent_id, fields: { text: 'x'.repeat(300_000) } }
  for (let i = 0; i < 6; i++) await made(call('POST', '/content', body))
  const list = getText('/api/v1/content-fields', { Cookie: cookie })
  const post = (length: number) =>
    getText('/api/v1/content', {
      Cookie: cookie,
      'Content-Type': 'application/json',
      'Content-Length': String(length),
    }).replace(/^GET/, 'POST')
  const text = JSON.stringify(body)
  /** What is sent, and whether anything of the answer is waited for before the reset; the cheap ones first. */
  const ways: readonly (readonly [sent: string, waits: boolean])[] = [
    ['', false],
    ['GET / HT', false],
    [getText('/?format=clean'), false],
    [getText('/?format=clean'), true],
    [list, false],
    [list, true],
    [post(text.length) + text.slice(0, 50_000), false],
    [`${post(9)}{"a":tru}`, false],
  ]
  const [cheap, dear] = [ways.slice(0, 4), ways.slice(4)]
  const before = product.output()
  const usedBefore = usedBy(product.pid)
  let [next, opened] = [0, 0]
  const breakOn = async () => {
    while (next < connections) {
      const i = next++
      const some = i % costly === 0 ? dear : cheap
      const [sent, waits] = some[Math.floor(i / costly) % some.length] ?? ['', false]
      if (await broken(product.port, sent, waits, i)) opened++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, breakOn))
  expect(opened).toBe(connections)
  expect(await healthOf(product)).toBe(200)
  if (usedBefore) {
    await expect.poll(() => usedBy(product.pid)?.descriptors).toBeLessThanOrEqual(usedBefore.descriptors + 5)
    expect(usedBy(product.pid)?.memory).toBeLessThan(usedBefore.memory + 250)
  }
  expect(await product.stop()).toBe(0)
  expect(product.output()).toBe(before)
}, 300_000)
