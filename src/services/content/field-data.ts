import { z } from 'zod'
import { type FieldRules, optionValue, settingsOf } from './field-settings.js'
import type { FieldType } from './field-types.js'

/** The settings that a field of the type may have, as one strict schema. */
export const fieldData = (type: FieldType): z.ZodType =>
  z
    .strictObject(Object.fromEntries([...settingsOf(type)].map(([name, { schema }]) => [name, schema])))
    .partial()
/** The names of those settings. */
export const settingNames = (type: FieldType): string[] => [...settingsOf(type).keys()]

/**
 * Returns the rules that the stored settings of a field give. Settings that today's form refuses are ignored: older
 * versions of the service stored settings as they came.
 */
export function rulesOf({
  field_type,
  data,
}: {
  field_type: string
  data: Readonly<Record<string, unknown>>
}): FieldRules {
  const rules: Record<string, unknown> = {}
  for (const [name, { schema }] of settingsOf(field_type)) {
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
