import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/node/http-listener.js'

it('tells of each request before it is answered, with and without a body', async () => {
  const silent = () => undefined
  const log = { debug: silent, info: silent, warn: silent, error: silent }
  const seen: string[] = []
  const handle = (request: Request) => {
    seen.push(request.method)
    return new Response()
  }
  const listener = await listen('127.0.0.1:0', handle, {
    log,
    maxConnections: 10,
    arrived: () => seen.push('arrived'),
  })
  onTestFinished(() => listener.stop())
  const url = `http://127.0.0.1:${listener.port}/`
  await fetch(url)
  await fetch(url, { method: 'POST', body: '{}' })
  expect(seen).toEqual(['arrived', 'GET', 'arrived', 'POST'])
})
