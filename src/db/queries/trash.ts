import { bySpace, type ListQuery, type SizedKey, sizedKeys } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/** By the ids of what is in the trash: the first piece of its entries, and of those that the public saw. */
export const firstPieces = bySpace(
  (space: ContentSpace): ListQuery<SizedKey> => ({
    build: (knex, values) => {
      const { name, key } = space.trashPieces
      const first = knex(name)
        .min(key)
        .whereIn('trash_id', values)
        .whereIn('kind', ['entries', 'publicEntries'])
        .groupBy('trash_id', 'kind')
      return knex(name).select(sizedKeys(knex, space.trashPieces)).whereIn(key, first).orderBy(key)
    },
    lists: rows => rows.map(([key, size]) => ({ key: key as string, size: Number(size) })),
  }),
)
