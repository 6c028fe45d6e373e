import { z } from 'zod'

/** Ours, those that say what a connection or body is, and those that belong to browsers and proxies (6.3). */
const reserved =
  /^(x-cms-.*|webhook-.*|proxy-.*|content-.*|host|user-agent|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|cookie|http2-settings)$/i

const headersAtMost = 64
/** Of one value, in characters. */
const valueAtMost = 4096

function problemOf(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/.test(name)) return 'is no header name'
  if (reserved.test(name)) return 'belongs to the service itself'
  if (value.length > valueAtMost) return `must be at most ${valueAtMost} characters`
  if (!/^[\u0020-\u007e\u00a0-\u00ff]*$/.test(value)) return 'must be Latin-1 text without control characters'
  return undefined
}

/** Custom headers of a webhook (2.3); none of them replaces ours. */
export const customHeaders = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
  const names = Object.keys(headers)
  if (names.length > headersAtMost) return refuse([], `must be at most ${headersAtMost} headers`)
  if (new Set(names.map(name => name.toLowerCase())).size < names.length)
    refuse([], 'must name no header twice')
  for (const [name, value] of Object.entries(headers)) {
    const problem = problemOf(name, value)
    if (problem) refuse([name], problem)
  }
})
