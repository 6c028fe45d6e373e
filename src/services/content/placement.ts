import { lastSibling, treeShape } from '../../db/queries/content.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace, DatatypeRow, EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, circularReference, invalid, missingReference } from '../../errors.js'
import type { EditableEntry, HeldEntry } from './edit-trees.js'
import { refuseLarge } from './subtree-limits.js'

/** Distance between neighbours, so that most moves change one row only. */
export const step = 1024

export interface Place {
  parent_id: string | null
  route_id: string | null
}

/**
 * The datatype of an entry, which may say what it is to be under.
 * @param under the datatype of the parent
 * @throws 400 when there is no such datatype, or it belongs under another
 */
export function checkedDatatype(
  space: ContentSpace,
  datatype: DatatypeRow | undefined,
  under: string | undefined,
): DatatypeRow {
  if (!datatype) throw missingReference('datatype_id', space.datatypes.name)
  if (datatype.parent_id && datatype.parent_id !== under)
    throw invalid('datatype_id', `${datatype.name} can be placed only under its parent datatype`)
  return datatype
}

/**
 * Where an entry may be: under a parent, on a route, or nowhere when it is a global tree.
 * @param parent the entry that `parent_id` names
 * @throws 400 that names the member
 */
export async function checkedPlace(
  read: Reader,
  space: ContentSpace,
  datatype_id: string,
  { parent_id, route_id }: Place,
  parent: EntryRow | undefined,
): Promise<Place> {
  const datatype = checkedDatatype(space, await read.get(space.datatypes, datatype_id), parent?.datatype_id)
  if (parent && parent_id) {
    if (route_id !== null) {
      const root = await read.get(space.contentData, parent.root_id)
      if (root?.route_id !== route_id)
        throw invalid('route_id', 'a child entry must have the same route as its parent')
    }
    return { parent_id, route_id: null }
  }
  if (route_id === null && datatype.type !== '_global')
    throw badRequest(
      'route_id or parent_id: an entry needs one of them unless its datatype is of type _global',
    )
  return { parent_id: null, route_id }
}

export async function lastPosition(
  read: Reader,
  space: ContentSpace,
  parent: string | null,
): Promise<number> {
  if (parent === null) return 0
  const [last] = await read.query(lastSibling(space), { parent })
  return (last ?? 0) + step
}

/** The entry's own id and those of everything under it, parents first. */
export async function subtreeIds(read: Reader, space: ContentSpace, entry: EntryRow): Promise<string[]> {
  const children = new Map<string, string[]>()
  for (const { id, parent } of await read.query(treeShape(space), { root: entry.root_id })) {
    if (parent === null) continue
    const siblings = children.get(parent)
    if (siblings) siblings.push(id)
    else children.set(parent, [id])
  }
  const found = [entry.content_data_id]
  const seen = new Set(found)
  for (const id of found)
    for (const child of children.get(id) ?? []) {
      if (seen.has(child)) continue
      seen.add(child)
      found.push(child)
    }
  return found
}

/** The entry and everything under it, parents first. @throws 400 when they are too many for one transaction */
export async function readSubtree(
  read: Reader,
  space: ContentSpace,
  entry: EntryRow,
  work: 'each' | 'bulk',
): Promise<EntryRow[]> {
  const ids = await subtreeIds(read, space, entry)
  await refuseLarge(read, space, ids, work)
  const found = await read.findIn(space.contentData, 'content_data_id', ids)
  const byId = new Map(found.map(one => [one.content_data_id, one]))
  return ids.flatMap(id => byId.get(id) ?? [])
}

/** Reads the subtree of an entry whose tree is locked. @throws 400 when it is too large for one transaction */
export const subtreeOf = async (tx: Writer, space: ContentSpace, entry: HeldEntry): Promise<HeldEntry[]> =>
  (await readSubtree(tx, space, entry, 'each')) as HeldEntry[]

/**
 * Takes an entry with all that is under it to the tree of a parent, or makes it the root of a tree of its own.
 * @returns the new root
 * @throws 400 when the parent is under the entry
 */
export async function moveSubtree(
  tx: Writer,
  space: ContentSpace,
  entry: EditableEntry,
  parent: EditableEntry | undefined,
  route: string | null,
): Promise<string> {
  const root = parent?.root_id ?? entry.content_data_id
  const ids = await subtreeIds(tx, space, entry)
  if (parent && ids.includes(parent.content_data_id)) throw circularReference('parent_id')
  if (root !== entry.root_id) {
    await refuseLarge(tx, space, ids, 'bulk')
    if (entry.root_id === entry.content_data_id) await tx.dropTree(space.contentTrees, entry.root_id)
    // Nobody can hold or have seen a tree that is not there yet.
    if (root === entry.content_data_id) await tx.createTree(space.contentTrees, root)
    await tx.setSilently(space.contentData, 'content_data_id', ids, { root_id: root })
  }
  const routeOfRoot = parent ? ((await tx.get(space.contentData, root))?.route_id ?? null) : route
  if (root !== entry.root_id || (!parent && routeOfRoot !== entry.route_id))
    await tx.setSilently(space.contentFields, 'content_data_id', ids, { route_id: routeOfRoot })
  return root
}

/**
 * The `sort_order` of the given position among the children of a parent.
 * @param position counted from 0 among the other children; past the end means last
 * @returns the order, and the siblings that must give way first
 */
export function orderAt(
  siblings: readonly EntryRow[],
  position: number,
): { order: number; shifted: { id: string; order: number }[] } {
  const at = Math.min(position, siblings.length)
  const before = siblings[at - 1]?.sort_order ?? 0
  const after = siblings[at]?.sort_order
  if (after === undefined) return { order: before + step, shifted: [] }
  const middle = Math.floor((before + after) / 2)
  if (middle > before && middle < after) return { order: middle, shifted: [] }
  const shifted = siblings.map(({ content_data_id }, i) => ({
    id: content_data_id,
    order: (i < at ? i + 1 : i + 2) * step,
  }))
  return { order: (at + 1) * step, shifted }
}

/** The orders of children that are put in the order of `ids`. */
export const ordersOf = (ids: readonly string[]): { id: string; order: number }[] =>
  ids.map((id, i) => ({ id, order: (i + 1) * step }))
