import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import { callerOf, made } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { type Product, startProduct } from '../support/process.js'
import { rowsOf } from './rows.js'

const rounds = amount(4, 8)
const sections = 23
const notes = 12
const entries = 1 + sections * (1 + notes)
const values = entries
/** What a page leaves in each table. The audit events are of its route, entries and values and of its version. */
const whole = { routes: 1, entries, values, versions: 1, audits: 1 + entries + values + 1, events: 1 }

async function countsOf(address: DatabaseAddress, slug: string): Promise<typeof whole> {
  const [route] = await rowsOf<{ route_id: string }>(
    address,
    `select route_id from routes where slug = '${slug}'`,
  )
  const count = async (sql: string) =>
    Number((await rowsOf<{ n: unknown }>(address, `select count(*) as n from ${sql}`))[0]?.n)
  const [root] = route
    ? await rowsOf<{ content_data_id: string; request_id: string }>(
        address,
        `select content_data_id, request_id from content_data join audit_events on record_id = route_id
         where route_id = '${route.route_id}'`,
      )
    : []
  const inTree = `select content_data_id from content_data where root_id = '${root?.content_data_id}'`
  return {
    routes: route ? 1 : 0,
    entries: await count(`content_data where root_id = '${root?.content_data_id}'`),
    values: await count(`content_fields where content_data_id in (${inTree})`),
    versions: await count(`content_versions where content_data_id in (${inTree})`),
    audits: await count(`audit_events where request_id = '${root?.request_id}'`),
    events: await count(
      `webhook_deliveries where event = 'content.published' and payload like '%"slug":"${slug}"%'`,
    ),
  }
}

/** As if a minute had passed, after which a claim that nobody ends is taken over. */
async function ageClaims(address: DatabaseAddress): Promise<void> {
  const dialect = await connect(address)
  // Older than a process that may still be at it, and younger than what expires.
  const claimedAt = new Date(Date.now() - 600_000).toISOString()
  await dialect.transaction(session =>
    session.run(`update idempotency_keys set claimed_at = '${claimedAt}' where state = 'running'`, []),
  )
  await dialect.close()
}

it(`makes a page of ${entries} entries once or not at all, whenever it is killed`, {
  timeout: 240_000,
}, async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const start = () =>
    startProduct(address, {
      config: { webhook_enabled: true, webhook_allow_http: true, environment: 'local' },
    })
  let product = await start()
  const cookie = await product.login()
  const call = await callerOf(product, cookie)
  const post = (path: string, body: object) => made(call('POST', path, body))
  const datatypes: string[] = []
  for (const label of ['Page', 'Section', 'Note']) {
    const { datatype_id } = await post('/datatypes', { label, type: 'content' })
    await post('/fields', { label: 'Text', field_type: 'text', parent_id: datatype_id })
    datatypes.push(datatype_id)
  }
  const events = ['content.published']
  await post('/admin/webhooks', { name: 'a', url: 'http://127.0.0.1:9/', events, is_active: true })
  const [page, section, note] = datatypes
  const children = Array.from({ length: sections }, (_, i) => ({
    datatype_id: section,
    fields: { text: `section ${i}` },
    children: Array.from({ length: notes }, (_, j) => ({ datatype_id: note, fields: { text: `note ${j}` } })),
  }))
  const bodyOf = (slug: string) => ({
    slug,
    title: slug,
    datatype_id: page,
    status: 'published',
    fields: { text: 'page' },
    children,
  })
  const send = async (to: Product, slug: string) =>
    (await callerOf(to, cookie))('POST', '/pages', bodyOf(slug), { 'Idempotency-Key': slug })

  await send(product, '/warm')
  const from = performance.now()
  expect((await send(product, '/measured')).status).toBe(201)
  const usual = performance.now() - from
  const outcomes: number[] = []
  for (let round = 0; round < rounds; round++) {
    const slug = `/page-${round}`
    const sent = send(product, slug).then(
      ({ status }) => status,
      () => 'cut' as const,
    )
    await sleep((usual * (round + 0.5)) / rounds)
    await product.kill9()
    const outcome = await sent
    product = await start()
    const stored = await countsOf(address, slug)
    outcomes.push(stored.routes)
    expect(stored).toEqual(
      stored.routes ? whole : { routes: 0, entries: 0, values: 0, versions: 0, audits: 0, events: 0 },
    )
    if (outcome === 201) expect(stored.routes).toBe(1)
    await ageClaims(address)
    const again = await send(product, slug)
    expect([again.status, stored.routes, again.status === 201 ? undefined : again.body]).toEqual([
      201,
      stored.routes,
      undefined,
    ])
    expect(again.headers.get('idempotency-replayed')).toBe(stored.routes ? 'true' : null)
    expect(again.body.entry.children).toHaveLength(sections)
    expect(await countsOf(address, slug)).toEqual(whole)
    expect((await send(product, slug)).body).toEqual(again.body)
  }
  // Most kills come in the middle, so at least one has left nothing.
  expect(outcomes).toContain(0)
})
