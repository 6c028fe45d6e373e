import type { Actor } from '../actor.js'
import type { AnyTable, InsertOf } from './columns.js'
import type { Row } from './rows.js'
import type { internalTables, Operation } from './tables.js'

/** Stands for an existing secret, so that the log shows that it changed but not its value. */
const secretShown = '[secret]'

export const pick = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map(name => [name, row[name]]))

function withSecretsMasked(table: AnyTable, row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      table.columns[name]?.flags.secret && value !== null ? secretShown : value,
    ]),
  )
}

/** The audit event of one changed row: the operation, the values before and after, by whom and how. */
export function auditEvent(
  actor: Actor,
  now: string,
  table: AnyTable,
  operation: Operation,
  { before, after, key }: { before: Row | undefined; after: Row | undefined; key: string | undefined },
): InsertOf<typeof internalTables.auditEvents> {
  const record = key ?? ((after ?? before)?.[table.key] as string)
  return {
    ...origin(actor, now),
    operation,
    table_name: table.name,
    record_id: record,
    old_values: before ? withSecretsMasked(table, before) : null,
    new_values: after ? withSecretsMasked(table, after) : null,
  }
}

const origin = ({ userId, surface, requestId, ipAddress, userAgent }: Actor, now: string) => ({
  occurred_at: now,
  user_id: userId,
  surface,
  request_id: requestId,
  ip_address: ipAddress,
  user_agent: userAgent.slice(0, 512),
})

/** The audit event of a change outside of the database. Its values hold no secrets. */
export const noteEvent = (
  actor: Actor,
  now: string,
  { what, record, before, after }: { what: string; record: string; before: Row; after: Row },
): InsertOf<typeof internalTables.auditEvents> => ({
  ...origin(actor, now),
  operation: 'UPDATE',
  table_name: what,
  record_id: record,
  old_values: before,
  new_values: after,
})
