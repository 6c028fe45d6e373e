import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables } from '../../src/db/tables.js'
import { type EventFilter, isWanted } from '../../src/event-filter.js'
import { limits } from '../../src/limits.js'
import { bodyOf } from '../../src/services/webhooks/body-template.js'
import { testApp } from '../support/app.js'
import { receiver } from '../support/receiver.js'

const app = await testApp({ webhook_enabled: true, webhook_allow_http: true, i18n_enabled: true })
const target = await receiver()
const path = '/api/v1/admin/webhooks'
const make = (more: object) =>
  app.call('POST', path, {
    body: { name: 'Build', url: `${target.origin}/hook`, events: ['*'], is_active: true, ...more },
  })
const entry = {
  content_data_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  locale: 'de',
  slug: '/blog/one',
  datatypes: ['post'],
  slugs: ['/blog', '/blog/one'],
  surrogate_keys: ['a', 'b'],
  updated_by: null,
}
const emit = (more: Partial<typeof entry> = {}) =>
  app.db.write(systemActor, tx =>
    tx.emit<'content.updated', typeof entry>('content.updated', async () => ({ ...entry, ...more })),
  )
const deliver = async () => {
  app.clock.advance(2000)
  await app.services.delivery.drain()
}
const deliveries = async (id: string) => (await app.call('GET', `${path}/${id}/deliveries`)).body

describe('a filter', () => {
  it.each<[EventFilter | null, object, boolean]>([
    [null, entry, true],
    [{ datatypes: ['page', 'post'] }, entry, true],
    [{ datatypes: ['page'] }, entry, false],
    [{ slugs: ['/blog'] }, { ...entry, slugs: ['/blog/two/x'], slug: null }, true],
    [{ slugs: ['/blog'] }, { ...entry, slugs: ['/blogs'], slug: null }, false],
    [{ slugs: ['/'] }, entry, true],
    [{ slugs: ['/news'] }, entry, false],
    // A draft changes no public page, and has its own.
    [{ slugs: ['/blog'] }, { ...entry, slugs: [] }, true],
    [{ slugs: ['/blog'] }, { ...entry, slugs: [], slug: null }, false],
    [{ locales: ['de'] }, entry, true],
    [{ locales: ['en'] }, entry, false],
    [{ locales: ['en'] }, { ...entry, locale: '' }, true],
    [{ datatypes: ['post'], slugs: ['/news'] }, entry, false],
    // What an event does not tell leaves nothing out.
    [{ datatypes: ['post'] }, { comment_id: 'x', slug: '/news', locale: '' }, true],
    [{ datatypes: ['post'], slugs: ['/blog'] }, { datatypes: [], slugs: [], all_pages: true }, true],
    [{ locales: ['en'] }, { ...entry, all_pages: true }, false],
  ])('decides each event by what it tells: case %#', (filter, data, passes) =>
    expect(isWanted(data, filter)).toBe(passes),
  )

  it('decides which deliveries a change leaves', async () => {
    const posts = (await make({ filter: { datatypes: ['post'] } })).body
    const english = (await make({ filter: { locales: ['en'] } })).body
    const all = (await make({ filter: {} })).body
    expect([posts.filter, all.filter]).toEqual([{ datatypes: ['post'] }, null])
    await emit()
    await emit({ datatypes: ['page'], locale: 'en' })
    const counts = await Promise.all(
      [posts, english, all].map(async ({ webhook_id }) => (await deliveries(webhook_id)).length),
    )
    expect(counts).toEqual([1, 1, 2])
    const put = await app.call('PUT', `${path}/${posts.webhook_id}`, { body: { filter: null } })
    expect(put.body.filter).toBeNull()
    const audits = await app.audits()
    expect(audits.at(-1)).toMatchObject({ table_name: 'webhooks', new_values: { filter: null } })
    for (const { webhook_id } of [posts, english, all]) await app.call('DELETE', `${path}/${webhook_id}`)
  })

  it.each<[unknown, string]>([
    [{ datatype: ['post'] }, 'filter'],
    [{ datatypes: [] }, 'filter.datatypes'],
    [{ datatypes: ['no name'] }, 'filter.datatypes'],
    [{ slugs: ['//x'.repeat(200)] }, 'filter.slugs'],
    [{ locales: ['German'.repeat(9)] }, 'filter.locales'],
    [{ locales: Array.from({ length: limits.webhooks.namesInFilter + 1 }, () => 'de') }, 'filter.locales'],
    ['post', 'filter'],
  ])('is refused by name: case %#', async (filter, member) => {
    const { status, body } = await make({ filter })
    expect([status, body.code, String(body.member).startsWith(member)]).toEqual([400, 'invalid', true])
  })
})

