import { systemActor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { HttpError } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock, Log, Random } from '../../ports.js'
import { randomSecret } from '../secrets.js'

const { leases } = internalTables

/**
 * Takes a piece of work for one instance until a time, so that no other does it meanwhile, not even after a crash.
 * @returns false while another holder has it
 */
export async function takeLease(
  tx: Writer,
  { name, holder, until }: { name: string; holder: string; until: string },
): Promise<boolean> {
  const [lease] = await tx.lockAll(leases, { name })
  // One that ends much later than it could have been taken for was taken before the clock went back.
  const window = Date.parse(until) - Date.parse(tx.now)
  const ends = lease ? Date.parse(lease.expires_at) - Date.parse(tx.now) : 0
  if (ends > 0 && ends <= 2 * window) return false
  if (lease) await tx.deleteInternal(leases, name)
  await tx.insertInternal(leases, { name, holder, expires_at: until })
  return true
}

/** @returns false when the time was over and another holder has it now */
async function renewLease(
  tx: Writer,
  { name, holder, until }: { name: string; holder: string; until: string },
): Promise<boolean> {
  const [lease] = await tx.lockAll(leases, { name })
  if (lease?.holder !== holder) return false
  await tx.updateInternal(leases, [name], { expires_at: until })
  return true
}

/** Does nothing when the time was over and another holder has it now. */
export async function endLease(
  tx: Writer,
  { name, holder }: { name: string; holder: string },
): Promise<void> {
  const [lease] = await tx.lockAll(leases, { name })
  if (lease?.holder === holder) await tx.deleteInternal(leases, name)
}

/** A process that has not said for this long that its work goes on has died: another may begin. */
export const leaseMs = 15_000
/** Two may be missed. */
const renewIntervalMs = 5000

interface Kept {
  readonly clock: Clock
  readonly log: Log
  readonly lost?: () => void
}

/** Keeps a lease until it is stopped. @returns stops it */
export function keepLease(
  db: Database,
  { name, holder }: { name: string; holder: string },
  { clock, log, lost = () => undefined }: Kept,
): () => void {
  const renewing = setInterval(() => {
    const until = timestamp(clock.now() + leaseMs)
    db.write(systemActor, tx => renewLease(tx, { name, holder, until })).then(
      held => held || lost(),
      error => log.warn({ err: error, lease: name }, 'a lease could not be renewed'),
    )
  }, renewIntervalMs)
  return () => clearInterval(renewing)
}

/** Does the work unless another instance is at it. */
export async function withLease(
  db: Database,
  name: string,
  { clock, random, log }: { clock: Clock; random: Random; log: Log },
  work: () => Promise<void>,
): Promise<void> {
  const holder = randomSecret(random)
  const until = timestamp(clock.now() + leaseMs)
  const taken = await db
    .write(systemActor, tx => takeLease(tx, { name, holder, until }))
    .catch(error => {
      // Another instance took it at the same moment.
      if (error instanceof HttpError && error.status === 409) return false
      throw error
    })
  if (!taken) return
  const stopKeeping = keepLease(db, { name, holder }, { clock, log })
  await work().finally(stopKeeping)
  await db.write(systemActor, tx => endLease(tx, { name, holder }))
}
