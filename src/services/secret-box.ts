import { derivedKey } from './secrets.js'

const sealing = { alg: 'dir', enc: 'A256GCM' } as const

// A start does not need it.
const jose = () => import('jose')

export type SecretBox = ReturnType<typeof secretBox>

/** Compact JWE under a key that is made from the configuration's `app_secret`. */
export function secretBox(appSecret: string) {
  const key = derivedKey(appSecret, 'secrets', { name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt'])
  return {
    async seal(text: string) {
      const { CompactEncrypt } = await jose()
      return new CompactEncrypt(new TextEncoder().encode(text)).setProtectedHeader(sealing).encrypt(await key)
    },
    /** Opens a sealed text; undefined if it was sealed under another key, or was never sealed. */
    async open(sealed: string) {
      const { compactDecrypt } = await jose()
      try {
        // Whatever the text says of itself, it is opened in this one way.
        const { plaintext } = await compactDecrypt(sealed, await key, {
          keyManagementAlgorithms: [sealing.alg],
          contentEncryptionAlgorithms: [sealing.enc],
        })
        return new TextDecoder().decode(plaintext)
      } catch {
        return undefined
      }
    },
  }
}
