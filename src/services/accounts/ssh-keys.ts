import { z } from 'zod'
import { type Actor, isSelf, signedIn } from '../../actor.js'
import type { RecordOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { invalid, missingPermission } from '../../errors.js'
import type { PublicKeys } from '../../ports.js'
import { base64 } from '../secrets.js'
import type { AccessService } from './access.js'
import { refuseBeyondOwnRights, removeCredential } from './own-rights.js'

export const SshKeyCreate = z.object({
  public_key: z
    .string()
    .max(16_384)
    .meta({
      examples: [
        'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@laptop',
      ],
    }),
  label: z.string().max(255).default(''),
})

export const SshKeyRecord = z
  .object({
    ssh_key_id: z.string(),
    user_id: z.string(),
    key_type: z.string(),
    fingerprint: z.string().meta({ description: 'SHA-256 of the key, as `ssh-keygen -l` shows it.' }),
    label: z.string(),
    last_used: z.iso.datetime().nullable(),
    date_created: z.iso.datetime(),
  })
  .meta({ id: 'SshKey' })
type SshKeyRecord = z.output<typeof SshKeyRecord>

const types = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa']
/** RSA keys below are weak, above only cost time. */
const rsaBits = { min: 2048, max: 8192 }

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/**
 * Reads one line of an `authorized_keys` file, without options.
 * @throws 400 that says what is wrong
 */
async function parseLine(text: string, publicKeys: PublicKeys) {
  const refuse = (what: string) => invalid('public_key', what)
  const [key_type = '', encoded = '', ...comment] = text.trim().split(/[ \t]+/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  if (/[\u0000-\u001f\u007f-\u009f]/.test(text.trim().replaceAll('\t', ' ')))
    throw refuse('must be one line without control characters')
  if (!types.includes(key_type)) throw refuse(`must be a key type (${types.join(', ')}) followed by the key`)
  const blob = fromBase64(encoded)
  if (!blob) throw refuse('is not base64')
  const key = await publicKeys.parse(key_type, blob)
  if (!key) throw refuse(`is not a key of the type ${key_type}`)
  const { bits, fingerprint } = key
  if (key_type === 'ssh-rsa' && (bits < rsaBits.min || bits > rsaBits.max))
    throw refuse(`an RSA key must have ${rsaBits.min} to ${rsaBits.max} bits`)
  return { public_key: [key_type, base64(blob), ...comment].join(' '), key_type, fingerprint }
}

/** Keys for the terminal interface. A key belongs to one user only. */
export function sshKeys(db: Database, access: AccessService, { publicKeys }: { publicKeys: PublicKeys }) {
  const shown = ({ public_key: _, ...record }: RecordOf<typeof tables.sshKeys>): SshKeyRecord => record
  return {
    /** One's own keys, or with `ssh_keys:read` another user's. */
    async list(actor: Actor, userId: string = signedIn(actor).userId) {
      if (!isSelf(actor, userId) && !(await access.hasPermission(actor, 'ssh_keys:read')))
        throw missingPermission('ssh_keys:read')
      return (await db.findAll(tables.sshKeys, { user_id: userId })).map(shown)
    },
    /** Adds a public key to the caller. @throws 400 for an unacceptable key, 409 when any user has it already */
    async add(actor: Actor, { public_key, label }: z.output<typeof SshKeyCreate>) {
      const { userId, roleId } = signedIn(actor)
      // It signs in as the whole user.
      await refuseBeyondOwnRights(access, actor, { account: { user_id: userId, role: roleId } })
      const key = await parseLine(public_key, publicKeys)
      const row = await db.write(actor, tx => tx.insert(tables.sshKeys, { ...key, label, user_id: userId }))
      return shown(row)
    },
    /** Removes one's own key or, with `ssh_keys:delete`, that of a user with no more rights. */
    remove: (actor: Actor, id: string) =>
      removeCredential(db, access, actor, { table: tables.sshKeys, id, permission: 'ssh_keys:delete' }),
  }
}
