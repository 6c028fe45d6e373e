import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectSecurely } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/node/http-listener.js'
import { createLog } from '../../src/node/ports.js'
import { selfSignedCertificate } from '../../src/node/self-signed.js'
import { ServedCertificate } from '../../src/node/tls.js'
import { secureFetch, shownCertificate } from '../support/tls-client.js'

const log = createLog('silent')
const first = await selfSignedCertificate(['cms.test'], Date.now())

async function listener(
  handle: (request: Request) => Response | Promise<Response>,
  keyAuthorizationOf?: (host: string) => Promise<string | undefined>,
) {
  const certificate = new ServedCertificate()
  certificate.use(first)
  const listening = await listen('127.0.0.1:0', handle, {
    log,
    maxConnections: 1000,
    tls: { certificate, strict: true, keyAuthorizationOf },
  })
  onTestFinished(() => listening.stop())
  return { certificate, ...listening }
}

it('a stop answers every request that was sent before it, by TLS too, and ends silent connections', async () => {
  let arrived = 0
  let release = (): void => undefined
  const held = new Promise<void>(resolve => (release = resolve))
  const server = await listener(async () => {
    arrived++
    await held
    return new Response('done')
  })
  const silent = connect(server.port, '127.0.0.1')
  const ended = new Promise(done => silent.once('close', done))
  silent.on('error', () => undefined)
  const target = { port: server.port, ca: first.pem, host: 'cms.test' }
  const answers = Array.from({ length: 20 }, () => secureFetch('/', target))
  await expect.poll(() => arrived, { timeout: 120_000 }).toBe(20)
  const stopped = server.stop()
  release()
  for (const answer of await Promise.all(answers))
    expect([answer.status, answer.text, answer.headers.connection]).toEqual([200, 'done', 'close'])
  await stopped
  await ended
  await expect(secureFetch('/', target)).rejects.toThrow('ECONNREFUSED')
})

it('a request that runs while the certificate changes is answered, and new connections get the new one', async () => {
  let release = (): void => undefined
  const held = new Promise<void>(resolve => (release = resolve))
  let begun = (): void => undefined
  const running = new Promise<void>(resolve => (begun = resolve))
  const { port, certificate } = await listener(async () => {
    begun()
    await held
    return new Response('kept')
  })
  const answer = secureFetch('/', { port, ca: first.pem, host: 'cms.test' })
  await running
  const second = await selfSignedCertificate(['cms.test'], Date.now())
  certificate.use(second)
  const shown = await Promise.all([
    shownCertificate(port),
    shownCertificate(port, { servername: 'cms.test' }),
  ])
  release()
  const { text, serial, headers } = await answer
  expect(text).toBe('kept')
  expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  for (const one of shown) expect(one.serial).not.toBe(serial)
})

/** Sends on what it is given in small pieces. */
async function inPieces(port: number, bytes: number): Promise<number> {
  const open = new Set<Socket>()
  const relay = createServer(client => {
    const server = connect(port, '127.0.0.1').setNoDelay(true)
    for (const socket of [client, server]) {
      open.add(socket)
      socket
        .on('error', () => undefined)
        .once('close', () => {
          client.destroy()
          server.destroy()
        })
    }
    client.on('data', async data => {
      client.pause()
      for (let at = 0; at < data.length; at += bytes) {
        server.write(data.subarray(at, at + bytes))
        await sleep(1)
      }
      client.resume()
    })
    server.pipe(client)
  })
  await new Promise<void>(done => relay.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    relay.close()
  })
  const address = relay.address()
  return typeof address === 'object' && address ? address.port : 0
}

it('who asks by acme-tls/1 is shown the challenge of a host that has one, and nobody else is', async () => {
  const asked: string[] = []
  const { port } = await listener(
    () => new Response('page'),
    async host => {
      asked.push(host)
      return host === 'cms.test' ? 'token.print' : undefined
    },
  )
  const acme = { ALPNProtocols: ['acme-tls/1'] }
  const target = { ca: first.pem, host: 'cms.test' }
  for (const at of [port, await inPieces(port, 7)]) {
    const challenge = await shownCertificate(at, { ...acme, servername: 'cms.test' })
    expect([challenge.names, challenge.protocol]).toEqual(['DNS:cms.test', 'acme-tls/1'])
    await expect(shownCertificate(at, { ...acme, servername: 'other.test' })).rejects.toThrow()
    await expect(shownCertificate(at, acme)).rejects.toThrow()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => secureFetch('/', { ...target, port: at })),
    )
    expect(answers.map(({ text }) => text)).toEqual(answers.map(() => 'page'))
    expect(new Set(answers.map(({ serial }) => serial)).has(challenge.serial)).toBe(false)
  }
  expect(asked).toEqual(['cms.test', 'other.test', 'cms.test', 'other.test'])
})

it('what is no TLS ends without harm to others', async () => {
  const { port } = await listener(
    () => new Response('page'),
    async () => undefined,
  )
  for (const bytes of ['GET / HTTP/1.1\r\n\r\n', Buffer.from([22, 3, 1, 255, 255, 1]), '']) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.resume().end(bytes)
    await new Promise(done => socket.once('close', done))
  }
  const broken = connectSecurely({ port, host: '127.0.0.1', servername: 'cms.test', ca: first.pem })
  await new Promise(done => broken.once('secureConnect', done))
  broken.destroy()
  expect((await secureFetch('/', { port, ca: first.pem, host: 'cms.test' })).text).toBe('page')
})
