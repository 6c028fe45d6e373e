import { z } from 'zod'
import { fieldTypeNames } from '../../db/content-tables.js'
import type { Database } from '../../db/database.js'
import type { ContentSpace } from '../../db/tables.js'
import { protectedRecord } from '../../errors.js'
import { type Crud, crud } from '../crud.js'
import { label } from '../text.js'

/** The names editors see. */
export const fieldTypes = {
  text: 'Text',
  textarea: 'Text area',
  number: 'Number',
  date: 'Date',
  datetime: 'Date and time',
  boolean: 'Yes or no',
  select: 'Select',
  media: 'Media',
  relation: 'Relation',
  json: 'JSON',
  richtext: 'Rich text',
  slug: 'Slug',
  email: 'E-mail',
  url: 'Address',
} as const satisfies Record<FieldType, string>

export type FieldType = (typeof fieldTypeNames)[number]
export const fieldType = z.enum(fieldTypeNames)

export const FieldTypeUpdate = z.object({ label: label().optional() })

export type FieldTypeService = Crud<ContentSpace['fieldTypes']>

/** The kinds of fields and their labels. All fourteen are there from the start and stay. */
export function fieldTypeRecords(db: Database, space: ContentSpace): FieldTypeService {
  return {
    ...crud(db, space.fieldTypes),
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        await tx.remove(space.fieldTypes, id, before => {
          check?.(before)
          if (before.system_protected) throw protectedRecord('a system field type cannot be deleted')
        })
      }),
  }
}
