import { describe, expect, it } from 'vitest'
import { knownZone } from '../../src/resources/typed-times.js'
import { dayAt, monthAfter, monthIn, weeksOf } from '../../src/resources/views/calendar.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call, clock, services } = app
const { datatype, field, route, entry } = factories(app)
const { callerWith } = callersOf(app)

const card = await datatype('Card')
await field(card.datatype_id, 'Title', 'text')
const now = new Date(clock.now())
const year = now.getUTCFullYear() + 1

async function page(slug: string, status: 'draft' | 'published', plan?: object): Promise<string> {
  const { route_id } = await route(slug, `Page ${slug}`)
  const children = [{ datatype_id: card.datatype_id, fields: { title: 'A block' } }]
  const { content_data_id } = await entry(card.datatype_id, { route_id }, { children })
  if (status === 'published') await call('POST', '/api/v1/content/publish', { body: { content_data_id } })
  if (plan) {
    const body = { content_data_id, ...plan }
    expect((await call('POST', '/api/v1/content/schedule', { body })).status).toBe(200)
  }
  return content_data_id
}

const due = await page('/due', 'draft', { publish_at: `${year}-03-31T22:30:00Z` })
const ends = await page('/ends', 'published', { unpublish_at: `${year}-03-05T08:00:00Z` })

interface Day {
  readonly day: string
  readonly events: readonly string[]
}

/** The days of a month that have events, as the page shows them. */
function daysIn(text: string): Day[] {
  return [...text.matchAll(/<td[^>]*>\s*<p class="day".*?<span class="number">(\d+)<.*?<\/td>/gs)].flatMap(
    ([cell, day = '']) => {
      const events = [
        ...cell.matchAll(
          /href="\/admin\/content\/entry\/(\w+)".*?aria-label="([^"]*)".*?>(\d\d:\d\d)<.*?<span>([^<]*)</gs,
        ),
      ].map(([, id, what, time, name]) => [id, what, time, name].join(' '))
      return events.length > 0 ? [{ day, events }] : []
    },
  )
}

describe('the calendar', () => {
  it('shows schedules of a month, and leads to their pages', async () => {
    const { text } = await call('GET', `/admin/calendar?month=${year}-03`)
    expect(daysIn(text)).toEqual([
      { day: '5', events: [`${ends} Will be unpublished 08:00 Page /ends`] },
      { day: '31', events: [`${due} Will be published 22:30 Page /due`] },
    ])
    expect(text).toContain(`March ${year}</h1>`)
    expect(text).toContain(`href="/admin/calendar?month=${year}-02"`)
    expect(text).toContain('Times in UTC.')
  })

  it('has the days of the zone that the browser is in, and UTC for one that does not exist', async () => {
    const shown = async (zone: string) => {
      const headers = { Cookie: `${app.config.cookie_name}=admin-secret-of-this-test; slugline_zone=${zone}` }
      const of = async (month: string) =>
        daysIn((await call('GET', `/admin/calendar?month=${year}-${month}`, { as: 'nobody', headers })).text)
      return [(await of('03')).at(-1)?.events[0]?.split(' ').at(-3), (await of('04'))[0]?.day]
    }
    expect(await shown('Europe/Vienna')).toEqual(['09:00', '1'])
    expect(await shown('UTC')).toEqual(['22:30', undefined])
    expect(await shown('Nowhere/Else')).toEqual(['22:30', undefined])
    expect(await shown('x'.repeat(3000))).toEqual(['22:30', undefined])
  })

  it('shows this month without a valid one, with the last publish of pages and not of what is in them', async () => {
    const month = now.toISOString().slice(0, 7)
    for (const given of ['', '?month=', '?month=x', `?month=${'9'.repeat(5000)}`, '?month=2026-13']) {
      const { status, text } = await call('GET', `/admin/calendar${given}`)
      expect([status, text.includes(`month=${monthAfter(month as never, 1)}`)]).toEqual([200, true])
      const events = daysIn(text).flatMap(day => day.events)
      expect(events.filter(event => event.includes('Published'))).toEqual([
        expect.stringMatching(new RegExp(`^${ends} Published \\d\\d:\\d\\d Page /ends$`)),
      ])
    }
  })

  it('is for who may edit content, in the rail too', async () => {
    expect((await call('GET', '/admin/calendar', { as: 'nobody' })).status).toBe(303)
    expect((await call('GET', '/admin/calendar', { as: 'viewer' })).status).toBe(403)
    const reader = await callerWith('content:read')
    expect((await reader.call('GET', '/admin/calendar')).status).toBe(403)
    expect((await reader.call('GET', '/admin')).text).not.toContain('href="/admin/calendar"')
    expect((await call('GET', '/admin', { as: 'editor' })).text).toContain('href="/admin/calendar"')
  })

  it('reads a bounded number of events', async () => {
    const between = (from: string, until: string) => services.space.calendar.between(from, until)
    const all = await between('1970-01-01T00:00:00.000Z', '9000-01-01T00:00:00.000Z')
    expect(all.map(({ what }) => what).toSorted()).toEqual(['publish', 'published', 'unpublish'])
    expect(await between(`${year}-03-31T22:30:00Z`, `${year}-03-31T22:30:00Z`)).toEqual([])
  })
})

it('months, weeks and zones are those of the calendar', () => {
  expect(weeksOf('2026-02')).toEqual([
    [undefined, undefined, undefined, undefined, undefined, undefined, '2026-02-01'],
    ['2026-02-02', '2026-02-03', '2026-02-04', '2026-02-05', '2026-02-06', '2026-02-07', '2026-02-08'],
    ['2026-02-09', '2026-02-10', '2026-02-11', '2026-02-12', '2026-02-13', '2026-02-14', '2026-02-15'],
    ['2026-02-16', '2026-02-17', '2026-02-18', '2026-02-19', '2026-02-20', '2026-02-21', '2026-02-22'],
    ['2026-02-23', '2026-02-24', '2026-02-25', '2026-02-26', '2026-02-27', '2026-02-28', undefined],
  ])
  expect(weeksOf('2024-02').flat().filter(Boolean)).toHaveLength(29)
  expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1)]).toEqual(['2027-01', '2025-12'])
  expect([monthIn('2026-05', '2026-01-02'), monthIn('2026-5', '2026-01-02')]).toEqual(['2026-05', '2026-01'])
  expect(dayAt(Date.parse('2026-03-31T22:30:00Z'), 'Europe/Vienna')).toBe('2026-04-01')
  expect(['Europe/Vienna', 'x', '', undefined, '../etc'].map(knownZone)).toEqual([
    ...['Europe/Vienna', 'UTC', 'UTC', 'UTC', 'UTC'],
  ])
})

describe.skipIf(chromiumMissing)('the calendar in a browser', async () => {
  const { panel } = await browserOf(app)

  it('is in the zone of the browser, and leads to a page by one click, also on a phone', async () => {
    for (const look of [looks.light, looks.dark, { ...looks.phone, viewport: { width: 360, height: 740 } }]) {
      const seen = await panel({ ...look, timezoneId: 'Europe/Vienna', as: 'admin' })
      const { page: tab, open } = seen
      await open('/content')
      await open(`/calendar?month=${year}-04`)
      await tab.getByText('Times in Europe/Vienna.').waitFor()
      await expectClean(seen)
      expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await tab.getByRole('link', { name: /Page \/due/ }).click()
      await tab.waitForURL(`**/content/entry/${due}`)
    }
  })
})
