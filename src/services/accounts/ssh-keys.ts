import { z } from 'zod'
import { type Actor, signedIn } from '../../actor.js'
import type { RecordOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { forbidden, invalid, notFound } from '../../errors.js'
import { base64 } from '../secrets.js'
import type { AccessService } from './access.js'

export const SshKeyCreate = z.object({
  public_key: z.string().max(16_384),
  label: z.string().max(255).default(''),
})

type SshKeyRecord = Omit<RecordOf<typeof tables.sshKeys>, 'public_key'>

export interface SshKeyService {
  /** One's own keys, or with `ssh_keys:read` another user's. */
  list(actor: Actor, userId?: string): Promise<SshKeyRecord[]>
  /** @throws 400 for what is no acceptable public key, 409 when any user has it already */
  add(actor: Actor, given: z.output<typeof SshKeyCreate>): Promise<SshKeyRecord>
  /** One's own, or with `ssh_keys:delete` anyone's. */
  remove(actor: Actor, id: string): Promise<void>
}

/** RSA keys below are weak, above only cost time. In bits. */
const rsaBits = { least: 2048, most: 8192 }

/** The strings of an SSH wire format: four bytes of length and so many of content. */
function stringsOf(blob: Uint8Array): Uint8Array[] | undefined {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  const found: Uint8Array[] = []
  for (let at = 0; at < blob.length; ) {
    if (at + 4 > blob.length) return undefined
    const end = at + 4 + view.getUint32(at)
    if (end > blob.length) return undefined
    found.push(blob.subarray(at + 4, end))
    at = end
  }
  return found
}

const bitsOf = (number: Uint8Array): number => {
  const first = number.findIndex(byte => byte !== 0)
  return first < 0 ? 0 : (number.length - first) * 8 - Math.clz32(number[first] ?? 0) + 24
}

const curvePoint = (length: number) => (parts: readonly Uint8Array[], curve: string) =>
  parts.length === 3 &&
  new TextDecoder().decode(parts[1]) === curve &&
  parts[2]?.length === length &&
  parts[2][0] === 4

/** The kinds of keys that are taken, and whether the parts of one are sound. */
const kinds: Readonly<Record<string, (parts: readonly Uint8Array[]) => boolean>> = {
  'ssh-ed25519': parts => parts.length === 2 && parts[1]?.length === 32,
  'ecdsa-sha2-nistp256': parts => curvePoint(65)(parts, 'nistp256'),
  'ecdsa-sha2-nistp384': parts => curvePoint(97)(parts, 'nistp384'),
  'ecdsa-sha2-nistp521': parts => curvePoint(133)(parts, 'nistp521'),
  'ssh-rsa': parts => parts.length === 3,
}

/**
 * Reads one line of an `authorized_keys` file, without options.
 * @throws 400 that says what is wrong
 */
async function parsePublicKey(
  text: string,
): Promise<{ public_key: string; key_type: string; fingerprint: string }> {
  const refuse = (what: string) => invalid('public_key', `${what}`)
  const [key_type = '', encoded = '', ...comment] = text.trim().split(/[ \t]+/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text.trim().replaceAll('\t', ' ')))
    throw refuse('must be one line without control characters')
  const sound = Object.hasOwn(kinds, key_type) ? kinds[key_type] : undefined
  if (!sound) throw refuse(`must be one of ${Object.keys(kinds).join(', ')} and its key`)
  let blob: Uint8Array<ArrayBuffer>
  try {
    blob = Uint8Array.from(atob(encoded), character => character.charCodeAt(0))
  } catch {
    throw refuse('is not base64')
  }
  const parts = stringsOf(blob)
  const [named] = parts ?? []
  if (!parts || !named || new TextDecoder().decode(named) !== key_type || !sound(parts))
    throw refuse(`is no ${key_type} key`)
  if (key_type === 'ssh-rsa') {
    const bits = bitsOf(parts[2] ?? new Uint8Array())
    if (bits < rsaBits.least || bits > rsaBits.most)
      throw refuse(`an RSA key must have ${rsaBits.least} to ${rsaBits.most} bits`)
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', blob))
  return {
    public_key: [key_type, base64(blob), ...comment].join(' '),
    key_type,
    fingerprint: `SHA256:${base64(digest).replaceAll('=', '')}`,
  }
}

/** Keys for the terminal interface. A key belongs to one user only. */
export function sshKeys(db: Database, access: AccessService): SshKeyService {
  const shown = ({ public_key: _, ...record }: RecordOf<typeof tables.sshKeys>): SshKeyRecord => record
  return {
    async list(actor, userId = signedIn(actor).userId) {
      if (userId !== actor.userId && !(await access.hasPermission(actor, 'ssh_keys:read'))) throw forbidden()
      return (await db.findAll(tables.sshKeys, { user_id: userId })).map(shown)
    },
    async add(actor, { public_key, label }) {
      const { userId } = signedIn(actor)
      const key = await parsePublicKey(public_key)
      const row = await db.write(actor, tx => tx.insert(tables.sshKeys, { ...key, label, user_id: userId }))
      return shown(row)
    },
    async remove(actor, id) {
      const key = await db.get(tables.sshKeys, id)
      const all = await access.hasPermission(actor, 'ssh_keys:delete')
      if (!all && key?.user_id !== actor.userId) throw forbidden()
      if (!key) throw notFound()
      await db.write(actor, tx => tx.remove(tables.sshKeys, id))
    },
  }
}
