import type { RowOf } from '../../../db/columns.js'
import { namingValues } from '../../../db/queries/public-index.js'
import type { LeanValue } from '../../../db/queries/trees.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace } from '../../../db/tables.js'
import { invalid } from '../../../errors.js'
import { anyIds } from '../../content/field-values.js'
import type { Schema } from '../content-model.js'
import type { NativeNode } from '../formats/native.js'
import type { NodeValue } from '../tree.js'

type IndexedEntry = RowOf<ContentSpace['publicEntries']>
type Route = RowOf<ContentSpace['routes']>

/** An entry of the public index, with what is shown below it. */
export interface QueryNode extends NativeNode {
  readonly routeId: string | null
  readonly children: QueryNode[]
}

/** How many entries one answer shows at most, with children and expanded relations. */
const maxEntries = 5000

const tooMany = (parameter: string) =>
  invalid(
    parameter,
    `the answer would have more than ${maxEntries} entries; ask for fewer or with a smaller limit`,
  )

/** Reads entries of the public index, many at a time. */
export class QueryRows {
  constructor(
    private readonly read: Reader,
    private readonly space: ContentSpace,
    private readonly schema: Schema,
    private readonly isSeen: (value: LeanValue) => boolean,
  ) {}

  /** Entries with their values, by id; those that the public does not see are not there. */
  async byId(ids: readonly string[]): Promise<Map<string, QueryNode>> {
    const entries = await this.read.findIn(this.space.publicEntries, 'content_data_id', ids)
    const values = await this.read.findIn(
      this.space.publicValues,
      'content_data_id',
      entries.map(({ content_data_id }) => content_data_id),
    )
    return this.nodes(
      entries,
      values.filter(({ position }) => position === 0),
    )
  }

  /** Entries with only as much of their values as they are called by. */
  async namesOf(ids: readonly string[]): Promise<Map<string, QueryNode>> {
    const entries = await this.read.findIn(this.space.publicEntries, 'content_data_id', ids)
    const found = entries.map(({ content_data_id }) => content_data_id)
    return this.nodes(entries, await this.read.queryIn(namingValues(this.space), found))
  }

  /** Puts so many levels of children under the entries. */
  async addChildren(parents: readonly QueryNode[], levels: number): Promise<void> {
    let [level, total] = [parents, parents.length]
    for (let n = 0; n < levels && level.length > 0; n++) {
      const byId = new Map(level.map(node => [node.entry.content_data_id, node]))
      const entries = await this.read.findIn(this.space.publicEntries, 'parent_id', [...byId.keys()])
      total += entries.length
      if (total > maxEntries) throw tooMany('children')
      const children = await this.byId(entries.map(({ content_data_id }) => content_data_id))
      const ordered = [...children.values()].sort(bySiblings)
      for (const child of ordered) byId.get(child.entry.parent_id ?? '')?.children.push(child)
      level = ordered
    }
  }

  /** Entries that are shown with their fields because a path leads to them. */
  async expanded(
    from: readonly QueryNode[],
    paths: readonly (readonly string[])[],
  ): Promise<Map<string, QueryNode>> {
    const found = new Map<string, QueryNode>()
    const known = new Map(from.map(node => [node.entry.content_data_id, node]))
    let open = paths.map(path => ({ path, nodes: from }))
    while (open.length > 0) {
      const wanted = open.map(({ path, nodes }) => ({ path, ids: idsIn(nodes, new Set(path.slice(0, 1))) }))
      const missing = new Set(wanted.flatMap(({ ids }) => ids.filter(id => !known.has(id))))
      if (known.size + missing.size > maxEntries) throw tooMany('expand')
      for (const [id, node] of await this.byId([...missing])) known.set(id, node)
      open = wanted.flatMap(({ path, ids }) => {
        const nodes = ids.flatMap(id => known.get(id) ?? [])
        for (const node of nodes) found.set(node.entry.content_data_id, node)
        return path.length > 1 ? [{ path: path.slice(1), nodes }] : []
      })
    }
    return found
  }

  async routesOf(nodes: Iterable<QueryNode>): Promise<Map<string, Route>> {
    const ids = [...new Set([...nodes].flatMap(({ routeId }) => routeId ?? []))]
    const routes = await this.read.findIn(this.space.routes, 'route_id', ids)
    return new Map(routes.map(route => [route.route_id, route]))
  }

  private nodes(entries: readonly IndexedEntry[], values: readonly LeanValue[]): Map<string, QueryNode> {
    const { schema } = this
    const nodes = new Map<string, QueryNode & { values: NodeValue<LeanValue>[] }>()
    for (const entry of entries) {
      const datatype = schema.datatypes.get(entry.datatype_id)
      if (!datatype) continue
      nodes.set(entry.content_data_id, {
        entry: { ...entry, status: 'published' },
        datatype,
        values: [],
        routeId: entry.route_id,
        children: [],
      })
    }
    for (const value of values) {
      const field = schema.fields.get(value.field_id)
      if (field && this.isSeen(value)) nodes.get(value.content_data_id)?.values.push({ field, value })
    }
    for (const { values } of nodes.values())
      values.sort(
        (a, b) => schema.order(a.field) - schema.order(b.field) || (a.value.locale < b.value.locale ? -1 : 1),
      )
    return nodes
  }
}

const bySiblings = ({ entry: a }: QueryNode, { entry: b }: QueryNode): number =>
  a.sort_order - b.sort_order || (a.content_data_id < b.content_data_id ? -1 : 1)

/** Ids in values of the entries: of fields with these names, or of all fields of a type. */
export function idsIn(nodes: Iterable<QueryNode>, names?: ReadonlySet<string>, type = 'relation'): string[] {
  const ids = new Set<string>()
  for (const { values } of nodes)
    for (const { field, value } of values)
      if (field.field_type === type && (names === undefined || names.has(field.name)))
        for (const id of anyIds(value.field_value)) ids.add(id)
  return [...ids]
}

/** The entries and everything below them. */
export function* everyNode(nodes: Iterable<QueryNode>): Generator<QueryNode> {
  for (const node of nodes) {
    yield node
    yield* everyNode(node.children)
  }
}
