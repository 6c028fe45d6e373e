import type { Config } from '../../config.js'
import { invalid } from '../../errors.js'
import { isReachable, network } from '../../net/addresses.js'
import type { Outgoing } from '../../ports.js'
import { trimmedEnd } from '../text.js'

type Rules = Pick<Config, 'webhook_allow_http' | 'webhook_allowed_networks' | 'environment'>

/** Names by which clouds hand out credentials; outside of such a cloud they may not resolve. */
const metadataNames = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data'])

/** Judges an address by what the configuration lets webhooks reach. */
export function permits(rules: Rules): (address: string) => boolean {
  const openings = {
    loopback: rules.webhook_allow_http && /^(local|development)/.test(rules.environment),
    networks: rules.webhook_allowed_networks.map(network),
  }
  return address => isReachable(address, openings)
}

/** The problem that the text itself has as the address of a receiver; the parser is the one that dials. */
function problemOf(text: string, { webhook_allow_http }: Rules): string | undefined {
  // The parser would take these out or turn them round, so what people read is not what is called.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return 'must not contain whitespace, "\\" or control characters'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) return 'must be an absolute address'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https address'
  if (url.protocol === 'http:' && !webhook_allow_http)
    return 'must be an https address (webhook_allow_http is false)'
  if (url.username !== '' || url.password !== '') return 'must have no user and no password'
  if (url.port === '0') return 'the port is not allowed'
  return undefined
}

const unreachable = () =>
  invalid('url', 'is an address that webhooks may not reach (webhook_allowed_networks opens private ones)')

/**
 * Refuses what must not be called. A name that does not resolve now is let through: each attempt judges it again.
 * @throws 400
 */
export async function refuseTarget(text: string, rules: Rules, outgoing: Outgoing): Promise<void> {
  const problem = problemOf(text, rules)
  if (problem) throw invalid('url', problem)
  const host = trimmedEnd(new URL(text).hostname.replace(/^\[|\]$/g, ''), '.')
  const judge = permits(rules)
  if (metadataNames.has(host)) throw unreachable()
  // Such names mean this machine whether or not a resolver knows them (RFC 6761).
  if (/(^|\.)localhost$/.test(host) && !judge('127.0.0.1')) throw unreachable()
  if (!(await outgoing.addresses(host)).every(judge)) throw unreachable()
}

/** Whether a stored address may be called, judged without a lookup: settings may have changed since. */
export const isTarget = (text: string, rules: Rules): boolean => problemOf(text, rules) === undefined

/** Scheme, host and port: what is sent to one server is not meant for another. */
export const serverOf = (text: string): string => (URL.canParse(text) ? new URL(text).origin : text)
