import { z } from 'zod'
import type { Database } from '../../db/database.js'
import { auditEventKeys } from '../../db/queries/audit.js'
import type { SizedKey } from '../../db/statements.js'
import { internalTables } from '../../db/tables.js'
import { notFound } from '../../errors.js'
import { leastUlid } from '../../ids.js'
import { cursor, reference, time } from '../body-parts.js'

export const AuditQuery = z.object({
  table_name: z.string().max(64).optional(),
  record_id: reference.optional(),
  user_id: reference.optional(),
  operation: z.enum(['INSERT', 'UPDATE', 'DELETE']).optional(),
  since: time.optional().meta({ description: 'Only events at this time or later.' }),
  until: time.optional().meta({ description: 'Only events before this time.' }),
  before: cursor.optional().meta({ description: 'Only events older than the one with this id.' }),
})

type AuditFilter = z.output<typeof AuditQuery>

/** An event's id is made after its time was taken, by the same clock; that may have been set back in between. */
const clockSlackMs = 60_000

async function keysOf(db: Database, filter: AuditFilter, limit: number): Promise<SizedKey[]> {
  const from = filter.since && leastUlid(Date.parse(filter.since) - clockSlackMs)
  const given = Object.fromEntries(
    Object.entries({ ...filter, from }).filter(([, value]) => value !== undefined),
  )
  return db.query(auditEventKeys(Object.keys(given) as (keyof typeof filter)[], limit), given as never)
}

/** The newest of several tables. Each has an index that begins with it: no statement reads more than it gives. */
async function newestOf(db: Database, filter: AuditFilter, limit: number, tables: readonly string[]) {
  const found = await Promise.all(tables.map(table_name => keysOf(db, { ...filter, table_name }, limit)))
  return found
    .flat()
    .sort((a, b) => (a.key < b.key ? 1 : -1))
    .slice(0, limit)
}

export type AuditService = ReturnType<typeof audit>

/** Reads the audit log: what was changed, by whom, when and how. Events are only ever read here. */
export const audit = (db: Database) => ({
  /**
   * Lists the newest events first, at most `limit`, in bounded batches.
   * @param tables only events of one of these
   */
  async *list(filter: AuditFilter, limit: number, tables?: readonly string[]) {
    const keys = tables ? await newestOf(db, filter, limit, tables) : await keysOf(db, filter, limit)
    yield* db.sized(internalTables.auditEvents, keys)
  },
  async get(id: string) {
    const event = await db.get(internalTables.auditEvents, id)
    if (!event) throw notFound()
    return event
  },
})
