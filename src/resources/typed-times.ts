/** How a person may type a time; for hints and refusals. */
export const timeExamples = '2026-12-31 09:00, tomorrow 9:00 or +2h'

/** The place of a person in time: now in milliseconds, and the zone that their times are in. */
export interface TimePlace {
  readonly now: number
  readonly zone: string
}

const minute = 60_000
const spans: Readonly<Record<string, number>> = {
  m: minute,
  min: minute,
  h: 60 * minute,
  d: 1440 * minute,
  w: 7 * 1440 * minute,
}
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i
const localTime = /^(\d{4}-\d\d-\d\d)[ T]+(\d{1,2}):(\d\d)(?::(\d\d))?$/
const namedDay = /^(today|tomorrow) +(\d{1,2}):(\d\d)$/i
const span = /^\+ *(\d{1,5}) *(min|[mhdw])$/i

/** A zone by its name, such as `Europe/Berlin`; undefined for an unknown name. */
export function zoneNamed(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Returns the zone of this name, else UTC. */
export const knownZone = (name: string | undefined): string => (name && zoneNamed(name)) || 'UTC'

/** The formats of zones that were asked for: making one costs more than all its uses on a screen. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  } as const)
  formats.set(zone, format)
  return format
}

/** Returns the clock of a zone at a time, as if it were UTC, in milliseconds. */
function clockOf(at: number, zone: string): number {
  if (zone === 'UTC') return at
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
}

/** Returns a moment in UTC, such as `2026-12-31T09:00:00Z`. */
export const inUtc = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

const utcTime = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/

/** Returns a stored time as the clock of a zone shows it, such as `2026-12-31 09:00:00`. */
export function timeInZone(stored: string, zone: string): string {
  // Lists show one in each row with each key.
  if (zone === 'UTC' && utcTime.test(stored)) return `${stored.slice(0, 10)} ${stored.slice(11, 19)}`
  const at = Date.parse(/T[\d:.]+$/.test(stored) ? `${stored}Z` : stored)
  return Number.isNaN(at) ? stored : new Date(clockOf(at, zone)).toISOString().slice(0, 19).replace('T', ' ')
}

export type TypedTime = { readonly time: string } | { readonly problem: string }

/** Returns the moments at which the clock of a zone may show this, by the offsets of the days before and after. */
function momentsNear(clock: number, zone: string): number[] {
  const day = 1440 * minute
  const offsets = new Set([clock - day, clock + day].map(at => clockOf(at, zone) - at))
  return [...offsets].map(offset => clock - offset)
}

/**
 * Returns the moment at which the clock of a zone shows this, as calendars choose it: the first of two; an hour that is
 * left out when clocks go forward counts on from before. @param clock as if it were UTC, in milliseconds
 */
export function momentAt(clock: number, zone: string): number {
  const near = momentsNear(clock, zone)
  return near.find(at => clockOf(at, zone) === clock) ?? near[0] ?? clock
}

/** Finds the moment at which the clock of a zone shows this. When clocks are changed there may be two, or no such moment. */
function momentOf(clock: number, zone: string): TypedTime {
  const found = momentsNear(clock, zone).filter(at => clockOf(at, zone) === clock)
  const [first, second] = found
  if (first === undefined) return { problem: `does not exist in ${zone}, because clocks are changed then` }
  if (second === undefined) return { time: inUtc(first) }
  const shown = new Date(clock).toISOString().slice(0, 16)
  const offset = `${clock < first ? '-' : '+'}${new Date(Math.abs(clock - first)).toISOString().slice(11, 16)}`
  return {
    problem: `is twice in ${zone}, because clocks are changed then: add the offset, as ${shown}${offset}`,
  }
}

function clockTime(day: string, [hour, minutes, seconds = '0']: readonly (string | undefined)[]): number {
  const [h, m, s] = [Number(hour), Number(minutes), Number(seconds)]
  const at = Date.parse(`${day}T00:00:00Z`)
  const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
  return isDay && h < 24 && m < 60 && s < 60 ? at + (h * 3600 + m * 60 + s) * 1000 : Number.NaN
}

/**
 * Reads a time as people type it, in their zone. Whatever could mean two times is refused.
 * @returns the time in UTC, or why the text is refused
 */
export function typedTime(typed: string, { now, zone }: TimePlace): TypedTime {
  const text = typed.trim()
  if (isoTime.test(text) && !Number.isNaN(Date.parse(text))) return { time: text.toUpperCase() }
  const [, count, unit = ''] = span.exec(text) ?? []
  if (count !== undefined) return { time: inUtc(now + Number(count) * (spans[unit.toLowerCase()] ?? 0)) }
  const [, name, ...ofName] = namedDay.exec(text) ?? []
  const [, date, ...ofDate] = localTime.exec(text) ?? []
  const days = name?.toLowerCase() === 'tomorrow' ? 1 : 0
  // The next day by the calendar: a day has 23 or 25 hours when clocks are changed.
  const today = new Date(clockOf(now, zone) + days * 1440 * minute).toISOString().slice(0, 10)
  const clock = name ? clockTime(today, ofName) : date ? clockTime(date, ofDate) : Number.NaN
  if (!Number.isNaN(clock)) return momentOf(clock, zone)
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { problem: `needs a time of day, as ${text} 09:00` }
  if (/^\d{1,2}:\d\d$/.test(text)) return { problem: `needs a day, as today ${text} or tomorrow ${text}` }
  if (/^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/.test(text))
    return { problem: 'needs the day as 2026-12-31, because other orders of day and month are ambiguous' }
  return { problem: `must be a time such as ${timeExamples}` }
}
