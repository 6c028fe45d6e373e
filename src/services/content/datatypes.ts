import { z } from 'zod'
import type { Database } from '../../db/database.js'
import type { Reader } from '../../db/reader.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import { invalid } from '../../errors.js'
import { authorId, keyName, reference, sortOrder } from '../body-parts.js'
import { type Crud, crud } from '../crud.js'
import { camelCase, label } from '../text.js'

const members = {
  label: label(),
  name: keyName,
  type: label(),
  parent_id: reference.nullable(),
  sort_order: sortOrder,
  author_id: authorId,
}

export const DatatypeCreate = z
  .object({
    ...members,
    name: members.name.optional(),
    parent_id: members.parent_id.default(null),
    sort_order: members.sort_order.default(0),
  })
  .transform(given => ({ ...given, name: given.name ?? camelCase(given.label) }))
export const DatatypeUpdate = z.object(members).partial()

export type DatatypeService = Crud<ContentSpace['datatypes']>

/** @throws 400 when `parent` is the datatype itself or lies under it */
async function refuseCycle(read: Reader, space: ContentSpace, id: string, parent: string): Promise<void> {
  const parents = new Map((await read.findAll(space.datatypes)).map(row => [row.datatype_id, row.parent_id]))
  for (let at: string | null | undefined = parent; at; at = parents.get(at))
    if (at === id) throw invalid('parent_id', 'Circular reference detected')
}

/** Kinds of entries. */
export function datatypes(db: Database, space: ContentSpace): DatatypeService {
  return {
    ...crud(db, space.datatypes),
    update: (actor, id, patch, check) =>
      db.write(actor, async tx => {
        if (patch.parent_id) {
          // Two of these at once could make a cycle that neither sees, so they take turns.
          await tx.lock(internalTables.locks, space.datatypes.name)
          await refuseCycle(tx, space, id, patch.parent_id)
        }
        const { after } = await tx.update(space.datatypes, id, patch, check)
        return after
      }),
  }
}
