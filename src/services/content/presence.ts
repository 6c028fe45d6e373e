import { type Actor, signedIn, systemActor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { internalTables } from '../../db/tables.js'
import { HttpError } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock } from '../../ports.js'

const { leases } = internalTables
/** Whoever has said nothing for so long is not there any more; they say something twice in that time. */
const presenceMs = 45_000
const front = 'present '

/** Who has which entry open: rows that live for seconds, in the table of leases (D-702). */
export function presence(db: Database, clock: Clock) {
  const now = () => timestamp(clock.now())
  const nameOf = (entryId: string, userId: string) => `${front}${entryId} ${userId}`

  async function stay(entryId: string, userId: string): Promise<void> {
    const name = nameOf(entryId, userId)
    const expires_at = timestamp(clock.now() + presenceMs)
    await db.write(systemActor, async tx => {
      const [known] = await tx.lockAll(leases, { name })
      if (known) await tx.updateInternal(leases, [name], { expires_at })
      else await tx.insertInternal(leases, { name, holder: entryId, expires_at })
    })
  }

  return {
    /** Notes that the caller has an entry open, for some seconds. @returns the users who have it open too */
    async note(actor: Actor, entryId: string) {
      const { userId } = signedIn(actor)
      await stay(entryId, userId).catch(error => {
        // Another tab of theirs did the same at the same moment.
        if (!(error instanceof HttpError && error.status === 409)) throw error
      })
      const there = await db.findAll(leases, { holder: entryId })
      const own = nameOf(entryId, userId)
      return there
        .filter(({ name, expires_at }) => name !== own && name.startsWith(front) && expires_at > now())
        .map(({ name }) => name.split(' ')[2] ?? '')
    },
    async leave(actor: Actor, entryId: string) {
      const { userId } = signedIn(actor)
      await db.write(systemActor, tx => tx.deleteInternal(leases, nameOf(entryId, userId)))
    },
    async removeOld() {
      const rows = await db.findAll(leases)
      const over = rows.filter(({ name, expires_at }) => name.startsWith(front) && expires_at <= now())
      if (over.length === 0) return
      await db.write(systemActor, async tx => {
        for (const { name } of over) await tx.deleteInternal(leases, name)
      })
    },
  }
}
