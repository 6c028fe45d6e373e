/** Times of WordPress are in the zone of the site, beside those in UTC. */

const formats = new Map<string, Intl.DateTimeFormat>()

/** The Swedish form is that of ISO 8601, with a blank. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  formats.set(zone, made)
  return made
}

/** UTC without a zone, in whole seconds. */
export const withoutZone = (time: string): string => time.slice(0, 19)

/** A time in a zone, in whole seconds and without the zone. */
export function inZone(time: string, zone: string | undefined): string {
  if (zone === undefined) return withoutZone(time)
  return formatOf(zone).format(new Date(time)).replace(' ', 'T')
}

/** How many minutes a zone is before UTC. */
export const minutesIn = (zone: string, time: number): number =>
  Math.round((Date.parse(`${inZone(new Date(time).toISOString(), zone)}Z`) - time) / 60_000)

/** The moment of a time that is in a zone. @param local as if it were in UTC */
export function momentIn(local: string, zone: string | undefined): string {
  if (zone === undefined) return local
  const time = Date.parse(local)
  const near = time - minutesIn(zone, time) * 60_000
  return new Date(time - minutesIn(zone, near) * 60_000).toISOString()
}

/** An entry's time in the zone of its site and in UTC. */
export interface ZonedTime {
  readonly utc: number
  readonly minutes: number
}

const common = [
  ...['Europe/London', 'Europe/Berlin', 'Europe/Athens', 'America/New_York', 'America/Chicago'],
  ...['America/Denver', 'America/Los_Angeles', 'America/Sao_Paulo', 'Asia/Kolkata', 'Asia/Tokyo'],
  ...['Australia/Sydney', 'Pacific/Auckland', 'Africa/Lagos', 'Asia/Dubai', 'Asia/Singapore'],
]
const mostTimes = 200

/** A few times may be wrong: those that another site had, or that were written by a program. */
const mostWrong = 0.1

/** The first zone in which most times are as they are given; undefined for UTC, or if no zone fits. */
export function zoneOf(times: Iterable<ZonedTime>): string | undefined {
  // One of each month and distance is enough.
  const different = new Map<string, ZonedTime & { readonly count: number }>()
  for (const one of times) {
    const key = `${new Date(one.utc).toISOString().slice(0, 7)} ${one.minutes}`
    different.set(key, { ...one, count: (different.get(key)?.count ?? 0) + 1 })
  }
  const tested = [...different.values()].slice(-mostTimes)
  const all = tested.reduce((sum, { count }) => sum + count, 0)
  const wrongIn = (minutesAt: (utc: number) => number) =>
    tested.reduce((sum, { utc, minutes, count }) => sum + (minutesAt(utc) === minutes ? 0 : count), 0)
  if (wrongIn(() => 0) <= mostWrong * all) return undefined
  let best: { readonly zone: string; readonly wrong: number } | undefined
  for (const zone of [...common, ...Intl.supportedValuesOf('timeZone')]) {
    const wrong = wrongIn(utc => minutesIn(zone, utc))
    if (wrong === 0) return zone
    if (wrong <= mostWrong * all && wrong < (best?.wrong ?? all)) best = { zone, wrong }
  }
  return best?.zone
}
