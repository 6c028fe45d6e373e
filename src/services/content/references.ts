import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { isUlid } from '../../ids.js'
import type { EntrySnapshot } from './tree-diff.js'

/**
 * Who refers to whom: the ids that values of relations, media and rich text name, in each book. Rows are kept in the
 * transaction that changes a value, and a value that names nothing costs no statement (D-610).
 */

type Value = EntrySnapshot['fields'][number]
type Reference = RowOf<ContentSpace['contentReferences']>

const idLength = 26
/** Characters of ids that stand together. An address such as `url=%2F01K…` may begin with others. */
const run = /[0-9A-HJKMNP-TV-Z]{26,}/g
/** In more of them at once no id is looked for: it is data of another kind. */
const longestRun = 64

/** Ids in a text, whether it is one, a list of them or rich text with them in addresses. */
export function idsNamed(text: string): string[] {
  if (text.length < idLength) return []
  if (text.length === idLength) return isUlid(text) ? [text] : []
  const found = new Set<string>()
  for (const [characters] of text.matchAll(run)) {
    if (characters.length > longestRun) continue
    for (let at = 0; at + idLength <= characters.length; at++) {
      const id = characters.slice(at, at + idLength)
      if (isUlid(id)) found.add(id)
    }
  }
  return [...found]
}

const referring = new Set(['relation', 'media', 'richtext'])

const naming = (values: readonly Value[]) =>
  values.flatMap(value => {
    const ids = idsNamed(value.field_value)
    return ids.length > 0 ? [{ value, ids }] : []
  })

async function rowsFor(read: Reader, space: ContentSpace, values: readonly Value[]): Promise<Reference[]> {
  const found = naming(values)
  const fieldIds = [...new Set(found.map(({ value }) => value.field_id))]
  const fields = await read.findIn(space.fields, 'field_id', fieldIds)
  const types = new Map(fields.map(({ field_id, field_type }) => [field_id, field_type]))
  return found.flatMap(({ value: { content_field_id, content_data_id, field_id }, ids }) =>
    referring.has(types.get(field_id) ?? '')
      ? ids.map(target_id => ({ target_id, content_field_id, content_data_id, field_id }))
      : [],
  )
}

async function follow(tx: Writer, space: ContentSpace): Promise<void> {
  const gone: string[] = []
  const fresh: Value[] = []
  for (const { key, before, after } of tx.touched.recordsIn(space.contentFields)) {
    const [was, is] = [before, after].map(row => row as Value | undefined)
    if (was?.field_value === is?.field_value && was?.content_data_id === is?.content_data_id) continue
    if (was && idsNamed(was.field_value).length > 0) gone.push(key)
    if (is) fresh.push(is)
  }
  await tx.deleteAllInternal(space.contentReferences, 'content_field_id', gone)
  await tx.insertAllInternal(space.contentReferences, await rowsFor(tx, space, fresh))
}

/**
 * Keeps the references of the working book. It is done at the end of a transaction: events before it find who refers to a
 * changed entry from elsewhere, which the transaction does not change.
 */
export function followReferences(db: Database, space: ContentSpace): void {
  db.beforeCommit(tx => follow(tx, space))
}

/** Stores what values of the public book name. @param entries whose values these are, all of them */
export async function writePublicReferences(
  tx: Writer,
  space: ContentSpace,
  entries: readonly string[],
  values: readonly Value[],
): Promise<void> {
  await tx.deleteAllInternal(space.publicReferences, 'content_data_id', entries)
  await tx.insertAllInternal(space.publicReferences, await rowsFor(tx, space, values))
}

/** Makes the references of a tree's working state anew, whatever there are. */
export async function rebuildReferences(tx: Writer, space: ContentSpace, root: string): Promise<void> {
  const { contentData, contentFields, contentReferences } = space
  const ids = (await tx.findAll(contentData, { root_id: root })).map(entry => entry.content_data_id)
  await tx.deleteAllInternal(contentReferences, 'content_data_id', ids)
  const values = await tx.findIn(contentFields, 'content_data_id', ids)
  await tx.insertAllInternal(contentReferences, await rowsFor(tx, space, values))
}
