import type { Kind } from './columns.js'
import type { FullText } from './full-text.js'

/** How a dialect spells the portable definitions of `migrations/`. */
export interface SchemaDialect {
  type(kind: Kind, length: number): string
  readonly tableSuffix: string
  /** `tableSuffix` for a table whose rows lie in the index of its key; undefined where that makes no difference. */
  readonly keyedSuffix?: string
  /** True where an index is part of CREATE TABLE, so that the one statement is the whole step. */
  readonly inlineIndexes: boolean
  /** Statements that may be run again; all names are quoted. */
  createIndex(name: string, table: string, columns: string): string
  dropIndex(name: string, table: string): string
  indexedPrefix(column: string, characters: number): string
  /** Whether an index can be of an expression. */
  readonly expressionIndexes: boolean
  quote(name: string): string
  readonly fullText: FullText
}

/** Where the rows of a step are read and written. */
export interface StepSession {
  all(sql: string, bindings: readonly (string | number | null)[]): Promise<Record<string, unknown>[]>
  run(sql: string, bindings: readonly (string | number | null)[]): Promise<void>
}

export interface Step {
  readonly name: string
  /** Statements that may be run again when the process died between them. */
  statements(dialect: SchemaDialect): string[]
  /** Moves rows that SQL alone cannot, in the transaction of the step. It may be run again too. */
  rows?(session: StepSession): Promise<void>
}

export interface Migration {
  readonly name: string
  /**
   * True if it only takes away what older versions need, and this version works with and without it: it waits until no
   * older instance runs (docs/decisions/523-migrations-and-poolers.md).
   */
  readonly waits?: true
  readonly steps: readonly Step[]
}

const definition =
  /^(id|text|longtext|integer|bigint|double|boolean|time|json|bytes)(?:\((\d+)\))?(\?)?( key| unique)?(?: -> (\w+)\.(\w+)( cascade)?)?$/

interface Parsed {
  kind: Kind
  length: number
  nullable: boolean
  role: 'key' | 'unique' | undefined
  references: { table: string; column: string; cascade: boolean } | undefined
}

function parse(column: string, text: string): Parsed {
  const match = definition.exec(text)
  if (!match) throw new Error(`column ${column} has no valid definition: ${text}`)
  const [, kind, length, nullable, role, table, target, cascade] = match
  return {
    kind: kind as Kind,
    length: Number(length ?? 255),
    nullable: nullable !== undefined,
    role: role?.trim() as Parsed['role'],
    references: table && target ? { table, column: target, cascade: cascade !== undefined } : undefined,
  }
}

const nameOf = (table: string, columns: readonly string[], kind: 'unique' | 'index' | 'fk') =>
  `${table}_${columns[0]}_${columns.length > 1 ? `${columns.length}_` : ''}${kind}`

interface Indexes {
  unique?: readonly (readonly string[])[]
  index?: readonly (readonly string[])[]
}

interface NamedColumn extends Parsed {
  name: string
}

const uniqueOf = (columns: readonly NamedColumn[], unique: Indexes['unique'] = []) => [
  ...columns.filter(({ role }) => role === 'unique').map(({ name }) => [name]),
  ...unique,
]

/** The indexes of a table: the given ones, and one for each foreign key that no other index begins with. */
function indexesOf(columns: readonly NamedColumn[], { unique, index = [] }: Indexes) {
  const key = columns.filter(({ role }) => role === 'key').map(({ name }) => name)
  const indexes = [...index]
  for (const { name, references } of columns) {
    const served = [key, ...uniqueOf(columns, unique), ...indexes].some(([first]) => first === name)
    if (references && !served) indexes.push([name])
  }
  return indexes
}

function tableLines(
  { quote, type }: SchemaDialect,
  table: string,
  columns: readonly NamedColumn[],
  unique: Indexes['unique'],
): string[] {
  const list = (names: readonly string[]) => names.map(quote).join(', ')
  const constraint = (names: readonly string[], kind: 'unique' | 'fk') =>
    `constraint ${quote(nameOf(table, names, kind))}`
  const foreignKey = ({ name, references }: NamedColumn) => {
    if (!references) return []
    const target = `${quote(references.table)} (${quote(references.column)})`
    const cascade = references.cascade ? ' on delete cascade' : ''
    return [`${constraint([name], 'fk')} foreign key (${quote(name)}) references ${target}${cascade}`]
  }
  return [
    ...columns.map(
      ({ name, kind, length, nullable }) =>
        `${quote(name)} ${type(kind, length)}${nullable ? '' : ' not null'}`,
    ),
    `primary key (${list(columns.filter(({ role }) => role === 'key').map(({ name }) => name))})`,
    ...uniqueOf(columns, unique).map(names => `${constraint(names, 'unique')} unique (${list(names)})`),
    ...columns.flatMap(foreignKey),
  ]
}

