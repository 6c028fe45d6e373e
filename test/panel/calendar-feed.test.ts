import ICAL from 'ical.js'
import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { calendarFile } from '../../src/panel/icalendar.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const secret = 'a secret of sixteen characters and more'
const app = await testApp({ app_secret: secret })
const { call, clock, db } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)
const { callerIn, roleWith } = callersOf(app)
const card = await datatype('Card')
await field(card.datatype_id, 'Title', 'text')
const year = new Date(clock.now()).getUTCFullYear() + 1

const hostile = `Käse, Brot; \\ "und"\r\nBEGIN:VEVENT ${'🧀'.repeat(40)}`.replaceAll('\r\n', ' ')
async function page(slug: string, title: string, plan: object): Promise<string> {
  const { route_id } = await route(slug, title)
  const { content_data_id } = await entry(card.datatype_id, { route_id })
  const body = { content_data_id, ...plan }
  expect((await call('POST', '/api/v1/content/schedule', { body })).status).toBe(200)
  return content_data_id
}
const due = await page('/due', hostile, { publish_at: `${year}-03-31T22:30:00Z` })
const both = await page('/both', 'Both', {
  publish_at: `${year}-01-01T00:00:00Z`,
  unpublish_at: `${year}-02-01T00:00:00Z`,
})

const keyIn = (text: string) => /calendar\.ics\?key=([\w.-]+)/.exec(text)?.[1] ?? ''
const feed = (key: string, more: object = {}) =>
  call('GET', `/admin/calendar.ics?key=${encodeURIComponent(key)}`, { as: 'nobody', ...more })

/** Somebody with the role, who has an address. */
async function subscriber(role: string) {
  const caller = await callerIn(role)
  expect((await caller.post('/admin/calendar/address')).status).toBe(303)
  const { text } = await caller.call('GET', '/admin/calendar')
  return { caller, key: keyIn(text) }
}
const editor = () => app.services.access.systemRole('editor')

describe('the calendar as a file', () => {
  it('has what is scheduled, as another program reads it', async () => {
    const { key } = await subscriber(await editor())
    const { status, headers, text } = await feed(key)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(headers.get('cache-control')).toContain('private')
    expect(headers.get('set-cookie')).toBeNull()
    const calendar = new ICAL.Component(ICAL.parse(text))
    const events = calendar.getAllSubcomponents('vevent').map(part => new ICAL.Event(part))
    expect(events.map(({ uid, summary, startDate }) => [uid, summary, startDate.toString()])).toEqual([
      [`${both}-publish@slugline`, 'Publish: Both', `${year}-01-01T00:00:00Z`],
      [`${both}-unpublish@slugline`, 'Unpublish: Both', `${year}-02-01T00:00:00Z`],
      [`${due}-publish@slugline`, `Publish: ${hostile}`, `${year}-03-31T22:30:00Z`],
    ])
    for (const event of events) {
      expect(String(event.component.getFirstPropertyValue('url'))).toContain('/admin/content/entry/')
      expect(String(event.component.getFirstPropertyValue('dtstamp'))).toMatch(/^\d{4}-.*Z$/)
    }
    expect((await feed(key)).text).toBe(text)
    const german = await feed(key, { headers: { 'Accept-Language': 'de' } })
    expect(german.text).toContain('SUMMARY:Veröffentlichen: Both')
  })

  it('keeps the UID of an event that moves, and leaves out what is no longer planned', async () => {
    const { key } = await subscriber(await editor())
    const id = await page('/moved', 'Moved', { publish_at: `${year}-05-01T00:00:00Z` })
    const of = async () =>
      (await feed(key)).text
        .split('BEGIN:VEVENT')
        .filter(event => event.includes(id))
        .map(event => [/UID:(\S+)/.exec(event)?.[1], /DTSTART:(\S+)/.exec(event)?.[1]])
    expect(await of()).toEqual([[`${id}-publish@slugline`, `${year}0501T000000Z`]])
    const plan = { content_data_id: id, publish_at: `${year}-06-01T00:00:00Z` }
    await call('POST', '/api/v1/content/schedule', { body: plan })
    expect(await of()).toEqual([[`${id}-publish@slugline`, `${year}0601T000000Z`]])
    await call('POST', '/api/v1/content/schedule', { body: { ...plan, publish_at: null } })
    expect(await of()).toEqual([])
  })

  it('is for whom it was made, for as long as they may edit content', async () => {
    const { caller, key } = await subscriber(await editor())
    expect((await feed(key)).status).toBe(200)
    const role = async (of: string) =>
      call('PUT', `/api/v1/users?q=${caller.user_id}`, { body: { role_id: of } })
    expect((await role(await roleWith('content:read'))).status).toBe(200)
    expect((await feed(key)).status).toBe(404)
    await role(await editor())
    expect((await feed(key)).status).toBe(200)
    expect((await call('DELETE', `/api/v1/users?q=${caller.user_id}`)).status).toBe(204)
    const refused = await feed(key)
    expect([refused.status, refused.text.includes('VEVENT')]).toEqual([404, false])
    expect(await db.count(tables.userPreferences, { user_id: caller.user_id })).toBe(0)
  })

  it('is revoked, and a new address is another one', async () => {
    const before = (await app.audits()).length
    const { caller, key } = await subscriber(await editor())
    expect((await caller.post('/admin/calendar/address')).status).toBe(409)
    expect((await caller.post('/admin/calendar/address/revoke')).status).toBe(303)
    expect((await feed(key)).status).toBe(404)
    expect((await caller.post('/admin/calendar/address/revoke')).status).toBe(404)
    await caller.post('/admin/calendar/address')
    const other = keyIn((await caller.call('GET', '/admin/calendar')).text)
    expect([other === key, (await feed(other)).status]).toEqual([false, 200])
    expect((await feed(key)).status).toBe(404)
    const events = (await app.audits()).slice(before).filter(one => one.table_name === 'user_preferences')
    expect(events.map(({ operation }) => operation)).toEqual(['INSERT', 'DELETE', 'INSERT'])
    // The key is made from the id and in no event.
    expect(JSON.stringify(events)).not.toContain(other)
  })

  it('is refused for other keys, hostile ones too, and is not opened by a session', async () => {
    const { key } = await subscriber(await editor())
    const link = await call('POST', '/api/v1/content/preview-links', { body: { content_data_id: due } })
    const id = key.split('.')[1]
    for (const other of [
      ...['', 'x', `${key}x`, key.slice(0, -2), 'x'.repeat(7000), `..${id}`, link.body.token],
    ]) {
      const { status, text } = await feed(other)
      expect([other.slice(0, 20), status, text.includes('VEVENT')]).toEqual([other.slice(0, 20), 404, false])
    }
    expect((await call('GET', '/admin/calendar.ics', { as: 'admin' })).status).toBe(404)
    expect((await call('GET', '/admin/calendar.ics?key=x&key=y', { as: 'admin' })).status).toBe(404)
  })

  it('is made by who may edit content, with an app_secret', async () => {
    const reader = await callerIn(await roleWith('content:read'))
    expect((await reader.post('/admin/calendar/address')).status).toBe(403)
    expect((await post('/admin/calendar/address', {}, { token: 'of another site' })).status).toBe(403)
    const without = await testApp({ app_secret: '' })
    expect((await panelForms(without).post('/admin/calendar/address', {})).status).toBe(400)
    expect(await without.db.count(tables.userPreferences, {})).toBe(0)
  })
})

