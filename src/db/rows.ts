import type { Ids } from '../ids.js'
import { type AnyTable, encode, type Scalar } from './columns.js'

export type Row = Record<string, unknown>

/** @throws if a name is not a column: a fault of the program, which must not pass unseen */
function refuseUnknown(table: AnyTable, values: Row): void {
  for (const name in values)
    if (!Object.hasOwn(table.columns, name)) throw new Error(`${table.name} has no column ${name}`)
}

/** The members of a patch; undefined members are left out. @throws as `refuseUnknown` */
export function given(table: AnyTable, patch: Row): Row {
  refuseUnknown(table, patch)
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
}

/** A row with every column: the given values, its id, automatic values, and defaults. */
export function completeRow(
  table: AnyTable,
  values: Row,
  { now, changedAt }: { readonly now: string; readonly changedAt: string },
  ids: Ids,
): Row {
  const automatic = {
    'numeric-id': () => ids.numeric(),
    revision: () => 1,
    created: () => now,
    modified: () => changedAt,
  }
  refuseUnknown(table, values)
  const row: Row = {}
  for (const [name, { flags }] of Object.entries(table.columns)) {
    const value = values[name]
    if (value !== undefined) row[name] = value
    else if (name === table.key) row[name] = ids.ulid()
    else if (flags.automatic) row[name] = automatic[flags.automatic]()
    else if (flags.fallback !== undefined) row[name] = flags.fallback
    else if (flags.nullable) row[name] = null
    else throw new Error(`${table.name}.${name} has no value`)
  }
  return row
}

/** The columns that change by themselves when a row changes. */
export function automaticChanges(table: AnyTable, before: Row, changedAt: string): Row {
  const changes: Row = {}
  for (const [name, { flags }] of Object.entries(table.columns)) {
    if (flags.automatic === 'modified') changes[name] = changedAt
    if (flags.automatic === 'revision') changes[name] = Number(before[name]) + 1
  }
  return changes
}

export const encodeIn = (table: AnyTable, name: string, value: unknown): Scalar => {
  const column = table.columns[name]
  if (!column) throw new Error(`${table.name} has no column ${name}`)
  return encode(column, value)
}
