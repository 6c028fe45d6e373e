import { all, type Entry, type Kind, type Model, type SpaceParts, startsOf } from './entries.js'
import type { Choice } from './form-field.js'

/** Trees of a kind that is on no page are shown one by one up to this number. */
const shownOfKind = 5
/** How many of those trees are looked at to tell. */
const lookedAt = 200

/** Whether a tree may begin with an entry of the kind. */
export const beginsTrees = ({ type, parent_id }: Pick<Kind, 'type' | 'parent_id'>): boolean =>
  type === '_global' || parent_id === null

/** The kinds that a tree may begin with, by their names. */
export const kindsOfTrees = ({ datatypes }: Model): Kind[] =>
  [...datatypes.values()].filter(beginsTrees).toSorted((a, b) => a.label.localeCompare(b.label))

/** Those of them that are on no page, such as menus. */
export const kindsWithoutPage = (model: Model): Kind[] =>
  kindsOfTrees(model).filter(({ type }) => type === '_global')

/** Trees that are on no page: of kinds with few each of them, and how many there are of each other kind. */
export async function treesWithoutPage(
  model: Model,
  { services: { space } }: SpaceParts,
): Promise<{ few: Entry[]; many: { kind: Kind; total: number }[] }> {
  const kinds = kindsWithoutPage(model)
  const datatype_id = kinds.map(kind => kind.datatype_id)
  if (kinds.length === 0) return { few: [], many: [] }
  const found = await all(space.content.list({ datatype_id, parent_id: null }, { limit: lookedAt }))
  const few: Entry[] = []
  const many: { kind: Kind; total: number }[] = []
  for (const kind of kinds) {
    const where = { datatype_id: kind.datatype_id, parent_id: null }
    const isWhole = found.length < lookedAt
    const own = found.filter(root => root.datatype_id === kind.datatype_id)
    const total = isWhole ? own.length : await space.content.count(where)
    if (total > shownOfKind) many.push({ kind, total })
    else few.push(...(isWhole ? own : await all(space.content.list(where, { limit: total }))))
  }
  return { few, many }
}

const isThere = async (
  where: { datatype_id: string; parent_id?: null },
  { services: { space } }: SpaceParts,
): Promise<boolean> => (await all(space.content.list(where, { limit: 1 }))).length > 0

/** Which of some kinds pages, or other trees, start from. */
async function rootKinds(kinds: readonly Choice[], parts: SpaceParts): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    kinds.map(async ({ value }) =>
      (await isThere({ datatype_id: value, parent_id: null }, parts)) ? [value] : [],
    ),
  )
  return new Set(found.flat())
}

/** The kinds for a new page: those that pages start from, then new ones, and none that is only used inside of pages. */
export async function startsOfPages(model: Model, parts: SpaceParts): Promise<Choice[]> {
  const kinds = startsOf(model, undefined)
  const roots = await rootKinds(kinds, parts)
  const others = kinds.filter(({ value }) => !roots.has(value))
  const used = await Promise.all(others.map(({ value }) => isThere({ datatype_id: value }, parts)))
  const found = [...kinds.filter(({ value }) => roots.has(value)), ...others.filter((_, i) => !used[i])]
  return found.length > 0 ? found : kinds
}

/** A kind for an entry under another. */
export interface StartUnder extends Choice {
  /** Whether it is rather the kind of a page. */
  readonly isPage: boolean
}

/** The kinds for an entry under one of another kind: those that belong there, others, and last those of pages. */
export async function startsUnder(model: Model, under: string, parts: SpaceParts): Promise<StartUnder[]> {
  const kinds = startsOf(model, under)
  const isOwn = ({ value }: Choice) => model.datatypes.get(value)?.parent_id === under
  const roots = await rootKinds(
    kinds.filter(kind => !isOwn(kind)),
    parts,
  )
  const isOnly = kinds.every(({ value }) => roots.has(value))
  return kinds
    .map(kind => ({ ...kind, isPage: !isOnly && roots.has(kind.value) }))
    .toSorted((a, b) => Number(a.isPage) - Number(b.isPage))
}
