import type { Config } from '../config.js'
import { derivedKey } from './secrets.js'

const algorithm = 'HS256'
const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 }
const maxLength = 500

// A start does not need it.
const jose = () => import('jose')

/**
 * Ids of records as texts that nobody else can make: who shows one was given it. Compact JWS under a key that is made
 * from the configuration's `app_secret`.
 * @param purpose a text that is signed for one is invalid for another
 */
export function signedIds(purpose: string, config: () => Pick<Config, 'app_secret'>) {
  let latest: { appSecret: string; key: Promise<CryptoKey> } | undefined
  function key(): Promise<CryptoKey> | undefined {
    const { app_secret } = config()
    if (!app_secret) return undefined
    if (latest?.appSecret !== app_secret)
      latest = { appSecret: app_secret, key: derivedKey(app_secret, purpose, hmac, ['sign', 'verify']) }
    return latest.key
  }
  return {
    /** @param expiresAt tells readers of the text when it ends; without it only the record says so */
    async sign(id: string, expiresAt?: string): Promise<string | undefined> {
      const own = await key()
      if (!own) return undefined
      const { CompactSign } = await jose()
      const end = expiresAt === undefined ? {} : { exp: Math.floor(Date.parse(expiresAt) / 1000) }
      const claims = { jti: id, ...end }
      return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
        .setProtectedHeader({ alg: algorithm })
        .sign(own)
    },
    /** Returns the id in the text, expired or not; undefined if it was not signed here. */
    async read(text: string) {
      const own = await key()
      if (!own || text.length > maxLength) return undefined
      const { compactVerify } = await jose()
      try {
        // Whatever the text says of itself, it is verified in this one way.
        const { payload } = await compactVerify(text, own, { algorithms: [algorithm] })
        return (JSON.parse(new TextDecoder().decode(payload)) as { jti: string }).jti
      } catch {
        return undefined
      }
    },
  }
}
