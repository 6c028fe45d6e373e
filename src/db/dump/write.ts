import type { AnyTable, Kind, Scalar } from '../columns.js'
import type { Reader } from '../reader.js'
import {
  asSizedKeys,
  byShape,
  type ListQuery,
  longColumns,
  type Query,
  type SizedKey,
  sizedKeys,
} from '../statements.js'
import { everyTable } from '../tables.js'
import { type DumpedTable, dumpedTables } from './tables.js'
import { head, StatementText, tail } from './text.js'

const tableNamed = (name: string): AnyTable => {
  const table = everyTable.find(table => table.name === name)
  if (!table) throw new Error(`there is no table ${name}`)
  return table
}

const keysAfter = byShape((name: string, limit: number): Query<'after', SizedKey> => {
  const table = tableNamed(name)
  return {
    values: ['after'],
    build: (knex, value) =>
      knex(name)
        .select(
          longColumns(table).length > 0
            ? sizedKeys(knex, table)
            : [`${table.key} as key`, knex.raw('0 as size')],
        )
        .where(table.key, '>', value('after'))
        .orderBy(table.key)
        .limit(limit),
    rows: asSizedKeys,
  }
})

const rowsByKey = byShape((name: string): ListQuery<unknown[]> => {
  const { key, columns } = tableNamed(name)
  return {
    build: (knex, keys) => knex(name).select(Object.keys(columns)).whereIn(key, keys).orderBy(key),
    lists: rows => rows,
  }
})

const isNumber: ReadonlySet<Kind> = new Set(['integer', 'bigint', 'double', 'boolean'])

/** Drivers differ in how they give whole numbers. */
const scalar = (kind: Kind, value: unknown): Scalar => {
  if (value === null) return null
  if (!isNumber.has(kind)) return value as string
  const number = Number(value)
  if (!Number.isFinite(number)) throw new Error('the database contains an invalid number')
  return number
}

/** Is given each row as it is dumped. */
export type OnRow = (of: DumpedTable, values: readonly Scalar[]) => void

const pieceCharacters = 64 * 1024

async function* tableText(read: Reader, of: DumpedTable, onRow: OnRow): AsyncGenerator<string> {
  const { table, columns, rules } = of
  const kinds = columns.map(name => table.columns[name]?.kind as Kind)
  const statement = new StatementText(of)
  const batches = read.streamed(
    {},
    ({ limit, after = '' }) => read.query(keysAfter(table.name, limit), { after }),
    keys => read.queryIn(rowsByKey(table.name), keys),
  )
  const keyAt = columns.indexOf(table.key)
  let [text, last]: [string, unknown] = ['', undefined]
  for await (const rows of batches) {
    for (const row of rows) {
      // A table whose rows share their key could not be read by it.
      if (row[keyAt] === last) throw new Error(`two rows of ${table.name} have the same key`)
      last = row[keyAt]
      const stored = kinds.map((kind, i) => scalar(kind, row[i]))
      if (of.isSkipped(stored)) continue
      const values = stored.map((value, i) => rules[i]?.(value) ?? null)
      onRow(of, values)
      text += statement.row(values)
      if (text.length < pieceCharacters) continue
      yield text
      text = ''
    }
  }
  yield text + statement.end()
}

/**
 * The dump of a database, in bounded pieces: the same text from every engine that holds the same rows.
 * @param read of one snapshot
 */
export async function* dumpText(read: Reader, onRow: OnRow): AsyncGenerator<string> {
  const tables = dumpedTables()
  yield head(tables)
  for (const of of tables) yield* tableText(read, of, onRow)
  yield tail
}
