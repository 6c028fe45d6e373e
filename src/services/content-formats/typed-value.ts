import type { NodeValue } from '../content-tree.js'
import { namedIds } from '../field-values.js'

/** Records that a value names: media or other entries, one or many. */
export interface References {
  readonly kind: 'media' | 'relation'
  readonly ids: readonly string[]
  readonly many: boolean
}

export const isReferences = (value: unknown): value is References =>
  typeof value === 'object' && value !== null && 'kind' in value && 'ids' in value

const isReferenceType = (type: string): type is References['kind'] => type === 'media' || type === 'relation'

/**
 * A value as JSON has it: numbers, truth values and JSON as themselves, references as ids, everything else as text.
 * An empty value is null; each format says what it makes of that.
 */
export function typedValue({ field, value }: NodeValue): unknown {
  const text = value.field_value
  if (text === '') return null
  const type = field.field_type
  if (isReferenceType(type)) {
    const many = field.data.cardinality === 'many'
    return { kind: type, ids: namedIds(text, field.data) ?? [], many } satisfies References
  }
  if (type === 'number') return Number(text)
  if (type === 'boolean') return text === 'true'
  if (type !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
