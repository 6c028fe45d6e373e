import type { LeanValue } from '../../../db/queries/trees.js'
import { anyIds } from '../../content/field-values.js'
import type { Node, NodeValue } from '../tree.js'

/** Records that a value names: media or other entries, one or many, or none. */
export interface References {
  readonly kind: 'media' | 'relation'
  readonly ids: readonly string[]
  readonly many: boolean
}

type TypedValue =
  | { readonly kind: 'empty' }
  | { readonly kind: 'plain'; readonly json: unknown }
  /** HTML as an editor wrote it: not safe yet. */
  | { readonly kind: 'rich'; readonly html: string }
  | References

const empty: TypedValue = { kind: 'empty' }
const plain = (json: unknown): TypedValue => ({ kind: 'plain', json })

/** JSON that is deeper stays text: to write it again would take recursion, and front ends refuse to read it. */
const maxJsonDepth = 500

/** Whether a JSON text has more levels than `most`, without reading it. */
export function isDeep(text: string, most = maxJsonDepth): boolean {
  if (text.length <= 2 * most) return false
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const mark = text[i]
    if (mark === '"') quoted = !quoted
    else if (quoted) i += mark === '\\' ? 1 : 0
    else if (mark === '[' || mark === '{') depth++
    else if (mark === ']' || mark === '}') depth--
    if (depth > most) return true
  }
  return false
}

function jsonOf(text: string): TypedValue {
  if (isDeep(text)) return plain(text)
  try {
    const json: unknown = JSON.parse(text)
    return json === null ? empty : plain(json)
  } catch {
    return plain(text)
  }
}

/** A value as JSON has it. A text that is not what its field's type says is shown as it is. */
export function typedValue({
  field: { field_type, data },
  value: { field_value: text },
}: NodeValue<LeanValue>): TypedValue {
  if (field_type === 'media' || field_type === 'relation') {
    const ids = anyIds(text)
    return { kind: field_type, ids, many: data.cardinality === 'many' || ids.length > 1 }
  }
  if (text === '') return empty
  if (field_type === 'richtext') return { kind: 'rich', html: text }
  if (field_type === 'number') {
    const number = Number(text)
    return plain(Number.isFinite(number) ? number : text)
  }
  if (field_type === 'boolean') return plain(text === 'true' || (text === 'false' ? false : text))
  if (field_type === 'datetime') {
    const time = new Date(text)
    return plain(Number.isNaN(time.getTime()) ? text : time.toISOString())
  }
  return field_type === 'json' ? jsonOf(text) : plain(text)
}

/** The newest change of an entry or of one of its values, which are rows of their own. */
export const changedAt = ({ entry, values }: Pick<Node, 'entry' | 'values'>): string =>
  values.reduce(
    (newest, { value }) => (value.date_modified > newest ? value.date_modified : newest),
    entry.date_modified,
  )