/**
 * One table, made by statements that can be repeated. A column is `kind(length)`, `?` if it may be null, then
 * `key` or `unique`, then `-> table.column` for a foreign key. Foreign keys get an index of their own.
 * @param more.byKey for few and short columns: rows lie in the index of the key, which saves a search
 */
export function createTable(
  table: string,
  definitions: Readonly<Record<string, string>>,
  more: Indexes & { byKey?: boolean } = {},
): Step {
  return {
    name: table,
    statements(dialect) {
      const { quote, inlineIndexes, tableSuffix, keyedSuffix } = dialect
      const columns = Object.entries(definitions).map(([name, text]) => ({ name, ...parse(name, text) }))
      const indexes = indexesOf(columns, more).map(names => ({
        name: quote(nameOf(table, names, 'index')),
        columns: names.map(quote).join(', '),
      }))
      const lines = [
        ...tableLines(dialect, table, columns, more.unique),
        ...(inlineIndexes ? indexes.map(({ name, columns }) => `index ${name} (${columns})`) : []),
      ]
      const suffix = more.byKey ? (keyedSuffix ?? tableSuffix) : tableSuffix
      const create = `create table if not exists ${quote(table)} (\n  ${lines.join(',\n  ')}\n)${suffix}`
      if (inlineIndexes) return [create]
      return [create, ...indexes.map(({ name, columns }) => dialect.createIndex(name, quote(table), columns))]
    },
  }
}

/**
 * Adds a column to an existing table, behind all others.
 * @param before SQL for its value in existing rows; needed unless it may be null
 */
export const addColumn = (table: string, column: string, definition: string, before?: string): Step => ({
  name: `add ${table}.${column}`,
  statements({ quote, type }) {
    const { kind, length, nullable } = parse(column, definition)
    const rest = `${nullable ? '' : ' not null'}${before === undefined ? '' : ` default ${before}`}`
    return [`alter table ${quote(table)} add column ${quote(column)} ${type(kind, length)}${rest}`]
  },
})

/** A column less, which no index, key or constraint has in it. */
export const dropColumn = (table: string, column: string): Step => ({
  name: `drop ${table}.${column}`,
  statements: ({ quote }) => [`alter table ${quote(table)} drop column ${quote(column)}`],
})

export const dropTable = (table: string): Step => ({
  name: `${table}-dropped`,
  statements: ({ quote }) => [`drop table if exists ${quote(table)}`],
})

/** Moves the rows of a table with few, short columns into the index of its key: one search each instead of two. */
export const storeByKey = (table: string, columns: Readonly<Record<string, string>>): Step => ({
  name: `${table}-by-key`,
  statements(dialect) {
    if (dialect.keyedSuffix === undefined) return []
    const [now, before] = [dialect.quote(table), dialect.quote(`${table}_before`)]
    const names = Object.keys(columns).map(dialect.quote).join(', ')
    return [
      `alter table ${now} rename to ${before}`,
      ...createTable(table, columns, { byKey: true }).statements(dialect),
      `insert into ${now} (${names}) select ${names} from ${before}`,
      `drop table ${before}`,
    ]
  },
})

/** Adds an index to an existing table. */
export const createIndex = (table: string, columns: readonly string[]): Step => ({
  name: `create ${nameOf(table, columns, 'index')}`,
  statements: ({ quote, createIndex }) => [
    createIndex(quote(nameOf(table, columns, 'index')), quote(table), columns.map(quote).join(', ')),
  ],
})

/** An index less. */
export const dropIndex = (table: string, columns: readonly string[]): Step => ({
  name: `drop ${nameOf(table, columns, 'index')}`,
  statements: ({ quote, dropIndex }) => [dropIndex(quote(nameOf(table, columns, 'index')), quote(table))],
})

/** Adds an index of the words in a column of an existing table. @param key a column of whole numbers */
export const fullTextIndex = (table: string, key: string, column: string): Step => ({
  name: `${table}-${column}-fulltext`,
  statements: ({ fullText }) => fullText.index(table, key, column),
})
