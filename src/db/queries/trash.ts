import { bySpace, type ListQuery, type SizedKey, sizedKeys } from '../statements.js'
import type { ContentSpace } from '../tables.js'

/** Finds the first piece of a kind for each of several deletions, by their `trash_id`. */
export const firstPieces = bySpace(
  ({ trash, trashPieces }: ContentSpace, kind: string): ListQuery<SizedKey> => ({
    build: (knex, values) => {
      const { name, key } = trashPieces
      const first = knex(`${name} as f`)
        .select(`f.${key}`)
        .whereRaw('f.trash_id = t.trash_id')
        .where('f.kind', kind)
        .orderBy(`f.${key}`)
        .limit(1)
      return knex(`${trash.name} as t`)
        .join(name, `${name}.${key}`, knex.raw('(?)', [first]))
        .select(sizedKeys(knex, trashPieces))
        .whereIn('t.trash_id', values)
        .orderBy(key)
    },
    lists: rows => rows.map(([key, size]) => ({ key: key as string, size: Number(size) })),
  }),
)
