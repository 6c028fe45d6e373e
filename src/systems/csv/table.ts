import { CsvError, parse } from 'csv-parse/sync'
import { badRequest } from '../../errors.js'

/** The lines of a table, by the names in its first line. */
export interface Table {
  readonly header: readonly string[]
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[]
  /** Lines that cannot be read, with the reason. */
  readonly unread: readonly { readonly line: number; readonly reason: string }[]
}

const separators = [',', ';', '\t', '|']
const maxColumns = 1000
const maxRows = 200_000
const maxRecordCharacters = 10_000_000

/** The separator that divides the first line, outside of quotes, into the most parts. */
function separatorOf(text: string): string {
  const end = text.search(/[\r\n]/)
  const first = (end < 0 ? text : text.slice(0, end)).slice(0, 100_000).replaceAll(/"(?:[^"]|"")*"/g, '')
  const counts = separators.map(separator => first.split(separator).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Refuses other encodings: a byte that is not UTF-8 has become U+FFFD. */
function refuseBytes(text: string, name: string): void {
  const at = text.search(/[\ufffd\0]/)
  if (at < 0) return
  const line = text.slice(0, at).split('\n').length
  throw badRequest(
    `${name}: line ${line} is not UTF-8: save the table as UTF-8 (in Excel "CSV UTF-8"), not as Windows-1252 or UTF-16`,
  )
}

/** @throws HttpError 400 that names the file, and the line where there is one */
export function tableOf(given: string, name: string): Table {
  const text = given.replace(/^\ufeff/, '')
  refuseBytes(text, name)
  const records = recordsIn(text, name)
  const [first, ...others] = records
  if (!first) throw badRequest(`${name}: is empty: the first line must have the names of the columns`)
  const header = first.record.map(cell => cell.trim())
  if (header.length > maxColumns) throw badRequest(`${name}: has more than ${maxColumns} columns`)
  const seen = new Set<string>()
  for (const [i, column] of header.entries()) {
    if (column === '') throw badRequest(`${name}: the column ${i + 1} has no name in the first line`)
    if (seen.has(column.toLowerCase()))
      throw badRequest(`${name}: two columns have the name ${column.slice(0, 100)}`)
    seen.add(column.toLowerCase())
  }
  const lines = others.map(({ record, info }) => ({ line: info.lines, cells: record }))
  const isWhole = ({ cells }: { cells: readonly string[] }) => cells.length === header.length
  return {
    header,
    rows: lines.filter(isWhole),
    unread: lines
      .filter(line => !isWhole(line))
      .map(({ line, cells }) => ({
        line,
        reason: `has ${cells.length} values for ${header.length} columns`,
      })),
  }
}

interface ParsedRecord {
  readonly record: string[]
  readonly info: { readonly lines: number }
}

function recordsIn(text: string, name: string): readonly ParsedRecord[] {
  try {
    const records = parse(text, {
      ...{ delimiter: separatorOf(text), relax_column_count: true, skip_empty_lines: true, info: true },
      ...{ max_record_size: maxRecordCharacters, to: maxRows + 2 },
      // With `info` each record has its place; the types of the library do not say so.
    }) as unknown as readonly ParsedRecord[]
    if (records.length > maxRows + 1) throw badRequest(`${name}: has more than ${maxRows} lines: divide it`)
    return records
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { lines } = error as { lines?: unknown }
    const place = typeof lines === 'number' ? `: line ${lines}` : ''
    throw badRequest(`${name}${place}: ${error.message.slice(0, 300)}`)
  }
}
