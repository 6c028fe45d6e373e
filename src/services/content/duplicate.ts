import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { InsertOf, RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import type { ContentSpace } from '../../db/tables.js'
import { invalid } from '../../errors.js'
import { reference } from '../body-parts.js'
import { checkedPlace, lastPosition, lockTrees } from './placement.js'
import type { Staging } from './staging.js'
import { subtreeOf } from './versions.js'

export const Duplicate = z.object({
  content_data_id: reference,
  parent_id: reference.nullable().default(null),
  route_id: reference.nullable().default(null),
})

type Entry = RowOf<ContentSpace['contentData']>

export interface CopyService {
  /**
   * Copies an entry with everything under it, all as drafts: last under `parent_id`, or onto `route_id`. What refers
   * to an entry of the subtree refers to its copy in the copy.
   * @returns the copy of the entry
   */
  duplicate(actor: Actor, given: z.output<typeof Duplicate>): Promise<Entry>
}

export function contentCopies(
  db: Database,
  space: ContentSpace,
  { staging }: { staging: Staging },
): CopyService {
  return {
    duplicate: (actor, { content_data_id, parent_id, route_id }) =>
      db.write(actor, async tx => {
        const [source, parent] = await lockTrees(
          tx,
          space,
          parent_id ? [content_data_id, parent_id] : [content_data_id],
        )
        if (!source) throw invalid('content_data_id', 'no such entry')
        await staging.snapshotBeforeEdit(tx, [parent])
        const place = await checkedPlace(tx, space, source.datatype_id, { parent_id, route_id }, parent)
        const entries = await subtreeOf(tx, space, source)
        const copyOf = new Map(entries.map(entry => [entry.content_data_id, tx.newId()]))
        const idOf = (id: string) => copyOf.get(id) ?? id
        const root = idOf(content_data_id)
        const root_id = parent?.root_id ?? root
        const author_id = actor.userId ?? source.author_id
        if (!parent) await tx.createTree(space.contentTrees, root)
        const sort_order = await lastPosition(tx, space, place.parent_id)
        const [copy] = await tx.insertAll(
          space.contentData,
          entries.map(
            (entry): InsertOf<ContentSpace['contentData']> => ({
              content_data_id: idOf(entry.content_data_id),
              datatype_id: entry.datatype_id,
              ...(entry === source || entry.content_data_id === content_data_id
                ? { ...place, sort_order }
                : { parent_id: entry.parent_id && idOf(entry.parent_id), sort_order: entry.sort_order }),
              root_id,
              status: 'draft',
              author_id,
            }),
          ),
        )
        const values = await tx.findIn(space.contentFields, 'content_data_id', [...copyOf.keys()])
        const relations = new Set(
          (await tx.findAll(space.fields, { field_type: 'relation' })).map(({ field_id }) => field_id),
        )
        const routeOfTree = parent
          ? ((await tx.get(space.contentData, parent.root_id))?.route_id ?? null)
          : place.route_id
        await tx.insertAll(
          space.contentFields,
          values.map(({ content_data_id: of, field_id, locale, field_value }) => ({
            content_data_id: idOf(of),
            field_id,
            locale,
            field_value: relations.has(field_id)
              ? field_value.replaceAll(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, idOf)
              : field_value,
            route_id: routeOfTree,
            author_id,
          })),
        )
        return copy as Entry
      }),
  }
}
