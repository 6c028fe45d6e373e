import { expect, it, onTestFinished } from 'vitest'
import { callerOf, dial, healthOf, statusOf } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'
import { samplePage } from '../support/sample-page.js'

const limited = (descriptors: number) => ({
  before: ['prlimit', `--nofile=${descriptors}:${descriptors}`],
})

async function started(descriptors: number) {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  // Pages, images and sign-ins are not used before: what they need is not loaded yet.
  return { address, product: await startProduct(address, limited(descriptors)) }
}

const connectionsOf = async (port: number, amount: number) => {
  const sockets = Array.from({ length: amount }, () => dial(port))
  await Promise.all(
    sockets.map(socket => new Promise<void>(resolve => socket.once('connect', () => resolve()))),
  )
  return sockets
}

it('signs in and shows pages when it loses its descriptors between requests that were begun', async () => {
  const { product } = await started(256)
  const { port, url } = product
  // These have their connection before the descriptors are gone, and ask for what is not loaded yet.
  const early = await connectionsOf(port, 6)
  const idle = await connectionsOf(port, 400)
  const body = JSON.stringify({ email: 'admin@example.com', password: 'correct horse' })
  const login = `POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const asked = [
    login,
    get('/?format=clean'),
    get('/?format=sanity'),
    get('/api/docs'),
    get('/api/v1/openapi.json'),
  ]
  await Promise.all(
    asked.map(
      (request, i) =>
        new Promise<void>(resolve => {
          const socket = early[i]
          socket?.once('data', () => resolve())
          socket?.once('close', () => resolve())
          socket?.write(request)
        }),
    ),
  )
  for (const socket of [...early, ...idle]) socket.destroy()
  await expect.poll(() => healthOf(product)).toBe(200)
  const call = await callerOf(product)
  await samplePage(call)
  for (const format of ['clean', 'sanity'])
    expect([format, await statusOf(`${url}/?format=${format}`)]).toEqual([format, 200])
  expect(await statusOf(`${url}/api/docs`)).toBe(200)
})

it('keeps descriptors for its own work while connections take all that they may', async () => {
  const { product } = await started(256)
  const call = await callerOf(product)
  await samplePage(call)
  const open = await connectionsOf(product.port, 20)
  await connectionsOf(product.port, 400)
  // A connection that there is already is served, by what needs a descriptor too.
  for (const socket of open) {
    const answer = new Promise<string>(resolve => {
      socket.once('data', data => resolve(data.toString('latin1', 0, 12)))
      socket.once('close', () => resolve('closed'))
    })
    socket.write('GET /?format=contentful HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(await answer).toBe('HTTP/1.1 200')
  }
})

it('does not start with fewer descriptors than it needs, and says how many those are', async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  await expect(startProduct(address, limited(96))).rejects.toThrow(/ended with 1: .*descriptors.*\d+/s)
})
