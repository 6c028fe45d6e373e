import { execFileSync } from 'node:child_process'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { DatabaseAwayError } from '../../src/errors.js'
import { WebhookDispatcher } from '../../src/services/webhooks/dispatcher.js'
import { testApp } from '../support/app.js'
import { updated } from '../support/events.js'
import { type Received, receiver } from '../support/receiver.js'

const settings = { webhook_enabled: true, webhook_allow_http: true, webhook_timeout: 60 }
const app = await testApp(settings, { file: settings })
const { call, db, clock, services } = app
const target = await receiver()
const second = await receiver()
const path = '/api/v1/admin/webhooks'
const minute = 60_000
const deliveries = internalTables.webhookDeliveries

async function hook(url: string, more = {}): Promise<{ webhook_id: string; secret: string }> {
  const body = { name: 'x', url, events: ['*'], is_active: true, ...more }
  const made = await call('POST', path, { body })
  expect(made.status).toBe(201)
  return made.body
}
const emit = (n = 1) =>
  db.write(systemActor, async tx => {
    for (let i = 0; i < n; i++) await tx.emit('content.updated', updated(`n${i} ü 👋`))
  })
/** Lets what was just emitted become due, and sends it. */
async function send(after = 2000) {
  clock.advance(after)
  await services.delivery.drain()
}
/** The same with a time limit that a hanging receiver is to reach, and a busy machine is not. */
async function sendWithin(webhook_timeout: number) {
  clock.advance(2000)
  const config = () => ({ ...app.config, webhook_timeout })
  await new WebhookDispatcher(db, { ...app.parts.ports, instances: services.instances, config }).drain()
}
const last = async () => (await app.deliveries()).at(-1)

// The clock goes further than a session lives.
await db.write(systemActor, async tx => {
  for (const { session_id } of await tx.findAll(tables.sessions))
    await tx.update(tables.sessions, session_id, { expires_at: '2999-01-01T00:00:00.000Z' })
})

beforeEach(async () => {
  for (const { webhook_id } of await db.findAll(tables.webhooks))
    await call('DELETE', `${path}/${webhook_id}`)
  for (const one of [target, second]) {
    one.received.length = 0
    one.answer = (_, response) => response.end()
  }
})

/** The recipe of 6.3, as a receiver would write it. */
function recipe({ headers, body }: Received, secret: string, header = 'x-cms-signature'): boolean {
  const expected = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(headers[header] ?? '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function verified({ headers, body }: Received, secret: string): unknown {
  vi.useFakeTimers({ toFake: ['Date'], now: clock.now() })
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    vi.useRealTimers()
  }
}

