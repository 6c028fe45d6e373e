import { keptTables } from '../db/tables.js'
import type { Writer } from '../db/writer.js'

const { leases } = keptTables

/**
 * Takes a piece of work for one instance until a time, so that no other does it meanwhile, not even after a crash.
 * @returns false while somebody else has it
 */
export async function takeLease(
  tx: Writer,
  { name, holder, until }: { name: string; holder: string; until: string },
): Promise<boolean> {
  const [lease] = await tx.lockAll(leases, { name })
  if (lease && lease.expires_at > tx.now) return false
  if (lease) await tx.forget(leases, name)
  await tx.keep(leases, { name, holder, expires_at: until })
  return true
}

/** Does nothing when the time was over and somebody else has it now. */
export async function endLease(
  tx: Writer,
  { name, holder }: { name: string; holder: string },
): Promise<void> {
  const [lease] = await tx.lockAll(leases, { name })
  if (lease?.holder === holder) await tx.forget(leases, name)
}