/** The templates of the table in docs/webhooks.md. */
const documented = [...readFileSync('docs/webhooks.md', 'utf8').matchAll(/\| `(\{[^|]*\})` \|$/gm)].map(
  ([, template = '']) => template,
)
const surrogate = { surrogate_keys: ['a', 'b'] }
/** Bodies that these services accept, as their documentation has them. */
const accepted = [
  { event_type: 'content.updated', client_payload: { id: '1', slug: '/blog/one' } },
  {},
  {},
  { text: 'content.updated /blog/one' },
  surrogate,
  { tags: surrogate.surrogate_keys },
]

describe('a template', () => {
  const payload = (data: object) =>
    JSON.stringify({ id: '1', event: 'content.updated', occurred_at: 't', data })

  it('puts texts into strings and values into JSON', () => {
    const template =
      '{"text": "{{event}}: {{data.slug}}", "keys": {{{data.surrogate_keys}}}, "all": {{&data.all_pages}}{{#data.slugs}}, "{{.}}": 1{{/data.slugs}}}'
    expect(JSON.parse(bodyOf(template, payload({ ...entry, slug: 'a"\\\n\u2028' })))).toEqual({
      text: 'content.updated: a"\\\n\u2028',
      keys: ['a', 'b'],
      all: null,
      '/blog': 1,
      '/blog/one': 1,
    })
  })

  it('of the documentation makes what the service that it names accepts', async () => {
    expect(documented.map(template => JSON.parse(bodyOf(template, payload(entry))))).toEqual(accepted)
    for (const body_template of documented) {
      const { status, body } = await make({ body_template })
      expect([body_template, status]).toEqual([body_template, 201])
      await app.call('DELETE', `${path}/${body.webhook_id}`)
    }
  })

  it('ends before it writes more than the bound', () => {
    const data = { ...entry, slugs: Array.from({ length: 1000 }, (_, i) => `/${i}/${'x'.repeat(200)}`) }
    expect(() => bodyOf('[{{{data}}}]', payload(data))).toThrow('larger than')
    const many = `["${'{{data.slug}}'.repeat(600)}"]`
    expect(() => bodyOf(many, payload({ ...data, slug: 'y'.repeat(60_000) }))).toThrow('larger than')
    const loop = `[{{#data.slugs}}"${'z'.repeat(8000)}",{{/data.slugs}}0]`
    expect(() => bodyOf(loop, payload(data))).toThrow('larger than')
  })

  it.each([
    ['{{> other}}', 'partials'],
    ['{{=<% %>=}}', 'delimiters'],
    ['{"a": "{{data.slugg}}"}', 'data.slug'],
    ['{"a": "{{secret}}"}', 'no member'],
    ['{"a": "{{headers.Authorization}}"}', 'no member'],
    ['{"a": "{{constructor.name}}"}', 'no member'],
    ['{"a": "{{data.slugs.join}}"}', 'no member'],
    ['{"a": "{{data.__proto__}}"}', 'no member'],
    ['[{{#data.slugs}}{{#data.slugs}}1{{/data.slugs}}{{/data.slugs}}]', 'inside another'],
    ['{"a": {{event}}}', 'not be JSON'],
    ['{"a": "{{event"}', 'Unclosed'],
    ['[{{#data.slugs}}]', 'Unclosed'],
    [`["${'x'.repeat(limits.webhooks.templateCharacters)}"]`, 'characters'],
  ])('is refused: case %#', async (body_template, problem) => {
    const { status, body } = await make({ body_template })
    expect([status, body.member]).toEqual([400, 'body_template'])
    expect(body.error).toContain(problem)
  })

  it('makes the body that is signed, also of a test, and the delivery keeps the event', async () => {
    const template = '{"text": "{{event}} {{data.slug}}"}'
    const { webhook_id } = (await make({ body_template: template })).body
    const from = target.received.length
    expect((await app.call('POST', `${path}/${webhook_id}/test`)).body.status).toBe('success')
    await emit()
    await deliver()
    const bodies = target.received.slice(from).map(({ body }) => body.toString())
    expect(bodies).toEqual(['{"text": "webhook.test "}', '{"text": "content.updated /blog/one"}'])
    const [delivery] = await deliveries(webhook_id)
    expect(delivery).toMatchObject({ status: 'success', payload: { data: entry } })
    expect(
      (await app.call('PUT', `${path}/${webhook_id}`, { body: { body_template: '' } })).body,
    ).toMatchObject({
      body_template: null,
    })
    await app.call('DELETE', `${path}/${webhook_id}`)
  })

  it('whose body is too large fails the attempt and sends nothing', async () => {
    const { webhook_id } = (await make({ body_template: '{"data": {{{data}}}}' })).body
    const from = target.received.length
    await emit({ slugs: Array.from({ length: 1000 }, (_, i) => `/${i}/${'x'.repeat(200)}`) })
    await deliver()
    const [delivery] = await deliveries(webhook_id)
    expect(delivery).toMatchObject({ status: 'retrying', last_status_code: null })
    expect(delivery.last_error).toContain('larger than 65536 bytes')
    expect(target.received.length).toBe(from)
    await app.call('DELETE', `${path}/${webhook_id}`)
  })
})

