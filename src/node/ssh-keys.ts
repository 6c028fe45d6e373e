import { createHash, createPublicKey } from 'node:crypto'
import ssh2 from 'ssh2'
import type { PublicKey, PublicKeys } from '../ports.js'

/** How long a point of each curve is, uncompressed: a 4 and both coordinates. In bytes. */
const pointBytes: Readonly<Record<string, number>> = {
  'ecdsa-sha2-nistp256': 65,
  'ecdsa-sha2-nistp384': 97,
  'ecdsa-sha2-nistp521': 133,
}

/** True if the key ends with an uncompressed point; OpenSSL takes compressed and hybrid ones too. */
function endsWithPoint(blob: Uint8Array, length: number): boolean {
  // In front of it are the lengths and names of type and curve.
  return blob.length === 39 + length && blob[39] === 4
}

function read(type: string, blob: Uint8Array): PublicKey | undefined {
  const key = ssh2.utils.parseKey(`${type} ${Buffer.from(blob).toString('base64')}`)
  // The parser ignores what it does not need: bytes at the end, the name of the curve, the rest of the type's name.
  if (key instanceof Error || key.type !== type || !key.getPublicSSH().equals(blob)) return undefined
  const point = pointBytes[type]
  if (point !== undefined && !endsWithPoint(blob, point)) return undefined
  // Throws for numbers that are no RSA key, and for points that are not on their curve.
  const { asymmetricKeyDetails } = createPublicKey(key.getPublicPEM())
  const digest = createHash('sha256').update(blob).digest('base64')
  return {
    bits: asymmetricKeyDetails?.modulusLength ?? 0,
    fingerprint: `SHA256:${digest.replaceAll('=', '')}`,
  }
}

export const publicKeys: PublicKeys = {
  async parse(type, blob) {
    try {
      return read(type, blob)
    } catch {
      return undefined
    }
  },
}
