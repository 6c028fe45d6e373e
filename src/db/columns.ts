/** The type of a column. Each dialect says how it is stored; `decode` and `encode` are the same on all of them. */
export type Kind =
  | 'id'
  | 'text'
  | 'longtext'
  | 'integer'
  | 'bigint'
  | 'double'
  | 'boolean'
  | 'time'
  | 'json'
  | 'bytes'

type Automatic = 'created' | 'modified' | 'revision' | 'numeric-id'

interface Flags {
  readonly nullable: boolean
  /** Never leaves the service, neither in an answer nor in an audit event. */
  readonly secret: boolean
  /** True if a change of this column alone does not count as a change of the record: it leaves no audit event. */
  readonly silent: boolean
  readonly automatic: Automatic | undefined
  readonly references: string | undefined
  readonly fallback: unknown
  readonly values: readonly string[] | undefined
}

class Column<T, Optional extends boolean = false, Secret extends boolean = false> {
  declare readonly value: T
  declare readonly optional: Optional
  declare readonly hidden: Secret

  constructor(
    readonly kind: Kind,
    readonly flags: Flags = {
      nullable: false,
      secret: false,
      silent: false,
      automatic: undefined,
      references: undefined,
      fallback: undefined,
      values: undefined,
    },
  ) {}

  private with<C>(flags: Partial<Flags>): C {
    return new Column(this.kind, { ...this.flags, ...flags }) as C
  }

  /** May be null, and is when an insert does not name it. */
  orNull(): Column<T | null, true, Secret> {
    return this.with({ nullable: true })
  }
  or(fallback: T): Column<T, true, Secret> {
    return this.with({ fallback })
  }
  secret(): Column<T, Optional, true> {
    return this.with({ secret: true })
  }
  silent(): Column<T, Optional, Secret> {
    return this.with({ silent: true })
  }
  automatic(automatic: Automatic): Column<T, true, Secret> {
    return this.with({ automatic })
  }
  oneOf(values: readonly string[]): Column<T, Optional, Secret> {
    return this.with({ values })
  }
  of(references: string): Column<T, Optional, Secret> {
    return this.with({ references })
  }
}

export type AnyColumn = Column<unknown, boolean, boolean>
type Columns = Record<string, AnyColumn>

export const id = () => new Column<string>('id')
export const text = () => new Column<string>('text')
export const longtext = () => new Column<string>('longtext')
export const integer = () => new Column<number>('integer')
/** A whole number below 2^53. */
export const bigint = () => new Column<number>('bigint')
/** A number as JavaScript has it. */
export const double = () => new Column<number>('double')
export const boolean = () => new Column<boolean>('boolean')
/** RFC 3339 in UTC with milliseconds, always 24 characters, so that text order is time order. */
export const time = () => new Column<string>('time')
export const json = <T = unknown>() => new Column<T>('json')
export type Bytes = Uint8Array<ArrayBuffer>
export const created = () => time().automatic('created')
export const modified = () => time().automatic('modified')
/** Counts the changes of the row, from 1. */
export const revision = () => integer().automatic('revision')
/** A whole number below 2^53 that names the row where ULIDs cannot be used, unique and never given twice. */
export const numericId = () => bigint().automatic('numeric-id')

export interface Table<C extends Columns = Columns, K extends keyof C & string = keyof C & string> {
  readonly name: string
  readonly key: K
  readonly columns: C
  readonly unique: readonly (readonly string[])[]
  /** True where a change alters what every page may show, such as the name of a field. */
  readonly shapesPages: boolean
  /** The column that names the entry which a row belongs to, where something is made of its rows before a commit. */
  readonly ownedBy: string | undefined
  readonly announced: boolean
  /** True where the limits of a role bind changes (src/services/limited). */
  readonly limited: boolean
}

/** A table of records: each change of a row leaves its audit event. */
export interface Audited {
  readonly audited: true
}

export type AnyTable = Table

/** A stored row, secret columns included. */
export type RowOf<T> = T extends Table<infer C, string> ? { [N in keyof C]: C[N]['value'] } : never
/** A row as it may be shown: without its secret columns. */
export type RecordOf<T> =
  T extends Table<infer C, string>
    ? { [N in keyof C as C[N]['hidden'] extends true ? never : N]: C[N]['value'] }
    : never
