import { z } from 'zod'
import type { PlainText } from '../../texts/text.js'
import { anyJson } from '../body-parts.js'
import type { FieldType } from './field-types.js'
import { typeProblem } from './field-values.js'
import { patternProblem } from './patterns.js'

/**
 * The settings of fields: what each takes and how people read it, one list for each field type. The check, forms and the
 * description of the API are made of it. docs/modelling.md describes the settings.
 */

/** The kind of value that a setting holds; `value` is one of the field's own type. */
export type SettingKind =
  | 'count'
  | 'flag'
  | 'pattern'
  | 'value'
  | 'options'
  | 'cardinality'
  | 'kinds'
  | 'datatypes'

export interface Setting<S extends z.ZodType = z.ZodType> {
  readonly kind: SettingKind
  readonly label: PlainText
  readonly hint: PlainText | ''
  readonly schema: S
}

const setting = <S extends z.ZodType>(
  kind: SettingKind,
  label: PlainText,
  hint: PlainText | '',
  schema: S,
): Setting<S> => ({ kind, label, hint, schema })

const oneAtLeast = 'must have at least one'
const count = z.int('must be a whole number from 0 to 1000000').min(0).max(1_000_000)
const flag = z.boolean('must be true or false')
const number = z.number('must be a number')

const patternText = z.string('must be text').superRefine((given, context) => {
  const problem = patternProblem(given)
  if (problem) context.addIssue({ code: 'custom', message: problem })
})

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
export const optionValue = (given: unknown): string =>
  String((given as { value?: unknown } | null)?.value ?? given)
const shortened = (text = '') => (text.length > 64 ? `${text.slice(0, 64)}…` : text)
const optionList = z
  .array(option, 'must be an array')
  .min(1, oneAtLeast)
  .max(1000)
  .superRefine((list, context) => {
    const values = list.map(optionValue)
    const first = new Map(values.map((value, i) => [value, i] as const).reverse())
    const again = values.findIndex((value, i) => first.get(value) !== i)
    const problem = `must have each value once, and has ${JSON.stringify(shortened(values[again]))} twice`
    if (again >= 0) context.addIssue({ code: 'custom', path: [again], message: problem })
  })

/** The kinds of media items, by the first word of the media type, with the names that people read. */
export const mediaKinds = {
  image: 'Images',
  video: 'Videos',
  audio: 'Audio',
  document: 'Everything else',
} as const
const mediaType = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,126}$/
const kind = z
  .string()
  .refine(
    given => Object.hasOwn(mediaKinds, given) || mediaType.test(given),
    `must be ${Object.keys(mediaKinds).join(', ')}, or a media type such as image/png`,
  )
const kindList = z.array(kind, 'must be an array').min(1, oneAtLeast).max(50)
const datatypeName = z.string('must be the name of a datatype').min(1).max(255)
const targetNames = z.union(
  [datatypeName, z.array(datatypeName).min(1, oneAtLeast).max(100)],
  'must be the name of a datatype, or an array of them',
)

const unique = setting('flag', 'Unique', 'no two published entries may have the same value', flag)
const defaultOf = <S extends z.ZodType>(schema: S) =>
  setting('value', 'Default', 'the value in new entries', schema)
const text = {
  minLength: setting('count', 'At least', 'characters', count),
  maxLength: setting('count', 'At most', 'characters', count),
  pattern: setting(
    'pattern',
    'Pattern',
    'RE2 syntax. It can match any part of the value; use ^ and $ for the whole value',
    patternText,
  ),
  unique,
}
const between = <S extends z.ZodType>(first: PlainText, last: PlainText, schema: S) => ({
  min: setting('value', first, '', schema),
  max: setting('value', last, '', schema),
})
const references = {
  cardinality: setting(
    'cardinality',
    'How many',
    'in one value',
    z.enum(['one', 'many'], 'must be one or many'),
  ),
  minItems: setting('count', 'At least', 'if several are allowed', count),
  maxItems: setting('count', 'At most', 'if several are allowed', count),
}

const members = {
  text: { ...text, default: defaultOf(valueOfType('text')) },
  textarea: { ...text, default: defaultOf(valueOfType('textarea')) },
  richtext: { default: defaultOf(valueOfType('richtext')) },
  number: {
    ...between('Smallest', 'Largest', number),
    integer: setting('flag', 'Whole numbers', 'no decimals', flag),
    unique,
    default: defaultOf(number),
  },
  date: {
    ...between('First day', 'Last day', valueOfType('date')),
    unique,
    default: defaultOf(valueOfType('date')),
  },
  datetime: {
    ...between('Earliest', 'Latest', valueOfType('datetime')),
    unique,
    default: defaultOf(valueOfType('datetime')),
  },
  boolean: { default: defaultOf(flag) },
  select: {
    options: setting('options', 'Options', 'without options: any text', optionList),
    default: defaultOf(optionText),
  },
  media: {
    ...references,
    kinds: setting('kinds', 'Kinds of files', 'if you select none: all types', kindList),
    altRequired: setting('flag', 'Alt text required', 'every image needs one before it is published', flag),
  },
  relation: {
    ...references,
    target: setting('datatypes', 'Entries of', 'if you select none: all datatypes', targetNames),
  },
  json: { default: defaultOf(anyJson) },
  slug: { ...text, default: defaultOf(valueOfType('slug')) },
  email: { ...text, default: defaultOf(valueOfType('email')) },
  url: { ...text, default: defaultOf(valueOfType('url')) },
} satisfies Record<FieldType, Record<string, Setting>>

type Members = typeof members
type AnyMember = { [T in FieldType]: keyof Members[T] }[FieldType]
type ValueOf<N extends PropertyKey> = {
  [T in FieldType]: Members[T] extends Record<N, Setting<infer S>> ? z.output<S> : never
}[FieldType]

/** The rules of a field from its settings, whatever its type. */
export type FieldRules = { readonly [N in Exclude<AnyMember, 'options'>]?: ValueOf<N> } & {
  readonly options?: readonly string[]
}

const byType: ReadonlyMap<string, ReadonlyMap<string, Setting>> = new Map(
  Object.entries(members).map(([type, settings]) => [type, new Map(Object.entries(settings))]),
)
const none: ReadonlyMap<string, Setting> = new Map()

/** Returns the settings that a field of the type may have, by their names; empty for an unknown type. */
export const settingsOf = (type: string): ReadonlyMap<string, Setting> => byType.get(type) ?? none

/** Pairs of settings that are the lower and the upper limit of one number. */
export const limits = [
  ['min', 'max'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const

/** The settings of all types as a JSON schema says them, for the description of the API. */
export const settingsSchemas = (): object[] =>
  [...byType].map(([type, settings]) => ({
    title: type,
    type: 'object',
    properties: Object.fromEntries(
      [...settings].map(([name, { label, hint, schema }]) => {
        const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
        return [name, { ...shape, description: hint ? `${label} (${hint})` : label }]
      }),
    ),
    additionalProperties: false,
  }))
