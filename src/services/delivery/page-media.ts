import type { LeanEntry, LeanValue } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { anyIds } from '../content/field-values.js'
import { idsNamed } from '../content/references.js'
import { type MediaById, mediaRecord } from '../media/record.js'
import { type LinkedEntries, type Node, walk } from './tree.js'

/** The address in the `src` of a picture. It looks no further than the next mark, so that no text can make it slow. */
const pictureAddress = /<img\b[^<>]*?\ssrc\s*=\s*("[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)/gi

/** The media that a value names: those of a media field, or the pictures in a rich text. */
export function mediaNamed({
  field: { field_type },
  value: { field_value },
}: {
  readonly field: { readonly field_type: string }
  readonly value: { readonly field_value: string }
}): string[] {
  if (field_type === 'media') return anyIds(field_value)
  if (field_type !== 'richtext') return []
  return [...field_value.matchAll(pictureAddress)].flatMap(([, address = '']) => idsNamed(address))
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
    for (const value of values) for (const id of mediaNamed(value)) ids.add(id)
  }
  for (const node of walk(root)) look(node)
  for (const { node } of linked.values()) look(node)
  return mediaById(read, space, [...ids], urlOf)
}

/** Reads media by their ids in one statement; without ids there is no statement. */
export async function mediaById(
  read: Reader,
  space: ContentSpace,
  ids: readonly string[],
  urlOf: (key: string) => string,
): Promise<MediaById> {
  const rows = await read.findIn(space.media, 'media_id', ids)
  return new Map(rows.map(row => [row.media_id, mediaRecord(row, urlOf)]))
}
