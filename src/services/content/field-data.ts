import { z } from 'zod'
import { anyJson } from '../body-parts.js'
import type { FieldType } from './field-types.js'
import { typeProblem } from './field-values.js'
import { patternProblem } from './patterns.js'

/** The settings of fields, one strict schema for each field type. docs/modelling.md describes them. */

const oneAtLeast = 'must have at least one'
const count = z.int('must be a whole number from 0 to 1000000').min(0).max(1_000_000)
const flag = z.boolean('must be true or false')
const number = z.number('must be a number')

const pattern = z.string('must be text').superRefine((given, context) => {
  const problem = patternProblem(given)
  if (problem) context.addIssue({ code: 'custom', message: problem })
})

/** A text that is a value of the type. */
const valueOfType = (type: FieldType) =>
  z.string('must be text').superRefine((given, context) => {
    const problem = given === '' ? 'must not be empty' : typeProblem({ field_type: type, data: {} }, given)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })

const optionText = z.union([z.string().min(1), z.number()])
const option = z.union(
  [optionText, z.strictObject({ value: optionText, label: z.string().optional() })],
  'must be a text, a number, or an object with value and label',
)
/** The value that an option stands for, as it is stored. Older versions took any form. */
const optionValue = (given: unknown): string => String((given as { value?: unknown } | null)?.value ?? given)
const options = z
  .array(option, 'must be an array')
  .min(1, oneAtLeast)
  .max(1000)
  .refine(list => new Set(list.map(optionValue)).size === list.length, 'must have each value once')

const cardinality = z.enum(['one', 'many'], 'must be one or many')
/** What a media item is, by the first word of its media type. Everything but pictures, films and sound is a document. */
const mediaKinds = ['image', 'video', 'audio', 'document'] as const
const mediaType = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,126}$/
const kind = z
  .string()
  .refine(
    given => mediaKinds.some(known => known === given) || mediaType.test(given),
    `must be ${mediaKinds.join(', ')}, or a media type such as image/png`,
  )
const kinds = z.array(kind, 'must be an array').min(1, oneAtLeast).max(50)
const name = z.string('must be the name of a datatype').min(1).max(255)
const target = z.union(
  [name, z.array(name).min(1, oneAtLeast).max(100)],
  'must be the name of a datatype, or an array of them',
)

const text = { minLength: count, maxLength: count, pattern, unique: flag }
const references = { cardinality, minItems: count, maxItems: count }

const members = {
  text: { ...text, default: valueOfType('text') },
  textarea: { ...text, default: valueOfType('textarea') },
  richtext: { default: valueOfType('richtext') },
  number: { min: number, max: number, integer: flag, unique: flag, default: number },
  date: { min: valueOfType('date'), max: valueOfType('date'), unique: flag, default: valueOfType('date') },
  datetime: {
    min: valueOfType('datetime'),
    max: valueOfType('datetime'),
    unique: flag,
    default: valueOfType('datetime'),
  },
  boolean: { default: flag },
  select: { options, default: optionText },
  media: { ...references, kinds },
  relation: { ...references, target },
  json: { default: anyJson },
  slug: { ...text, default: valueOfType('slug') },
  email: { ...text, default: valueOfType('email') },
  url: { ...text, default: valueOfType('url') },
} satisfies Record<FieldType, Record<string, z.ZodType>>

type Members = typeof members
type AnyMember = { [T in FieldType]: keyof Members[T] }[FieldType]
type ValueOf<N extends PropertyKey> = {
  [T in FieldType]: Members[T] extends Record<N, infer S extends z.ZodType> ? z.output<S> : never
}[FieldType]

/** What the settings of a field say, whatever its type. */
export type FieldRules = { readonly [N in Exclude<AnyMember, 'options'>]?: ValueOf<N> } & {
  /** The values that a select takes, as they are stored. */
  readonly options?: readonly string[]
}

/** The settings that a field of the type may have. */
export const fieldData = (type: FieldType): z.ZodType =>
  z.strictObject(members[type] as Record<string, z.ZodType>).partial()
/** The names of those settings. */
export const settingNames = (type: FieldType): string[] => Object.keys(members[type])

/**
 * What the stored settings of a field say. What is not in the form of today says nothing: older versions of the service
 * stored settings as they came.
 */
export function rulesOf({
  field_type,
  data,
}: {
  field_type: string
  data: Readonly<Record<string, unknown>>
}): FieldRules {
  const rules: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries<z.ZodType>(members[field_type as FieldType] ?? {})) {
    if (data[name] === undefined) continue
    const result = schema.safeParse(data[name])
    if (result.success) rules[name] = result.data
  }
  if (field_type === 'select' && Array.isArray(data.options) && data.options.length > 0)
    rules.options = data.options.map(optionValue)
  return rules
}

/** The value that a new entry gets, as it is stored; undefined without one. */
export function defaultText(field: Parameters<typeof rulesOf>[0]): string | undefined {
  const { default: value } = rulesOf(field)
  if (value === undefined) return undefined
  return field.field_type === 'json' ? JSON.stringify(value) : String(value)
}
