import { expect } from 'vitest'
import { type AnyTable, decoder, withoutSecrets } from '../../src/db/columns.js'
import type { DatabaseAddress } from '../../src/db/connect.js'
import { adminTables, type Operation, tables } from '../../src/db/tables.js'
import { rowsOf } from './rows.js'

type Row = Record<string, unknown>

interface Audit {
  operation: Operation
  table_name: string
  record_id: string
  old_values: string | null
  new_values: string | null
}

interface Replayed {
  row: Row
  updates: number
}

const auditedTables: AnyTable[] = [...Object.values(tables), ...Object.values(adminTables)].filter(
  table => 'audited' in table,
)

/** What an audit event says of a row: neither secrets nor what the writer sets by itself. */
function told(table: AnyTable, row: Row): Row {
  const names = Object.entries(table.columns)
    .filter(([, { flags }]) => !flags.silent && !['modified', 'revision'].includes(flags.automatic ?? ''))
    .map(([name]) => name)
  const shown: Row = withoutSecrets(table, row)
  return Object.fromEntries(names.filter(name => name in shown).map(name => [name, shown[name]]))
}

/**
 * Makes all rows again from their audit events, each event from the values that it names as the old ones, and
 * expects them to be the rows that are stored.
 * @returns the records that exist, by table and id
 */
export async function expectAuditedRows(
  address: DatabaseAddress,
): Promise<Map<string, Map<string, Replayed>>> {
  const replayed = new Map(auditedTables.map(({ name }) => [name, new Map<string, Replayed>()]))
  const audits = await rowsOf<Audit>(address, 'select * from audit_events order by audit_event_id')
  for (const { operation, table_name, record_id, old_values, new_values } of audits) {
    const records = replayed.get(table_name)
    const before = records?.get(record_id)
    const old: Row = JSON.parse(old_values ?? '{}')
    expect([table_name, record_id, before !== undefined]).toEqual([
      table_name,
      record_id,
      operation !== 'INSERT',
    ])
    expect(before?.row ?? {}).toMatchObject(old)
    if (operation === 'DELETE') records?.delete(record_id)
    else
      records?.set(record_id, {
        row: { ...before?.row, ...JSON.parse(new_values ?? '') },
        updates: before ? before.updates + 1 : 0,
      })
  }
  for (const table of auditedTables) {
    const rows = await rowsOf(address, `select * from ${table.name} order by ${table.key}`)
    const records = [...(replayed.get(table.name) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
    expect([table.name, records.map(([, { row }]) => told(table, row))]).toEqual([
      table.name,
      rows.map(row => told(table, decoder(table)(row))),
    ])
  }
  return replayed
}
