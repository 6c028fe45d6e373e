import { duplicate, type HttpError, missingReference, stillReferenced } from '../errors.js'
import type { ConstraintError } from './changes.js'
import type { AnyTable, WhereOf } from './columns.js'
import type { Reader } from './reader.js'
import type { Row } from './rows.js'
import { everyTable } from './tables.js'

const named = (table: string): AnyTable | undefined => everyTable.find(({ name }) => name === table)

/** @param together keys of the rows of the same statement, which may refer to each other */
async function missingParent(
  read: Reader,
  table: AnyTable,
  row: Row,
  together: ReadonlySet<unknown>,
): Promise<HttpError | undefined> {
  for (const [name, { flags }] of Object.entries(table.columns)) {
    const parent = flags.references ? named(flags.references) : undefined
    const value = row[name]
    if (!parent || typeof value !== 'string') continue
    if (parent === table && together.has(value)) continue
    if (!(await read.get(parent, value))) return missingReference(name, parent.name)
  }
  return undefined
}

async function duplicateOf(read: Reader, table: AnyTable, row: Row): Promise<HttpError | undefined> {
  for (const names of table.unique) {
    if (names.some(name => row[name] === null || row[name] === undefined)) continue
    const same = await read.find(
      table,
      Object.fromEntries(names.map(name => [name, row[name]])) as WhereOf<AnyTable>,
    )
    if (same && (same as Row)[table.key] !== row[table.key])
      return duplicate(`${names.join(', ')} already exists`, names.at(-1))
  }
  return undefined
}

/** Records first: rows of internal tables are deleted with the rows they refer to, so they rarely refuse anything. */
const byMeaning = everyTable.toSorted((a, b) => Number('audited' in b) - Number('audited' in a))

async function referrer(read: Reader, table: AnyTable, row: Row): Promise<HttpError | undefined> {
  for (const other of byMeaning)
    for (const [name, { flags }] of Object.entries(other.columns)) {
      if (flags.references !== table.name) continue
      if (await read.exists(other, { [name]: row[table.key] } as WhereOf<AnyTable>))
        return stillReferenced(`still referenced by ${other.name}.${name}`)
    }
  return undefined
}

/**
 * Says what was wrong with a statement that a constraint refused, in the same words on every engine: the drivers
 * tell different amounts in different orders, so we look for ourselves, after the rollback.
 * @returns undefined when nothing is wrong any more; then the transaction may be run again
 */
export async function explain(
  read: Reader,
  { table, rows, operation }: ConstraintError,
): Promise<HttpError | undefined> {
  const together = new Set(rows.map(row => row[table.key]))
  for (const row of rows) {
    if (operation === 'DELETE') {
      const refusal = await referrer(read, table, row)
      if (refusal) return refusal
      continue
    }
    const missing = await missingParent(read, table, row, together)
    if (missing) return missing
  }
  if (operation !== 'DELETE')
    for (const row of rows) {
      const refusal = await duplicateOf(read, table, row)
      if (refusal) return refusal
    }
  return undefined
}
