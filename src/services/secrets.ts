import { encode } from 'jose/base64url'
import type { Random } from '../ports.js'

/** What a stored secret looks like from outside. Sent back, it means that the secret stays as it is. */
export const mask = '********'

export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Secrets that callers hold: 32 random bytes, of which only the SHA-256 is stored. */
export const randomSecret = (random: Random): string => encode(random.bytes(32))
