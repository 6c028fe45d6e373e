import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../src/node/http-listener.js'
import type { Log } from '../../src/ports.js'
import { dial, getText, wholeOf } from '../support/calls.js'

type Handler = Parameters<typeof listen>[1]

const piece = new Uint8Array(64 * 1024)
const afterMs = 2_000

async function listening(handle: Handler) {
  const lines: [object, string][] = []
  const log: Log = {
    debug() {},
    info() {},
    warn() {},
    error: (fields, message) => lines.push([fields, message]),
  }
  const listener = await listen('127.0.0.1:0', handle, {
    log,
    maxConnections: 100,
    unread: { afterMs, everyMs: 50 },
  })
  onTestFinished(() => listener.stop())
  return { port: listener.port, lines }
}

/** An answer without an end, and what became of it. */
function endless() {
  const state = { sent: 0, ended: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      state.sent += piece.length
      controller.enqueue(piece)
    },
    cancel: () => {
      state.ended = true
    },
  })
  return { state, answer: () => new Response(body, { headers: { 'Content-Type': 'text/plain' } }) }
}

it('ends an answer of which nothing is taken, and forgets what waits of it', async () => {
  const { state, answer } = endless()
  const { port, lines } = await listening(answer)
  const socket = dial(port)
  const closed = new Promise(done => socket.once('close', done))
  socket.pause()
  socket.write(getText('/'))
  await expect.poll(() => state.ended).toBe(true)
  socket.resume()
  await closed
  expect(lines).toEqual([])
})

it('keeps an answer that is taken slowly', async () => {
  const { state, answer } = endless()
  const { port } = await listening(answer)
  const socket = dial(port)
  let taken = 0
  socket.on('data', some => {
    taken += some.length
    // As much as makes the kernel ask for more; its buffers hold several megabytes.
    if (taken < 8_000_000) return
    taken = 0
    socket.pause()
    setTimeout(() => socket.resume(), afterMs / 2)
  })
  socket.write(getText('/'))
  await sleep(afterMs * 6)
  expect([state.ended, socket.destroyed]).toEqual([false, false])
  socket.destroy()
  await expect.poll(() => state.ended).toBe(true)
})

it('lets a request take longer than a reader may, also after an answer that was taken late', async () => {
  let late = false
  const { port } = await listening(async () => {
    if (late) await sleep(afterMs * 3)
    return new Response(new Uint8Array(20_000_000))
  })
  const socket = dial(port)
  socket.write(getText('/'))
  await sleep(afterMs / 2)
  late = true
  socket.write(getText('/', { Connection: 'close' }))
  const { text, reset } = await wholeOf(socket)
  expect(reset).toBe(false)
  expect(text.length).toBeGreaterThan(40_000_000)
})

it('breaks off an answer whose rest fails, and says so in the log alone', async () => {
  const printed = (['error', 'info', 'log', 'warn'] as const).map(name => vi.spyOn(console, name))
  const { port, lines } = await listening((_, peer) => {
    let sent = false
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (!sent) controller.enqueue(new TextEncoder().encode('[1'))
        else {
          peer.breakOff(new Error('no more'))
          controller.close()
        }
        sent = true
      },
    })
    return new Response(body, { headers: { 'Content-Type': 'application/json' } })
  })
  const socket = dial(port)
  socket.write(getText('/list?secret=1'))
  const { text } = await wholeOf(socket)
  // Without the piece that ends an answer in order.
  expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
  expect(lines).toEqual([
    [{ err: expect.any(Error), method: 'GET', path: '/list' }, 'a response was cut off'],
  ])
  for (const spy of printed) expect(spy).not.toHaveBeenCalled()
})
