import type { MediaRow } from '../../db/queries/media.js'
import type { LeanEntry, LeanValue } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { anyIds } from '../content/field-values.js'
import type { LinkedEntries } from '../delivery/relations.js'
import { type Node, walk } from '../delivery/tree.js'

interface MediaVariant {
  name: string
  width: number
  height: number
  mimetype: string
  size: number
  url: string
}

/** A media item as everybody sees it: with addresses instead of the names of objects. */
export type MediaRecord = Omit<MediaRow, 'object_key' | 'content_hash' | 'search_text' | 'variants'> & {
  url: string
  variants: MediaVariant[]
}

export type MediaById = ReadonlyMap<string, MediaRecord>

export function mediaRecord(row: MediaRow, urlOf: (key: string) => string): MediaRecord {
  const { object_key, content_hash, search_text, variants, folder_id, author_id, ...shown } = row
  const { date_created, date_modified, ...before } = shown
  return {
    ...before,
    url: urlOf(object_key),
    variants: variants.map(({ key, ...variant }) => ({ ...variant, url: urlOf(key) })),
    folder_id,
    author_id,
    date_created,
    date_modified,
  }
}

/** The media that values of a tree and of the entries it refers to name, by one statement; none when they name none. */
export async function mediaIn(
  read: Reader,
  space: ContentSpace,
  root: Node<LeanEntry, LeanValue>,
  linked: LinkedEntries,
  urlOf: (key: string) => string,
): Promise<MediaById> {
  const ids = new Set<string>()
  const look = ({ values }: Pick<Node<LeanEntry, LeanValue>, 'values'>) => {
    for (const { field, value } of values)
      if (field.field_type === 'media') for (const id of anyIds(value.field_value)) ids.add(id)
  }
  for (const node of walk(root)) look(node)
  for (const { node } of linked.values()) look(node)
  const rows = await read.findIn(space.media, 'media_id', [...ids])
  return new Map(rows.map(row => [row.media_id, mediaRecord(row, urlOf)]))
}
