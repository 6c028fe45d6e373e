import { type RecordedValue, recordedValues } from '../../db/queries/shown-entries.js'
import type { LeanEntry, LeanValue } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace, EntryRow, FieldRow } from '../../db/tables.js'
import { anyIds } from '../content/field-values.js'
import type { Audience } from './audience.js'
import type { Schema } from './content-model.js'
import type { Paths } from './expand.js'
import { type LinkedEntries, type LinkedEntry, type Node, type NodeValue, walk } from './tree.js'
import { WriteBudget } from './write-budget.js'

/** The value of a relation without the ids that are not to be seen. */
export function without(text: string, isSeen: (id: string) => boolean): string {
  const ids = anyIds(text)
  if (ids.every(isSeen)) return text
  return text.startsWith('[') ? JSON.stringify(ids.filter(isSeen)) : ''
}

const isRelation = ({ field_type }: FieldRow) => field_type === 'relation'

function* referred(values: readonly NodeValue<LeanValue>[], name?: string): Generator<string> {
  for (const { field, value } of values)
    if (isRelation(field) && (name === undefined || field.name === name)) yield* anyIds(value.field_value)
}

interface Seen {
  readonly entry: EntryRow
  readonly fields: readonly RecordedValue[]
}

/** Entries by their ids, as the audience sees them: those that are not in its book are not there. */
async function lookUp(
  { read, space, audience }: Pick<Linking, 'read' | 'space' | 'audience'>,
  ids: readonly string[],
): Promise<Seen[]> {
  const isWorking = audience === 'working'
  const values = isWorking
    ? await read.findIn(space.contentFields, 'content_data_id', ids)
    : await read.queryIn(recordedValues(space), ids)
  const fields = new Map<string, RecordedValue[]>()
  for (const value of values) {
    const own = fields.get(value.content_data_id)
    if (own) own.push(value)
    else fields.set(value.content_data_id, [value])
  }
  const entries = await read.findIn(
    isWorking ? space.contentData : space.publicEntries,
    'content_data_id',
    ids,
  )
  return entries
    .map(entry => ({ entry, fields: fields.get(entry.content_data_id) ?? [] }))
    .sort((a, b) => (a.entry.content_data_id < b.entry.content_data_id ? -1 : 1))
}

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
  readonly expand: Paths
}

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
    const missing = [...ids].filter(id => !this.inTree.has(id) && !this.asked.has(id))
    for (const id of missing) this.asked.add(id)
    for (const seen of await lookUp(this.linking, missing)) this.found.set(seen.entry.content_data_id, seen)
  }

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
