import { modelOf, type SpaceParts, titlesById } from '../entries.js'

/** A text of an entry that is another one in two states of it. */
export interface ChangedText {
  /** What the entry is called, where several are shown together. */
  readonly title?: string
  readonly field: string
  readonly locale: string
  readonly before: string | null
  readonly after: string | null
}

/** How many entries are called by their titles; what is beyond has its id. */
const maxTitles = 200

/** What entries and fields are called, and what is gone by its id or by what is said instead. */
export async function namesIn(ids: readonly string[], parts: SpaceParts) {
  const titles = await titlesById([...new Set(ids)].slice(0, maxTitles), parts)
  const { fieldsOf } = await modelOf(parts)
  const labels = new Map([...fieldsOf.values()].flat().map(({ field_id, label }) => [field_id, label]))
  return {
    titleOf: (id: string): string => titles.get(id) ?? id,
    labelOf: (id: string, otherwise = id): string => labels.get(id) ?? otherwise,
  }
}
