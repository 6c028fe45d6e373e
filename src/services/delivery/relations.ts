import type { RowOf } from '../../db/columns.js'
import { entriesWithWaiting } from '../../db/queries/links.js'
import type { LeanEntry, LeanValue, ValueRow } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { anyIds } from '../content/field-values.js'
import { readEntry } from '../content/snapshots.js'
import type { EntrySnapshot } from '../content/tree-diff.js'
import { mayShow } from '../content/visibility.js'
import type { Audience } from './audience.js'
import type { Schema } from './content-model.js'
import type { Paths } from './expand.js'
import { type LinkedEntries, type LinkedEntry, type Node, type NodeValue, walk } from './tree.js'
import { WriteBudget } from './write-budget.js'

type Entry = RowOf<ContentSpace['contentData']>
type Field = RowOf<ContentSpace['fields']>

/** The value of a relation without the ids that are not to be seen. */
export function without(text: string, isSeen: (id: string) => boolean): string {
  const ids = anyIds(text)
  if (ids.every(isSeen)) return text
  return text.startsWith('[') ? JSON.stringify(ids.filter(isSeen)) : ''
}

const isRelation = ({ field_type }: Field) => field_type === 'relation'

/** Ids in relations among the values: in those of one name, or in all. */
function* referred(values: readonly NodeValue<LeanValue>[], name?: string): Generator<string> {
  for (const { field, value } of values)
    if (isRelation(field) && (name === undefined || field.name === name)) yield* anyIds(value.field_value)
}

/** An entry of another tree as the audience sees it, with its values. */
interface Seen extends EntrySnapshot {
  /** Whether it is seen as it was at the last publish, because changes of its tree wait. */
  readonly isSnapshot: boolean
}

const publicEntry = ({ snapshot, root_id }: RowOf<ContentSpace['publishedSnapshots']>): EntrySnapshot => {
  const { entry, fields } = readEntry(snapshot)
  return { entry: { ...entry, root_id }, fields }
}

/**
 * Entries by their ids, as the audience may see them. Where changes of a tree wait, the public sees its entries as
 * they were, also those that are deleted or in another tree by now.
 */
async function lookUp(
  read: Reader,
  space: ContentSpace,
  ids: readonly string[],
  audience: Audience,
): Promise<Seen[]> {
  const valuesOf = new Map(ids.map(id => [id, [] as ValueRow[]]))
  for (const value of await read.findIn(space.contentFields, 'content_data_id', ids))
    valuesOf.get(value.content_data_id)?.push(value)
  // Read after the values: what does not wait now did not wait when they were read, unless it has been published.
  const found = await read.queryIn(entriesWithWaiting(space), ids)
  const now = new Map(found.map(({ entry }) => [entry.content_data_id, entry]))
  const seen = new Map<string, Seen>()
  for (const { entry, waits } of found) {
    const fields = valuesOf.get(entry.content_data_id) ?? []
    if (audience === 'working' || !waits)
      seen.set(entry.content_data_id, { entry, fields, isSnapshot: false })
  }
  const others = audience === 'working' ? [] : ids.filter(id => !seen.has(id))
  for (const row of await read.findIn(space.publishedSnapshots, 'content_data_id', others)) {
    const { entry, fields } = publicEntry(row)
    const at = now.get(row.content_data_id)
    const isHere = at?.root_id === row.root_id
    // Of two trees that show it, the one that it is in now. Routes change at once.
    const shown = isHere && entry.parent_id === null ? { ...entry, route_id: at.route_id } : entry
    if (isHere || !seen.has(row.content_data_id))
      seen.set(row.content_data_id, { entry: shown, fields, isSnapshot: true })
  }
  return [...seen.values()].sort((a, b) => (a.entry.content_data_id < b.entry.content_data_id ? -1 : 1))
}

/** Levels above a referred entry that are looked at; two statements each, however many entries there are. */
const maxLevels = 100

