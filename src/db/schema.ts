import type { Kind } from './columns.js'

/** How a dialect spells the portable definitions of `migrations/`. */
export interface SchemaDialect {
  type(kind: Kind, length: number): string
  /** Written behind the columns of CREATE TABLE. */
  readonly tableSuffix: string
  /** The same for a table whose rows lie in the index of its key; undefined where that makes no difference. */
  readonly keyedSuffix?: string
  /** True where an index is part of CREATE TABLE, so that the one statement is the whole step. */
  readonly inlineIndexes: boolean
  /** Statements that may be run again; all names are quoted. */
  createIndex(name: string, table: string, columns: string): string
  dropIndex(name: string, table: string): string
  quote(name: string): string
}

export interface Step {
  readonly name: string
  /** Statements that may be run again when the process died between them. */
  statements(dialect: SchemaDialect): string[]
}

export interface Migration {
  readonly name: string
  readonly steps: readonly Step[]
}

const definition =
  /^(id|text|longtext|integer|bigint|boolean|time|json|bytes)(?:\((\d+)\))?(\?)?( key| unique)?(?: -> (\w+)\.(\w+)( cascade)?)?$/

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

/** The constraint's or index's name, the same on all engines and short enough for each. */
const nameOf = (table: string, columns: readonly string[], kind: 'unique' | 'index' | 'fk') =>
  `${table}_${columns[0]}_${columns.length > 1 ? `${columns.length}_` : ''}${kind}`

/**
 * One table, made by statements that can be repeated. A column is `kind(length)`, `?` if it may be null, then
 * `key` or `unique`, then `-> table.column` for a foreign key. Foreign keys get an index of their own.
 */
export function createTable(
  table: string,
  columns: Readonly<Record<string, string>>,
  more: { unique?: readonly (readonly string[])[]; index?: readonly (readonly string[])[] } = {},
): Step {
  return {
    name: table,
    statements(dialect) {
      const parsed = Object.entries(columns).map(([name, text]) => ({ name, ...parse(name, text) }))
      const list = (names: readonly string[]) => names.map(dialect.quote).join(', ')
      const lines = parsed.map(
        column =>
          `${dialect.quote(column.name)} ${dialect.type(column.kind, column.length)}${column.nullable ? '' : ' not null'}`,
      )
      const key = parsed.filter(column => column.role === 'key').map(column => column.name)
      lines.push(`primary key (${list(key)})`)
      const unique = [
        ...parsed.filter(column => column.role === 'unique').map(column => [column.name]),
        ...(more.unique ?? []),
      ]
      for (const names of unique)
        lines.push(`constraint ${dialect.quote(nameOf(table, names, 'unique'))} unique (${list(names)})`)
      const indexes = [...(more.index ?? [])]
      for (const { name, references } of parsed) {
        if (!references) continue
        const target = `${dialect.quote(references.table)} (${dialect.quote(references.column)})`
        lines.push(
          `constraint ${dialect.quote(nameOf(table, [name], 'fk'))} foreign key (${dialect.quote(name)}) references ${target}${references.cascade ? ' on delete cascade' : ''}`,
        )
        if (![key, ...unique, ...indexes].some(([first]) => first === name)) indexes.push([name])
      }
      const index = (names: readonly string[]) => dialect.quote(nameOf(table, names, 'index'))
      if (dialect.inlineIndexes)
        for (const names of indexes) lines.push(`index ${index(names)} (${list(names)})`)
      const create = `create table if not exists ${dialect.quote(table)} (\n  ${lines.join(',\n  ')}\n)${dialect.tableSuffix}`
      if (dialect.inlineIndexes) return [create]
      return [
        create,
        ...indexes.map(names => dialect.createIndex(index(names), dialect.quote(table), list(names))),
      ]
    },
  }
}

export const dropTable = (table: string): Step => ({
  name: `${table}-dropped`,
  statements: ({ quote }) => [`drop table if exists ${quote(table)}`],
})

/** Moves the rows of a table of few and short columns into the index of its key: one search each where there were two. */
export const storeByKey = (table: string, columns: Readonly<Record<string, string>>): Step => ({
  name: `${table}-by-key`,
  statements(dialect) {
    if (dialect.keyedSuffix === undefined) return []
    const [now, before] = [dialect.quote(table), dialect.quote(`${table}_before`)]
    const names = Object.keys(columns).map(dialect.quote).join(', ')
    return [
      `alter table ${now} rename to ${before}`,
      ...createTable(table, columns).statements({ ...dialect, tableSuffix: dialect.keyedSuffix }),
      `insert into ${now} (${names}) select ${names} from ${before}`,
      `drop table ${before}`,
    ]
  },
})

/** An index more on a table that is there already. */
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
