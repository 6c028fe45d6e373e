import type { CalendarEvent, PlannedEvent } from '../../services/content/calendar.js'
import { type SpaceParts, titlesById } from '../entries.js'
import { timeInZone } from '../typed-times.js'

/** A month, such as `2026-12`. */
export type Month = `${number}-${number}`

/** An event with the name of its entry, on a day in a time zone. */
export interface DatedEvent extends CalendarEvent {
  readonly name: string
  /** Such as `2026-12-01`. */
  readonly day: string
  /** Hours and minutes. */
  readonly time: string
}

const dayMs = 86_400_000

/** Returns the day and time of a moment in a zone. */
function localOf(at: number, zone: string): { day: string; time: string } {
  const local = timeInZone(new Date(at).toISOString(), zone)
  return { day: local.slice(0, 10), time: local.slice(11, 16) }
}

/** Returns the day of a moment in a zone. */
export const dayAt = (at: number, zone: string): string => localOf(at, zone).day

/** Returns the month in a text, else that of the day. */
export const monthIn = (given: string | undefined, today: string): Month =>
  (/^(19[7-9]\d|[2-8]\d{3})-(0[1-9]|1[0-2])$/.test(given ?? '') ? given : today.slice(0, 7)) as Month

/** Returns the month that many months later. */
export function monthAfter(month: Month, months: number): Month {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7) as Month
}

/** Returns the days of a month in weeks from Monday; the days of the months beside it are undefined. */
export function weeksOf(month: Month): (string | undefined)[][] {
  const first = Date.parse(`${month}-01T00:00:00Z`)
  const length = Math.round((Date.parse(`${monthAfter(month, 1)}-01T00:00:00Z`) - first) / dayMs)
  const before = (new Date(first).getUTCDay() + 6) % 7
  const weeks: (string | undefined)[][] = []
  for (let at = -before; at < length; at += 7)
    weeks.push(
      Array.from({ length: 7 }, (_, i) => {
        const day = at + i
        return day < 0 || day >= length ? undefined : new Date(first + day * dayMs).toISOString().slice(0, 10)
      }),
    )
  return weeks
}

/** Returns the events of a month in a time zone, by day. */
export async function eventsByDay(
  month: Month,
  zone: string,
  parts: SpaceParts,
): Promise<ReadonlyMap<string, readonly DatedEvent[]>> {
  // No zone is further than a day from UTC.
  const from = Date.parse(`${month}-01T00:00:00Z`) - dayMs
  const until = Date.parse(`${monthAfter(month, 1)}-01T00:00:00Z`) + dayMs
  const [first, last] = [from, until].map(at => new Date(at).toISOString()) as [string, string]
  const found = (await parts.services.space.calendar.between(first, last))
    .map(event => ({ ...event, ...localOf(Date.parse(event.at), zone) }))
    .filter(({ day }) => day.startsWith(`${month}-`))
  const ids = [...new Set(found.map(({ content_data_id }) => content_data_id))]
  const names = await titlesById(ids, parts)
  const days = new Map<string, DatedEvent[]>()
  for (const event of found) {
    const name = names.get(event.content_data_id) ?? ''
    days.set(event.day, [...(days.get(event.day) ?? []), { ...event, name }])
  }
  return days
}

/** Returns what is scheduled, with the names of the entries, also what is a little late. */
export async function plannedEvents(
  now: number,
  parts: SpaceParts,
): Promise<readonly (PlannedEvent & { readonly name: string })[]> {
  const found = await parts.services.space.calendar.planned(new Date(now - dayMs).toISOString())
  const names = await titlesById([...new Set(found.map(({ content_data_id }) => content_data_id))], parts)
  return found.map(event => ({ ...event, name: names.get(event.content_data_id) ?? '' }))
}
