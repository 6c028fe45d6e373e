import type { Random } from '../../ports.js'

/** Every authenticator app supports these: SHA-1, 6 digits, 30 seconds (RFC 6238). */
const stepSeconds = 30
const secretBytes = 20
/** 80 bits: nobody finds one by trying, so its hash needs no salt. */
const recoveryBytes = 10

// A start does not need it.
const otplib = () => import('otplib')

async function base32(bytes: Uint8Array): Promise<string> {
  const { ScureBase32Plugin } = await otplib()
  return new ScureBase32Plugin().encode(bytes)
}

/** Returns a new secret for an authenticator app, in base32. */
export const newSecret = (random: Random): Promise<string> => base32(random.bytes(secretBytes))

/** The address that authenticator apps read from a QR code. A colon would end the issuer. */
export async function setUpAddress(secret: string, issuer: string, account: string): Promise<string> {
  const { generateURI } = await otplib()
  return generateURI({ secret, issuer: issuer.replaceAll(':', ''), label: account })
}

/**
 * Finds the time step of a code, among the present one and the two beside it.
 * @param nowMs in milliseconds since 1970
 * @returns undefined for a wrong code
 */
export async function stepOf(secret: string, code: string, nowMs: number): Promise<number | undefined> {
  const { verify } = await otplib()
  const found = await verify({
    secret,
    token: code,
    epoch: Math.floor(nowMs / 1000),
    epochTolerance: stepSeconds,
  })
  return found.valid && 'timeStep' in found ? found.timeStep : undefined
}

/** Returns new recovery codes, such as `mfzw-k3ta-ob2g-c5dj`. */
export async function newRecoveryCodes(random: Random, count: number): Promise<string[]> {
  const codes = await Promise.all(Array.from({ length: count }, () => base32(random.bytes(recoveryBytes))))
  return codes.map(code => code.toLowerCase().replaceAll(/.{4}(?=.)/g, '$&-'))
}

/**
 * Reads a typed code, with blanks, hyphens and capitals as people type them.
 * @returns undefined for a text that is neither a code nor a recovery code
 */
export function readCode(
  typed: string,
): { readonly digits: string } | { readonly recovery: string } | undefined {
  const plain = typed.replaceAll(/[\s-]/g, '').toLowerCase()
  if (/^\d{6}$/.test(plain)) return { digits: plain }
  return /^[a-z2-7]{16}$/.test(plain) ? { recovery: plain } : undefined
}
