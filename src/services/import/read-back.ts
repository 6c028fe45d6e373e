import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { noSize, type Size, sizeOfJson, sizeOfText, sumOf } from './size.js'

/** An entry as it is stored now. */
export interface StoredEntry {
  readonly content_data_id: string
  readonly status: string
  readonly publishAt: string | null
  readonly createdAt: string
  readonly changedAt: string
  readonly publishedAt: string | null
  /** The address of its page. */
  readonly slug: string | undefined
  /** With everything below it. */
  readonly size: Size
}

/** The length of the ids in a value that names records. */
const ulid = /[0-7][0-9A-Z]{25}/g

/** Values that have no words. */
const withoutWords: ReadonlySet<string> = new Set(['relation', 'number', 'boolean', 'date', 'datetime'])

function sizeOf(type: string | undefined, text: string): Size {
  if (type === undefined || withoutWords.has(type)) return noSize
  if (type === 'media') return { ...noSize, pictures: text.match(ulid)?.length ?? 0 }
  if (type !== 'json') return sizeOfText(text)
  try {
    return sizeOfJson(JSON.parse(text))
  } catch {
    return sizeOfText(text)
  }
}

/** Reads entries as they are stored, with their pages and how much there is in them. */
export async function readBack(
  read: Reader,
  { contentData, contentFields, routes, fields }: ContentSpace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredEntry>> {
  const roots = await read.findIn(contentData, 'content_data_id', ids)
  const rows = await read.findIn(contentData, 'root_id', ids)
  const rootOf = new Map(rows.map(row => [row.content_data_id, row.root_id]))
  const values = await read.findIn(contentFields, 'content_data_id', [...rootOf.keys()])
  const types = new Map(
    (await read.findIn(fields, 'field_id', [...new Set(values.map(({ field_id }) => field_id))])).map(row => [
      row.field_id,
      row.field_type,
    ]),
  )
  const slugs = new Map(
    (
      await read.findIn(
        routes,
        'route_id',
        roots.flatMap(({ route_id }) => route_id ?? []),
      )
    ).map(row => [row.route_id, row.slug]),
  )
  const sizes = new Map<string, Size[]>()
  for (const { content_data_id, field_id, field_value } of values) {
    const root = rootOf.get(content_data_id) ?? ''
    const own = sizes.get(root) ?? []
    own.push(sizeOf(types.get(field_id), field_value))
    sizes.set(root, own)
  }
  return new Map(
    roots.map(row => [
      row.content_data_id,
      {
        ...{ content_data_id: row.content_data_id, status: row.status, publishAt: row.publish_at },
        ...{ createdAt: row.date_created, changedAt: row.date_modified, publishedAt: row.published_at },
        slug: slugs.get(row.route_id ?? ''),
        size: sumOf(sizes.get(row.content_data_id) ?? []),
      },
    ]),
  )
}
