import type { Area } from './grid.js'
import type { Line } from './line.js'
import { plain } from './style.js'
import type { Ticks } from './ticks.js'
import type { Hint, Shell } from './view.js'

/** A text with its style. */
export interface Cell {
  readonly text: string
  readonly style: number
  /** Whether it is cut in the middle if there is no room, because its end tells it apart. */
  readonly isPath?: true
  /** Whether it says the state of a record: it keeps its room when others lose theirs. */
  readonly isState?: true
  /** The address that the text is a hyperlink to. */
  readonly link?: string | undefined
}

export interface Column<R> {
  readonly label: string
  of(record: R): string | Cell
  /** Whether it needs a wide list. The column of the chosen order is always there. */
  readonly wide?: true
  /** The order of the service by this column. */
  readonly by?: string
  /** Whether it is there only in its order. */
  readonly isOnlyOrdered?: true
}

/** An order in which the service lists the records. */
export interface Order {
  readonly by: string
  readonly descending: boolean
}

/** An action with a key. */
export interface ListKey<R> extends Hint {
  readonly access?: string
  /** Whether it is about the whole list, and works in an empty one too. */
  readonly ofList?: true
  run(shell: Shell<ListState<R>>, record: R): void
  /** Acts on the marked records instead, if there are any. A list with such a key can mark records. */
  several?(shell: Shell<ListState<R>>, records: readonly R[]): void
}

interface Slice {
  readonly limit: number
  /** The key of the last record before it, and how many there are before it. */
  readonly after?: string
  readonly offset: number
  /** Undefined for the list's own order. */
  readonly order: Order | undefined
}

interface Found<R> {
  readonly records: readonly R[]
  readonly isMore: boolean
}

/** The texts of a record that a user may want to paste elsewhere. */
export interface Copied {
  readonly id: string
  /** Its slug, URL or e-mail address. */
  readonly address?: string | undefined
}

export interface ListSpec<R> {
  readonly title: string
  readonly access: string
  load(slice: Slice): Promise<{ records: readonly R[]; total: number }>
  /** Finds records that may not be loaded yet; with an order, all that match, in this order. */
  find?(text: string, order: Order | undefined): Promise<Found<R>>
  /** The orders besides the list's own, each as it begins. */
  readonly orders?: readonly Order[]
  keyOf(record: R): string
  /** Whether a record can be marked (default: all can). */
  mayTick?(record: R): boolean
  readonly columns: readonly Column<R>[]
  readonly empty: string
  readonly keys: readonly ListKey<R>[]
  readonly everyMs?: number
  /** The texts of a record to copy (default: its key as the id). */
  copied?(record: R): Copied
  readonly marked?: (record: R, shell: Shell<ListState<R>>) => void
  /** Draws what is beside the list, in the rest of the window. */
  readonly beside?: (area: Area, record: R) => void
  /** The width from which the marked record is shown beside the list (default: 72). */
  readonly besideFrom?: number
  /** Called with each frame: whether it is shown. */
  readonly seen?: (isBeside: boolean) => void
}

export interface ListState<R> {
  readonly records: readonly R[]
  readonly total: number
  readonly at: number
  readonly order: Order | undefined
  readonly filter: string
  readonly found: Found<R> | undefined
  readonly line: Line | undefined
  readonly isLoaded: boolean
  readonly ticks: Ticks<R>
}

/** Whether records of a list can be marked. */
export const canTick = <R>({ keys }: ListSpec<R>): boolean =>
  keys.some(({ several }) => several !== undefined)

export const cellOf = <R>({ of }: Column<R>, record: R): Cell => {
  const cell = of(record)
  return typeof cell === 'string' ? { text: cell, style: plain } : cell
}

/** Returns the records that the filter shows. */
export function shownOf<R>(
  { columns, keyOf }: ListSpec<R>,
  { records, filter, found, order }: ListState<R>,
): readonly R[] {
  if (filter === '') return records
  if (order && found) return found.records
  const words = filter.toLowerCase().split(/\s+/)
  const read = records.filter(record => {
    const row = columns
      .map(column => cellOf(column, record).text)
      .join(' ')
      .toLowerCase()
    return words.every(word => row.includes(word))
  })
  const known = new Set(read.map(keyOf))
  return [...read, ...(found?.records ?? []).filter(record => !known.has(keyOf(record)))]
}
