import { z } from 'zod'
import { visibilities } from '../../db/content-tables.js'
import type { Door } from '../../db/database.js'
import type { Reader } from '../../db/reader.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { invalid } from '../../errors.js'
import { didYouMean } from '../../nearest-name.js'
import { authorId, datatypeName, reference, sortOrder } from '../body-parts.js'
import { type CreateOf, type Crud, crud } from '../crud.js'
import { label } from '../text.js'
import { createNamed, type MaybeNamed } from './derived-names.js'
import { followVisibility } from './staging.js'
import { mayShow } from './visibility.js'

export type Visibility = (typeof visibilities)[number]

const members = {
  label: label(),
  name: datatypeName,
  type: z.string(),
  parent_id: reference.nullable(),
  sort_order: sortOrder,
  visibility: z.enum(visibilities).meta({
    description:
      'What the public sees of its published entries. `private`: nothing. `linked`: entries at their own address, and entries that visible entries refer to. `public`: all entries, which anybody can also list, query and search without a key.',
  }),
  author_id: authorId,
}

export const DatatypeCreate = z.object({
  ...members,
  name: members.name.optional(),
  parent_id: members.parent_id.default(null),
  sort_order: members.sort_order.default(0),
  visibility: members.visibility.default('linked'),
})
export const DatatypeUpdate = z.object(members).partial()

/** The types of datatypes: `_global` trees need no route, and `/globals` delivers them. */
const datatypeTypes = ['content', '_global'] as const

/** @throws 400 for an unknown type */
function refuseType(type: string): void {
  if (!datatypeTypes.some(known => known === type))
    throw invalid('type', `unknown type of datatype: ${didYouMean(type, datatypeTypes)}`)
}

type Table = ContentSpace['datatypes']
export type DatatypeService = Crud<Table, MaybeNamed<CreateOf<Table>>>

/** @throws 400 when `parent` is the datatype itself or lies under it */
async function refuseCycle(read: Reader, space: ContentSpace, id: string, parent: string): Promise<void> {
  const parents = new Map((await read.findAll(space.datatypes)).map(row => [row.datatype_id, row.parent_id]))
  for (let at: string | null | undefined = parent; at; at = parents.get(at))
    if (at === id) throw invalid('parent_id', 'Circular reference detected')
}

/** Relations that name a datatype as their target go on to name it. */
async function retarget(tx: Writer, space: ContentSpace, from: string, to: string): Promise<void> {
  const renamed = (name: unknown) => (name === from ? to : name)
  for (const { field_id, data } of await tx.findAll(space.fields, { field_type: 'relation' })) {
    const { target } = data
    const next = Array.isArray(target) ? target.map(renamed) : renamed(target)
    if (JSON.stringify(next) !== JSON.stringify(target))
      await tx.update(space.fields, field_id, { data: { ...data, target: next } })
  }
}

/** Kinds of entries. */
export function datatypes(db: Door, space: ContentSpace): DatatypeService {
  const plain = crud(db, space.datatypes)
  return {
    ...plain,
    async create(actor, given) {
      refuseType(given.type)
      return createNamed(
        given,
        async () => (await db.findAll(space.datatypes)).map(({ name }) => name),
        name => plain.create(actor, { ...given, name }),
      )
    },
    update: (actor, id, patch, check) =>
      db.write(actor, async tx => {
        if (patch.parent_id) {
          // Two of these at once could make a cycle that neither sees, so they take turns.
          await tx.lock(internalTables.locks, space.datatypes.name)
          await refuseCycle(tx, space, id, patch.parent_id)
        }
        const { before, after } = await tx.update(space.datatypes, id, patch, check)
        // Older versions of the service took any type: a stored one may stay.
        if (after.type !== before.type) refuseType(after.type)
        if (after.name !== before.name) await retarget(tx, space, before.name, after.name)
        if (mayShow(after, 'public') !== mayShow(before, 'public')) await followVisibility(tx, space, id)
        return after
      }),
  }
}
