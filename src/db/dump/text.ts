import type { AnyColumn, Kind, Scalar } from '../columns.js'
import type { DumpedTable } from './tables.js'

/**
 * The text of a dump: one that PostgreSQL, MySQL, MariaDB and SQLite read alike, by their own clients. Comments that
 * begin with an exclamation mark are read by MySQL and MariaDB alone (docs/decisions/600-backups.md).
 */

const [maxRows, maxCharacters] = [500, 256 * 1024]

const types: Record<Exclude<Kind, 'bytes'>, string> = {
  id: 'varchar(26)',
  text: 'text',
  // The length makes it a longtext.
  longtext: 'text/*!40101 (1000000000) */',
  json: 'text/*!40101 (1000000000) */',
  integer: 'integer',
  bigint: 'bigint',
  double: 'double precision',
  boolean: 'smallint',
  time: 'varchar(24)',
}

const quoted = (name: string) => `"${name}"`

function createTable({ table, columns }: DumpedTable): string {
  const lines = columns.map(name => {
    const { kind, flags } = table.columns[name] as AnyColumn
    return `  ${quoted(name)} ${types[kind as keyof typeof types]}${flags.nullable ? '' : ' not null'}`
  })
  const suffix = '/*!40101 default character set utf8mb4 collate utf8mb4_bin */'
  return `create table if not exists ${quoted(table.name)} (\n${lines.join(',\n')}\n) ${suffix};\n`
}

/** Everything in front of the rows. It depends on the schema alone. */
export const head = (tables: readonly DumpedTable[]): string =>
  [
    '-- Rows of a Slugline site, for an empty database: psql, mariadb and sqlite3 read this file alike.\n',
    '/*!40101 SET NAMES utf8mb4 */;\n',
    "/*!40101 SET SESSION sql_mode='ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,STRICT_ALL_TABLES' */;\n",
    ...tables.map(createTable),
    'begin;\n',
  ].join('')

export const tail = 'commit;\n'

/** How the rows of one statement begin. */
export const insertHead = ({ table, columns }: DumpedTable): string =>
  `insert into ${quoted(table.name)} (${columns.map(quoted).join(', ')}) values\n`

const quote = (text: string) => `'${text.includes("'") ? text.replaceAll("'", "''") : text}'`

const lineBreak = "'\r'||'\n'"

/**
 * A value as SQL. The clients of MariaDB and SQLite make one character of a carriage return and a line feed, so these
 * two never stand beside each other in the text.
 */
function literal(kind: Kind, value: Scalar): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw new TypeError(`a dump holds no ${kind}`)
  if (!value.includes('\r\n')) return quote(value)
  let mark = '<crlf>'
  for (let n = 1; value.includes(mark); n++) mark = `<crlf${n}>`
  return `replace(${quote(value.replaceAll('\r\n', mark))},'${mark}',${lineBreak})`
}

/** Where statements end is decided by the rows alone, so that it is the same on every engine. */
export class StatementText {
  private rows = 0
  private characters = 0

  constructor(private readonly of: DumpedTable) {}

  row(values: readonly Scalar[]): string {
    const { table, columns } = this.of
    const literals = values.map((value, i) =>
      literal((table.columns[columns[i] as string] as AnyColumn).kind, value),
    )
    const text = `(${literals.join(',')})`
    const isFull = this.rows >= maxRows || this.characters >= maxCharacters
    const before = this.rows === 0 ? insertHead(this.of) : isFull ? `;\n${insertHead(this.of)}` : ',\n'
    if (isFull) [this.rows, this.characters] = [0, 0]
    this.rows++
    this.characters += text.length
    return before + text
  }

  end(): string {
    return this.rows === 0 ? '' : ';\n'
  }
}
