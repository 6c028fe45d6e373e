import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { network } from '../../src/node/network.js'
import { createOutgoing, outgoing } from '../../src/node/outgoing.js'

let requests = 0
const server = createServer((request, response) => {
  requests++
  if (request.url === '/hang') return
  if (request.url === '/drip') {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 50)
    response.on('close', () => clearInterval(timer))
    return
  }
  if (request.url === '/away') response.writeHead(302, { Location: '/' })
  response.end('x'.repeat(1000))
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const { port } = server.address() as AddressInfo
const here = `http://127.0.0.1:${port}`
const limits = { allowedAddresses: 'any', timeoutMs: 300, maxBytes: 2000 } as const
const get = (url: string, more = {}) =>
  outgoing.fetch(url, { method: 'GET', headers: {} }, { ...limits, ...more })

it('gives what the server answers, and follows nothing', async () => {
  expect(await (await get(here)).text()).toHaveLength(1000)
  const moved = await get(`${here}/away`)
  expect([moved.status, moved.headers.get('location')]).toEqual([302, '/'])
})

it('waits so long for the whole exchange and no longer', async () => {
  for (const path of ['/hang', '/drip'])
    await expect(get(here + path)).rejects.toMatchObject({ name: 'TimeoutError' })
})

it('reads no more than it was told', async () => {
  await expect(get(here, { maxBytes: 999 })).rejects.toThrow(/longer than 999 bytes/)
})

it.each([
  `127.0.0.1:${port}`,
  `127.1:${port}`,
  `2130706433:${port}`,
  `0x7f000001:${port}`,
  `017700000001:${port}`,
  `0:${port}`,
  `localhost:${port}`,
  `LOCALHOST:${port}`,
  `[::1]:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `[::ffff:7f00:1]:${port}`,
  `[64:ff9b::7f00:1]:${port}`,
  `[2002:7f00:1::]:${port}`,
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '[fe80::1]',
  '[fc00::1]',
])('never opens a socket to %s when only public addresses are meant', async host => {
  const before = requests
  const failure = await get(`http://${host}/`, { allowedAddresses: 'public' }).then(
    () => undefined,
    error => error,
  )
  expect(String(failure?.cause ?? failure)).toMatch(/is not a public address/)
  expect(requests).toBe(before)
  expect(await outgoing.isPublic(`http://${host}/`)).toBe(false)
})

describe('a post', () => {
  const post = (url: string, more = {}) =>
    outgoing.post(
      url,
      { headers: { 'X-A': 'b' }, body: new TextEncoder().encode('{}') },
      { permits: () => true, timeoutMs: 300, maxBytes: 2000, ...more },
    )

  it('gives the status, follows nothing, and knows no proxy of the environment', async () => {
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1')
    vi.stubEnv('http_proxy', 'http://127.0.0.1:1')
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    expect(await post(here)).toMatchObject({ kind: 'answered', status: 200, retryAfter: null })
    expect(await post(`${here}/away`)).toMatchObject({ kind: 'answered', status: 302, retryAfter: null })
    vi.unstubAllEnvs()
  })

  it.each([
    ['/hang', {}, { kind: 'broken', status: null, reason: 'no complete response within 0.3 s' }],
    ['/drip', {}, { kind: 'broken', status: 200, reason: 'no complete response within 0.3 s' }],
    [
      '/',
      { maxBytes: 999 },
      { kind: 'broken', status: 200, reason: 'the response is longer than 999 bytes' },
    ],
    ['/', { permits: () => false }, { kind: 'refused' }],
  ])('to %s ends as it should', async (path, more, expected) => {
    const before = requests
    expect(await post(here + path, more)).toEqual(expected)
    expect(requests - before).toBe(expected.kind === 'refused' ? 0 : 1)
  })

  it('waits no longer for a name either', async () => {
    const silent = createOutgoing({ ...network, resolve: () => new Promise(() => undefined) })
    const limits = { permits: () => true, timeoutMs: 100, maxBytes: 1 }
    const request = { headers: {}, body: new Uint8Array() }
    expect(await silent.post('http://slow.test/', request, limits)).toMatchObject({
      reason: 'no complete response within 0.1 s',
    })
  })
})
