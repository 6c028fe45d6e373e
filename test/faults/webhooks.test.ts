import { createHash, createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { engine, migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { ownPostgres } from '../support/own-postgres.js'
import { type Product, startProduct } from '../support/process.js'
import { receiver } from '../support/receiver.js'
import { rowsOf } from './rows.js'

/** How many deliveries; the programme of docs/performance.md takes 10,000. */
const deliveries = Number(process.env.TEST_DELIVERIES ?? amount(200, 400))
const hooks = 10
const writers = 4
const patience = 180_000 + deliveries * 30

interface Row {
  delivery_id: string
  payload: string
  status: string
  attempts: number
}

const hash = (body: Buffer | string) => createHash('sha256').update(body).digest('hex')

/** Fails half of the time: with a status, by hanging up, by asking for time. The same in every run. */
function unreliable() {
  let state = 7
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 16
  }
  return (): 'take' | 500 | 429 | 'reset' =>
    (next() % 2 ? 'take' : ([500, 429, 'reset'] as const)[next() % 3]) ?? 500
}

async function database() {
  const own = engine === 'postgres' ? await ownPostgres() : undefined
  if (own) {
    onTestFinished(() => own.remove())
    return own
  }
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  return { address, restart: undefined }
}

it(`loses none of ${deliveries} deliveries to a receiver that fails half of the time, to kills and a restart`, {
  timeout: patience + 60_000,
}, async () => {
  const { address, restart } = await database()
  const settings = {
    ...address,
    webhook_enabled: true,
    webhook_allow_http: true,
    // Longer than a receiver on a busy machine takes: what is late is sent again.
    webhook_timeout: 3,
    webhook_max_retries: 100,
    webhook_retry_delays: ['200ms'],
    webhook_scan_interval: '200ms',
    webhook_workers: 16,
  }
  let instances: Product[] = [await startProduct(settings)]
  const cookie = (await instances[0]?.login()) ?? ''
  const send = async (method: string, path: string, body: object) => {
    const to = instances[Math.floor(Math.random() * instances.length)]
    const answer = await fetch(`${to?.url}/api/v1${path}`, {
      method,
      headers: { Cookie: cookie, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path} gave ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<Record<string, string>>
  }

  const target = await receiver()
  const secrets = new Map<string, string>()
  for (let i = 0; i < hooks; i++) {
    const given = { name: 'x', url: `${target.origin}/${i}`, events: ['content.updated'], is_active: true }
    secrets.set(`/${i}`, (await send('POST', '/admin/webhooks', given)).secret ?? '')
  }
  const { datatype_id } = await send('POST', '/datatypes', { label: 'Page', type: 'content' })
  await send('POST', '/fields', { label: 'Head', field_type: 'text', parent_id: datatype_id })
  const entries: string[] = []
  for (let i = 0; i < writers; i++) {
    const { route_id } = await send('POST', '/routes', { slug: `/p${i}`, title: 'x' })
    const entry = await send('POST', '/content', { datatype_id, route_id, status: 'published' })
    entries.push(entry.content_data_id ?? '')
  }
  instances.push(await startProduct(settings))

  const verdict = unreliable()
  /** How often each delivery was taken, and the hashes of what came. */
  const taken = new Map<string, number>()
  const bodies = new Map<string, Set<string>>()
  let [requests, invalid] = [0, 0]
  target.answer = ({ path, headers, body }, response, message) => {
    requests++
    const secret = secrets.get(path) ?? ''
    const id = headers['webhook-id'] ?? ''
    try {
      new Webhook(secret).verify(body, headers)
    } catch {
      invalid++
    }
    if (createHmac('sha256', secret).update(body).digest('hex') !== headers['x-cms-signature']) invalid++
    bodies.set(id, (bodies.get(id) ?? new Set()).add(hash(body)))
    target.received.length = 0
    const what = verdict()
    if (what === 'reset') return void message.socket.resetAndDestroy()
    if (what !== 'take') return void response.writeHead(what, { 'Retry-After': '0' }).end()
    taken.set(id, (taken.get(id) ?? 0) + 1)
    response.end()
  }

  // Each change is one event to each webhook. What is cut off by a kill may have been stored or not.
  let [acknowledged, cut] = [0, 0]
  const from = performance.now()
  const write = async (entry: string) => {
    while (acknowledged * hooks < deliveries)
      await send('PUT', `/content?q=${entry}`, { fields: { head: `${Math.random()}` } }).then(
        () => acknowledged++,
        async () => {
          cut++
          await sleep(50)
        },
      )
  }
  const writing = entries.map(write)
  const until = async (part: number) => {
    while (taken.size < deliveries * part && performance.now() - from < patience) await sleep(5)
  }
  await until(0.2)
  await instances[0]?.kill9()
  instances = [...instances.slice(1), await startProduct(settings)]
  await until(0.35)
  restart?.()
  await until(0.5)
  await instances[0]?.kill9()
  instances = [...instances.slice(1), await startProduct(settings)]
  await Promise.all(writing)

  const open = () =>
    rowsOf<{ n: unknown }>(
      address,
      "select count(*) as n from webhook_deliveries where status not in ('success', 'failed')",
    )
  while (Number((await open())[0]?.n) > 0 && performance.now() - from < patience) await sleep(100)
  const seconds = (performance.now() - from) / 1000
  const rows = await rowsOf<Row>(
    address,
    'select delivery_id, payload, status, attempts from webhook_deliveries',
  )
  const lost = rows.filter(row => row.status !== 'success' || !taken.has(row.delivery_id))
  const repeated = [...taken.values()].reduce((sum, times) => sum + times - 1, 0)
  const events = new Set(rows.map(row => JSON.parse(row.payload).id)).size
  process.stdout.write(
    `${engine}: ${rows.length} deliveries of ${events} events, ${requests} requests, ${lost.length} lost, ` +
      `${repeated} repeated, ${invalid} with a wrong signature, ${cut} changes cut off, ${seconds.toFixed(1)} s` +
      `${restart ? ', one restart of the database' : ''}\n`,
  )
  expect(lost).toEqual([])
  expect(invalid).toBe(0)
  expect(rows.length).toBe(events * hooks)
  expect(events).toBeGreaterThanOrEqual(acknowledged)
  expect(events).toBeLessThanOrEqual(acknowledged + cut)
  expect(repeated).toBeLessThanOrEqual(Math.max(rows.length * 0.01, 16))
  // Every attempt carried the stored text, byte for byte.
  for (const { delivery_id, payload } of rows)
    expect([delivery_id, ...(bodies.get(delivery_id) ?? [])]).toEqual([delivery_id, hash(payload)])
  expect(taken.size).toBe(rows.length)
  expect(await Promise.all(instances.map(one => one.stop()))).toEqual([0, 0])
})

it('waits at SIGTERM for what is being sent, and leaves the rest to the next start', async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const settings = {
    ...address,
    webhook_enabled: true,
    webhook_allow_http: true,
    webhook_timeout: 5,
    webhook_workers: 8,
    webhook_scan_interval: '200ms',
  }
  const target = await receiver()
  target.answer = (_, response) => void setTimeout(() => response.end(), 700)
  const product = await startProduct(settings)
  const headers = { Cookie: await product.login(), 'Content-Type': 'application/json' }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${product.url}/api/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return answer.json() as Promise<Record<string, string>>
  }
  for (let i = 0; i < 20; i++)
    await post('/admin/webhooks', { name: 'x', url: target.origin, events: ['*'], is_active: true })
  const { datatype_id } = await post('/datatypes', { label: 'Page', type: 'content' })
  const { route_id } = await post('/routes', { slug: '/', title: 'x' })
  await post('/content', { datatype_id, route_id, status: 'published' })
  while (target.received.length < 4) await sleep(5)
  expect(await product.stop()).toBe(0)
  const rows = () => rowsOf<Row & { leased_by: string | null }>(address, 'select * from webhook_deliveries')
  const stored = await rows()
  expect(stored.every(row => row.leased_by === null)).toBe(true)
  expect(stored.filter(row => row.status === 'success')).toHaveLength(target.received.length)
  expect(stored.filter(row => row.status === 'pending')).toHaveLength(stored.length - target.received.length)

  target.answer = (_, response) => response.end()
  const next = await startProduct(settings)
  while ((await rows()).some(row => row.status === 'pending')) await sleep(20)
  expect(await next.stop()).toBe(0)
  const ids = target.received.map(request => request.headers['webhook-id'])
  expect([ids.length, new Set(ids).size]).toEqual([stored.length, stored.length])
})

const rounds = amount(3, 5)

it(`sends after the next start what was committed just before a kill, ${rounds} times`, async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const settings = {
    ...address,
    webhook_enabled: true,
    webhook_allow_http: true,
    webhook_timeout: 1,
    webhook_scan_interval: '200ms',
  }
  const target = await receiver()
  let product = await startProduct(settings)
  const headers = { Cookie: await product.login(), 'Content-Type': 'application/json' }
  const call = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${product.url}/api/v1${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, string> }
  }
  const hook = { name: 'x', url: target.origin, events: ['content.published'], is_active: true }
  await call('POST', '/admin/webhooks', hook)
  const { datatype_id } = (await call('POST', '/datatypes', { label: 'Page', type: 'content' })).body
  const made: (string | undefined)[] = []
  for (let round = 0; round < rounds; round++) {
    const { route_id } = (await call('POST', '/routes', { slug: `/p${round}`, title: 'x' })).body
    const entry = { datatype_id, route_id, status: 'published' }
    const { status, body } = await call('POST', '/content', entry)
    expect(status).toBe(201)
    made.push(body.content_data_id)
    // The second root of a route is refused, and so are its events.
    expect((await call('POST', '/content', entry)).status).toBe(409)
    await product.kill9()
    product = await startProduct(settings)
  }
  // One that was just being sent when the kill came is sent again when its lease is over.
  const stored = () => rowsOf<Row>(address, 'select * from webhook_deliveries')
  while ((await stored()).some(row => row.status === 'pending')) await sleep(20)
  expect(await product.stop()).toBe(0)
  const told = target.received.map(({ body }) => JSON.parse(String(body)).data.content_data_id)
  expect(new Set(told)).toEqual(new Set(made))
  expect((await stored()).map(row => row.status)).toEqual(Array(rounds).fill('success'))
})