describe('a replay', () => {
  const replay = (id: string, body: object, as: 'admin' | 'editor' = 'admin') =>
    app.call('POST', `${path}/${id}/replay`, { body, as })
  const now = () => new Date(app.clock.now()).toISOString()

  it('sends the finished deliveries of a time range again, with their ids', async () => {
    const { webhook_id } = (await make({})).body
    const times: string[] = []
    for (const slug of ['/one', '/two', '/three']) {
      app.clock.advance(60_000)
      times.push(now())
      await emit({ slug })
      if (slug !== '/three') await deliver()
    }
    const from = target.received.length
    const audits = (await app.audits()).length
    const before = await deliveries(webhook_id)
    expect(before.map(({ status }: { status: string }) => status)).toEqual(['pending', 'success', 'success'])
    const answer = await replay(webhook_id, { from: times[1] })
    expect([answer.status, answer.body]).toEqual([200, { replayed: 1, next_from: null }])
    expect((await app.audits()).length).toBe(audits)
    await deliver()
    const sent = target.received
      .slice(from)
      .map(({ body, headers }) => [JSON.parse(body.toString()).data.slug, headers['x-cms-delivery']])
    const ids = before.map(({ delivery_id }: { delivery_id: string }) => delivery_id)
    expect(sent.sort()).toEqual([
      ['/three', ids[0]],
      ['/two', ids[1]],
    ])
    const all = { from: times[0], to: times[1] }
    expect((await replay(webhook_id, all)).body.replayed).toBe(2)
    await deliver()
    expect((await replay(webhook_id, { ...all, status: 'failed' })).body).toEqual({
      replayed: 0,
      next_from: null,
    })
    await app.call('DELETE', `${path}/${webhook_id}`)
  })

  it('of more than one request may send tells where to go on', async () => {
    const { webhook_id } = (await make({})).body
    const from = now()
    const old = { status: 'failed', attempts: 3, completed_at: from, created_at: from }
    const rows = Array.from({ length: limits.webhooks.replayed + 1 }, () => ({
      ...old,
      ...{ webhook_id, event: 'content.updated', payload: '{}' },
    }))
    await app.db.write(systemActor, tx => tx.insertAllInternal(internalTables.webhookDeliveries, rows))
    const status = 'failed'
    const first = (await replay(webhook_id, { from, status })).body
    expect(first).toEqual({ replayed: limits.webhooks.replayed, next_from: from })
    expect((await replay(webhook_id, { from: first.next_from, status })).body).toEqual({
      replayed: 1,
      next_from: null,
    })
    await app.call('DELETE', `${path}/${webhook_id}`)
  })

  it('is refused by name', async () => {
    const { webhook_id } = (await make({ is_active: false })).body
    const range = { from: now() }
    const answers = [
      await replay(webhook_id, {}),
      await replay(webhook_id, { from: 'yesterday' }),
      await replay(webhook_id, { ...range, status: 'pending' }),
      await replay('01ARZ3NDEKTSV4RRFFQ69G5FAV', range),
      await replay(webhook_id, range),
      await replay(webhook_id, range, 'editor'),
    ]
    expect(answers.map(({ status, body }) => [status, body.member ?? body.code])).toEqual([
      [400, 'from'],
      [400, 'from'],
      [400, 'status'],
      [404, 'not_found'],
      [409, 'conflict'],
      [403, 'missing_permission'],
    ])
    await app.call('PUT', `${path}/${webhook_id}`, { body: { is_active: true } })
    const turned = await replay(webhook_id, { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' })
    expect([turned.status, turned.body.member]).toEqual([400, 'to'])
    await app.call('DELETE', `${path}/${webhook_id}`)
  })
})
