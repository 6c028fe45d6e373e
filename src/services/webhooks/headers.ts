import { z } from 'zod'
import { invalid } from '../../errors.js'
import { limits } from '../../limits.js'
import { mask } from '../secrets.js'

/** Ours, those that say what a connection or body is, and those that belong to browsers and proxies. */
const reserved =
  /^(x-cms-.*|webhook-.*|proxy-.*|content-.*|host|user-agent|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|cookie|http2-settings)$/i

const maxHeaders = limits.webhooks.headers
const maxValueLength = limits.webhooks.headerCharacters

function problemOf(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/.test(name)) return 'must be a header name'
  if (reserved.test(name)) return 'belongs to the service itself'
  if (value.length > maxValueLength) return `must be at most ${maxValueLength} characters`
  if (!/^[\u0020-\u007e\u00a0-\u00ff]*$/.test(value)) return 'must be Latin-1 text without control characters'
  return undefined
}

/** Custom headers of a webhook; they never replace ours. */
export const customHeaders = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
  const names = Object.keys(headers)
  if (names.length > maxHeaders) return refuse([], `must be at most ${maxHeaders} headers`)
  if (new Set(names.map(name => name.toLowerCase())).size < names.length)
    refuse([], 'must not name a header twice')
  for (const [name, value] of Object.entries(headers)) {
    const problem = problemOf(name, value)
    if (problem) refuse([name], problem)
  }
})

type Headers = Readonly<Record<string, string>>

/** Headers as they are shown: a value may be a password of the receiver's. */
export const maskedHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map(name => [name, mask]))

/** Members of headers that a change leaves as they are stored. @param given undefined if it names no headers */
export const keptHeaders = (given: Headers | undefined, stored: Headers): string[] =>
  Object.entries(given ?? maskedHeaders(stored)).flatMap(([name, value]) =>
    value === mask ? [`headers.${name}`] : [],
  )

/**
 * Headers as they are stored: the mask stands for the value that a header has already.
 * @throws 400 for a mask without a stored value
 */
export function keptValues(given: Headers, stored: Headers): Record<string, string> {
  const known = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]))
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const kept = value === mask ? known.get(name.toLowerCase()) : value
      if (kept === undefined)
        throw invalid(`headers.${name}`, '******** keeps a stored value, but no value is stored: enter one')
      return [name, kept]
    }),
  )
}
