import { internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'

const { oauthProviders } = internalTables

/**
 * Called before a subject is looked up. Subjects of one provider mean nothing at another: where the provider of a name
 * was exchanged, everything that was linked under the name is removed first.
 * @param source_hash of the address that says who somebody is
 */
export async function dropOtherProviders(tx: Writer, name: string, source_hash: string): Promise<void> {
  const known = await tx.get(oauthProviders, name)
  if (known?.source_hash === source_hash) return
  // Sign-ins that find this at the same time take turns.
  await tx.lock(internalTables.locks, tables.users.name)
  const still = await tx.get(oauthProviders, name)
  if (still?.source_hash === source_hash) return
  if (still) {
    await tx.deleteInternal(oauthProviders, name)
    await tx.removeAll(
      tables.oauthConnections,
      await tx.lockAll(tables.oauthConnections, { oauth_provider: name }),
    )
  }
  await tx.insertInternal(oauthProviders, { name, source_hash })
}
