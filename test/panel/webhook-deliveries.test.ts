import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables } from '../../src/db/tables.js'
import { webhookEvents } from '../../src/events.js'
import { eventWords } from '../../src/resources/event-words.js'
import { english } from '../../src/texts/language.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ webhook_enabled: true })
const { call, db } = app
const { post } = panelForms(app)
const page = async (path: string) => (await call('GET', `/admin${path}`)).text
/** A page as it is read. */
const words = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

const hook = {
  name: 'Search',
  url: 'https://receiver.example/hook',
  events: ['route.created'],
  is_active: true,
}
const { webhook_id: id } = (await call('POST', '/api/v1/admin/webhooks', { body: hook })).body
for (const slug of ['/a', '/b', '/c']) await call('POST', '/api/v1/routes', { body: { slug, title: slug } })
const [first, second, third] = (await app.deliveries()).map(({ delivery_id }) => delivery_id)
const set = (delivery: string | undefined, values: object) =>
  db.write(systemActor, tx => tx.updateInternal(internalTables.webhookDeliveries, [delivery ?? ''], values))
const finished = '2026-11-21T12:00:00.000Z'
const failed = {
  status: 'failed',
  attempts: 1,
  last_status_code: 500,
  last_error: 'the receiver responded with 500',
  last_duration_ms: 38,
  last_response: '<b>no index</b>',
}
await set(first, { ...failed, completed_at: finished, due_at: null })
await set(second, {
  status: 'success',
  attempts: 2,
  last_status_code: 204,
  completed_at: finished,
  due_at: null,
})
await set(third, { status: 'retrying', attempts: 3, last_error: 'no connection', next_retry_at: finished })

it('D27: deliveries stand before the settings, with attempts, response and the next attempt', async () => {
  const html = await page(`/webhooks/${id}`)
  expect(html.indexOf('id="deliveries"')).toBeLessThan(html.indexOf('name="url"'))
  const text = words(html)
  for (const line of ['1 attempt · HTTP 500', '2 attempts · HTTP 204', '3 attempts · no connection · next'])
    expect(text).toContain(line)
  expect(text).toContain('Last 3 deliveries: 1 delivered, 1 failed')
  expect(text).toContain('Response time: median 38 ms, 95 % within 38 ms')
  expect(html.match(/Send again/g)).toHaveLength(1)
  for (const slug of ['/a', '/b', '/c']) expect(text).toContain(`Route created ${slug}`)
})

it('names every event in words, in each language, and those of other versions as they are', () => {
  const words = Object.keys(webhookEvents).map(event => eventWords(event, english))
  expect(new Set(words).size).toBe(words.length)
  expect(words.slice(0, 4)).toEqual([
    ...['Entry published', 'Entry unpublished', 'Entry changed', 'Entry scheduled'],
  ])
  expect(words).toContain('Review sent back')
  for (const one of words) expect(one).toMatch(/^[A-Z][a-z]+(?: [a-z]+)+$/)
  for (const other of ['content.archived', 'form.created', 'x'])
    expect(eventWords(other, english)).toBe(other)
})

it('the list tells how the last delivery of each webhook went', async () => {
  const { webhook_id } = (await call('POST', '/api/v1/admin/webhooks', { body: { ...hook, name: 'Idle' } }))
    .body
  const rows = [...(await page('/webhooks')).matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    words(row).trim(),
  )
  expect(rows).toEqual([
    'Name State Address Last delivery When',
    expect.stringMatching(/^Search Active https:\/\/receiver.example\/hook Retrying \S/),
    'Idle Active https://receiver.example/hook never',
  ])
  await call('DELETE', `/api/v1/admin/webhooks?q=${webhook_id}`)
})

it('D27: events are grouped, and a group with a chosen event is open', async () => {
  const html = await page(`/webhooks/${id}`)
  const groups = [...html.matchAll(/<details class="checks-group"( open="")?><summary>([^<]+)</g)]
  expect(groups.map(([, open, name]) => (open ? `${name}!` : name))).toEqual([
    ...[
      'Content',
      'Locales',
      'Versions',
      'Admin space',
      'Media',
      'Datatypes',
      'Fields',
      'Routes!',
      'Redirects',
      'Comments',
      'Review',
      'Test',
    ],
  ])
})

it('D27: a delivery shows what was sent, and only to people who may read webhooks', async () => {
  const at = `/webhooks/${id}/deliveries/${first}`
  const text = words(await page(at))
  expect(text).toContain('&quot;event&quot;: &quot;route.created&quot;')
  expect(text).toContain('1 attempt · HTTP 500')
  expect(text).toContain('Response time 38 ms')
  expect(text).toContain('Response body &lt;b&gt;no index&lt;/b&gt;')
  for (const as of ['editor', 'viewer'] as const)
    expect((await call('GET', `/admin${at}`, { as })).status).toBe(403)
  expect((await call('GET', `/admin${at}`, { as: 'nobody' })).status).toBe(303)
  expect((await call('GET', `/admin/webhooks/${id}/deliveries/nothing`)).status).toBe(404)
  const other = (await call('POST', '/api/v1/admin/webhooks', { body: { ...hook, name: 'Other' } })).body
    .webhook_id
  expect((await call('GET', `/admin/webhooks/${other}/deliveries/${first}`)).status).toBe(404)
})

it('all that failed can be sent again at once', async () => {
  expect(words(await page(`/webhooks/${id}`))).toContain('Send all failed again')
  const states = async () => (await app.deliveries()).map(({ status }) => status)
  expect((await post(`/admin/webhooks/${id}/replay`, {}, { as: 'editor' })).status).toBe(403)
  expect(await states()).toEqual(['failed', 'success', 'retrying'])
  const sent = await post(`/admin/webhooks/${id}/replay`, {})
  expect([sent.status, sent.location]).toEqual([303, `/admin/webhooks/${id}?saved`])
  expect(await states()).toEqual(['pending', 'success', 'retrying'])
  expect(words(await page(`/webhooks/${id}`))).not.toContain('Send all failed again')
})

describe.skipIf(chromiumMissing)(
  `in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('a delivery stands in one column with its bodies', async () => {
      const admin = await panel({ as: 'admin', viewport: { width: 1440, height: 900 } })
      await admin.open(`/webhooks/${id}/deliveries/${first}`)
      const placed = await admin.page.$$eval('main > :is(h2, dl, pre, .lead)', all =>
        all.map(one => [one.localName, Math.round(one.getBoundingClientRect().left)] as const),
      )
      expect(new Set(placed.map(([name]) => name))).toEqual(new Set(['div', 'dl', 'h2', 'pre']))
      expect(new Set(placed.map(([, left]) => left)).size).toBe(1)
      await expectClean(admin)
    })
  },
)
