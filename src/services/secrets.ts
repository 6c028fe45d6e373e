import type { Random } from '../ports.js'

/** What a stored secret looks like from outside. Sent back, it means that the secret stays as it is. */
export const mask = '********'

export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

export const base64Url = (bytes: Uint8Array): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** Secrets that callers hold: 32 random bytes, of which only the SHA-256 is stored. */
export const randomSecret = (random: Random): string => base64Url(random.bytes(32))
