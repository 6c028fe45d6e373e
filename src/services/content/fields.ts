import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { PatchOf, RowOf } from '../../db/columns.js'
import type { Door } from '../../db/database.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { conflict, invalid, notFound } from '../../errors.js'
import { didYouMean } from '../../nearest-name.js'
import { authorId, keyName, reference, settings, sortOrder } from '../body-parts.js'
import { type Check, type CreateOf, type Crud, crud } from '../crud.js'
import { label } from '../text.js'
import { type BrokenValues, brokenValues } from './broken-values.js'
import { checkData } from './check-data.js'
import { createNamed, type MaybeNamed } from './derived-names.js'
import { rulesOf } from './field-data.js'
import { settingsSchemas } from './field-settings.js'
import { type FieldType, fieldType } from './field-types.js'
import { UiConfig } from './ui-config.js'

const members = {
  label: label(),
  name: keyName,
  field_type: fieldType,
  parent_id: reference,
  data: settings.meta({
    description:
      'The settings of the field type, as in docs/modelling.md. The title of each form is its field type.',
    get anyOf() {
      return settingsSchemas()
    },
  }),
  ui_config: UiConfig,
  required: z.boolean(),
  translatable: z.boolean(),
  sort_order: sortOrder,
  author_id: authorId,
}

export const FieldCreate = z.object({
  ...members,
  name: members.name.optional(),
  data: members.data.default({}),
  ui_config: UiConfig.default({}),
  required: z.boolean().default(false),
  translatable: z.boolean().default(false),
  sort_order: sortOrder
    .optional()
    .meta({ description: 'Without it, the field is the last of its datatype.' }),
})
export const FieldUpdate = z.object(members).partial()

type Table = ContentSpace['fields']
type Field = RowOf<Table>
type Update = PatchOf<Table>
type Broken = z.output<typeof BrokenValues>

export interface FieldService extends Crud<Table, MaybeNamed<CreateOf<Table>>> {
  /**
   * Moves a field among the fields of its datatype.
   * @param index its new place, from 0; after the last for a larger one
   */
  place(actor: Actor, id: string, index: number): Promise<void>
  /** The field as it is after the patch, which is not stored. @throws as `update` */
  preview(id: string, patch: Update, check?: Check<Field>): Promise<Field>
  brokenValues(field: Field): Promise<Broken>
  /** Whether entries have values of the field, also empty ones: then its type cannot change. */
  hasValues(id: string): Promise<boolean>
}

/** The fields of datatypes. A field keeps its values when its name changes. */
export function fields(db: Door, space: ContentSpace): FieldService {
  const plain = crud(db, space.fields)
  return {
    ...plain,
    async create(actor, given) {
      await refuseData(db, space, given)
      const others = () => fieldsInOrder(db, space, given.parent_id)
      const sort_order = given.sort_order ?? (await others()).at(-1)?.sort_order ?? 0
      return createNamed(
        given,
        async () => (await others()).map(({ name }) => name),
        name => plain.create(actor, { ...given, name, sort_order }),
      )
    },
    update: (actor, id, patch, check) =>
      db.write(actor, async tx => {
        const { before, after } = await tx.update(space.fields, id, patch, check)
        await refuseChange(tx, space, before, after)
        return after
      }),
    place: (actor, id, index) =>
      db.write(actor, async tx => {
        const field = await tx.get(space.fields, id)
        if (!field) throw notFound()
        const others = await fieldsInOrder(tx, space, field.parent_id)
        const inOrder = others.filter(({ field_id }) => field_id !== id)
        inOrder.splice(index, 0, field)
        for (const [i, { field_id, sort_order }] of inOrder.entries())
          if (sort_order !== i + 1) await tx.update(space.fields, field_id, { sort_order: i + 1 })
      }),
    async preview(id, patch, check) {
      const before = await db.get(space.fields, id)
      if (!before) throw notFound()
      check?.(before)
      const given = Object.entries(patch).filter(([, value]) => value !== undefined)
      const after: Field = { ...before, ...Object.fromEntries(given) }
      await refuseChange(db, space, before, after)
      return after
    },
    brokenValues: field => brokenValues(db, space, field),
    hasValues: id => hasValues(db, space, id),
  }
}

type Ordered = Pick<Field, 'sort_order' | 'field_id'>

/** Compares fields by their order; of two with the same one, the older is first. */
export const byOrder = (a: Ordered, b: Ordered): number =>
  a.sort_order - b.sort_order || (a.field_id < b.field_id ? -1 : 1)

const fieldsInOrder = async (read: Reader, space: ContentSpace, datatypeId: string): Promise<Field[]> =>
  (await read.findAll(space.fields, { parent_id: datatypeId })).sort(byOrder)

/** Whether a change of a field changes which of its values are taken. */
export const changesRules = ({ data, required }: Pick<Update, 'data' | 'required'>): boolean =>
  data !== undefined || required !== undefined

/**
 * @param stored what the field has now
 * @throws 400 for settings that the field type does not have, or that name datatypes which there are not
 */
async function refuseData(
  read: Reader,
  space: ContentSpace,
  { field_type, data = {} }: { readonly field_type: string; readonly data?: Field['data'] | undefined },
  stored: Field['data'] = {},
): Promise<void> {
  checkData(field_type as FieldType, data, stored)
  const targets = [rulesOf({ field_type, data }).target ?? []].flat()
  const found = await read.findIn(space.datatypes, 'name', targets)
  const names = new Set(found.map(({ name }) => name))
  const missing = targets.find(name => !names.has(name))
  if (missing === undefined) return
  const known = (await read.findAll(space.datatypes)).map(({ name }) => name)
  throw invalid('data.target', `there is no datatype ${missing}: ${didYouMean(missing, known)}`)
}

/** Whether an entry has a value of the field, in the working book or in what the public still sees. */
const hasValues = async (read: Reader, { contentFields, publicValues }: ContentSpace, field_id: string) =>
  (await read.exists(contentFields, { field_id })) || (await read.exists(publicValues, { field_id }))

/** Settings that stay as they are are not looked at: older versions of the service took others. */
async function refuseChange(read: Reader, space: ContentSpace, before: Field, after: Field): Promise<void> {
  const isRetyped = before.field_type !== after.field_type
  if (isRetyped || JSON.stringify(before.data) !== JSON.stringify(after.data))
    await refuseData(read, space, after, isRetyped ? {} : before.data)
  if ((isRetyped || before.parent_id !== after.parent_id) && (await hasValues(read, space, after.field_id)))
    throw conflict('field_type and parent_id cannot change while entries have values of this field')
}
