import { joined } from '../bytes.js'
import type { Random } from '../ports.js'
import { base64Url } from './secrets.js'

export interface SecretBox {
  seal(text: string): Promise<string>
  /** Undefined for what was sealed under another key, or is no such text. */
  open(sealed: string): Promise<string | undefined>
}

const version = 'v1.'
const ivBytes = 12

/** AES-256-GCM under a key that is made from the configuration's `app_secret`. */
export function secretBox(appSecret: string, random: Random): SecretBox {
  const encoder = new TextEncoder()
  const key = (async () => {
    const material = await crypto.subtle.importKey('raw', encoder.encode(appSecret), 'HKDF', false, [
      'deriveKey',
    ])
    return crypto.subtle.deriveKey(
      { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode('slugline secrets') },
      material,
      { name: 'AES-GCM', length: 256 },
      false,
      ['encrypt', 'decrypt'],
    )
  })()
  return {
    async seal(text) {
      const iv = Uint8Array.from(random.bytes(ivBytes))
      const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await key, encoder.encode(text))
      return version + base64Url(joined([iv, new Uint8Array(sealed)]))
    },
    async open(sealed) {
      try {
        const plain = sealed.slice(version.length).replaceAll('-', '+').replaceAll('_', '/')
        const whole = Uint8Array.from(atob(plain), character => character.charCodeAt(0))
        const iv = whole.slice(0, ivBytes)
        const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, await key, whole.slice(ivBytes))
        return sealed.startsWith(version) ? new TextDecoder().decode(text) : undefined
      } catch {
        return undefined
      }
    },
  }
}
