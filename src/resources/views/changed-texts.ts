import { modelOf, type SpaceParts, titlesById } from '../entries.js'

/** A text that differs between two states of an entry. */
export interface ChangedText {
  readonly title?: string
  readonly field: string
  readonly locale: string
  readonly before: string | null
  readonly after: string | null
  readonly isRich: boolean
}

const maxTitles = 200

/** Returns functions that name entries and fields. A deleted entry is named by its id, a field by its id or a text. */
export async function namesIn(ids: readonly string[], parts: SpaceParts) {
  const titles = await titlesById([...new Set(ids)].slice(0, maxTitles), parts)
  const { fieldsOf } = await modelOf(parts)
  const fields = new Map([...fieldsOf.values()].flat().map(field => [field.field_id, field]))
  return {
    titleOf: (id: string): string => titles.get(id) ?? id,
    labelOf: (id: string, otherwise = id): string => fields.get(id)?.label ?? otherwise,
    isRich: (id: string): boolean => fields.get(id)?.field_type === 'richtext',
  }
}
