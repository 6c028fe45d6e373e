import { encode } from 'jose/base64url'
import { allInvalid } from '../errors.js'
import type { Random } from '../ports.js'

/** Shown in place of a stored secret. Sent back, it leaves the secret as it is. */
export const mask = '********'

export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/**
 * A stored secret goes nowhere that was just set: whoever changes the place that it is sent to gives it again.
 * @param place the member that says where it is sent to
 * @param kept members with stored secrets that the change leaves as they are
 * @throws 400 that names each of them
 */
export function refuseKeptSecrets(place: string, kept: readonly string[]): void {
  const [first, ...others] = kept.map(member => ({
    member,
    error: `${member}: must be given again when ${place} changes`,
  }))
  if (first) throw allInvalid([first, ...others])
}

/** Secrets that callers hold: 32 random bytes, of which only the SHA-256 is stored. */
export const randomSecret = (random: Random): string => encode(random.bytes(32))

/** A key that is made from the configuration's `app_secret`. @param purpose every purpose has a key of its own */
export async function derivedKey(
  appSecret: string,
  purpose: string,
  algorithm: AesKeyGenParams | HmacKeyGenParams,
  uses: KeyUsage[],
): Promise<CryptoKey> {
  const encoder = new TextEncoder()
  const material = await crypto.subtle.importKey('raw', encoder.encode(appSecret), 'HKDF', false, [
    'deriveKey',
  ])
  const info = encoder.encode(`slugline ${purpose}`)
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  return crypto.subtle.deriveKey(derivation, material, algorithm, false, uses)
}
