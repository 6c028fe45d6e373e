import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/node/http-listener.js'
import { dial, wholeOf } from '../support/calls.js'

it('answers HTTP/1.0 without a Host, as plain checks of balancers send it, and refuses HTTP/1.1 without', async () => {
  const silent = () => undefined
  const log = { debug: silent, info: silent, warn: silent, error: silent }
  const listener = await listen('127.0.0.1:0', request => new Response(request.url), {
    log,
    maxConnections: 10,
  })
  onTestFinished(() => listener.stop())
  const ask = async (head: string) => {
    const socket = dial(listener.port)
    socket.write(`GET /api/v1/health/ready ${head}\r\n\r\n`)
    return (await wholeOf(socket)).text
  }
  expect(await ask('HTTP/1.0')).toMatch(
    /^HTTP\/1\.1 200 [\s\S]*\r\n\r\nhttp:\/\/localhost\/api\/v1\/health\/ready$/,
  )
  expect(await ask('HTTP/1.0\r\nHost: site.example')).toContain('http://site.example/api/v1/health/ready')
  expect(await ask('HTTP/1.1\r\nConnection: close')).toMatch(/^HTTP\/1\.1 400 /)
})
