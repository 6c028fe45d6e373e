import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { dial, getText, wholeOf } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { freePort, startProduct } from '../support/process.js'

/** A stop has 10 s for requests that run; idle connections must not use them up. */
const graceAtMost = 8000
/** Where the answers themselves show that the stop broke nothing off, only what hangs reaches this. */
const hangs = 60_000
const rounds = amount(1, 2)

async function started() {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  return startProduct(address)
}

const connected = (port: number) =>
  new Promise<ReturnType<typeof dial>>(resolve => {
    const socket = dial(port)
    socket.once('connect', () => resolve(socket))
  })

const secureSocket = (port: number) =>
  new Promise<TLSSocket>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(socket))
    socket.once('error', reject)
    onTestFinished(() => void socket.destroy())
  })

it('answers every request that was sent before SIGTERM, on connections that were opened just before', async () => {
  for (let round = 0; round < rounds; round++) {
    const product = await started()
    const answers = []
    const sent = []
    for (let i = 0; i < 400; i++) {
      const socket = dial(product.port)
      answers.push(wholeOf(socket))
      // Called as soon as the kernel has it, which is before the service accepts the connection.
      sent.push(new Promise<void>(resolve => socket.write(getText('/api/v1/health'), () => resolve())))
    }
    await Promise.all(sent)
    const stopped = product.stopWithin(hangs)
    const outcomes = (await Promise.all(answers)).map(({ text, reset }) =>
      reset ? 'reset' : text.slice(0, 12) || 'nothing',
    )
    expect([...new Set(outcomes)]).toEqual(['HTTP/1.1 200'])
    expect(await stopped).toBe(0)
  }
})

it('answers what was sent before SIGTERM on connections that were kept, and closes them', async () => {
  for (let round = 0; round < rounds; round++) {
    const product = await started()
    const sockets = await Promise.all(Array.from({ length: 200 }, () => connected(product.port)))
    const first = sockets.map(socket => new Promise(resolve => socket.once('data', resolve)))
    for (const socket of sockets) socket.write(getText('/api/v1/health'))
    await Promise.all(first)
    const answers = sockets.map(wholeOf)
    const send = (socket: (typeof sockets)[number]) =>
      new Promise<void>(resolve => socket.write(getText('/api/v1/health'), () => resolve()))
    await Promise.all(sockets.map(send))
    const stopped = product.stopWithin(hangs)
    const outcomes = (await Promise.all(answers)).map(({ text, reset }) =>
      reset ? 'reset' : text.slice(0, 12) || 'nothing',
    )
    expect([...new Set(outcomes)]).toEqual(['HTTP/1.1 200'])
    expect(await stopped).toBe(0)
  }
})

const stops = Number(process.env.STOP_ROUNDS ?? rounds)

it(`answers what was sent before SIGTERM over HTTPS, beside metrics and backups, ${stops} times`, async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const cert_dir = mkdtempSync(join(tmpdir(), 'slugline-stop-'))
  onTestFinished(() => rmSync(cert_dir, { recursive: true, force: true }))
  for (let round = 0; round < stops; round++) {
    const [sslPort, metricsPort] = [await freePort(), await freePort()]
    const product = await startProduct(address, {
      config: {
        environment: 'development',
        cert_dir,
        ssl_port: `127.0.0.1:${sslPort}`,
        metrics_port: `127.0.0.1:${metricsPort}`,
        backup_dir: join(cert_dir, 'backups'),
        backup_schedule: '1h',
      },
    })
    const sockets = await Promise.all(Array.from({ length: 100 }, () => secureSocket(sslPort)))
    const first = sockets.map(socket => new Promise(resolve => socket.once('data', resolve)))
    for (const socket of sockets) socket.write(getText('/api/v1/health'))
    await Promise.all(first)
    const answers = sockets.map(wholeOf)
    await Promise.all(
      sockets.map(socket => new Promise(resolve => socket.write(getText('/api/v1/health'), resolve))),
    )
    const stopped = product.stopWithin(hangs)
    const outcomes = (await Promise.all(answers)).map(({ text, reset }) =>
      reset ? 'reset' : text.slice(text.lastIndexOf('HTTP/1.1'), text.lastIndexOf('HTTP/1.1') + 12),
    )
    expect([...new Set(outcomes)]).toEqual(['HTTP/1.1 200'])
    expect(await stopped).toBe(0)
  }
})

it('tells whoever it answers while it stops that the connection ends', async () => {
  const product = await started()
  const socket = await connected(product.port)
  const answer = wholeOf(socket)
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'x' })
  socket.write(
    `POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  )
  await sleep(200)
  const stopped = product.stopWithin(hangs)
  await sleep(500)
  socket.write(body.slice(5))
  const { text, reset } = await answer
  expect(reset).toBe(false)
  expect(text).toContain('HTTP/1.1 401')
  expect(text.toLowerCase()).toContain('connection: close')
  expect(await stopped).toBe(0)
})

it('does not wait for connections that say nothing, or only half a request', async () => {
  const product = await started()
  const silent = await connected(product.port)
  const half = await connected(product.port)
  half.write('GET /api/v1/health HTTP/1.1\r\nHost: loc')
  const used = await connected(product.port)
  const first = new Promise(resolve => used.once('data', resolve))
  used.write(getText('/api/v1/health'))
  await first
  const ends = [silent, half, used].map(wholeOf)
  expect(await product.stopWithin(graceAtMost)).toBe(0)
  await Promise.all(ends)
})
