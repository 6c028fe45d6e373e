import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Network = [Address, number]

/** @throws if the text is neither an address nor a network in CIDR form */
export const network = (text: string): Network => {
  const address = text.includes('/') ? undefined : ipaddr.process(text)
  return address ? [address, address.kind() === 'ipv4' ? 32 : 128] : ipaddr.parseCIDR(text)
}

export const inNetwork = (address: Address, [base, bits]: Network): boolean =>
  base.kind() === address.kind() && address.match([base, bits] as never)

/** Where clouds hand out credentials, beside the link-local address that all of them use. */
const metadata = [
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
].map(network)

const global6 = network('2000::/3')
const ipv4At = (bytes: readonly number[], at: number) => new ipaddr.IPv4(bytes.slice(at, at + 4))

/**
 * Every way in which an address may be understood. An IPv4 address hides in IPv6 mapped, compatible, translated, and
 * behind 6to4, NAT64, Teredo and ISATAP; a gateway on the way would send to it.
 */
function readings(address: Address): Address[] {
  if (address.kind() === 'ipv4') return [address]
  const six = address as ipaddr.IPv6
  const bytes = six.toByteArray()
  const starts = (text: string) => inNetwork(six, network(text))
  // These two are nothing else than the IPv4 address.
  if (starts('::ffff:0:0/96') || starts('64:ff9b::/96')) return [ipv4At(bytes, 12)]
  const found: Address[] = [six]
  if (starts('::/96') && !['::', '::1'].includes(six.toString())) found.push(ipv4At(bytes, 12))
  if (starts('::ffff:0:0:0/96') || starts('64:ff9b:1::/48')) found.push(ipv4At(bytes, 12))
  // The prefix of 48 bits has the address around its ninth byte (RFC 6052).
  if (starts('64:ff9b:1::/48')) found.push(new ipaddr.IPv4([6, 7, 9, 10].map(at => bytes[at] ?? 0)))
  if (starts('2002::/16')) found.push(ipv4At(bytes, 2))
  if (starts('2001::/32')) {
    found.push(ipv4At(bytes, 4))
    found.push(new ipaddr.IPv4(bytes.slice(12).map(byte => byte ^ 0xff)))
  }
  if (
    /^0[02]005efe$/.test(
      bytes
        .slice(8, 12)
        .map(byte => byte.toString(16).padStart(2, '0'))
        .join(''),
    )
  )
    found.push(ipv4At(bytes, 12))
  return found
}

const isGlobal = (address: Address): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || inNetwork(address, global6))

const isMetadata = (address: Address): boolean => metadata.some(one => inNetwork(address, one))

export interface Openings {
  loopback: boolean
  networks: readonly Network[]
}

const closed: Openings = { loopback: false, networks: [] }
const never = new Set(['loopback', 'unspecified', 'multicast', 'broadcast'])

/**
 * True when the address, understood in any way, is on the public internet or in one of the openings. Addresses of
 * metadata services never are.
 */
export function isReachable(text: string, { loopback, networks }: Openings = closed): boolean {
  if (!ipaddr.isValid(text)) return false
  return readings(ipaddr.parse(text)).every(address => {
    if (isMetadata(address)) return false
    if (isGlobal(address)) return true
    if (address.range() === 'loopback') return loopback
    return !never.has(address.range()) && networks.some(one => inNetwork(address, one))
  })
}