describe('a delivery', () => {
  it('is the stored text, signed as the document says and as Standard Webhooks says', async () => {
    const { secret, webhook_id } = await hook(`${target.origin}/hook?a=b`, {
      headers: { 'X-Site': 'ä', Accept: '*/*' },
    })
    await emit()
    await send()
    const [request] = target.received
    const row = await last()
    expect(target.received).toHaveLength(1)
    if (!request || !row) throw new Error('nothing came')
    expect(request.path).toBe('/hook?a=b')
    expect(request.body.equals(Buffer.from(row.payload))).toBe(true)
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'CMS-Webhook/1.0',
      'x-cms-event': 'content.updated',
      'x-cms-delivery': row.delivery_id,
      'x-cms-timestamp': String(Math.floor(clock.now() / 1000)),
      'content-length': String(request.body.length),
      host: `127.0.0.1:${target.port}`,
      accept: '*/*',
    })
    expect(Buffer.from(request.headers['x-site'] ?? '', 'latin1').toString('latin1')).toBe('ä')
    expect(request.headers['x-cms-signature-previous']).toBeUndefined()
    expect([recipe(request, secret), recipe(request, `${secret}x`)]).toEqual([true, false])
    expect(verified(request, secret)).toEqual(JSON.parse(row.payload))
    expect(() =>
      verified({ ...request, body: Buffer.concat([request.body, Buffer.from(' ')]) }, secret),
    ).toThrow()
    expect(row).toMatchObject({
      webhook_id,
      status: 'success',
      attempts: 1,
      last_status_code: 200,
      last_error: null,
      next_retry_at: null,
      completed_at: new Date(clock.now()).toISOString(),
      due_at: null,
      leased_by: null,
    })
    await send(3_600_000)
    expect(target.received).toHaveLength(1)
  })

  it('is signed with both secrets for a day after a rotation', async () => {
    const { secret: old, webhook_id } = await hook(target.origin)
    const { secret } = (await call('POST', `${path}/${webhook_id}/rotate-secret`)).body
    await emit()
    await send()
    const [both] = target.received
    if (!both) throw new Error('nothing came')
    expect([recipe(both, secret), recipe(both, old, 'x-cms-signature-previous')]).toEqual([true, true])
    for (const either of [secret, old])
      expect(verified(both, either)).toMatchObject({ event: 'content.updated' })
    await emit()
    await send(86_400_000)
    const one = target.received[1]
    if (!one) throw new Error('nothing came')
    expect(one.headers['x-cms-signature-previous']).toBeUndefined()
    expect(verified(one, secret)).toMatchObject({ event: 'content.updated' })
    expect(() => verified(one, old)).toThrow()
  })

  it('carries a body of megabytes whole', async () => {
    const { secret } = await hook(target.origin)
    const text = 'ü👋'.repeat(400_000)
    await db.write(systemActor, tx => tx.emit('content.updated', updated(text)))
    await send()
    const [request] = target.received
    if (!request) throw new Error('nothing came')
    expect(recipe(request, secret)).toBe(true)
    expect(JSON.parse(String(request.body)).data.content_data_id).toBe(text)
  })

  it('comes once for each change, and never for one that was rolled back', async () => {
    await hook(target.origin, { events: ['content.updated', 'content.published', 'version.created'] })
    await expect(
      db.write(systemActor, async tx => {
        await tx.emit('content.updated', updated())
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await app.deliveries()).toEqual([])
    const { body: type } = await call('POST', '/api/v1/datatypes', {
      body: { label: 'Once', type: 'content' },
    })
    const { body: route } = await call('POST', '/api/v1/routes', { body: { slug: '/once', title: 'x' } })
    const body = { datatype_id: type.datatype_id, route_id: route.route_id, status: 'published' }
    // Whoever is told reads the page at once, and it is there.
    const seen: number[] = []
    target.answer = async (_, response) => {
      seen.push((await call('GET', '/once', { as: 'nobody' })).status)
      response.end()
    }
    await call('POST', '/api/v1/content', { body })
    expect((await call('POST', '/api/v1/content', { body })).status).toBe(409)
    await send()
    expect(target.received.map(({ headers }) => headers['x-cms-event']).sort()).toEqual([
      'content.published',
      'version.created',
    ])
    expect(seen).toEqual([200, 200])
  })

  it('is for those who subscribe and are active', async () => {
    await hook(`${target.origin}/all`)
    await hook(`${target.origin}/one`, { events: ['content.updated', 'content.deleted'] })
    await hook(`${target.origin}/other`, { events: ['content.deleted'] })
    await hook(`${target.origin}/off`, { is_active: false })
    await emit()
    await send()
    expect(target.received.map(request => request.path).sort()).toEqual(['/all', '/one'])
  })
})

