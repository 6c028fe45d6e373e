import type { InsertOf, RowOf } from '../../db/columns.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import { indexedValues } from './indexed-value.js'
import type { EntrySnapshot } from './tree-diff.js'

/** Makes rows of the public book from entries and values of the working book. */

type Value = EntrySnapshot['fields'][number]
export type PublicEntry = RowOf<ContentSpace['publicEntries']>

export const publicRow = (entry: EntryRow): PublicEntry => ({
  ...entry,
  route_id: entry.parent_id === null ? entry.route_id : null,
  // The service writes none without it; orders go through an index that has a time for every entry (D-573).
  published_at: entry.published_at ?? entry.date_created,
})

/** Returns the entries of a tree that a root leads to, parents first. */
export function reachable<E extends Pick<EntryRow, 'content_data_id' | 'parent_id'>>(
  entries: readonly E[],
): E[] {
  const children = new Map<string | null, E[]>()
  for (const entry of entries) {
    const siblings = children.get(entry.parent_id)
    if (siblings) siblings.push(entry)
    else children.set(entry.parent_id, [entry])
  }
  const seen = [...(children.get(null) ?? [])]
  // The list grows while it is walked: parents come before their children, and nothing comes twice.
  for (const entry of seen) seen.push(...(children.get(entry.content_data_id) ?? []))
  return seen
}

/**
 * Whether the public may see the entry if it sees what is above it.
 * @param hidden datatypes that are hidden from the public
 */
export const mayBePublic =
  (hidden: ReadonlySet<string>) =>
  ({ status, datatype_id }: Pick<EntryRow, 'status' | 'datatype_id'>): boolean =>
    status === 'published' && !hidden.has(datatype_id)

/** Returns the entries of a tree that are published, with everything above them. */
export const visible = (entries: readonly EntryRow[], hidden: ReadonlySet<string>): EntryRow[] =>
  reachable(entries.filter(mayBePublic(hidden)))

/** @param rootOf the root of the tree in which the public sees an entry */
export const valueRows = (
  values: readonly Value[],
  rootOf: (entry: string) => string,
): InsertOf<ContentSpace['publicValues']>[] =>
  values.flatMap(({ content_data_id, field_id, locale, field_value, ...value }) =>
    [...indexedValues(field_value)].map(({ whole, ...keys }) => ({
      root_id: rootOf(content_data_id),
      content_data_id,
      field_id,
      locale,
      field_value: whole ? field_value : '',
      ...keys,
      ...(whole ? recordOf(value) : { content_field_id: null }),
    })),
  )

const recordOf = ({
  content_field_id,
  author_id,
  date_created,
  date_modified,
}: Pick<Value, 'content_field_id' | 'author_id' | 'date_created' | 'date_modified'>) => ({
  content_field_id,
  author_id,
  date_created,
  date_modified,
})

/** Whether other words find the entry now, though its values are the same. */
export const isFoundOtherwise = (before: PublicEntry, now: PublicEntry): boolean =>
  before.datatype_id !== now.datatype_id || before.route_id !== now.route_id

/** Returns the columns that differ from before. */
export function differing(before: PublicEntry, now: PublicEntry): Partial<PublicEntry> {
  const names = Object.keys(now) as (keyof PublicEntry)[]
  return Object.fromEntries(names.filter(name => before[name] !== now[name]).map(name => [name, now[name]]))
}
