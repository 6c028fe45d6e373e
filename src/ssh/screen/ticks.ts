import { limits } from '../../limits.js'
import { t } from '../../texts/terminal.js'

/** The marked records of a list by their keys. They stay when the list is read again. */
export type Ticks<R> = ReadonlyMap<string, R>

/** How a list marks its records. */
interface Ticking<R> {
  keyOf(record: R): string
  /** Whether a record can be marked (default: all can). */
  mayTick?(record: R): boolean
}

interface Ticked<R> {
  readonly ticks: Ticks<R>
  readonly shown: readonly R[]
  readonly at: number
}

const most = limits.content.selectedRecords

/**
 * Marks or unmarks the selected record, marks all that are shown, or clears the marks.
 * @param complain called when no more can be marked
 * @returns the marks after the key; undefined for a key that has no effect on them
 */
export function tickedBy<R>(
  { keyOf, mayTick }: Ticking<R>,
  { ticks, shown, at }: Ticked<R>,
  key: string,
  complain: (words: string) => void,
): Ticks<R> | undefined {
  if (key === 'escape') return ticks.size > 0 ? new Map() : undefined
  if (key !== ' ' && key !== '*') return undefined
  const asked = key === ' ' ? shown.slice(at, at + 1) : shown
  const next = new Map(ticks)
  let isFull = false
  for (const record of asked.filter(one => mayTick?.(one) !== false)) {
    const name = keyOf(record)
    if (key === ' ' && next.delete(name)) continue
    if (next.has(name) || next.size < most) next.set(name, record)
    else isFull = true
  }
  if (isFull) complain(t('No more than {n} can be marked at once.', { n: most }))
  return next
}

/**
 * Returns the marks after a list was read, without those of records that are gone.
 * @param isWhole whether the list was read to its end
 */
export function stillTicked<R>(
  { keyOf, mayTick }: Ticking<R>,
  ticks: Ticks<R>,
  records: readonly R[],
  isWhole: boolean,
): Ticks<R> {
  if (ticks.size === 0) return ticks
  const now = new Map(records.map(record => [keyOf(record), record]))
  return new Map(
    [...ticks].flatMap(([key, before]): [string, R][] => {
      const record = now.get(key) ?? (isWhole ? undefined : before)
      return record === undefined || mayTick?.(record) === false ? [] : [[key, record]]
    }),
  )
}
