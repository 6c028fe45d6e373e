import { decode, encode } from 'jose/base64url'
import { mediaFilesPath } from './media-folder.js'

/** The permit of a signature: the download of one object under a name, until a time. */
interface Permit {
  readonly bucket: string
  readonly key: string
  readonly name: string
  /** In seconds since 1970. */
  readonly expires: number
}

const keyOf = (secret: string) =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])

/** The purpose in front keeps the signature from being valid for anything else. */
const textOf = ({ bucket, key, name, expires }: Permit) =>
  new TextEncoder().encode(`slugline media address\n${JSON.stringify([bucket, key, name, expires])}`)

/** Returns the path of an object. */
const objectPath = (bucket: string, key: string): string =>
  [mediaFilesPath, bucket, ...key.split('/').map(encodeURIComponent)].join('/')

/** Returns the path of an object with a query that permits its download. */
export async function signedAddress(secret: string, permit: Permit): Promise<string> {
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(secret), textOf(permit)))
  const { bucket, key, name, expires } = permit
  const query = new URLSearchParams({ name, expires: String(expires), signature: encode(signature) })
  return `${objectPath(bucket, key)}?${query}`
}

/** Returns whether the service has signed this permit; it takes as long for every signature. */
export async function isSigned(secret: string, permit: Permit, signature: string): Promise<boolean> {
  let bytes: Uint8Array<ArrayBuffer>
  try {
    bytes = new Uint8Array(decode(signature))
  } catch {
    return false
  }
  return crypto.subtle.verify('HMAC', await keyOf(secret), bytes, textOf(permit))
}
