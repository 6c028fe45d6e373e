import type { EntryRow, ValueRow } from '../../src/db/tables.js'
import { tables } from '../../src/db/tables.js'
import { publicTree } from '../../src/services/content/public-state.js'
import type { TestApp } from './app.js'

const { contentData, contentFields, contentTrees, datatypes } = tables

/**
 * Returns the public content by its definition: each tree as it is, or as it was kept while changes are unpublished.
 */
export async function seenBy({ db }: TestApp) {
  const entries = await db.findAll(contentData)
  const values = await db.findAll(contentFields)
  const trees = await db.findAll(contentTrees)
  const pending = trees.flatMap(({ root_id, pending_since }) => (pending_since === null ? [] : [root_id]))
  const hidden = new Set((await db.findAll(datatypes, { visibility: 'private' })).map(row => row.datatype_id))
  const byId = new Map(entries.map(entry => [entry.content_data_id, entry]))
  const isSeen = (id: string | null): boolean => {
    const entry = id === null ? undefined : byId.get(id)
    if (!entry) return id === null
    return entry.status === 'published' && !hidden.has(entry.datatype_id) && isSeen(entry.parent_id)
  }
  const copies: { root: string; entry: EntryRow; values: readonly ValueRow[] }[] = entries
    .filter(({ root_id, content_data_id }) => !pending.includes(root_id) && isSeen(content_data_id))
    .map(entry => ({
      root: entry.root_id,
      entry,
      values: values.filter(({ content_data_id }) => content_data_id === entry.content_data_id),
    }))
  for (const root of pending)
    for (const { entry, fields } of await publicTree(db, tables, root))
      copies.push({ root, entry, values: fields })
  return copies.map(({ root, entry, values }) => ({ root, values, entry: { ...entry, root_id: root } }))
}
