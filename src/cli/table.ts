import { z } from 'zod'
import { wholeNumber } from '../services/body-parts.js'
import { Turns } from '../turns.js'
import { type Io, show, type Values } from './command.js'
import { parsed } from './given.js'
import { visible } from './visible.js'

type ShownRecord = Readonly<Record<string, unknown>>

/** Returns a value in one line. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replaceAll(/[\t\n]/g, found => (found === '\t' ? '\\t' : '\\n'))
}

/** Returns records as lines of columns. Each batch has its own column widths, because no list is held as a whole. */
export function lines(rows: readonly ShownRecord[], columns: readonly string[]): string {
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

/** How many records a person sees without `--limit`. */
const shownAtFirst = 100

const isCut = ({ json, limit }: Values): boolean => json === undefined && limit === undefined

/**
 * Returns how many records of a list are read: all for a program that gives no limit, and for `--limit 0`. For a person
 * it is one more than is shown, to see whether there are more.
 */
export function limitIn(options: Values): number | undefined {
  if (isCut(options)) return shownAtFirst + 1
  const { limit } = parsed(z.object({ limit: wholeNumber.optional() }), { limit: options.limit })
  return limit || undefined
}

interface List {
  readonly batches: AsyncIterable<readonly ShownRecord[]>
  /** The total, if it can be counted. */
  readonly total?: () => Promise<number>
  /** The columns for a person. */
  readonly columns: readonly string[]
  /** Adds names to the records for a person. */
  readonly named?: ((rows: readonly ShownRecord[]) => Promise<readonly ShownRecord[]>) | undefined
}

async function* firstOf(batches: AsyncIterable<readonly ShownRecord[]>, most: number) {
  let left = most
  for await (const batch of batches) {
    yield batch.slice(0, left)
    left -= batch.length
    if (left < 0) return true
  }
  return false
}

/** Writes a list batch by batch, waits until its output is read, and lets other work have its turn. */
export async function showList(io: Io, options: Values, list: List): Promise<void> {
  const { columns, named = async rows => rows, total } = list
  const isJson = options.json !== undefined
  const turns = new Turns()
  const shown = firstOf(list.batches, isCut(options) ? shownAtFirst : Number.POSITIVE_INFINITY)
  let n = 0
  let next = await shown.next()
  for (; !next.done; next = await shown.next()) {
    const batch = next.value
    if (batch.length === 0) continue
    if (isJson) io.write(visible(`${n > 0 ? ',' : '['}${JSON.stringify(batch).slice(1, -1)}`))
    else io.write(lines(await named(batch), columns))
    n += batch.length
    await io.drained()
    await turns.next()
  }
  if (isJson) io.write(n > 0 ? ']\n' : '[]\n')
  else if (n === 0) io.write('No records.\n')
  if (next.value) io.writeError(`${await shownOf(n, total)}. --limit 0 shows all.\n`)
}

const shownOf = async (n: number, total: List['total']): Promise<string> =>
  total ? `${n} of ${(await total()).toLocaleString('en')}` : `The first ${n}`

/** Shows one record; for a person a line for each of its members. */
export function showRecord(io: Io, options: Values, record: ShownRecord): void {
  const members = Object.entries(record).map(([name, value]) => `${name}: ${cell(value)}`)
  show(io, options, record, members.join('\n'))
}