describe('attempts', () => {
  it('are made at once, after one minute and after five, and then no more', async () => {
    await hook(target.origin)
    target.answer = (_, response) => response.writeHead(500).end()
    await emit()
    const from = clock.now()
    const times: number[] = []
    const seen: string[] = []
    for (let passed = 0; passed < 30 * minute; passed += 2000) {
      const before = target.received.length
      await send()
      if (target.received.length > before) times.push((clock.now() - from) / 1000)
      const row = await last()
      if (seen.at(-1) !== row?.status) seen.push(row?.status ?? '')
    }
    expect(times).toHaveLength(3)
    const [first = 0, next = 0, third = 0] = times
    expect(first).toBe(2)
    expect(next - first).toBeGreaterThanOrEqual(60)
    expect(next - first).toBeLessThanOrEqual(66 + 2)
    expect(third - next).toBeGreaterThanOrEqual(300)
    expect(third - next).toBeLessThanOrEqual(330 + 2)
    expect(seen).toEqual(['retrying', 'failed'])
    expect(await last()).toMatchObject({
      status: 'failed',
      attempts: 3,
      last_status_code: 500,
      last_error: 'the receiver responded with 500',
      next_retry_at: null,
      completed_at: expect.any(String),
    })
    // The same id and bytes each time.
    expect(new Set(target.received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(
      1,
    )
  })

  it('keep how the last response began and how long it took, without what it repeats of the headers', async () => {
    const at = `${path}/${(await hook(target.origin, { headers: { 'X-Key': 'key of the receiver', 'X-No': '1' } })).webhook_id}`
    target.answer = ({ headers }, response) => {
      clock.advance(1234)
      response.writeHead(500).end(`1\0 ${headers['x-key']} ä${'y'.repeat(3000)}`)
    }
    await emit()
    await send()
    const { last_response } = (await last()) ?? {}
    expect(last_response).toHaveLength(2000)
    expect(last_response).toMatch(/^1 \*+ äy+$/)
    const shown = { last_duration_ms: 1234, last_response }
    expect((await call('GET', `${at}/deliveries`)).body).toEqual([expect.objectContaining(shown)])

    // The next attempt has no response.
    target.answer = (_, response) => response.destroy()
    await send(67_000)
    expect(await last()).toMatchObject({ attempts: 2, last_status_code: null, last_response: null })
  })

  it('stop with the first 2xx', async () => {
    await hook(target.origin)
    target.answer = (_, response) => response.writeHead(target.received.length < 2 ? 503 : 202).end()
    await emit()
    await send()
    expect(await last()).toMatchObject({ status: 'retrying', attempts: 1, next_retry_at: expect.any(String) })
    await send(67_000)
    expect(await last()).toMatchObject({ status: 'success', attempts: 2, last_status_code: 202 })
    await send(3_600_000)
    expect(target.received).toHaveLength(2)
  })

  it('wait as long as an overloaded receiver asks', async () => {
    await hook(target.origin)
    target.answer = (_, response) => response.writeHead(429, { 'Retry-After': '600' }).end()
    await emit()
    await send()
    const wait = Date.parse((await last())?.next_retry_at ?? '') - clock.now()
    expect(wait).toBeGreaterThanOrEqual(600_000)
    expect(wait).toBeLessThanOrEqual(660_000)
  })

  it('are not made for a webhook that was made inactive', async () => {
    const { webhook_id } = await hook(target.origin)
    await emit()
    await call('PUT', `${path}/${webhook_id}`, { body: { is_active: false } })
    await send()
    expect(await last()).toMatchObject({
      status: 'failed',
      attempts: 0,
      last_error: 'the webhook is not active; nothing was sent',
      completed_at: expect.any(String),
    })
    expect(target.received).toEqual([])
  })

  it('are not made while webhooks are not enabled, and are when they are again', async () => {
    await hook(target.origin)
    await emit()
    const put = (webhook_enabled: boolean) => call('PUT', '/api/v1/config', { body: { webhook_enabled } })
    expect((await put(false)).status).toBe(200)
    await send()
    expect(target.received).toEqual([])
    await put(true)
    await send()
    expect(target.received).toHaveLength(1)
  })
})

it('counts an attempt that cannot even be made', async () => {
  const { webhook_id } = await hook(target.origin)
  // No key can be made of it; the API takes no such secret.
  await db.write(systemActor, tx => tx.update(tables.webhooks, webhook_id, { secret: '' }))
  await emit()
  await send()
  expect(await last()).toMatchObject({
    status: 'retrying',
    attempts: 1,
    last_error: 'the request could not be made',
  })
  expect(app.logged.filter(({ level }) => level === 'error')).toHaveLength(1)
  app.logged.length = 0
})

describe('a receiver that', () => {
  type Answer = [answer: typeof target.answer, status: number | null, error: RegExp]

  it.each([301, 302, 303, 307, 308])('redirects with %i is not followed', async status => {
    for (const location of [second.origin, target.origin]) {
      await hook(target.origin)
      target.answer = (_, response) => response.writeHead(status, { Location: location }).end()
      await emit()
      await send()
    }
    expect((await app.deliveries()).map(row => [row.status, row.last_status_code, row.last_error])).toEqual(
      Array(3).fill([
        'retrying',
        status,
        `the receiver responded with ${status}: redirects are not followed`,
      ]),
    )
    expect([target.received.length, second.received.length]).toEqual([3, 0])
  })

  const hanging: Record<string, Answer> = {
    hangs: [() => undefined, null, /^no complete response within 2 s$/],
    'drips a byte at a time': [
      (_, response) => {
        const timer = setInterval(() => response.write('x'), 100)
        response.writeHead(200).on('close', () => clearInterval(timer))
      },
      200,
      /^no complete response within 2 s$/,
    ],
  }
  const closing: Record<string, Answer> = {
    'sends gigabytes': [
      (_, response) => {
        const piece = Buffer.alloc(65_536)
        const more = () => {
          while (!response.destroyed && response.write(piece));
        }
        response.writeHead(200).on('drain', more)
        more()
      },
      200,
      /^the response is longer than 65536 bytes$/,
    ],
    resets: [
      (_, __, message) => message.socket.resetAndDestroy(),
      null,
      /^the connection was closed before .*\(\w+\)$/,
    ],
    'ends in the middle': [
      (_, response, message) => {
        response.writeHead(200, { 'Content-Length': '100' }).write('x')
        setTimeout(() => message.socket.destroy(), 20)
      },
      200,
      /^the connection was closed before/,
    ],
    'speaks no HTTP': [
      (_, __, message) => message.socket.end('SSH-2.0-x\r\n\r\n'),
      null,
      /^the response is not valid HTTP/,
    ],
    'sends headers without end': [
      (_, __, message) => message.socket.write(`HTTP/1.1 200 OK\r\n${'X-A: 1\r\n'.repeat(20_000)}`),
      null,
      /^the response is not valid HTTP/,
    ],
    'answers 204': [(_, response) => response.writeHead(204).end(), 204, /^$/],
  }

  it.each([
    ...Object.entries(hanging).map(([name, answer]) => [name, 2, answer] as const),
    ...Object.entries(closing).map(([name, answer]) => [name, 60, answer] as const),
  ])('%s is recorded as that', async (_, seconds, [answer, status, error]) => {
    await hook(target.origin)
    await hook(second.origin)
    target.answer = answer
    await emit(4)
    await sendWithin(seconds)
    const rows = await app.deliveries()
    for (const row of rows)
      if (row.last_error !== null || row.last_status_code !== 200)
        expect([row.last_status_code, row.last_error ?? '']).toEqual([status, expect.stringMatching(error)])
    expect(second.received).toHaveLength(4)
    expect(rows.filter(row => row.last_error === null)).toHaveLength(error.test('') ? 8 : 4)
  })

  it('hangs until all others have been told holds up none of them', async () => {
    await hook(target.origin)
    await hook(second.origin)
    const hanging: (() => void)[] = []
    target.answer = (_, response) => {
      if (second.received.length < 4) hanging.push(() => response.end())
      else response.end()
    }
    second.answer = (_, response) => {
      response.end()
      if (second.received.length === 4) for (const end of hanging) end()
    }
    await emit(4)
    // Time enough that only the others can end the wait.
    await send()
    expect(hanging.length).toBeGreaterThan(0)
    expect((await app.deliveries()).map(row => [row.status, row.attempts])).toEqual(
      Array(8).fill(['success', 1]),
    )
  })

  it('is away, or has no name, is recorded as that', async () => {
    await hook('http://127.0.0.1:1/')
    await hook('https://nobody.invalid/')
    await emit()
    await send()
    const errors = (await app.deliveries()).map(row => row.last_error).sort()
    expect(errors).toEqual([
      'the connection was refused (ECONNREFUSED)',
      expect.stringMatching(/^the host name cannot be resolved/),
    ])
  })

  it('has a certificate that nobody vouches for is not sent anything', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slugline-tls-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
    execFileSync(
      'openssl',
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ${key} -out ${cert} -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost`.split(
        ' ',
      ),
      { stdio: 'ignore' },
    )
    let requests = 0
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
      requests++
      response.end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    await hook(`https://localhost:${port}/`)
    await emit()
    await send()
    expect((await last())?.last_error).toMatch(/^the certificate of the receiver is not valid \(\w+\)$/)
    expect(requests).toBe(0)
  })
})

describe('workers', () => {
  it('are left for others when as many receivers hang as there are workers', async () => {
    const hanging = await Promise.all([1, 2, 3, 4].map(() => receiver()))
    let [begun, open, mostLater] = [0, 0, 0]
    for (const one of hanging) {
      one.answer = (_, response) => {
        open++
        if (++begun > hanging.length) mostLater = Math.max(mostLater, open)
        response.on('close', () => open--)
      }
      await hook(one.origin)
    }
    for (let i = 0; i < 25; i++) await hook(`${second.origin}/${i}`)
    await emit(4)
    await sendWithin(2)
    expect(second.received).toHaveLength(100)
    // All workers while nobody knows that they hang, and half of them from then on.
    expect([begun, mostLater]).toEqual([16, 2])
    expect((await app.deliveries()).filter(row => row.status === 'retrying')).toHaveLength(16)
  })

  it('never send more than they are at once', async () => {
    let [now, most] = [0, 0]
    for (const one of [target, second]) {
      await hook(one.origin)
      one.answer = (_, response) => {
        most = Math.max(most, ++now)
        // Long enough for others to come meanwhile, also on a busy machine.
        setTimeout(() => {
          now--
          response.end()
        }, 100)
      }
    }
    await emit(30)
    await send()
    expect([target.received.length, second.received.length]).toEqual([30, 30])
    expect(most).toBe(4)
  })
})

describe('two instances', () => {
  const instance = () =>
    new WebhookDispatcher(db, {
      ...app.parts.ports,
      instances: services.instances,
      config: () => ({ ...app.config, webhook_workers: 4 }),
    })

  it('send each delivery once', async () => {
    await hook(target.origin)
    await hook(second.origin)
    await emit(150)
    clock.advance(2000)
    await Promise.all([instance().drain(), instance().drain(), services.delivery.drain()])
    // One may have gone idle while another held what was left; it has all been sent.
    const ids = [...target.received, ...second.received].map(({ headers }) => headers['webhook-id'])
    expect([ids.length, new Set(ids).size]).toEqual([300, 300])
    expect(await db.count(deliveries, { status: 'success' })).toBe(300)
    expect(app.logged.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
  })

  it('take over what the other has left behind when its lease is over', async () => {
    await hook(target.origin)
    await emit(3)
    const ids = (await app.deliveries()).map(row => row.delivery_id)
    const until = (later: number) => new Date(clock.now() + later).toISOString()
    await db.write(systemActor, tx =>
      tx.updateInternal(deliveries, ids, { leased_by: 'gone', due_at: until(11_000) }),
    )
    await send()
    expect(target.received).toHaveLength(0)
    await send(10_000)
    expect(target.received).toHaveLength(3)
  })

  it('leave what the other holds while that runs, although the lease is over', async () => {
    await hook(target.origin)
    await emit(3)
    const ids = (await app.deliveries()).map(row => row.delivery_id)
    const now = new Date(clock.now()).toISOString()
    const instance_id = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    const other = { instance_id, version: '0', schema_number: 1, role: 'instance', pid: 1 }
    const row = { ...other, host: 'there', started_at: now, beat_at: now, clock_ms: 0 }
    await db.write(systemActor, async tx => {
      await tx.insertInternal(internalTables.instances, row)
      await tx.updateInternal(deliveries, ids, { leased_by: `${instance_id}.x`, due_at: now })
    })
    await send()
    expect(target.received).toHaveLength(0)
    const held = await app.deliveries()
    expect(held.map(({ leased_by, due_at }) => [leased_by, (due_at ?? '') > now])).toEqual(
      Array(3).fill([`${instance_id}.x`, true]),
    )
    // It has died, and whoever noticed has removed its row.
    await db.write(systemActor, tx => tx.deleteInternal(internalTables.instances, instance_id))
    await send(6000)
    expect(target.received).toHaveLength(3)
  })

  it('send nothing twice that they could not write for longer than their lease', async () => {
    await hook(target.origin)
    const one = instance()
    const ends: (() => void)[] = []
    target.answer = (_, response) => void ends.push(() => response.end())
    await emit()
    clock.advance(2000)
    const drained = one.drain()
    await expect.poll(() => ends.length).toBe(1)
    const away = vi.spyOn(db, 'write').mockRejectedValue(new DatabaseAwayError())
    onTestFinished(() => away.mockRestore())
    ends[0]?.()
    await expect.poll(() => away.mock.calls.length).toBeGreaterThan(0)
    clock.advance(3 * minute)
    away.mockRestore()
    await drained
    await services.delivery.drain()
    expect(target.received).toHaveLength(1)
    expect(await last()).toMatchObject({ status: 'success', attempts: 1 })
  })

  it('give back what they are at when they stop, and begin nothing more', async () => {
    await hook(target.origin)
    const one = instance()
    const hung: (() => void)[] = []
    target.answer = (_, response) => void hung.push(() => response.end())
    await emit(5)
    clock.advance(2000)
    const running = one.drain()
    await expect.poll(() => hung.length).toBe(2)
    await one.stop(50)
    const rows = await app.deliveries()
    expect(rows.map(row => [row.status, row.leased_by])).toEqual(Array(5).fill(['pending', null]))
    target.answer = (_, response) => response.end()
    for (const end of hung) end()
    await running
    expect(target.received).toHaveLength(2)
    await services.delivery.drain()
    expect((await app.deliveries()).every(row => row.status === 'success')).toBe(true)
    expect(target.received).toHaveLength(7)
  })

  it('wait for what they are at when it ends in time', async () => {
    await hook(target.origin)
    const one = instance()
    target.answer = (_, response) => void setTimeout(() => response.end(), 100)
    await emit()
    clock.advance(2000)
    const drained = one.drain()
    await expect.poll(() => target.received.length).toBe(1)
    await one.stop(5000)
    await drained
    expect(await last()).toMatchObject({ status: 'success', attempts: 1 })
  })
})

it('keeps the history so long, and what is not finished for ever', async () => {
  await hook(target.origin)
  const day = 86_400_000
  const at = (days: number) => new Date(clock.now() - days * day).toISOString()
  await emit(8)
  const ids = (await app.deliveries()).map(row => row.delivery_id)
  const cases = [
    ['success', 31],
    ['success', 29],
    ['failed', 31],
    ['failed', 29],
    ['retrying', 31],
    ['retrying', 29],
    ['pending', 31],
    ['pending', 29],
  ] as const
  for (const [i, [status, days]] of cases.entries()) {
    const finished = status === 'success' || status === 'failed'
    await db.write(systemActor, tx =>
      tx.updateInternal(deliveries, [ids[i] ?? ''], {
        status,
        created_at: at(days),
        completed_at: finished ? at(days) : null,
        due_at: finished ? null : at(days),
      }),
    )
  }
  const audits = (await app.audits()).length
  await services.removeExpired()
  expect((await app.deliveries()).map(row => row.delivery_id)).toEqual(
    ids.filter((_, i) => i !== 0 && i !== 2),
  )
  expect((await app.audits()).length).toBe(audits)
})
