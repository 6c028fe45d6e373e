import type { InsertOf, RowOf } from '../../db/columns.js'
import type { ContentSpace } from '../../db/tables.js'
import { indexedValues } from './indexed-value.js'
import type { EntrySnapshot } from './tree-diff.js'

/** What the rows of the public index are made of: entries and values as they are stored, or as a snapshot has them. */

type Entry = EntrySnapshot['entry']
type Value = EntrySnapshot['fields'][number]
export type IndexedEntry = RowOf<ContentSpace['publicEntries']>

export const indexed = (entry: Entry, root_id: string): IndexedEntry => ({
  content_data_id: entry.content_data_id,
  datatype_id: entry.datatype_id,
  root_id,
  parent_id: entry.parent_id,
  route_id: entry.parent_id === null ? entry.route_id : null,
  sort_order: entry.sort_order,
  // The service writes none without it; orders go through an index that has a time for every entry (D-573).
  published_at: entry.published_at ?? entry.date_created,
  author_id: entry.author_id,
  numeric_id: entry.numeric_id,
})

/**
 * Those of a tree's entries that are published, with everything above them.
 * @param hidden datatypes of which the public sees nothing
 */
export function visible(entries: readonly Entry[], hidden: ReadonlySet<string>): Entry[] {
  const children = new Map<string | null, Entry[]>()
  for (const entry of entries) {
    if (entry.status !== 'published' || hidden.has(entry.datatype_id)) continue
    const siblings = children.get(entry.parent_id)
    if (siblings) siblings.push(entry)
    else children.set(entry.parent_id, [entry])
  }
  const seen = [...(children.get(null) ?? [])]
  // The list grows while it is walked: parents come before their children, and nothing comes twice.
  for (const entry of seen) seen.push(...(children.get(entry.content_data_id) ?? []))
  return seen
}

export const valueRows = (values: readonly Value[]): InsertOf<ContentSpace['publicValues']>[] =>
  values.flatMap(({ content_data_id, field_id, locale, field_value, ...value }) =>
    [...indexedValues(field_value)].map(({ whole, ...keys }) => ({
      content_data_id,
      field_id,
      locale,
      field_value: whole ? field_value : '',
      ...keys,
      ...(whole ? recordOf(value) : {}),
    })),
  )

/** What the record of a value has beside what it is found by. */
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

/** Whether its words are others, though its values are the same. */
export const isFoundOtherwise = (before: IndexedEntry, now: IndexedEntry): boolean =>
  before.datatype_id !== now.datatype_id || before.route_id !== now.route_id

export const same = (a: IndexedEntry, b: IndexedEntry): boolean =>
  (Object.keys(a) as (keyof IndexedEntry)[]).every(name => a[name] === b[name])
