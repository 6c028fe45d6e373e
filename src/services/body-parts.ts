import { z } from 'zod'
import type { AnyTable } from '../db/columns.js'
import { storedId, timestamp } from '../ids.js'
import { sentenceOf } from './sentences.js'

z.config({ customError: sentenceOf })

/** The text of an id: printable ASCII only, because some engines cannot compare an id with any other text. */
const idText = (limit: number) =>
  z
    .string()
    .max(limit)
    .regex(/^[\x21-\x7e]*$/, 'must be an id')
    .overwrite(storedId)

/** A reference to another record; whether it exists is for the database to say. */
export const reference = idText(64).meta({ examples: ['01JZ8M4Q7R6T5V3W2X1Y0ZABCD'] })

/** The id that a page of a list begins after. */
export const cursor = idText(26)

/** The value of a list filter, composed like the stored texts that it is compared with. */
const filter = z.string().normalize('NFC').max(512)

/** The filter of a column: one of its values if they are known, an id in its stored form, or any text. */
export function listFilter({ columns }: AnyTable, name: string): z.ZodType<string> {
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined
  const values = column?.flags.values
  if (values) return z.enum(values)
  return column?.kind === 'id' ? filter.overwrite(storedId) : filter
}

/** A count in an address, which is always text. */
export const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)
  .pipe(z.int().min(0))

/** The author of a new record is the caller, unless the body names another user. */
export const authorId = reference.optional()

/** A time with its zone, kept in UTC. */
export const time = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-12-31T00:00:00Z' })
  .transform(text => timestamp(Date.parse(text)))
  // Beyond these years the zone leads to a text of another length, which has no place in the order of times.
  .refine(text => /^\d{4}-/.test(text), 'must be in the years 0000 to 9999 in UTC')
  .meta({ examples: ['2026-12-31T00:00:00Z'] })

export const sortOrder = z.int32().min(0)

/**
 * Whatever JSON can say, in a body that has been parsed as JSON: `z.json()` would try each part of it against six
 * schemas, which takes ten seconds for 400,000 empty lists.
 */
export const anyJson: z.ZodType<z.core.util.JSONType> = z.any()

/** JSON settings of a record, such as hints for the editor. */
export const settings = z.record(z.string(), anyJson)

/** A datatype's name as front ends see it: no member of an answer is called by it, so that it may have dashes. */
export const datatypeName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must begin with a letter and have only letters, digits, "_" and "-"')
  .max(255)
  .meta({ examples: ['blogPost'] })

/** A field's name as front ends see it: a key that every format and query language takes. */
export const keyName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'must begin with a letter and have only letters, digits and "_"')
  .max(255)
  .meta({ examples: ['heroImage'] })
