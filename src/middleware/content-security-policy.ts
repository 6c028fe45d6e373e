import type { Hashing } from '../ports.js'
import { base64 } from '../services/secrets.js'

/** For answers that are no documents: nothing runs or loads should a browser take one for a page. */
export const apiPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

interface HtmlSources {
  media?: readonly string[]
  styles?: readonly string[]
  scripts?: readonly string[]
  trustedTypes?: readonly string[]
  /** Origins of pages that it shows in a frame beside the service's own; without it there are no frames. */
  frames?: readonly string[]
  isFramed?: boolean
}

/**
 * For a page. Only scripts that carry the answer's nonce run, one by one: there is no `'strict-dynamic'`, so that a
 * script which runs cannot bring in others.
 */
export function htmlPolicy(
  nonce: string,
  { media = [], styles = [], scripts = [], trustedTypes = [], frames, isFramed = false }: HtmlSources = {},
): string {
  const sources = ["'self'", ...media].join(' ')
  return [
    "default-src 'none'",
    [`script-src 'nonce-${nonce}'`, ...scripts.map(hash => `'${hash}'`)].join(' '),
    ["style-src 'self'", `'nonce-${nonce}'`, ...styles.map(hash => `'${hash}'`)].join(' '),
    `img-src ${sources} data:`,
    `media-src ${sources}`,
    "connect-src 'self'",
    ...(frames ? [["frame-src 'self'", ...frames].join(' ')] : []),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${isFramed ? "'self'" : "'none'"}`,
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes.join(' ') || "'none'"}`,
  ].join('; ')
}

/** A style as the policy names it: by its SHA-256 in Base64. */
export function hashSource(text: string, { sha256 }: Pick<Hashing, 'sha256'>): string {
  const bytes =
    sha256(text)
      .match(/../g)
      ?.map(pair => Number.parseInt(pair, 16)) ?? []
  return `sha256-${base64(Uint8Array.from(bytes))}`
}

/** For files that people have uploaded: nothing runs or loads if a browser opens one as a document. */
export const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Where browsers load media from: the origins of the configured stores, if the service does not serve media itself. */
export function storageOrigins(spaces: readonly { urlOf(key: string): string }[]): string[] {
  const addresses = spaces.map(({ urlOf }) => urlOf('')).filter(address => address !== '')
  return [...new Set(addresses.flatMap(address => (URL.canParse(address) ? new URL(address).origin : [])))]
}
