import type { LeanEntry, LeanValue } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { anyIds } from '../content/field-values.js'
import { type MediaById, mediaRecord } from '../media/record.js'
import { type LinkedEntries, type Node, walk } from './tree.js'

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
  return mediaById(read, space, [...ids], urlOf)
}

/** Media by their ids, by one statement; none when there are no ids. */
export async function mediaById(
  read: Reader,
  space: ContentSpace,
  ids: readonly string[],
  urlOf: (key: string) => string,
): Promise<MediaById> {
  const rows = await read.findIn(space.media, 'media_id', ids)
  return new Map(rows.map(row => [row.media_id, mediaRecord(row, urlOf)]))
}
