import {
  childEntries,
  namingValues,
  type RecordedValue,
  recordedValues,
  type ShownEntry,
  shownEntries,
  shownValues,
} from '../../../db/queries/shown-entries.js'
import type { EntryRow, LeanValue } from '../../../db/queries/trees.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace } from '../../../db/tables.js'
import { indexed } from '../../content/index-rows.js'
import type { Audience } from '../audience.js'
import { publicRecords } from '../published-records.js'

/** As much of an entry as is shown. */
export type IndexedEntry = Pick<ShownEntry, 'content_data_id' | 'datatype_id' | 'route_id' | 'published_at'>
/** One under another, in its place. */
export type IndexedChild = IndexedEntry & Pick<ShownEntry, 'parent_id' | 'sort_order'>

/** A value, with what its record has beside it where that was read. */
export type StoredValue = LeanValue & Partial<RecordedValue>

/** Where entries are read from: what the public sees, or the working state. */
export interface EntrySource {
  entries(ids: readonly string[]): Promise<IndexedEntry[]>
  /** Entries whose parent is one of these. */
  below(parents: readonly string[], most: number): Promise<IndexedChild[]>
  values(ids: readonly string[]): Promise<StoredValue[]>
  /** Of the values as much as entries are called by. */
  names(ids: readonly string[]): Promise<LeanValue[]>
  /** The whole records of entries. */
  records(ids: readonly string[]): Promise<EntryRow[]>
}

/** Without what the records of values have beside them. */
export const publicSource = (read: Reader, space: ContentSpace): EntrySource => ({
  entries: ids => read.queryIn(shownEntries(space), ids),
  below: (parents, most) => read.queryIn(childEntries(space, most), parents),
  values: ids => read.queryIn(shownValues(space), ids),
  names: ids => read.queryIn(namingValues(space), ids),
  records: ids => publicRecords(read, space, ids),
})

const recordedSource = (read: Reader, space: ContentSpace): EntrySource => ({
  ...publicSource(read, space),
  values: ids => read.queryIn(recordedValues(space), ids),
})

/** As much of a record as the public index has. */
export const asIndexed = (entry: EntryRow): IndexedChild => indexed(entry, entry.root_id)

/** What the public index would have of entries if everything were published as it is now. */
const workingSource = (read: Reader, space: ContentSpace): EntrySource => {
  const values = (ids: readonly string[]) => read.findIn(space.contentFields, 'content_data_id', ids)
  const records = (ids: readonly string[]) => read.findIn(space.contentData, 'content_data_id', ids)
  return {
    entries: async ids => (await records(ids)).map(asIndexed),
    below: async (parents, limit) =>
      (await read.findAll(space.contentData, { parent_id: [...parents] }, { limit })).map(asIndexed),
    values,
    names: values,
    records,
  }
}

export const sourceFor = (audience: Audience, read: Reader, space: ContentSpace): EntrySource =>
  audience === 'public' ? recordedSource(read, space) : workingSource(read, space)
