import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { Turns } from '../../turns.js'
import type { PublicEntry } from './book-rows.js'
import { type SearchRow, searchDocument } from './search-document.js'
import type { EntrySnapshot } from './tree-diff.js'

type Value = EntrySnapshot['fields'][number]

/**
 * Stores the words by which entries are found. Where they are the same as before nothing is written: MySQL and MariaDB
 * remember each row that was ever taken out of a full text until the table is optimised.
 * @param values theirs; those of others are passed over
 */
export async function writeWords(
  tx: Writer,
  space: ContentSpace,
  entries: readonly PublicEntry[],
  values: readonly Value[],
): Promise<void> {
  const valuesOf = new Map(entries.map(({ content_data_id }) => [content_data_id, [] as Value[]]))
  for (const value of values) valuesOf.get(value.content_data_id)?.push(value)
  const fieldIds = new Set(values.map(({ field_id }) => field_id))
  const routeIds = new Set(entries.flatMap(({ route_id }) => route_id ?? []))
  const fields = await tx.findIn(space.fields, 'field_id', [...fieldIds])
  const routes = await tx.findIn(space.routes, 'route_id', [...routeIds])
  const types = new Map(fields.map(({ field_id, field_type }) => [field_id, field_type]))
  const routeOf = new Map(routes.map(route => [route.route_id, route]))
  const turns = new Turns()
  const ids = entries.map(({ content_data_id }) => content_data_id)
  const stored = new Map<string, SearchRow>(
    (await tx.findIn(space.publicSearch, 'content_data_id', ids)).map(row => [row.content_data_id, row]),
  )
  const [gone, rows]: [string[], SearchRow[]] = [[], []]
  for (const entry of entries) {
    const own = valuesOf.get(entry.content_data_id) ?? []
    const route = entry.route_id === null ? undefined : routeOf.get(entry.route_id)
    const row = await turns.run(searchDocument(entry, route, own, id => types.get(id)))
    const before = stored.get(entry.content_data_id)
    if (before && row && isSame(before, row)) continue
    if (before) gone.push(before.content_data_id)
    if (row) rows.push(row)
  }
  await tx.deleteAllInternal(space.publicSearch, 'content_data_id', gone)
  await tx.insertAllInternal(space.publicSearch, rows)
}

const isSame = (a: SearchRow, b: SearchRow): boolean =>
  a.words === b.words && a.title_words === b.title_words && a.document_id === b.document_id
