import { z } from 'zod'
import { wholeNumber } from '../services/body-parts.js'
import { clusters, widthOf } from '../ssh/screen/clusters.js'
import { sinceWord } from '../ssh/screens/words.js'
import { Turns } from '../turns.js'
import { type Io, show, type Values, WrongCall } from './command.js'
import { NobodyReads } from './terminal.js'
import { visible } from './visible.js'

export type ShownRecord = Readonly<Record<string, unknown>>

/** Returns a value in one line. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replaceAll(/[\t\n]/g, found => (found === '\t' ? '\\t' : '\\n'))
}

/** Returns a time as people say it, such as `3 h ago`; after 30 days its date. */
function agoWords(time: string, now: number): string {
  const far = Math.abs(now - Date.parse(time)) / 86_400_000
  if (Number.isNaN(far)) return time
  return far > 30 ? time.slice(0, 10) : sinceWord(time, now)
}

const isTime = (column: string) => /^date_|_at$/.test(column)
/** The head of a column, such as `CHANGED` for `date_modified`. */
const headOf = (column: string, i: number): string =>
  i === 0 && column.endsWith('_id')
    ? 'ID'
    : column
        .replace(/^date_|_id$/g, '')
        .replaceAll('_', ' ')
        .toUpperCase()

interface Look {
  /** Shows times as people say them, at this time in milliseconds. */
  readonly now?: number
  readonly head?: { readonly isBold: boolean } | undefined
  /** The cells of a row of the terminal: long texts are cut, so that a record is one row. */
  readonly width?: number | undefined
  readonly linked?: Io['linked']
}

const [gap, shortest, least] = [2, 10, 6]

/** Returns the widths of columns for a terminal: all but the first and short ones share what is left. */
function widthsIn(natural: readonly number[], width: number): readonly number[] {
  const isKept = (one: number, i: number) => i === 0 || one <= shortest
  const kept = natural.filter(isKept).reduce((sum, one) => sum + one, 0)
  const rest = width - kept - gap * (natural.length - 1)
  const others = natural.filter((one, i) => !isKept(one, i))
  let most = Math.max(0, ...others)
  while (most > least && others.reduce((sum, one) => sum + Math.min(one, most), 0) > rest) most--
  // In a narrower terminal a record takes several rows, and is whole.
  if (others.reduce((sum, one) => sum + Math.min(one, most), 0) > rest) return natural
  return natural.map((one, i) => (isKept(one, i) ? one : Math.min(one, most)))
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let shown = ''
  for (const { text: character } of clusters(text)) {
    if (widthOf(shown + character) > width - 1) break
    shown += character
  }
  return `${shown}…`
}

/** Returns records as lines of columns. Each batch has its own column widths, because no list is held as a whole. */
export function lines(
  rows: readonly ShownRecord[],
  columns: readonly string[],
  { now, head, width, linked }: Look = {},
): string {
  const cellText = (name: string, value: unknown) =>
    now !== undefined && typeof value === 'string' && isTime(name)
      ? agoWords(value, now)
      : visible(cell(value))
  const cells = rows.map(row => columns.map(name => cellText(name, row[name])))
  const heads = columns.map(headOf)
  const shown = head ? [heads, ...cells] : cells
  const natural = columns.map((_, i) => Math.max(...shown.map(line => widthOf(line[i] ?? ''))))
  const widths = width === undefined ? natural : widthsIn(natural, width)
  const first = head ? 1 : 0
  const linkedTo = (text: string, line: number, i: number): string => {
    const row = rows[line - first]
    return row && linked ? linked(text, columns[i] ?? '', row) : text
  }
  const texts = shown.map((line, n) =>
    line
      .map((whole, i) => {
        const text = cut(whole, widths[i] ?? 0)
        return linkedTo(text, n, i) + ' '.repeat((widths[i] ?? 0) - widthOf(text))
      })
      .join('  ')
      .trimEnd(),
  )
  if (head?.isBold) texts[0] = `\x1b[1m${texts[0]}\x1b[0m`
  return texts.map(text => `${text}\n`).join('')
}

const shownAtFirst = 100

const isForProgram = ({ json, jsonl }: Values): boolean => json !== undefined || jsonl !== undefined
const isCut = (options: Values): boolean => !isForProgram(options) && options.limit === undefined

/**
 * Returns how many records of a list are read: all for a program that gives no limit, and for `--limit 0`. For a person
 * it is one more than is shown, to see whether there are more.
 */
export function limitIn(options: Values): number | undefined {
  if (isCut(options)) return shownAtFirst + 1
  const { data, error } = z.object({ limit: wholeNumber.optional() }).safeParse({ limit: options.limit })
  if (error) throw new WrongCall(`--limit: ${error.issues[0]?.message}`)
  return data.limit || undefined
}

interface List {
  readonly batches: AsyncIterable<readonly ShownRecord[]>
  readonly total?: () => Promise<number>
  readonly columns: readonly string[]
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

/** Returns how batches of a list are written, and what is written at its end if it has `n` records. */
function writerOf(io: Io, options: Values, { columns, named = async rows => rows }: List) {
  if (options.jsonl !== undefined)
    return {
      text: async (batch: readonly ShownRecord[]) =>
        visible(batch.map(one => `${JSON.stringify(one)}\n`).join('')),
      end: () => '',
    }
  if (options.json !== undefined)
    return {
      text: async (batch: readonly ShownRecord[], n: number) =>
        visible(`${n > 0 ? ',' : '['}${JSON.stringify(batch).slice(1, -1)}`),
      end: (n: number) => (n > 0 ? ']\n' : '[]\n'),
    }
  const look = io.isTerminal ? { now: Date.now(), width: io.columns, linked: io.linked } : {}
  return {
    async text(batch: readonly ShownRecord[], n: number) {
      const head = io.isTerminal && n === 0 ? { isBold: io.hasColour } : undefined
      return lines(await named(batch), columns, { ...look, head })
    },
    end: (n: number) => (n === 0 ? 'No records.\n' : ''),
  }
}

/** Writes a list batch by batch, waits until its output is read, and lets other work have its turn. */
export async function showList(io: Io, options: Values, list: List): Promise<void> {
  const turns = new Turns()
  const shown = firstOf(list.batches, isCut(options) ? shownAtFirst : Number.POSITIVE_INFINITY)
  const writer = writerOf(io, options, list)
  let n = 0
  let next = await shown.next()
  for (; !next.done; next = await shown.next()) {
    const batch = next.value
    if (batch.length === 0) continue
    io.write(await writer.text(batch, n))
    n += batch.length
    if (!(await isRead(io))) return
    await turns.next()
  }
  io.write(writer.end(n))
  if (next.value) io.writeError(`${await shownOf(n, list.total)}. --limit 0 shows all.\n`)
}

/** Waits until the output is read. Returns false if its reader has seen enough, as `head` has. */
export const isRead = (io: Io): Promise<boolean> =>
  io.drained().then(
    () => true,
    error => {
      if (error instanceof NobodyReads) return false
      throw error
    },
  )

const shownOf = async (n: number, total: List['total']): Promise<string> =>
  total ? `${n} of ${(await total()).toLocaleString('en')}` : `The first ${n}`

/** Shows one record; for a person a line for each of its members, and for each field of an entry. */
export function showRecord(io: Io, options: Values, record: ShownRecord): void {
  const members = Object.entries(record).flatMap(([name, value]) =>
    name === 'fields' && typeof value === 'object'
      ? Object.entries(value ?? {}).map(([field, text]) => `fields.${field}: ${cell(text)}`)
      : `${name}: ${cell(value)}`,
  )
  show(io, options, record, members.join('\n'))
}
