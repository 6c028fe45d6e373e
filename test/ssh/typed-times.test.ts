import { describe, expect, it } from 'vitest'
import { timeInZone, typedTime, zoneNamed } from '../../src/resources/typed-times.js'

const now = Date.parse('2026-12-30T23:30:00Z')
const read = (text: string, zone = 'Europe/Berlin') => typedTime(text, { now, zone })

describe('T26: a typed time', () => {
  it.each([
    ['2026-12-31 09:00', '2026-12-31T08:00:00Z'],
    ['2026-12-31T09:00', '2026-12-31T08:00:00Z'],
    ['2027-07-01 9:00', '2027-07-01T07:00:00Z'],
    ['2027-07-01 09:00:30', '2027-07-01T07:00:30Z'],
    // In Berlin it is the 31st already.
    ['today 9:00', '2026-12-31T08:00:00Z'],
    ['Tomorrow 9:00', '2027-01-01T08:00:00Z'],
    ['+2h', '2026-12-31T01:30:00Z'],
    ['+ 90 min', '2026-12-31T01:00:00Z'],
    ['+3d', '2027-01-02T23:30:00Z'],
    ['+1w', '2027-01-06T23:30:00Z'],
    ['2027-01-31T12:00:00Z', '2027-01-31T12:00:00Z'],
    ['2027-10-31T02:30+01:00', '2027-10-31T02:30+01:00'],
  ])('%s is %s', (text, time) => {
    expect(read(text)).toEqual({ time })
  })

  it.each([
    ['2027-10-31 02:30', /^is twice in Europe\/Berlin.*2027-10-31T02:30\+0[12]:00$/],
    ['2027-03-28 02:30', /^does not exist in Europe\/Berlin/],
    ['9:00', /^needs a day, as today 9:00 or tomorrow 9:00$/],
    ['2026-12-31', /^needs a time of day, as 2026-12-31 09:00$/],
    ['01/02/2027 9:00', /^needs the day as 2026-12-31/],
    ['1.2.2027 9:00', /^needs the day as 2026-12-31/],
    ['2026-02-30 09:00', /^must be a time such as/],
    ['2026-12-31 25:00', /^must be a time such as/],
    ['tomorrow 9:00 pm', /^must be a time such as/],
    ['-2h', /^must be a time such as/],
    ['+2', /^must be a time such as/],
    ['+2 months', /^must be a time such as/],
    ['soon', /^must be a time such as/],
    ['9'.repeat(10_000), /^must be a time such as/],
  ])('%s is refused', (text, problem) => {
    expect(read(text)).toEqual({ problem: expect.stringMatching(problem) })
  })

  it('is shown by the clock of the same zone', () => {
    expect(timeInZone('2027-07-01T07:00:00.000Z', 'Europe/Berlin')).toBe('2027-07-01 09:00:00')
    expect(timeInZone('2027-07-01T07:00', 'America/New_York')).toBe('2027-07-01 03:00:00')
    expect(timeInZone('no time', 'UTC')).toBe('no time')
    expect(read('2027-04-04 02:15', 'Australia/Lord_Howe')).toEqual({ time: '2027-04-03T15:45:00Z' })
  })

  it('is in a zone that exists', () => {
    expect(zoneNamed('Europe/Berlin')).toBe('Europe/Berlin')
    expect(zoneNamed('Mars/Base')).toBeUndefined()
    expect(zoneNamed('')).toBeUndefined()
  })
})
