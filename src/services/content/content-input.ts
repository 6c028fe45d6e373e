import { z } from 'zod'
import { authorId, reference } from '../body-parts.js'
import { localeCode } from './locales.js'

const status = z.enum(['draft', 'published'])
/** Values by field name; numbers and booleans are taken as their text. */
const values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

export const ContentCreate = z.object({
  datatype_id: reference,
  route_id: reference.nullable().default(null),
  parent_id: reference.nullable().default(null),
  sort_order: z.int32().optional(),
  status: status.default('draft'),
  author_id: authorId,
  fields: values.default({}),
})
export const ContentUpdate = z.object({
  datatype_id: reference.optional(),
  route_id: reference.nullable().optional(),
  parent_id: reference.nullable().optional(),
  sort_order: z.int32().optional(),
  status: status.optional(),
  author_id: authorId,
  fields: values.optional(),
  locale: localeCode.optional().meta({ description: 'The locale that `fields` is written in.' }),
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
