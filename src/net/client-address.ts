import ipaddr from 'ipaddr.js'
import { inNetwork, network } from './addresses.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

function parse(text: string): Address | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  // Short and octal spellings are not what proxies write.
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined
  const address = ipaddr.process(bare)
  // The zone is the name of an interface of somebody's machine, and of any length.
  if (address.kind() === 'ipv6') delete (address as ipaddr.IPv6).zoneId
  return address
}

/** True for an address or a network in CIDR form. */
export function isNetwork(text: string): boolean {
  try {
    network(text)
    return true
  } catch {
    return false
  }
}

const hopsAtMost = 50

/**
 * Finds the caller's address. Forwarded addresses are believed only as far as trusted proxies have written them: from
 * the right, the first that is no such proxy (RL-02).
 * @param proxies addresses or networks
 */
export function clientAddresses(proxies: readonly string[]) {
  const trusted = proxies.map(network)
  const isTrusted = (address: Address) => trusted.some(one => inNetwork(address, one))

  return (peer: string | undefined, forwarded: string | null): string | undefined => {
    let found = peer === undefined ? undefined : parse(peer)
    if (!found || trusted.length === 0) return peer
    const hops = (forwarded ?? '').split(',').slice(-hopsAtMost)
    while (isTrusted(found)) {
      const next = parse((hops.pop() ?? '').trim())
      if (!next) break
      found = next
    }
    return found.toString()
  }
}

/** Whom a limit counts: an IPv4 address, or the /64 that one IPv6 customer has. */
export function limitKey(address: string | undefined): string {
  const parsed = address === undefined ? undefined : parse(address)
  if (!parsed || parsed.kind() === 'ipv4') return parsed?.toString() ?? 'unknown'
  const [a = 0, b = 0, c = 0, d = 0] = (parsed as ipaddr.IPv6).parts
  return `${[a, b, c, d].map(part => part.toString(16)).join(':')}::/64`
}
