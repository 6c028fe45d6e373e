import type { EntryRow, ValueRow } from '../../src/db/queries/trees.js'
import { tables } from '../../src/db/tables.js'
import { readEntry } from '../../src/services/content/snapshots.js'
import type { TestApp } from './app.js'

const { contentData, contentFields, datatypes, pendingTrees, publishedSnapshots } = tables

/** What the public sees, from the definition: each tree as it is or as its snapshot has it, entry by entry. */
export async function seenBy({ db }: TestApp) {
  const entries = await db.findAll(contentData)
  const values = await db.findAll(contentFields)
  const pending = new Set((await db.findAll(pendingTrees)).map(({ root_id }) => root_id))
  const rootNow = new Map(entries.map(entry => [entry.content_data_id, entry]))
  const copies: { root: string; entry: EntryRow; values: readonly ValueRow[] }[] = entries
    .filter(({ root_id }) => !pending.has(root_id))
    .map(entry => ({
      root: entry.root_id,
      entry,
      values: values.filter(({ content_data_id }) => content_data_id === entry.content_data_id),
    }))
  for (const { root_id, snapshot } of await db.findAll(publishedSnapshots)) {
    const { entry, fields } = readEntry(snapshot)
    const isRoot = entry.parent_id === null
    const route_id = isRoot ? (rootNow.get(root_id)?.route_id ?? null) : entry.route_id
    copies.push({ root: root_id, entry: { ...entry, route_id }, values: fields })
  }
  const hidden = new Set((await db.findAll(datatypes, { visibility: 'private' })).map(row => row.datatype_id))
  const isSeen = (root: string, id: string | null): boolean => {
    if (id === null) return true
    const found = copies.find(copy => copy.root === root && copy.entry.content_data_id === id)
    if (found?.entry.status !== 'published' || hidden.has(found.entry.datatype_id)) return false
    return isSeen(root, found.entry.parent_id)
  }
  const seen = copies.filter(({ root, entry }) => isSeen(root, entry.content_data_id))
  // Of two trees that show it, the one that it is in now.
  const shown = seen.filter(
    ({ root, entry: { content_data_id: id } }) =>
      rootNow.get(id)?.root_id === root ||
      !seen.some(other => other.entry.content_data_id === id && other.root === rootNow.get(id)?.root_id),
  )
  return shown.map(({ root, entry, values }) => ({ root, values, entry: { ...entry, root_id: root } }))
}
