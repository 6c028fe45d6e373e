import {
  childEntries,
  namingValues,
  type RecordedValue,
  recordedValues,
  type ShownEntry,
  shownEntries,
} from '../../../db/queries/shown-entries.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace, EntryRow } from '../../../db/tables.js'
import { publicRow } from '../../content/book-rows.js'
import type { Audience } from '../audience.js'

/** As much of an entry as is shown. */
export type IndexedEntry = Pick<ShownEntry, 'content_data_id' | 'datatype_id' | 'route_id' | 'published_at'>
/** One under another, in its place. */
export type IndexedChild = IndexedEntry & Pick<ShownEntry, 'parent_id' | 'sort_order'>

/** Where entries are read from: what the public sees, or the working state. */
export interface EntrySource {
  entries(ids: readonly string[]): Promise<IndexedEntry[]>
  below(parents: readonly string[], most: number): Promise<IndexedChild[]>
  values(ids: readonly string[]): Promise<RecordedValue[]>
  names(ids: readonly string[]): Promise<RecordedValue[]>
  records(ids: readonly string[]): Promise<EntryRow[]>
}

export const publicSource = (read: Reader, space: ContentSpace): EntrySource => ({
  entries: ids => read.queryIn(shownEntries(space), ids),
  below: (parents, most) => read.queryIn(childEntries(space, most), parents),
  values: ids => read.queryIn(recordedValues(space), ids),
  names: ids => read.queryIn(namingValues(space), ids),
  records: ids => read.findIn(space.publicEntries, 'content_data_id', ids),
})

/** An entry as it would be in the public book. */
export const asIndexed = (entry: EntryRow): IndexedChild => publicRow(entry)

/** Reads entries as the public book would have them if everything were published as it is now. */
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
  audience === 'public' ? publicSource(read, space) : workingSource(read, space)
