import { systemActor } from '../actor.js'
import { expiredSessions, expiredTokens } from '../db/account-queries.js'
import type { Database } from '../db/database.js'
import { tables } from '../db/tables.js'
import { Refusal } from '../errors.js'
import { timestamp } from '../ids.js'
import { endLease, takeLease } from './leases.js'
import type { Clock, Random } from './ports.js'
import { randomSecret } from './secrets.js'
import { resetTokenType } from './user-credentials.js'

const name = 'expiry'
/** One instance may be at it so long before another takes over, in milliseconds. */
const leaseTime = 600_000

/** Removes sessions and reset tokens whose time is over; API keys stay, so that their owners see them. */
export function expiry(
  db: Database,
  { clock, random }: { clock: Clock; random: Random },
): () => Promise<void> {
  const take = (holder: string) =>
    db
      .write(systemActor, tx => takeLease(tx, { name, holder, until: timestamp(clock.now() + leaseTime) }))
      .catch(error => {
        // Another instance took it at the same moment.
        if (error instanceof Refusal && error.status === 409) return false
        throw error
      })

  return async () => {
    const holder = randomSecret(random)
    if (!(await take(holder))) return
    const now = timestamp(clock.now())
    for (;;) {
      const [sessions, tokens] = [
        await db.query(expiredSessions, { now }),
        await db.query(expiredTokens, { now, type: resetTokenType }),
      ]
      if (sessions.length + tokens.length === 0) break
      await db.write(systemActor, async tx => {
        await tx.removeAll(tables.sessions, await tx.lockIn(tables.sessions, 'session_id', sessions))
        await tx.removeAll(tables.tokens, await tx.lockIn(tables.tokens, 'token_id', tokens))
      })
    }
    await db.write(systemActor, tx => endLease(tx, { name, holder }))
  }
}
