import type { RowOf } from '../db/columns.js'
import type { LeanEntry, LeanValue, ValueRow } from '../db/queries.js'
import type { Reader } from '../db/reader.js'
import type { ContentSpace } from '../db/tables.js'
import { type Node, type NodeValue, walk } from './content-tree.js'
import { anyIds } from './field-values.js'
import type { Audience } from './pages.js'
import type { Schema } from './schema.js'

type Entry = RowOf<ContentSpace['contentData']>
type Field = RowOf<ContentSpace['fields']>

/** An entry of another tree that this one refers to: without its children, its own references cut. */
interface LinkedEntry {
  readonly node: Node
  /** Where it can be visited, when it is the root of a page. */
  readonly route: RowOf<ContentSpace['routes']> | undefined
}

export type LinkedEntries = ReadonlyMap<string, LinkedEntry>

/** The same value without the ids that are not to be seen. */
function without(text: string, isSeen: (id: string) => boolean): string {
  const ids = anyIds(text)
  if (ids.every(isSeen)) return text
  return text.startsWith('[') ? JSON.stringify(ids.filter(isSeen)) : ''
}

const isRelation = ({ field_type }: Field) => field_type === 'relation'

/** Every entry that relations of the tree name. */
function referred<E extends LeanEntry, V extends LeanValue>(root: Node<E, V>): Set<string> {
  const ids = new Set<string>()
  for (const { values } of walk(root))
    for (const { field, value } of values)
      if (isRelation(field)) for (const id of anyIds(value.field_value)) ids.add(id)
  return ids
}

/** Levels above a referred entry that are looked at; one statement each, however many entries there are. */
const levels = 100

/** Those of the entries that the public sees: published, with everything above them. */
async function published(read: Reader, space: ContentSpace, entries: readonly Entry[]): Promise<Set<string>> {
  const above = new Map(entries.map(entry => [entry.content_data_id, entry]))
  let open = entries.flatMap(({ parent_id }) =>
    parent_id !== null && !above.has(parent_id) ? [parent_id] : [],
  )
  for (let level = 0; level < levels && open.length > 0; level++) {
    const found = await read.findIn(space.contentData, 'content_data_id', [...new Set(open)])
    for (const entry of found) above.set(entry.content_data_id, entry)
    open = found.flatMap(({ parent_id }) => (parent_id !== null && !above.has(parent_id) ? [parent_id] : []))
  }
  const isSeen = (entry: Entry): boolean => {
    const seen = new Set<string>()
    for (let at: Entry | undefined = entry; ; ) {
      if (at?.status !== 'published' || seen.has(at.content_data_id)) return false
      if (at.parent_id === null) return true
      seen.add(at.content_data_id)
      at = above.get(at.parent_id)
    }
  }
  return new Set(entries.filter(isSeen).map(({ content_data_id }) => content_data_id))
}

/** The tree with only those ids in its relations; written without recursion. */
function withOnly<E extends LeanEntry, V extends LeanValue>(
  root: Node<E, V>,
  isSeen: (id: string) => boolean,
): Node<E, V> {
  const rewritten = (values: readonly NodeValue<V>[]) =>
    values.map(item =>
      isRelation(item.field)
        ? {
            field: item.field,
            value: { ...item.value, field_value: without(item.value.field_value, isSeen) },
          }
        : item,
    )
  const copies = new Map<Node<E, V>, Node<E, V>>()
  for (const node of walk(root)) copies.set(node, { ...node, values: rewritten(node.values), children: [] })
  for (const [node, copy] of copies)
    for (const child of node.children) {
      const own = copies.get(child)
      if (own) copy.children.push(own)
    }
  return copies.get(root) ?? root
}

/**
 * Resolves the relations of a tree, in bulk: entries outside of it come along, and ids that the audience must not see
 * are left out. A tree without relations costs nothing.
 * @returns undefined when the tree refers to nothing, and so depends on nothing but itself
 */
export async function linkTree<E extends LeanEntry, V extends LeanValue>(
  read: Reader,
  space: ContentSpace,
  schema: Schema,
  root: Node<E, V>,
  audience: Audience,
): Promise<{ root: Node<E, V>; linked: LinkedEntries } | undefined> {
  const ids = referred(root)
  if (ids.size === 0) return undefined
  const inTree = new Set<string>()
  for (const { entry } of walk(root)) inTree.add(entry.content_data_id)
  const outside = [...ids].filter(id => !inTree.has(id))
  const found = await read.findIn(space.contentData, 'content_data_id', outside)
  const seen =
    audience === 'public'
      ? await published(read, space, found)
      : new Set(found.map(({ content_data_id }) => content_data_id))
  const isSeen = (id: string) => inTree.has(id) || seen.has(id)
  const shown = found.filter(({ content_data_id }) => seen.has(content_data_id))
  return { root: withOnly(root, isSeen), linked: await entriesWithValues(read, space, schema, shown, isSeen) }
}

async function entriesWithValues(
  read: Reader,
  space: ContentSpace,
  schema: Schema,
  entries: readonly Entry[],
  isSeen: (id: string) => boolean,
): Promise<LinkedEntries> {
  if (entries.length === 0) return new Map()
  const values = await read.findIn(
    space.contentFields,
    'content_data_id',
    entries.map(({ content_data_id }) => content_data_id),
  )
  const routes = await read.findIn(
    space.routes,
    'route_id',
    entries.flatMap(({ route_id }) => route_id ?? []),
  )
  const routeOf = new Map(routes.map(route => [route.route_id, route]))
  const valuesOf = new Map<string, NodeValue<ValueRow>[]>()
  for (const value of values) {
    const field = schema.fields.get(value.field_id)
    if (!field) continue
    const field_value = isRelation(field) ? without(value.field_value, isSeen) : value.field_value
    const list = valuesOf.get(value.content_data_id) ?? []
    list.push({ field, value: { ...value, field_value } })
    valuesOf.set(value.content_data_id, list)
  }
  const linked = new Map<string, LinkedEntry>()
  for (const entry of entries) {
    const datatype = schema.datatypes.get(entry.datatype_id)
    if (!datatype) continue
    const own = (valuesOf.get(entry.content_data_id) ?? []).sort(
      (a, b) => schema.order(a.field) - schema.order(b.field),
    )
    linked.set(entry.content_data_id, {
      node: { entry, datatype, values: own, children: [] },
      route: entry.route_id === null ? undefined : routeOf.get(entry.route_id),
    })
  }
  return linked
}
