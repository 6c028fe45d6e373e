import type { EntryRow, ValueRow } from '../../db/tables.js'
import { atOnce, type Pieces } from '../../turns.js'

/** An entry with its values, as one of the books has them. */
export interface EntrySnapshot {
  readonly entry: EntryRow
  readonly fields: readonly ValueRow[]
}

export interface ValueDifference {
  content_data_id: string
  field_id: string
  locale: string
  before: string | null
  after: string | null
}

export interface EntryDifference {
  content_data_id: string
  change: 'created' | 'updated' | 'moved' | 'deleted'
  before: EntryRow | undefined
  after: EntryRow | undefined
  values: ValueDifference[]
}

/** The key of a value in its tree. */
export const valueKey = ({ content_data_id, field_id, locale }: ValueRow): string =>
  `${content_data_id} ${field_id} ${locale}`

/** Values that are not the same before and after, in the order of their entries and fields. */
export function* valueDifferences(
  before: readonly ValueRow[],
  after: readonly ValueRow[],
): Pieces<ValueDifference[]> {
  const was = new Map(before.map(value => [valueKey(value), value]))
  yield
  const is = new Map(after.map(value => [valueKey(value), value]))
  yield
  const keys = [...new Set([...was.keys(), ...is.keys()])].sort()
  const differences: ValueDifference[] = []
  for (const key of keys) {
    yield
    const [one, other] = [was.get(key), is.get(key)]
    const value = one ?? other
    if (!value || one?.field_value === other?.field_value) continue
    const { content_data_id, field_id, locale } = value
    const [from, to] = [one?.field_value ?? null, other?.field_value ?? null]
    differences.push({ content_data_id, field_id, locale, before: from, after: to })
  }
  return differences
}

const differ = (one: EntryRow, other: EntryRow, names: readonly (keyof EntryRow)[]): boolean =>
  names.some(name => one[name] !== other[name])

/** Entries that are not the same before and after, in the order of their ids. */
export function treeDifference(
  before: readonly EntrySnapshot[],
  after: readonly EntrySnapshot[],
): EntryDifference[] {
  const [was, is] = [before, after].map(
    entries => new Map(entries.map(one => [one.entry.content_data_id, one])),
  )
  return [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].sort().flatMap(id => {
    const [one, other] = [was?.get(id), is?.get(id)]
    const [from, to] = [one?.entry, other?.entry]
    const values = atOnce(valueDifferences(one?.fields ?? [], other?.fields ?? []))
    const change = changeOf(from, to, values)
    return change ? [{ content_data_id: id, change, before: from, after: to, values }] : []
  })
}

function changeOf(
  before: EntryRow | undefined,
  after: EntryRow | undefined,
  values: readonly unknown[],
): EntryDifference['change'] | undefined {
  if (!before) return 'created'
  if (!after) return 'deleted'
  if (differ(before, after, ['parent_id', 'sort_order'])) return 'moved'
  if (values.length > 0 || differ(before, after, ['datatype_id', 'status', 'author_id'])) return 'updated'
  return undefined
}

/** The entry and all that is under it before or after, and under what has left it, so that no circle can be made. */
export function combinedSubtree(
  id: string,
  before: readonly EntrySnapshot[],
  after: readonly EntrySnapshot[],
): Set<string> {
  const children = new Map<string, string[]>()
  for (const { entry } of [...before, ...after]) {
    if (entry.parent_id === null) continue
    const known = children.get(entry.parent_id)
    if (known) known.push(entry.content_data_id)
    else children.set(entry.parent_id, [entry.content_data_id])
  }
  const found = new Set([id])
  for (const one of found) for (const child of children.get(one) ?? []) found.add(child)
  return found
}
