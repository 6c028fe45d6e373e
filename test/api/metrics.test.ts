import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { testApp } from '../support/app.js'
import { callerOf, made } from '../support/calls.js'
import { engine, freshDatabase } from '../support/database.js'
import { freePort, startProduct } from '../support/process.js'

/** The value of a series, by its name and some of its labels. */
function sample(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const line = text
    .split('\n')
    .find(
      one =>
        one.startsWith(name) &&
        /^[{ ]/.test(one.slice(name.length)) &&
        wanted.every(part => one.includes(part)),
    )
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}

const { call } = await testApp()
const read = async () => (await call('GET', '/api/v1/metrics')).text

it('counts requests by route, statements and where pages came from', async () => {
  const post = async (path: string, body: unknown) => (await call('POST', `/api/v1${path}`, { body })).body
  const { datatype_id } = await post('/datatypes', { label: 'Page', type: 'content' })
  const { route_id } = await post('/routes', { slug: '/counted', title: 'Counted' })
  await post('/content', { datatype_id, route_id, status: 'published' })
  for (let i = 0; i < 3; i++) expect((await call('GET', '/counted', { as: 'nobody' })).status).toBe(200)
  await call('GET', '/not-there', { as: 'nobody' })
  await call('GET', '/api/v1/routes/01ARZ3NDEKTSV4RRFFQ69G5FAV')
  await call('GET', '/api/v1/routes', { as: 'nobody' })

  const text = await read()
  const requests = (labels: Record<string, string>) => sample(text, 'slugline_requests_total', labels)
  expect(requests({ surface: 'site', route: '/*', method: 'GET', status: '200' })).toBe(3)
  expect(requests({ surface: 'site', route: '/*', status: '404' })).toBe(1)
  expect(requests({ surface: 'api', method: 'POST', route: '/routes', status: '201' })).toBe(1)
  expect(requests({ surface: 'api', method: 'GET', route: '/routes', status: '403' })).toBe(1)
  expect(requests({ route: '/routes/:route_id', status: '404' })).toBe(1)
  const latency = { surface: 'site', route: '/*', method: 'GET' }
  expect(sample(text, 'slugline_request_duration_seconds_count', latency)).toBe(4)
  expect(sample(text, 'slugline_request_duration_seconds_bucket', { ...latency, le: '+Inf' })).toBe(4)
  expect(sample(text, 'slugline_pages_total', { from: 'memory' })).toBe(2)
  expect(sample(text, 'slugline_pages_total', { from: 'built' })).toBe(1)
  expect(sample(text, 'slugline_statements_total', { kind: 'write' })).toBeGreaterThan(3)
  expect(sample(text, 'slugline_database_connections', { state: 'free' }) !== undefined).toBe(
    engine !== 'sqlite',
  )
  expect(sample(text, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
  expect(sample(text, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
  // Addresses make no series.
  expect(text).not.toMatch(/not-there|01ARZ3/)
})

it('counts attempts to deliver, and how long the oldest waits', async () => {
  const app = await testApp({ webhook_enabled: true })
  const metrics = async () => (await app.call('GET', '/api/v1/metrics')).text
  await app.subscribe()
  const post = async (path: string, body: unknown) =>
    (await app.call('POST', `/api/v1${path}`, { body })).body
  const { datatype_id } = await post('/datatypes', { label: 'Page', type: 'content' })
  const { route_id } = await post('/routes', { slug: '/counted', title: 'Counted' })
  await post('/content', { datatype_id, route_id, status: 'published' })
  expect((await app.deliveries()).length).toBeGreaterThan(0)
  expect(sample(await metrics(), 'slugline_webhook_queue_age_seconds')).toBe(0)
  app.clock.advance(60_000)
  expect(sample(await metrics(), 'slugline_webhook_queue_age_seconds')).toBeGreaterThan(50)
  await app.services.delivery.drain()
  const after = await metrics()
  const attempts = ['success', 'retrying', 'failed'].map(
    state => sample(after, 'slugline_webhook_attempts_total', { state }) ?? 0,
  )
  expect(attempts.reduce((sum, one) => sum + one, 0)).toBe((await app.deliveries()).length)
})

it('is for administrators and for keys with the permission', async () => {
  for (const [as, status] of [
    ['nobody', 403],
    ['viewer', 403],
    ['editor', 403],
    ['key', 403],
    ['admin', 200],
  ] as const)
    expect([as, (await call('GET', '/api/v1/metrics', { as })).status]).toEqual([as, status])
  expect((await call('GET', '/api/v1/metrics?x=1')).status).toBe(400)
})

it('has a port of its own on loopback, where nobody signs in', async () => {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const port = await freePort()
  const product = await startProduct(address, { config: { metrics_port: port } })
  const own = `http://127.0.0.1:${port}`
  const answer = await fetch(`${own}/metrics`)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(sample(await answer.text(), 'slugline_requests_total', { route: '/health' })).toBeGreaterThan(0)
  expect((await fetch(`${own}/`)).status).toBe(404)
  expect((await fetch(`${own}/metrics`, { method: 'POST' })).status).toBe(405)
  // A key that may do nothing else reads them on the main port.
  const administrator = await callerOf(product)
  const { token } = await made(administrator('POST', '/tokens', { permissions: ['metrics:read'] }))
  const as = { headers: { Authorization: `Bearer ${token}` } }
  expect((await fetch(`${product.url}/api/v1/metrics`, as)).status).toBe(200)
  expect((await fetch(`${product.url}/api/v1/users`, as)).status).toBe(403)
  // A connection that asks nothing does not hold up a stop.
  const idle = connect(port, '127.0.0.1')
  await new Promise(done => idle.once('connect', done))
  idle.on('error', () => undefined)
  expect(await product.stop()).toBe(0)
})
