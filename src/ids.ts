import { decodeTime, encodeTime, monotonicFactory } from 'ulid'
import type { Clock, Random } from './ports.js'

const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

export const isUlid = (value: unknown): value is string =>
  typeof value === 'string' && ulidPattern.test(value)

const inAnyCase = /^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$/

/** An id as it is stored: a ULID may be given in either case. Other texts are returned unchanged. */
export const storedId = (text: string): string => (inAnyCase.test(text) ? text.toUpperCase() : text)

/** The least ULID of a time in milliseconds since 1970. */
export const leastUlid = (time: number): string => encodeTime(Math.max(0, time), 10) + '0'.repeat(16)

/** The time in a ULID, in milliseconds since 1970; undefined for another id. */
export const timeInUlid = (id: string): number | undefined => (isUlid(id) ? decodeTime(id) : undefined)

export interface Ids {
  /** A ULID, greater than every earlier one of this process. */
  ulid(): string
  /** A whole number below 2^53, greater than every earlier one of this process. */
  numeric(): number
}

/** Numbers are made of the milliseconds since then, times 4096. They stay below 2^53 until 2095. */
const numericEpoch = Date.UTC(2026, 0, 1)

export function createIds(clock: Clock, random: Random): Ids {
  // Ids are made often and from few bytes, so these are fetched many at a time.
  let pool: DataView = new DataView(new ArrayBuffer(0))
  let used = 0
  const fraction = () => {
    if (used >= pool.byteLength) {
      const { buffer, byteOffset, byteLength } = random.bytes(1024)
      pool = new DataView(buffer, byteOffset, byteLength)
      used = 0
    }
    used += 4
    return pool.getUint32(used - 4) / 2 ** 32
  }
  const next = monotonicFactory(fraction)
  let last = 0
  return {
    ulid: () => next(clock.now()),
    numeric() {
      const fresh = Math.max(1, (clock.now() - numericEpoch) * 4096 + Math.floor(fraction() * 4096))
      last = Math.max(last + 1, fresh)
      return last
    },
  }
}

/** RFC 3339 in UTC with milliseconds, 24 characters. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString()
