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
  expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 404/)
  await vi.advanceTimersByTimeAsync(29_000)
  const open = await Promise.race([closed.then(() => false), sleep(200, true)])
  expect(open).toBe(true)
  await vi.advanceTimersByTimeAsync(2000)
  await closed
})

it('takes a body that comes slowly after its refusal, and the next request on the same connection', async () => {
  const database = await freshDatabase()
  const { config } = parseConfig({ ...database.address, port: '127.0.0.1:0' }, {})
  const running = await start({ config, ports: nodePorts(createLog('silent')), variables: {} })
  onTestFinished(async () => {
    await running.stop()
    await database.drop()
  })
  const socket = connect(running.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let [received, isClosed] = ['', false]
  socket.on('data', data => (received += data)).on('close', () => (isClosed = true))
  socket.write('POST /api/v1/routes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n')
  socket.write('Content-Length: 2000\r\n\r\n')
  for (let i = 0; i < 20; i++) {
    socket.write('x'.repeat(100))
    await sleep(100)
  }
  expect(received).toMatch(/^HTTP\/1\.1 403/)
  socket.write('GET /api/v1/health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => received).toMatch(/HTTP\/1\.1 200/)
  expect(isClosed).toBe(false)
})
