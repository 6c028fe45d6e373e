import { type Io, show, type Values } from './command.js'
import { visible } from './visible.js'

type Row = Readonly<Record<string, unknown>>

/** One value in one line. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replaceAll(/[\t\n]/g, found => (found === '\t' ? '\\t' : '\\n'))
}

/** Records as lines of columns; each batch has columns of its own widths, for no list is held as a whole. */
export function lines(rows: readonly Row[], columns: readonly string[]): string {
  const cells = rows.map(row => columns.map(name => cell(row[name])))
  const widths = columns.map((_, i) => Math.max(...cells.map(line => line[i]?.length ?? 0)))
  return cells
    .map(
      line =>
        `${line
          .map((text, i) => text.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/**
 * Writes a list as it comes, and waits for whoever reads it.
 * @param named what a person is shown of records besides
 */
export async function showList(
  io: Io,
  { json }: Values,
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly string[],
  named: (rows: readonly Row[]) => readonly Row[] | Promise<readonly Row[]> = rows => rows,
): Promise<void> {
  let any = false
  for await (const batch of batches) {
    if (batch.length === 0) continue
    if (json === undefined) io.write(lines(await named(batch), columns))
    else io.write(visible(`${any ? ',' : '['}${JSON.stringify(batch).slice(1, -1)}`))
    any = true
    await io.drained()
  }
  if (json !== undefined) io.write(any ? ']\n' : '[]\n')
  else if (!any) io.write('There is none.\n')
}

/** One record, for a person a line for each of its members. */
export function showRecord(io: Io, options: Values, record: Row): void {
  const members = Object.entries(record).map(([name, value]) => `${name}: ${cell(value)}`)
  show(io, options, record, members.join('\n'))
}