type OptionalNames<C extends Columns> = {
  [N in keyof C]: C[N]['optional'] extends true ? N : never
}[keyof C]
/** The columns that an insert must name, and those that it may. */
export type InsertOf<T> =
  T extends Table<infer C, infer K>
    ? { [N in Exclude<keyof C, OptionalNames<C> | K>]: C[N]['value'] } & {
        [N in OptionalNames<C> | K]?: C[N]['value'] | undefined
      }
    : never
export type PatchOf<T> =
  T extends Table<infer C, infer K> ? { [N in Exclude<keyof C, K>]?: C[N]['value'] | undefined } : never
type NameOf<V> = V extends unknown ? keyof V : never
/** Has no members but those of `Known`, where it is written in place and where it comes from a variable or a spread. */
export type Exact<V, Known> = V & { [N in Exclude<NameOf<V>, NameOf<Known>>]?: never }
/** Conditions that hold together; an array means any of its values. */
export type WhereOf<T> =
  T extends Table<infer C, string> ? { [N in keyof C]?: C[N]['value'] | readonly C[N]['value'][] } : never

interface More<C> {
  unique?: readonly (readonly (keyof C & string)[])[]
  shapesPages?: boolean
  ownedBy?: keyof C & string
  announced?: boolean
  limited?: boolean
}

/** A table without records, such as logs, leases and derived data. Its changes are not audited. */
export function internalTable<const C extends Columns, const K extends keyof C & string>(
  name: string,
  key: K,
  columns: C,
  more: More<C> = {},
): Table<C, K> {
  const { unique = [], shapesPages = false, ownedBy, announced = false, limited = false } = more
  return { name, key, columns, unique, shapesPages, ownedBy, announced, limited }
}

export function table<const C extends Columns, const K extends keyof C & string>(
  name: string,
  key: K,
  columns: C,
  more: More<C> = {},
): Table<C, K> & Audited {
  return { ...internalTable(name, key, columns, more), audited: true }
}

export type Scalar = string | number | Bytes | null

export function encode(column: AnyColumn, value: unknown): Scalar {
  if (value === null || value === undefined) return null
  if (column.kind === 'boolean') return value ? 1 : 0
  if (column.kind === 'json') return JSON.stringify(value)
  if (column.kind === 'bytes' && value instanceof Uint8Array) return value as Bytes
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new TypeError(`a ${column.kind} column cannot hold a ${typeof value}`)
  return value
}

const conversions: Partial<Record<Kind, (value: unknown) => unknown>> = {
  boolean: Boolean,
  bigint: Number,
  json: value => JSON.parse(value as string),
}

const conversionOf = ({ kind }: AnyColumn) => conversions[kind]

/** Turns rows of a driver into rows of a table, in place: most values are already what they should be. */
export function decoder<T extends AnyTable>(of: T): (row: Record<string, unknown>) => RowOf<T> {
  const converted = Object.entries(of.columns).flatMap(([name, column]) => {
    const convert = conversionOf(column)
    return convert ? [{ name, convert }] : []
  })
  return row => {
    for (const { name, convert } of converted) if (row[name] !== null) row[name] = convert(row[name])
    return row as RowOf<T>
  }
}

/** Makes a `decoder` for rows that are lists, in which the table's columns stand in their order from `start` on. */
export function listDecoder<T extends AnyTable>(of: T, start: number): (row: readonly unknown[]) => RowOf<T> {
  const names = Object.keys(of.columns)
  const conversions = Object.values(of.columns).map(conversionOf)
  return row => {
    const decoded: Record<string, unknown> = {}
    for (let i = 0; i < names.length; i++) {
      const value = row[start + i]
      const convert = value === null ? undefined : conversions[i]
      decoded[names[i] as string] = convert ? convert(value) : value
    }
    return decoded as RowOf<T>
  }
}

/** Columns under names of their own, for rows of several tables that are read as lists. */
export const aliased = (columns: readonly string[], alias: string) =>
  columns.map(name => `${alias}.${name} as ${alias}_${name}`)
/** All columns of a table in the same way. */
export const aliasedColumns = (table: AnyTable, alias: string) => aliased(Object.keys(table.columns), alias)

/** The row without its secret columns. */
export function withoutSecrets<T extends AnyTable>(of: T, row: RowOf<T>): RecordOf<T> {
  const shown: Record<string, unknown> = {}
  for (const [name, column] of Object.entries(of.columns))
    if (!column.flags.secret) shown[name] = (row as Record<string, unknown>)[name]
  return shown as RecordOf<T>
}
