import type { RowOf } from '../../db/columns.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict } from '../../errors.js'

const table = tables.oauthConnections

type Connection = RowOf<typeof table>
type Stored = Pick<Connection, 'access_token' | 'refresh_token' | 'token_expires_at'>

/** Adds an identity to an account that asked for it, whatever its e-mail address. @throws 409 */
export async function linkIdentity(
  tx: Writer,
  user_id: string,
  { provider, subject, stored }: { provider: string; subject: string; stored: Stored },
): Promise<void> {
  const key = { oauth_provider: provider, oauth_provider_user_id: subject }
  await tx.lock(tables.users, user_id)
  const known = await tx.find(table, key)
  if (known && known.user_id !== user_id) throw conflict('another account signs in with this identity')
  if (known) await tx.update(table, known.user_oauth_id, stored)
  else if (await tx.exists(table, { user_id, oauth_provider: provider }))
    throw conflict('your account signs in with another identity of this provider: unlink that first')
  else await tx.insert(table, { ...key, ...stored, user_id })
}
