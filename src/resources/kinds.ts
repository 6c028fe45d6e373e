import { all, type Entry, type Kind, type Model, type SpaceParts, startsOf } from './entries.js'
import type { Choice } from './form-field.js'

/** Up to this number, trees of a datatype without pages are listed one by one. */
const shownOfKind = 5
const lookedAt = 200

/** Whether an entry of this datatype can be the root of a tree. */
export const beginsTrees = ({ type, parent_id }: Pick<Kind, 'type' | 'parent_id'>): boolean =>
  type === '_global' || parent_id === null

/** The datatypes for roots of trees, by label. */
export const kindsOfTrees = ({ datatypes }: Model): Kind[] =>
  [...datatypes.values()].filter(beginsTrees).toSorted((a, b) => a.label.localeCompare(b.label))

/** Those of them without a page, such as menus. */
export const kindsWithoutPage = (model: Model): Kind[] =>
  kindsOfTrees(model).filter(({ type }) => type === '_global')

/** Returns trees without a page: each tree of a datatype with few, and the number of trees of any other datatype. */
export async function treesWithoutPage(
  model: Model,
  { services: { space } }: SpaceParts,
): Promise<{ few: Entry[]; many: { kind: Kind; total: number }[] }> {
  const kinds = kindsWithoutPage(model)
  const datatype_id = kinds.map(kind => kind.datatype_id)
  if (kinds.length === 0) return { few: [], many: [] }
  const found = await all(space.content.list({ datatype_id, parent_id: null }, { limit: lookedAt }))
  const shownTrees: Entry[] = []
  const many: { kind: Kind; total: number }[] = []
  for (const kind of kinds) {
    const where = { datatype_id: kind.datatype_id, parent_id: null }
    const isWhole = found.length < lookedAt
    const own = found.filter(root => root.datatype_id === kind.datatype_id)
    const total = isWhole ? own.length : await space.content.count(where)
    if (total > shownOfKind) many.push({ kind, total })
    else shownTrees.push(...(isWhole ? own : await all(space.content.list(where, { limit: total }))))
  }
  return { few: shownTrees, many }
}

const isThere = async (
  where: { datatype_id: string; parent_id?: null },
  { services: { space } }: SpaceParts,
): Promise<boolean> => (await all(space.content.list(where, { limit: 1 }))).length > 0

async function rootKinds(kinds: readonly Choice[], parts: SpaceParts): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    kinds.map(async ({ value }) =>
      (await isThere({ datatype_id: value, parent_id: null }, parts)) ? [value] : [],
    ),
  )
  return new Set(found.flat())
}

/** Returns the datatypes for a new page: those of existing pages, then unused ones; none used only inside pages. */
export async function startsOfPages(model: Model, parts: SpaceParts): Promise<Choice[]> {
  const kinds = startsOf(model, undefined)
  const roots = await rootKinds(kinds, parts)
  const others = kinds.filter(({ value }) => !roots.has(value))
  const used = await Promise.all(others.map(({ value }) => isThere({ datatype_id: value }, parts)))
  const found = [...kinds.filter(({ value }) => roots.has(value)), ...others.filter((_, i) => !used[i])]
  return found.length > 0 ? found : kinds
}

/** A datatype for an entry under another. */
export interface StartUnder extends Choice {
  readonly isPage: boolean
}

/**
 * Returns the datatypes for an entry under another: that of the last entry there, then those that belong there, then others,
 * and last those of pages.
 */
export async function startsUnder(
  model: Model,
  { content_data_id, datatype_id }: Pick<Entry, 'content_data_id' | 'datatype_id'>,
  parts: SpaceParts,
): Promise<StartUnder[]> {
  const kinds = startsOf(model, datatype_id)
  const isOwn = ({ value }: Choice) => model.datatypes.get(value)?.parent_id === datatype_id
  const [roots, [end]] = await Promise.all([
    rootKinds(
      kinds.filter(kind => !isOwn(kind)),
      parts,
    ),
    parts.services.space.siblings.list(content_data_id, { limit: 1, newestFirst: true }),
  ])
  const isOnly = kinds.every(({ value }) => roots.has(value))
  const isAtEnd = ({ value }: Choice) => value === end?.datatype_id
  return kinds
    .map(kind => ({ ...kind, isPage: !isOnly && !isAtEnd(kind) && roots.has(kind.value) }))
    .toSorted((a, b) => Number(isAtEnd(b)) - Number(isAtEnd(a)) || Number(a.isPage) - Number(b.isPage))
}
