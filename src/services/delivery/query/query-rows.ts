import { chunks } from '../../../db/batches.js'
import type { RecordedValue } from '../../../db/queries/shown-entries.js'
import type { LeanValue } from '../../../db/queries/trees.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace, RouteRow } from '../../../db/tables.js'
import { Turns } from '../../../turns.js'
import { anyIds } from '../../content/field-values.js'
import type { Schema } from '../content-model.js'
import type { Paths } from '../expand.js'
import type { NativeNode } from '../formats/native.js'
import { mediaNamed } from '../page-media.js'
import { type NodeValue, putInOrder } from '../tree.js'
import { answerLimits, type WriteBudget } from '../write-budget.js'
import { type EntrySource, type IndexedChild, type IndexedEntry, publicSource } from './entry-source.js'

/** An entry of the public book, with the entries that are shown below it. */
export interface QueryNode extends NativeNode {
  readonly values: readonly NodeValue<RecordedValue>[]
  readonly routeId: string | null
  readonly characters: number
  readonly children: QueryNode[]
}

type PlacedValue = NodeValue<RecordedValue> & { readonly place: number }

const entriesAtOnce = 50

/** Reads entries of the public book, many at a time. */
export class QueryRows {
  private characters = 0
  private readonly turns = new Turns()

  constructor(
    private readonly read: Reader,
    private readonly space: ContentSpace,
    private readonly schema: Schema,
    private readonly isSeen: (value: LeanValue) => boolean,
    private readonly budget: WriteBudget,
    private readonly source: EntrySource = publicSource(read, space),
  ) {}

  /**
   * Entries with their values, by id; those that the public does not see are not there.
   * @param known the entries, where they have been read
   */
  async byId(ids: readonly string[], known?: readonly IndexedEntry[]): Promise<Map<string, QueryNode>> {
    return this.withValues(known ?? (await this.source.entries(ids)))
  }

  async namesOf(ids: readonly string[]): Promise<Map<string, QueryNode>> {
    this.budget.refuse('references', ids.length)
    const entries = await this.source.entries(ids)
    const found = entries.map(({ content_data_id }) => content_data_id)
    return this.nodes(entries, await this.source.names(found))
  }

  async addChildren(parents: readonly QueryNode[], levels: number): Promise<void> {
    let [level, total] = [parents, parents.length]
    for (let n = 0; n < levels && level.length > 0; n++) {
      const byId = new Map(level.map(node => [node.entry.content_data_id, node]))
      const entries: IndexedChild[] = []
      for (const parent_id of chunks([...byId.keys()])) {
        entries.push(...(await this.source.below(parent_id, answerLimits.entries + 1)))
        this.budget.refuse('entries', total + entries.length, 'children')
      }
      total += entries.length
      const made = await this.withValues(entries.sort(bySiblings))
      for (const { parent_id, content_data_id } of entries) {
        const child = made.get(content_data_id)
        if (child) byId.get(parent_id ?? '')?.children.push(child)
      }
      level = [...made.values()]
    }
  }

  async expanded(from: readonly QueryNode[], paths: Paths): Promise<Map<string, QueryNode>> {
    const found = new Map<string, QueryNode>()
    const known = new Map(from.map(node => [node.entry.content_data_id, node]))
    let open = paths.map(path => ({ path, nodes: from }))
    while (open.length > 0) {
      const wanted = open.map(({ path, nodes }) => ({ path, ids: idsIn(nodes, new Set(path.slice(0, 1))) }))
      const missing = new Set(wanted.flatMap(({ ids }) => ids.filter(id => !known.has(id))))
      this.budget.refuse('entries', known.size + missing.size, 'expand')
      for (const [id, node] of await this.byId([...missing])) known.set(id, node)
      open = wanted.flatMap(({ path, ids }) => {
        const nodes = ids.flatMap(id => known.get(id) ?? [])
        for (const node of nodes) found.set(node.entry.content_data_id, node)
        return path.length > 1 ? [{ path: path.slice(1), nodes }] : []
      })
    }
    return found
  }

  async routesOf(nodes: Iterable<QueryNode>): Promise<Map<string, RouteRow>> {
    const ids = [...new Set([...nodes].flatMap(({ routeId }) => routeId ?? []))]
    const routes = await this.read.findIn(this.space.routes, 'route_id', ids)
    return new Map(routes.map(route => [route.route_id, route]))
  }

  private async withValues(entries: readonly IndexedEntry[]): Promise<Map<string, QueryNode>> {
    const nodes = new Map<string, QueryNode>()
    for (const some of chunks(entries, entriesAtOnce)) {
      await this.turns.next()
      const content_data_id = some.map(entry => entry.content_data_id)
      const values = await this.source.values(content_data_id)
      for (const { field_value } of values) this.characters += field_value.length
      this.budget.refuse('characters', this.characters)
      for (const [id, node] of this.nodes(some, values)) nodes.set(id, node)
    }
    return nodes
  }

  private nodes(entries: readonly IndexedEntry[], values: readonly RecordedValue[]): Map<string, QueryNode> {
    const { schema } = this
    const nodes = new Map<string, QueryNode & { values: PlacedValue[]; characters: number }>()
    for (const entry of entries) {
      const datatype = schema.datatypes.get(entry.datatype_id)
      if (!datatype) continue
      nodes.set(entry.content_data_id, {
        entry,
        datatype,
        values: [],
        characters: 0,
        routeId: entry.route_id,
        children: [],
      })
    }
    let node: (QueryNode & { values: PlacedValue[]; characters: number }) | undefined
    for (const value of values) {
      // Values of one entry mostly come one after another.
      if (node?.entry.content_data_id !== value.content_data_id) node = nodes.get(value.content_data_id)
      if (!node) continue
      node.characters += value.field_value.length
      const field = schema.fields.get(value.field_id)
      if (field && this.isSeen(value)) node.values.push({ field, value, place: schema.order(field) })
    }
    for (const { values } of nodes.values()) putInOrder(values, byPlace)
    return nodes
  }
}

const byPlace = (a: PlacedValue, b: PlacedValue): number =>
  a.place - b.place || (a.value.locale < b.value.locale ? -1 : 1)

const bySiblings = (a: IndexedChild, b: IndexedChild): number =>
  a.sort_order - b.sort_order || (a.content_data_id < b.content_data_id ? -1 : 1)

/** Ids in values of the entries: of fields with these names, or of all fields of a type. */
export function idsIn(
  nodes: Iterable<Pick<QueryNode, 'values'>>,
  names?: ReadonlySet<string>,
  type = 'relation',
): string[] {
  const ids = new Set<string>()
  for (const { values } of nodes)
    for (const { field, value } of values)
      if (field.field_type === type && (names === undefined || names.has(field.name)))
        for (const id of anyIds(value.field_value)) ids.add(id)
  return [...ids]
}

/** All relations of the entries, as paths of one step. */
export function relationsOf(nodes: readonly QueryNode[]): Paths {
  const names = new Set<string>()
  for (const { values } of nodes)
    for (const { field } of values) if (field.field_type === 'relation') names.add(field.name)
  return [...names].map(name => [name])
}

/** The media that values of the entries name. */
export const mediaIdsIn = (nodes: Iterable<Pick<QueryNode, 'values'>>): string[] => [
  ...new Set([...nodes].flatMap(({ values }) => values.flatMap(mediaNamed))),
]

/** The entries and everything below them. */
export function* everyNode(nodes: Iterable<QueryNode>): Generator<QueryNode> {
  for (const node of nodes) {
    yield node
    yield* everyNode(node.children)
  }
}
