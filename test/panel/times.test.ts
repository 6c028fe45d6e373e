import { describe, expect, it } from 'vitest'
import { inZone, timesInUtc, zoneMark } from '../../src/panel/zoned-times.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'

const app = await testApp()

/** Returns a time in UTC as a form in a zone sends it back. @param typed without it, the field is untouched */
function sentBack(drawn: string, zone: string, typed = inZone(drawn, zone)) {
  return timesInUtc({ at: typed, 'in_zone.at': zoneMark(zone, drawn) })
}

describe('times of forms', () => {
  it.each([
    ['Europe/Berlin', '2030-12-25T03:30', '2030-12-25T02:30'],
    ['Europe/Berlin', '2030-07-25T03:30', '2030-07-25T01:30'],
    ['Asia/Kathmandu', '2030-01-01T00:00', '2029-12-31T18:15'],
    // The days on which clocks change.
    ['Europe/Berlin', '2030-03-31T00:30', '2030-03-30T23:30'],
    ['Europe/Berlin', '2030-03-31T10:00', '2030-03-31T08:00'],
    ['Europe/Berlin', '2030-10-27T10:00', '2030-10-27T09:00'],
    // The first of two; and an hour that is left out counts on from before.
    ['Europe/Berlin', '2030-10-27T02:30', '2030-10-27T00:30'],
    ['Europe/Berlin', '2030-03-31T02:30', '2030-03-31T01:30'],
    // A zone that nobody knows is UTC, and what is no time stays for the refusal.
    ['Mars/Olympus', '2030-12-25T03:30', '2030-12-25T03:30'],
    ['Europe/Berlin', '2030-13-45T03:30', '2030-13-45T03:30'],
    ['Europe/Berlin', 'soon', 'soon'],
    ['Europe/Berlin', '', ''],
  ])('in %s, %s is %s', (zone, typed, utc) => {
    expect(sentBack('2030-01-01T00:00', zone, typed)).toEqual({ at: utc })
  })

  it.each(['2030-10-27T00:30', '2030-10-27T01:30', '2030-03-31T01:30', ''])(
    'stay the same moment untouched: %s',
    drawn => {
      expect(sentBack(drawn, 'Europe/Berlin')).toEqual({ at: drawn })
    },
  )

  it('leave every other member as it was sent', () => {
    const sent = JSON.parse('{"__proto__":["a","b"],"at":"2030-12-25T03:30","in_zone.at":"Asia/Tokyo "}')
    expect(JSON.stringify(timesInUtc(sent))).toBe('{"__proto__":["a","b"],"at":"2030-12-24T18:30"}')
  })

  it('without a zone are in UTC', () => {
    expect(timesInUtc({ at: '2030-12-25T03:30', ids: ['1', '2'] })).toEqual({
      at: '2030-12-25T03:30',
      ids: ['1', '2'],
    })
  })
})

describe.skipIf(chromiumMissing)(`times${chromiumMissing ? ` (${chromiumMissing})` : ''}`, async () => {
  const { panel } = await browserOf(app)

  it('D23: are shown and read in the zone of the browser, which the label names', async () => {
    const admin = await panel({ as: 'admin', timezoneId: 'America/New_York' })
    // The first page tells the server the zone.
    await admin.open('')
    await admin.open('/tokens/new')
    const expires = admin.page.getByLabel('Expires')
    expect(await admin.page.locator('.field', { has: expires }).textContent()).toContain('America/New York')
    await expires.fill('2030-12-24T18:30')
    await expectClean(admin)
    await admin.page.getByRole('button', { name: 'Create' }).click()
    await admin.page.getByText('shown only').first().waitFor()
    const { body } = await app.call('GET', '/api/v1/tokens')
    const times = body.map(({ expires_at }: { expires_at: string | null }) => expires_at)
    expect(times).toContain('2030-12-24T23:30:00.000Z')
  })
})
