import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()
const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')

/** What an answer says beside the truth, as an attacker or a broken authenticator would. */
export interface Lies {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly userHandle?: string
  readonly isVerified?: boolean
  readonly isCrossOrigin?: boolean
  readonly count?: number
  readonly statement?: { readonly fmt: string; readonly attStmt: Map<string, unknown> }
}

interface Asking {
  readonly challenge: string
}

const flags = { present: 1, verified: 4, attested: 64 }

/** An authenticator with one passkey (ES256), which speaks as a browser at `origin` does. */
export class Authenticator {
  static #made = 0
  readonly id = base64url(sha256(`credential ${Authenticator.#made++}`))
  count = 0
  readonly #key: KeyObject
  readonly #publicKey: KeyObject

  constructor(
    readonly origin = 'http://localhost',
    private userHandle = '',
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    this.#publicKey = publicKey
  }

  /** The answer to `POST /auth/passkeys/options`. */
  create(options: Asking & { readonly user: { readonly id: string } }, lies: Lies = {}) {
    this.userHandle = options.user.id
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' })
    const coordinate = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
    const publicKey = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, coordinate(x)],
        [-3, coordinate(y)],
      ]),
    )
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.from([id.length >> 8, id.length & 255])
    const authData = Buffer.concat([
      this.#authenticatorData(flags.attested, lies),
      ...[Buffer.alloc(16), length, id, publicKey],
    ])
    const { fmt, attStmt } = lies.statement ?? { fmt: 'none', attStmt: new Map() }
    const attestation = new Map<string, unknown>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', new Uint8Array(authData)],
    ])
    const attestationObject = base64url(isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0]))
    const clientDataJSON = base64url(this.#clientData('webauthn.create', options, lies))
    return this.#credential({ clientDataJSON, attestationObject })
  }

  /** The answer to `POST /auth/passkeys/login/options`. */
  get(options: Asking, lies: Lies = {}) {
    this.count++
    const clientData = this.#clientData('webauthn.get', options, lies)
    const authenticatorData = this.#authenticatorData(0, lies)
    const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), this.#key)
    return this.#credential({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(signature),
      userHandle: lies.userHandle ?? this.userHandle,
    })
  }

  #credential<R>(response: R) {
    return { id: this.id, rawId: this.id, type: 'public-key', response }
  }

  #authenticatorData(more: number, { rpId, isVerified = true, count = this.count }: Lies): Buffer {
    const bytes = Buffer.alloc(37)
    sha256(rpId ?? new URL(this.origin).hostname).copy(bytes)
    bytes[32] = flags.present | (isVerified ? flags.verified : 0) | more
    bytes.writeUInt32BE(count, 33)
    return bytes
  }

  #clientData(type: string, { challenge }: Asking, lies: Lies): string {
    return JSON.stringify({
      type: lies.type ?? type,
      challenge: lies.challenge ?? challenge,
      origin: lies.origin ?? this.origin,
      crossOrigin: lies.isCrossOrigin ?? false,
    })
  }
}
