import { type ContentSpace, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import type { EditableEntry } from './edit-trees.js'
import { insertEntries, markEditedInTree } from './entry-rows.js'
import type { SubtreeSnapshot } from './snapshots.js'
import { valueKey } from './tree-diff.js'

/** Authors as they are now: what a deleted user wrote comes back as the fallback author's. */
export async function existingAuthors(
  tx: Writer,
  rows: readonly { author_id: string }[],
  fallbackAuthor: string,
) {
  const named = [...new Set(rows.map(({ author_id }) => author_id))]
  const existing = new Set((await tx.findIn(tables.users, 'user_id', named)).map(({ user_id }) => user_id))
  return ({ author_id }: { author_id: string }) => (existing.has(author_id) ? author_id : fallbackAuthor)
}

/** Entries of the snapshot that were deleted since come back where they were, if there is still a place for them. */
export async function recreate(
  tx: Writer,
  space: ContentSpace,
  root: EditableEntry,
  snapshot: SubtreeSnapshot,
  present: ReadonlySet<string>,
) {
  const [there, missing] = [new Set(present), [] as string[]]
  const absent = snapshot.entries.filter(({ content_data_id }) => !present.has(content_data_id))
  const keys = <K extends string>(rows: readonly { readonly [N in K]: string }[], name: K) =>
    new Set(rows.map(row => row[name]))
  const wanted = [...keys(absent, 'content_data_id')]
  const elsewhere = keys(await tx.findIn(space.contentData, 'content_data_id', wanted), 'content_data_id')
  const kinds = [...keys(absent, 'datatype_id')]
  const datatypes = keys(await tx.findIn(space.datatypes, 'datatype_id', kinds), 'datatype_id')
  const authorOf = await existingAuthors(tx, absent, root.author_id)
  const fresh = []
  for (const { revision: _, ...entry } of absent) {
    const { content_data_id: id, parent_id, datatype_id } = entry
    const placed = parent_id !== null && there.has(parent_id)
    if (elsewhere.has(id) || !placed || !datatypes.has(datatype_id)) missing.push(id)
    else {
      there.add(id)
      fresh.push({ ...entry, author_id: authorOf(entry) })
    }
  }
  const [first, ...others] = fresh
  if (first) await insertEntries(tx, space, root, [first, ...others])
  return { there, recreated: fresh.map(({ content_data_id }) => content_data_id), missing }
}

/** Gives entries the values of the snapshot, without those of fields that no longer exist. */
export async function restoreValues(
  tx: Writer,
  space: ContentSpace,
  root: EditableEntry,
  snapshot: SubtreeSnapshot,
  { ids, route_id, locale }: { ids: ReadonlySet<string>; route_id: string | null; locale: string },
) {
  const wanted = snapshot.fields.filter(({ content_data_id }) => ids.has(content_data_id))
  const inSnapshot = snapshot.entries.map(entry => entry.content_data_id).filter(id => ids.has(id))
  const now = await tx.findIn(space.contentFields, 'content_data_id', inSnapshot)
  const mine = locale === '' ? now : now.filter(value => value.locale === locale)
  const nowByKey = new Map(mine.map(value => [valueKey(value), value]))
  const known = await tx.findIn(space.fields, 'field_id', [
    ...new Set(wanted.map(({ field_id }) => field_id)),
  ])
  const fields = new Set(known.map(({ field_id }) => field_id))
  const authorOf = await existingAuthors(tx, wanted, root.author_id)
  let restored = 0
  const edited = new Set<string>()
  const fresh = []
  for (const value of wanted) {
    if (!fields.has(value.field_id)) continue
    const present = nowByKey.get(valueKey(value))
    nowByKey.delete(valueKey(value))
    if (!present) fresh.push({ ...value, route_id, author_id: authorOf(value) })
    else {
      const { content_field_id, content_data_id } = present
      const { field_value } = value
      if (!(await tx.update(space.contentFields, content_field_id, { field_value })).changed) continue
      restored++
      edited.add(content_data_id)
    }
  }
  const gone = [...nowByKey.values()]
  await tx.removeAll(space.contentFields, gone)
  if (fresh.length > 0) await tx.insertAll(space.contentFields, fresh)
  for (const { content_data_id } of [...gone, ...fresh]) edited.add(content_data_id)
  await markEditedInTree(tx, space, root, [...edited])
  const missing = [...new Set(wanted.map(({ field_id }) => field_id))].filter(id => !fields.has(id))
  return { restored: restored + fresh.length + gone.length, missing }
}
