import type { KeyClaim } from '../actor.js'
import { conflict } from '../errors.js'
import { internalTables } from './tables.js'
import type { Transaction } from './transaction.js'

const { idempotencyKeys } = internalTables

/**
 * Notes in the claim of the request that its records are stored, with its response if that is known. It runs in the
 * transaction of these records, so that both are stored or neither.
 * @throws 409 when the request has run so long that another has taken the key over
 */
export async function settleClaim(tx: Transaction, claim: KeyClaim, result: unknown): Promise<void> {
  const { keyHash, holder, answerOf } = claim
  const [row] = await tx.lockAll(idempotencyKeys, { key_hash: keyHash })
  if (row?.holder !== holder) throw conflict('another request with this Idempotency-Key has taken over')
  if (row.state !== 'running') return
  const answer = answerOf?.(result)
  const patch = answer ? { state: 'answered', ...answer } : { state: 'written' }
  await tx.updateInternal(idempotencyKeys, [keyHash], patch)
}
