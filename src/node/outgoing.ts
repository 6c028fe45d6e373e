import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, fetch } from 'undici'
import { joined } from '../bytes.js'
import { isReachable } from '../net/addresses.js'
import type { Outgoing } from '../ports.js'
import { type Network, network } from './network.js'
import { orTimeout, posting } from './posting.js'

/** A host that is not called, because it is in a private network. */
export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} is not a public address`)
  }
}

/** A name that takes longer counts as one without addresses, if only its addresses are requested. */
const lookupTimeoutMs = 3000

const hostOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '')

/** Calls to servers that settings name. Redirects are not followed, and no proxy of the environment is used. */
export function createOutgoing({ resolve, connector }: Network = network): Outgoing {
  /** Every address of a name must be public, for any of them may be called. */
  async function publicAddresses(host: string) {
    const found = await resolve(host)
    for (const { address } of found) if (!isReachable(address)) throw new PrivateAddress(host)
    return found
  }

  const guardedLookup: LookupFunction = (host, options, done) => {
    publicAddresses(host).then(
      found => {
        const [first] = found
        if (options.all) done(null, found)
        else if (first) done(null, first.address, first.family)
        else done(new Error(`the host name ${host} cannot be resolved`), '', 0)
      },
      error => done(error, '', 0),
    )
  }

  const direct = buildConnector({})
  const guarded = buildConnector({ lookup: guardedLookup })
  const agents = {
    // A literal address is never looked up, so it is judged here.
    public: new Agent({
      connect: (options, done) => {
        const host = options.hostname.replace(/^\[|\]$/g, '')
        if (isIP(host) && !isReachable(host)) done(new PrivateAddress(host), null)
        else guarded(options, done)
      },
    }),
    any: new Agent({ connect: (options, done) => direct(options, done) }),
  }

  return {
    async fetch(url, { method, headers, body }, { allowedAddresses, timeoutMs, maxBytes }) {
      const signal = AbortSignal.timeout(timeoutMs)
      const answer = await fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal,
        dispatcher: agents[allowedAddresses],
      })
      const pieces: Uint8Array[] = []
      let length = 0
      for await (const piece of answer.body ?? []) {
        length += piece.byteLength
        if (length > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`)
        pieces.push(piece)
      }
      const noBody = [101, 204, 205, 304].includes(answer.status)
      return new Response(noBody ? null : joined(pieces), {
        status: answer.status,
        headers: [...answer.headers].filter(([name]) => !/^content-(encoding|length)$/.test(name)),
      })
    },
    async isPublic(url) {
      const host = hostOf(url)
      if (isIP(host)) return isReachable(host)
      return publicAddresses(host).then(
        () => true,
        error => !(error instanceof PrivateAddress),
      )
    },
    async addresses(host) {
      if (isIP(host)) return [host]
      const found = await orTimeout(resolve(host), AbortSignal.timeout(lookupTimeoutMs)).catch(() => [])
      return found.map(({ address }) => address)
    },
    post: posting({ resolve, connector }),
  }
}

export const outgoing: Outgoing = createOutgoing()
