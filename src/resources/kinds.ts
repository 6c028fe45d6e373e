import { all, type Entry, type Kind, type Model, type SpaceParts } from './entries.js'

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
