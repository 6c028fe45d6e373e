import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { parseConfig } from '../../src/config.js'
import { createLog, nodePorts } from '../../src/node/ports.js'
import { start } from '../../src/server.js'
import { freshDatabase } from '../support/database.js'

afterEach(() => vi.useRealTimers())

it.each(['GET', 'HEAD'])('does not let the body of a %s hold its socket', async method => {
  const database = await freshDatabase()
  const { config } = parseConfig({ ...database.address, port: '127.0.0.1:0' }, {})
  const running = await start({ config, ports: nodePorts(createLog('silent')), variables: {} })
  onTestFinished(async () => {
    await running.stop()
    await database.drop()
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const socket = connect(running.port, '127.0.0.1')
  const answered = once(socket, 'data')
  const closed = once(socket, 'close')
  socket.write(`${method} / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx`)
  expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 404[\s\S]*\r\nConnection: close\r\n/i)
  await vi.advanceTimersByTimeAsync(2000)
  await closed
})

const refused = (length: number) =>
  `POST /api/v1/routes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
const closing = /^HTTP\/1\.1 403[\s\S]*\r\nConnection: close\r\n/i

/** A product, and a connection to it with what was received. */
async function connected() {
  const database = await freshDatabase()
  const { config } = parseConfig({ ...database.address, port: '127.0.0.1:0' }, {})
  const running = await start({ config, ports: nodePorts(createLog('silent')), variables: {} })
  onTestFinished(async () => {
    await running.stop()
    await database.drop()
  })
  const socket = connect(running.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const seen = { text: '', isClosed: false }
  socket.on('data', data => (seen.text += data)).on('close', () => (seen.isClosed = true))
  socket.on('error', () => undefined)
  return { socket, seen }
}

it('answers at once what it refuses before its body has come, and ends the connection', async () => {
  const { socket, seen } = await connected()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const [answered, closed] = [once(socket, 'data'), once(socket, 'close')]
  socket.write(refused(2000))
  socket.write('x')
  await answered
  expect(seen.text).toMatch(closing)
  await vi.advanceTimersByTimeAsync(2000)
  await closed
})

it('takes the rest of a body of 1 MiB, so that who sends all of it first reads the answer', async () => {
  const { socket, seen } = await connected()
  const length = 2 ** 20
  socket.write(refused(length))
  for (let sent = 0; sent < length; sent += 65_536) {
    socket.write('x'.repeat(65_536))
    await sleep(1)
  }
  await expect.poll(() => seen.isClosed).toBe(true)
  expect(seen.text).toMatch(closing)
})

it('takes no more than that', async () => {
  const { socket, seen } = await connected()
  socket.write(refused(2 ** 30))
  await expect
    .poll(() => {
      if (!seen.isClosed) socket.write('x'.repeat(262_144))
      return seen.isClosed
    })
    .toBe(true)
  expect(socket.bytesWritten).toBeLessThan(2 ** 26)
})

it('keeps the connection where the whole body has come', async () => {
  const { socket, seen } = await connected()
  socket.write(`${refused(2)}{}`)
  await expect.poll(() => seen.text).toMatch(/^HTTP\/1\.1 403/)
  socket.write('GET /api/v1/health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => seen.text).toMatch(/HTTP\/1\.1 200/)
  expect(seen.isClosed).toBe(false)
})