/** Those of the entries that the public sees: published and not private, with everything above them. */
async function published(
  { read, space, schema }: Pick<Linking, 'read' | 'space' | 'schema'>,
  seen: readonly Seen[],
): Promise<Seen[]> {
  const keyOf = (root: string, id: string, isSnapshot: boolean) => `${isSnapshot ? root : ''} ${id}`
  const above = new Map<string, Entry>()
  const add = (entry: Entry, isSnapshot: boolean) =>
    above.set(keyOf(entry.root_id, entry.content_data_id, isSnapshot), entry)
  for (const { entry, isSnapshot } of seen) add(entry, isSnapshot)
  const parentsOf = (entries: readonly Entry[], isSnapshot: boolean) => [
    ...new Set(
      entries.flatMap(({ root_id, parent_id }) =>
        parent_id !== null && !above.has(keyOf(root_id, parent_id, isSnapshot)) ? [parent_id] : [],
      ),
    ),
  ]
  const split = (isSnapshot: boolean) =>
    seen.filter(one => one.isSnapshot === isSnapshot).map(({ entry }) => entry)
  let [live, waiting] = [parentsOf(split(false), false), parentsOf(split(true), true)]
  for (let level = 0; level < maxLevels && live.length + waiting.length > 0; level++) {
    const found = await read.findIn(space.contentData, 'content_data_id', live)
    for (const entry of found) add(entry, false)
    live = parentsOf(found, false)
    const rows = await read.findIn(space.publishedSnapshots, 'content_data_id', waiting)
    const snapshots = rows.map(row => publicEntry(row).entry)
    for (const entry of snapshots) add(entry, true)
    waiting = parentsOf(snapshots, true)
  }
  const isShown = ({ datatype_id }: Entry): boolean => {
    const datatype = schema.datatypes.get(datatype_id)
    return datatype !== undefined && mayShow(datatype, 'public')
  }
  const isSeen = ({ entry, isSnapshot }: Seen): boolean => {
    const passed = new Set<string>()
    for (let at: Entry | undefined = entry; ; ) {
      if (at?.status !== 'published' || !isShown(at) || passed.has(at.content_data_id)) return false
      if (at.parent_id === null) return true
      passed.add(at.content_data_id)
      at = above.get(keyOf(at.root_id, at.parent_id, isSnapshot))
    }
  }
  return seen.filter(isSeen)
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

interface Linking {
  readonly read: Reader
  readonly space: ContentSpace
  readonly schema: Schema
  readonly audience: Audience
  /** Relations whose entries are shown with their fields, so that what these refer to is looked up too. */
  readonly expand: Paths
}

/** What a tree refers to, found level by level. */
class LinkedSearch<E extends LeanEntry, V extends LeanValue> {
  readonly found = new Map<string, Seen>()
  private readonly inTree = new Map<string, Node<E, V>>()
  private readonly asked = new Set<string>()

  constructor(
    private readonly linking: Linking,
    root: Node<E, V>,
  ) {
    for (const node of walk(root)) this.inTree.set(node.entry.content_data_id, node)
  }

  isSeen(id: string): boolean {
    return this.inTree.has(id) || this.found.has(id)
  }

  /** Looks up what the tree refers to. @returns whether it refers to anything */
  async ofTree(): Promise<boolean> {
    const ids = this.behind(this.inTree.keys())
    await this.lookUp(ids)
    return ids.size > 0
  }

  /** Looks up what entries refer to that the paths lead to. @throws 400 when they are too many */
  async expand(): Promise<void> {
    const budget = new WriteBudget('expand')
    let open = this.linking.expand.map(path => ({ path, from: new Set(this.inTree.keys()) }))
    while (open.length > 0) {
      const reached = open.map(({ path, from }) => ({
        path: path.slice(1),
        from: this.behind(from, path[0]),
      }))
      const ids = this.behind(reached.flatMap(({ from }) => [...from]))
      budget.refuse('entries', new Set([...this.asked, ...ids]).size)
      await this.lookUp(ids)
      open = reached.filter(({ path }) => path.length > 0)
    }
  }

  private async lookUp(ids: ReadonlySet<string>): Promise<void> {
    const { read, space, audience } = this.linking
    const missing = [...ids].filter(id => !this.inTree.has(id) && !this.asked.has(id))
    for (const id of missing) this.asked.add(id)
    const found = await lookUp(read, space, missing, audience)
    for (const seen of audience === 'public' ? await published(this.linking, found) : found)
      this.found.set(seen.entry.content_data_id, seen)
  }

  /** What relations of these entries refer to. */
  private behind(ids: Iterable<string>, name?: string): Set<string> {
    const behind = new Set<string>()
    for (const id of ids) for (const other of referred(this.valuesOf(id), name)) behind.add(other)
    return behind
  }

  private valuesOf(id: string): readonly NodeValue<LeanValue>[] {
    const { fields } = this.linking.schema
    const own = this.found.get(id)?.fields
    if (!own) return this.inTree.get(id)?.values ?? []
    return own.flatMap(value => {
      const field = fields.get(value.field_id)
      return field ? [{ field, value }] : []
    })
  }
}

/**
 * Resolves the relations of a tree, in bulk: entries outside of it come along, and ids that the audience must not see
 * are left out. A tree without relations costs nothing.
 * @returns undefined when the tree refers to nothing, and so depends on nothing but itself
 * @throws 400 when paths lead to too many entries
 */
export async function linkTree<E extends LeanEntry, V extends LeanValue>(
  linking: Linking,
  root: Node<E, V>,
): Promise<{ root: Node<E, V>; linked: LinkedEntries } | undefined> {
  const search = new LinkedSearch(linking, root)
  if (!(await search.ofTree())) return undefined
  await search.expand()
  const isSeen = (id: string) => search.isSeen(id)
  const { read, space, schema } = linking
  const linked = await entriesWithValues(read, space, schema, [...search.found.values()], isSeen)
  return { root: withOnly(root, isSeen), linked }
}

async function entriesWithValues(
  read: Reader,
  space: ContentSpace,
  schema: Schema,
  shown: readonly Seen[],
  isSeen: (id: string) => boolean,
): Promise<LinkedEntries> {
  if (shown.length === 0) return new Map()
  const routes = await read.findIn(
    space.routes,
    'route_id',
    shown.flatMap(({ entry }) => entry.route_id ?? []),
  )
  const routeOf = new Map(routes.map(route => [route.route_id, route]))
  const linked = new Map<string, LinkedEntry>()
  for (const { entry, fields } of shown) {
    const datatype = schema.datatypes.get(entry.datatype_id)
    if (!datatype) continue
    const own = fields
      .flatMap((value): NodeValue[] => {
        const field = schema.fields.get(value.field_id)
        if (!field) return []
        const field_value = isRelation(field) ? without(value.field_value, isSeen) : value.field_value
        return [{ field, value: { ...value, field_value } }]
      })
      .sort((a, b) => schema.order(a.field) - schema.order(b.field))
    linked.set(entry.content_data_id, {
      node: { entry, datatype, values: own, children: [] },
      route: entry.route_id === null ? undefined : routeOf.get(entry.route_id),
    })
  }
  return linked
}
