import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { freshDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'
import { type Receiver, receiver } from '../support/receiver.js'

interface Sent {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  status: { code?: number }
  attributes: { key: string; value: Record<string, unknown> }[]
}

const [server, client] = [2, 3]

const spansOf = ({ received }: Receiver): Sent[] =>
  received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)

const attributeOf = ({ attributes }: Sent, name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]

/** A caller's trace, and the header that names it. */
function caller() {
  const [trace, span] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { trace, span, headers: { traceparent: `00-${trace}-${span}-01` } }
}

test('requests and their statements are spans under those of the caller, without values', async () => {
  const collector = await receiver()
  const product = await startProduct((await freshDatabase()).address, {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin, OTEL_SERVICE_NAME: 'site of a test' },
  })
  const cookie = await product.login()
  const [list, page, stranger] = [caller(), caller(), caller()]
  const read = await fetch(`${product.url}/api/v1/users?name=hidden-word`, {
    headers: { cookie, ...list.headers },
  })
  await fetch(`${product.url}/no-such-page?token=hidden-word`, { headers: page.headers })
  await fetch(`${product.url}/api/v1/health/live`, { headers: { traceparent: 'nonsense' } })
  await fetch(`${product.url}/api/v1/users`, { headers: stranger.headers })
  expect(await product.stop()).toBe(0)

  const spans = spansOf(collector)
  const [request, ...others] = spans.filter(({ traceId, kind }) => traceId === list.trace && kind === server)
  expect(others).toEqual([])
  expect(request).toMatchObject({ name: 'GET /users', parentSpanId: list.span })
  const facts = [
    'http.route',
    'http.response.status_code',
    'slugline.surface',
    'slugline.request_id',
    'url.path',
  ]
  expect(facts.map(name => attributeOf(request as Sent, name))).toEqual([
    '/users',
    read.status,
    'api',
    read.headers.get('x-request-id'),
    '/api/v1/users',
  ])
  const statements = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
  expect(statements.map(({ kind }) => kind)).toEqual(statements.map(() => client))
  expect(statements.map(span => attributeOf(span, 'db.query.text')).join('\n')).toMatch(/from .sessions./)

  expect(spans.find(({ traceId, kind }) => traceId === page.trace && kind === server)).toMatchObject({
    name: 'GET',
    kind: server,
  })
  expect(
    spans.find(({ traceId, kind }) => traceId === stranger.trace && kind === server)?.status,
  ).not.toMatchObject({ code: 2 })
  expect(spans.some(span => attributeOf(span, 'url.path') === '/api/v1/health/live')).toBe(true)
  const sent = collector.received.map(({ body }) => body.toString()).join('\n')
  expect(sent).toContain('site of a test')
  for (const secret of ['hidden-word', cookie.split('=')[1] as string, 'admin@example.com'])
    expect(sent).not.toContain(secret)
})

test('a receiver that is away or disabled changes nothing for callers', async () => {
  const collector = await receiver()
  collector.answer = (_, response) => response.writeHead(400).end()
  const { address } = await freshDatabase()
  const refused = await startProduct(address, {
    env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.origin}/v1/traces` },
    config: { log_level: 'warn' },
  })
  expect((await fetch(`${refused.url}/api/v1/health`)).status).toBe(200)
  expect(await refused.stop()).toBe(0)
  expect(refused.output()).toMatch(/spans were not sent/)

  collector.received.length = 0
  const disabled = await startProduct(address, {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin, OTEL_SDK_DISABLED: 'true' },
  })
  expect(await disabled.stop()).toBe(0)
  expect(collector.received).toEqual([])

  await expect(
    startProduct(address, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' } }),
  ).rejects.toThrow('OTEL_EXPORTER_OTLP_ENDPOINT must be an address such as http://localhost:4318')
})
