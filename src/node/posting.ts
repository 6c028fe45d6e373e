import { isIP } from 'node:net'
import { Client } from 'undici'
import { joined } from '../bytes.js'
import type { Outgoing } from '../ports.js'
import type { Network } from './network.js'

/** Failures of networks in words that help whoever runs the receiver. They never say an address. */
const words: readonly (readonly [code: RegExp, words: string])[] = [
  [/^(ENOTFOUND|EAI_)/, 'the host name cannot be resolved'],
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    'the connection was closed before the response was complete',
  ],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, 'the receiver cannot be reached'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'the connection timed out'],
  [/CERT|SIGNATURE|ISSUER/, 'the certificate of the receiver is not valid'],
  [/^(ERR_SSL|EPROTO|ERR_TLS)/, 'the TLS connection failed'],
  [/^(HPE_|HTTPParser|UND_ERR_)/, 'the response is not valid HTTP'],
]

/** Returns the failure in words and its code. */
export function wordsFor(error: unknown): string {
  // Where several addresses were tried the last one's failure says it.
  const inner = error instanceof AggregateError ? error.errors.at(-1) : error
  const { code, name = '' } = inner as { code?: unknown; name?: string }
  const hint = typeof code === 'string' ? code : name
  const known = words.find(([pattern]) => pattern.test(hint))
  return `${known?.[1] ?? 'the request failed'} (${hint})`
}

/** Rejects when the time is over; a lookup cannot be called off. */
export const orTimeout = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })

/**
 * One POST over a socket of its own. The name is resolved once, all of its addresses are judged, and the socket goes
 * to one of them; undici's client follows no redirect and knows no proxy.
 */
export function posting({ resolve, connector }: Network): Outgoing['post'] {
  return async (url, { headers, body }, { permits, timeoutMs, maxBytes }) => {
    const { origin, hostname, pathname, search } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const signal = AbortSignal.timeout(timeoutMs)
    let status: number | null = null
    let client: Client | undefined
    try {
      const addresses = isIP(host)
        ? [{ address: host, family: isIP(host) }]
        : await orTimeout(resolve(host), signal)
      if (addresses.length === 0)
        return { kind: 'broken', status, reason: 'the host name cannot be resolved' }
      if (!addresses.every(({ address }) => permits(address))) return { kind: 'refused' }
      client = new Client(origin, {
        connect: connector(addresses, timeoutMs),
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      const answer = await client.request({
        path: pathname + search,
        method: 'POST',
        headers,
        body,
        signal,
        reset: true,
      })
      status = answer.statusCode
      const pieces: Uint8Array[] = []
      let length = 0
      for await (const piece of answer.body) {
        length += piece.length
        if (length > maxBytes)
          return { kind: 'broken', status, reason: `the response is longer than ${maxBytes} bytes` }
        pieces.push(piece)
      }
      const after = answer.headers['retry-after']
      const retryAfter = typeof after === 'string' ? after : null
      return { kind: 'answered', status, retryAfter, body: joined(pieces) }
    } catch (error) {
      const reason = signal.aborted ? `no complete response within ${timeoutMs / 1000} s` : wordsFor(error)
      return { kind: 'broken', status, reason }
    } finally {
      client?.destroy().catch(() => undefined)
    }
  }
}