it('a calendar file has lines of at most 75 octets that end as RFC 5545 says', () => {
  const long = {
    uid: 'a',
    at: '2026-11-27T08:30:00.000Z',
    changed: '2026-11-26T08:30:00.123Z',
    url: 'https://x/',
  }
  for (let n = 0; n < 90; n++) {
    const summary = `${'x'.repeat(n)}${'é€🧀'.repeat(30)}`
    const text = calendarFile('C', [{ ...long, summary }])
    expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true)
    const lines = text.split('\r\n').slice(0, -1)
    expect(lines.filter(line => /[\r\n]/.test(line) || Buffer.byteLength(line) > 75)).toEqual([])
    expect(Buffer.from(text).toString()).toBe(text)
    expect(text.replaceAll('\r\n ', '')).toContain(`SUMMARY:${summary}\r\n`)
  }
  const text = calendarFile('C', [{ ...long, summary: 'a\r\nBEGIN:X\u0000\u0085b\ud800' }])
  expect(text).toContain('SUMMARY:a\\nBEGIN:Xb\ufffd\r\nURL')
  expect(text).toContain('DTSTAMP:20261126T083000Z\r\nDTSTART:20261127T083000Z\r\n')
  expect(calendarFile('C', [])).not.toContain('VEVENT')
})

describe.skipIf(chromiumMissing)('the address of the calendar in a browser', async () => {
  const { panel } = await browserOf(app)

  it('is made, shown and revoked, also on a narrow phone', async () => {
    for (const look of [looks.light, { ...looks.phone, viewport: { width: 360, height: 740 } }]) {
      const seen = await panel({ ...look, as: 'admin' })
      const { page: tab, open } = seen
      await open('/calendar')
      await tab.getByRole('button', { name: 'Create a calendar address' }).click()
      await tab.getByText('calendar.ics?key=').waitFor()
      await expectClean(seen)
      expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await tab.getByRole('button', { name: 'Revoke' }).click()
      await tab.getByRole('button', { name: 'Create a calendar address' }).waitFor()
    }
  })
})
