import { z } from 'zod'
import { contentStatuses } from '../../db/content-tables.js'
import { anyJson, authorId, reference } from '../body-parts.js'
import { localeCode } from './locales.js'

const status = z.enum(contentStatuses).meta({
  description:
    'Changing the status, or creating a published entry, needs `content:publish`; in the admin space `admin_tree:update`.',
})
const values = z.record(z.string(), anyJson).meta({
  description:
    'Values by field name: text, numbers, booleans, arrays for several values, objects for JSON fields. null removes a value.',
})
const locale = z
  .union([z.literal(''), localeCode], 'must be a language tag such as de or de-AT, or empty')
  .optional()
  .meta({
    description:
      'The locale of `fields`. If it is missing, the locale of the parent entry in the request. Empty for values without a locale.',
  })

const locales = z
  .record(localeCode, z.strictObject({ fields: values }))
  .optional()
  .meta({ description: 'Values in further locales: {"de": {"fields": {"title": "Über uns"}}}.' })

const members = {
  sort_order: z.int32().optional(),
  status: status.optional(),
  author_id: authorId,
  fields: values.optional(),
  locale,
  locales,
}

interface Members {
  sort_order?: number | undefined
  status?: 'draft' | 'published' | undefined
  author_id?: string | undefined
  fields?: Values | undefined
  locale?: string | undefined
  locales?: Record<string, { fields: Values }> | undefined
}
export type Values = z.output<typeof values>

/** A new entry as a request gives it, with the entries under it. */
export interface NewEntry extends Members {
  datatype_id: string
  children?: NewEntry[] | undefined
}

/** An entry under an updated entry, as a request gives it: with an id if it exists, without one if it is new. */
export interface ChildEntry extends Members {
  content_data_id?: string | undefined
  datatype_id?: string | undefined
  children?: ChildEntry[] | undefined
}

const NewChild: z.ZodType<NewEntry> = z
  .object({
    datatype_id: reference,
    ...members,
    get children() {
      return z.array(NewChild).optional()
    },
  })
  .meta({ id: 'NewContent' })

/** An entry under one that is updated: named by its id it is updated too, without an id it is made. */
const ChangedChild: z.ZodType<ChildEntry> = z
  .object({
    content_data_id: reference.optional(),
    datatype_id: reference.optional(),
    ...members,
    get children() {
      return z.array(ChangedChild).optional()
    },
  })
  .meta({ id: 'ChangedContent' })

const newChildren = z.array(NewChild).optional().meta({
  description:
    'Entries to create under this one, in this order. They inherit status and author from their parent.',
})

const newEntry = {
  datatype_id: reference,
  ...members,
  status: status.default('draft'),
  children: newChildren,
}

export const ContentCreate = z.object({
  ...newEntry,
  route_id: reference.nullable().default(null),
  parent_id: reference.nullable().default(null),
})
/** The root entry of a new page; its place is the route. */
export const PageEntry = z.object(newEntry).omit({ sort_order: true })
export const ContentUpdate = z.object({
  datatype_id: reference.optional(),
  route_id: reference.nullable().optional(),
  parent_id: reference.nullable().optional(),
  ...members,
  children: z.array(ChangedChild).optional().meta({
    description:
      'Entries under this one. An entry with an id is updated, an entry without one is created. Others stay as they are.',
  }),
})
export const ContentMove = z.object({
  content_data_id: reference,
  parent_id: reference,
  position: z.int32().min(0).optional(),
})
export const ContentReorder = z.object({
  parent_id: reference,
  content_data_ids: z.array(reference).min(1).max(100_000),
})
