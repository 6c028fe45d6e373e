import { z } from 'zod'
import { duration, isDuration } from './durations.js'

/** What fields of the configuration are made of. */

export const text = () =>
  z
    .string()
    .max(4096)
    // A line break would begin a header of its own in a mail or an answer.
    .refine(value => !/\p{Cc}/u.test(value), 'must have no control characters')
export const optional = () => text().optional()
/** A port, as text with or without the address to listen on, or as a number. */
export const anyAddress = () =>
  z
    .preprocess(
      given => (typeof given === 'number' ? `:${given}` : given),
      z
        .string('must look like ":8080", "127.0.0.1:8080" or 8080')
        .regex(
          /^[^\s:]*:\d{1,5}$|^\[[0-9a-f:]+\]:\d{1,5}$|^\d{1,5}$/i,
          'must look like ":8080", "127.0.0.1:8080" or 8080',
        )
        .refine(value => Number(/(?<!\d)\d+$/.exec(value)?.[0]) <= 65_535, 'must name a port up to 65535'),
    )
    .meta({ type: ['string', 'integer'] })
export const address = (fallback: string) =>
  anyAddress()
    .default(fallback)
    .meta({ type: ['string', 'integer'] })
/** @param shortest and longest with which everything that reads the field still works */
export const durationText = (shortest: string, longest: string) =>
  z
    .string()
    .max(64)
    .refine(isDuration, 'must be a duration such as "24h" or "90s"')
    .refine(value => {
      if (!isDuration(value)) return true
      const milliseconds = duration(value)
      return milliseconds >= duration(shortest) && milliseconds <= duration(longest)
    }, `must be from ${shortest} to ${longest}`)
export const texts = () => z.array(text()).max(1000)
const url = () => z.url({ protocol: /^https?$/, error: 'must be an http or https address' })
export const optionalUrl = () => z.union([z.literal(''), url()]).optional()
/** An origin as browsers write it, those of apps such as `capacitor://localhost` among them; `null` is nobody's. */
export function isOrigin(value: string): boolean {
  if (value === '*') return true
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/.test(value)) return false
  return !/^https?:/.test(value) || (URL.canParse(value) && new URL(value).origin === value)
}
export const count = (low: number, high: number) => z.int().min(low).max(high)
