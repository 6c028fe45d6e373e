import { invalid } from '../../errors.js'
import type { Values } from './content-input.js'
import { type TypedField, withStoredIds } from './field-values.js'

type Json = Values[string]

const inJson: ReadonlySet<string> = new Set(['json', 'media', 'relation', 'select'])

/**
 * Returns a value as it is stored: text as it is, anything else as its JSON.
 * @returns undefined for null, which means no value
 * @throws 400 for an array or object in a field that holds neither
 */
export function storedText(field: TypedField & { readonly name: string }, value: Json): string | undefined {
  if (value === null) return undefined
  if (typeof value === 'string') return withStoredIds(field, value)
  if (typeof value === 'object' && !inJson.has(field.field_type))
    throw invalid(
      'field_value',
      `${field.name} does not accept an ${Array.isArray(value) ? 'array' : 'object'}`,
    )
  return withStoredIds(field, JSON.stringify(value))
}
