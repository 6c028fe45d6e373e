import type { Actor } from '../actor.js'
import type { AnyTable, InsertOf } from './columns.js'
import type { keptTables, Operation } from './tables.js'

type Row = Record<string, unknown>

/** Stands for a secret that is there, so that its change can be seen and it cannot. */
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

/** The audit event of one changed row (6.6): what was done, the values before and after, by whom and how. */
export function auditEvent(
  { userId, surface, requestId, ipAddress, userAgent }: Actor,
  now: string,
  table: AnyTable,
  operation: Operation,
  { before, after, key }: { before: Row | undefined; after: Row | undefined; key: string | undefined },
): InsertOf<typeof keptTables.auditEvents> {
  return {
    occurred_at: now,
    operation,
    table_name: table.name,
    record_id: key ?? ((after ?? before)?.[table.key] as string),
    old_values: before ? withSecretsMasked(table, before) : null,
    new_values: after ? withSecretsMasked(table, after) : null,
    user_id: userId,
    surface,
    request_id: requestId,
    ip_address: ipAddress,
    user_agent: userAgent.slice(0, 512),
  }
}
