import { base64 } from '../secrets.js'

const encoder = new TextEncoder()
const standard = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * The key that a verifier of Standard Webhooks makes of the secret: what its base64 means, with or without `whsec_` in
 * front. Text that is no base64 is its own key; a verifier wants the base64 of it.
 */
export function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  const text = secret.replace(/^whsec_/, '')
  if (text === '' || !standard.test(text)) return encoder.encode(secret)
  return Uint8Array.from(atob(text), character => character.charCodeAt(0))
}

async function hmac(key: Uint8Array<ArrayBuffer>, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
}

const hex = (bytes: Uint8Array) => [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')

/** Hex HMAC-SHA256 of the body with the secret's text as the key. */
export const signature = async (secret: string, body: Uint8Array<ArrayBuffer>): Promise<string> =>
  hex(await hmac(encoder.encode(secret), body))

/** Signs the id, the time in seconds and the body, as Standard Webhooks does. */
export async function standardSignature(
  secret: string,
  { id, seconds, body }: { id: string; seconds: number; body: Uint8Array<ArrayBuffer> },
): Promise<string> {
  const head = encoder.encode(`${id}.${seconds}.`)
  const message = new Uint8Array(head.length + body.length)
  message.set(head)
  message.set(body, head.length)
  return `v1,${base64(await hmac(standardKey(secret), message))}`
}
