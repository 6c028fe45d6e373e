import type { LeanEntry, LeanValue } from '../../db/queries/trees.js'
import type { DatatypeRow, EntryRow, FieldRow, RouteRow, ValueRow } from '../../db/tables.js'
import { damagedContent } from '../../errors.js'
import type { Pieces } from '../../turns.js'
import type { Schema } from './content-model.js'

/** Of the row of a value, what formats need. Of pages whole rows are read, which `raw` shows. */
type ShownValue = LeanValue & Pick<ValueRow, 'content_field_id' | 'date_modified'>

/** A value with the field that it belongs to. */
export interface NodeValue<V extends LeanValue = ShownValue> {
  readonly field: FieldRow
  readonly value: V
}

const perPiece = 500

/** One entry of a tree, with its values in the order of the datatype's fields. */
export interface Node<E extends LeanEntry = EntryRow, V extends LeanValue = ShownValue> {
  readonly entry: E
  readonly datatype: DatatypeRow
  readonly values: readonly NodeValue<V>[]
  readonly children: Node<E, V>[]
}

type LeanNode = Node<LeanEntry, LeanValue>

/** The tree that a format is made from: a page by its route, or a global tree without one. */
export interface ContentTree<E extends LeanEntry = EntryRow, V extends LeanValue = ShownValue> {
  readonly route: RouteRow | undefined
  readonly root: Node<E, V>
}

export type LeanTree = ContentTree<LeanEntry, LeanValue>

/** An entry of another tree that relations of this one name: without its children, its own references cut. */
export interface LinkedEntry {
  readonly node: Node
  readonly route: RouteRow | undefined
}

/** By their ids. */
export type LinkedEntries = ReadonlyMap<string, LinkedEntry>

export interface Damage {
  /** Entries whose parent is not in the tree. */
  readonly orphans: readonly string[]
  /** Entries that are their own ancestors, or lie under such ones. */
  readonly circular: readonly string[]
}

/**
 * Builds the trees of entries and values that come in any order, in pieces and without recursion, so depth has no limit.
 * @param wanted nodes to keep, without their children; one that is left out is left out with everything under it
 */
export function* buildTrees<E extends LeanEntry, V extends LeanValue>(
  entries: readonly E[],
  values: readonly V[],
  schema: Schema,
  wanted: (node: LeanNode) => boolean,
): Pieces<{ roots: Node<E, V>[]; damage: Damage }> {
  const nodes = new Map<string, Node<E, V> & { values: NodeValue<V>[] }>()
  for (const entry of entries) {
    const datatype = schema.datatypes.get(entry.datatype_id)
    if (datatype) nodes.set(entry.content_data_id, { entry, datatype, values: [], children: [] })
  }
  yield* addValues(nodes, values, schema)
  const byField = (a: NodeValue<V>, b: NodeValue<V>) =>
    schema.order(a.field) - schema.order(b.field) || byText(a.value.locale, b.value.locale)
  const roots: Node<E, V>[] = []
  const orphans: string[] = []
  // A circle is nowhere where every parent is older than its child: ids grow with time.
  let mayCircle = false
  let placed = 0
  for (const node of nodes.values()) {
    if (placed++ % perPiece === 0) yield
    putInOrder(node.values, byField)
    const { parent_id, content_data_id } = node.entry
    if (parent_id === null) {
      roots.push(node)
      continue
    }
    mayCircle ||= parent_id >= content_data_id
    const parent = nodes.get(parent_id)
    if (!parent) orphans.push(content_data_id)
    else if (wanted(node)) parent.children.push(node)
  }
  for (const { children } of nodes.values()) putInOrder(children, bySiblingOrder)
  putInOrder(roots, bySiblingOrder)
  return {
    roots: roots.filter(wanted),
    damage: { orphans, circular: mayCircle ? circular(nodes) : [] },
  }
}

function* addValues<V extends LeanValue>(
  nodes: ReadonlyMap<string, { readonly values: NodeValue<V>[] }>,
  values: readonly V[],
  schema: Schema,
): Pieces<void> {
  // Values of an entry mostly come together.
  let owner: { values: NodeValue<V>[] } | undefined
  let ownerId = ''
  for (const [i, value] of values.entries()) {
    if (i % perPiece === 0) yield
    const field = schema.fields.get(value.field_id)
    if (!field) continue
    if (value.content_data_id !== ownerId) {
      ownerId = value.content_data_id
      owner = nodes.get(ownerId)
    }
    owner?.values.push({ field, value })
  }
}

/** Sorts in place. What is in order already, as most is, is only looked at. */
export function putInOrder<T>(list: T[], compare: (a: T, b: T) => number): void {
  for (let i = 1; i < list.length; i++)
    if (compare(list[i - 1] as T, list[i] as T) > 0) {
      list.sort(compare)
      return
    }
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
/** The order of siblings, and of trees that hang on no route. */
export const bySiblingOrder = (a: LeanNode, b: LeanNode): number =>
  a.entry.sort_order - b.entry.sort_order || byText(a.entry.content_data_id, b.entry.content_data_id)

function circular(nodes: ReadonlyMap<string, LeanNode>): string[] {
  const state = new Map<string, 'open' | 'fine' | 'circular'>()
  for (const start of nodes.keys()) {
    const path: string[] = []
    let at: string | null = start
    let verdict: 'fine' | 'circular' = 'fine'
    while (at !== null) {
      const known = state.get(at)
      const node = nodes.get(at)
      if (known || !node) {
        verdict = known === 'open' || known === 'circular' ? 'circular' : 'fine'
        break
      }
      state.set(at, 'open')
      path.push(at)
      at = node.entry.parent_id
    }
    for (const id of path) state.set(id, verdict)
  }
  return [...state].filter(([, verdict]) => verdict === 'circular').map(([id]) => id)
}

/** @throws 409 when the tree was damaged outside of the service */
export function refuseDamage({ orphans, circular }: Damage): void {
  if (circular.length > 0) throw damagedContent('Circular reference detected')
  if (orphans.length > 0) throw damagedContent('Orphaned nodes detected')
}

/** Every node, parents before children, siblings in their order. */
export function* walk<E extends LeanEntry, V extends LeanValue>(root: Node<E, V>): Generator<Node<E, V>> {
  const stack = [root]
  for (let node = stack.pop(); node; node = stack.pop()) {
    yield node
    for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i] as Node<E, V>)
  }
}

/**
 * The JSON text of a tree whose nodes are nested under a key, written node by node without recursion.
 * @param key the same for all nodes, or that of a node's children
 * @param own the node's own members or their JSON, in which its `key` does not occur; asked for parents before their
 * children
 * @param always whether a node without children has an empty list
 */
export function* nestedJson<E extends LeanEntry, V extends LeanValue>(
  root: Node<E, V>,
  key: string | ((node: Node<E, V>) => string),
  own: (node: Node<E, V>) => Record<string, unknown> | string,
  always: (node: Node<E, V>) => boolean,
): Pieces<string> {
  const pieces: string[] = []
  const stack: (Node<E, V> | string)[] = [root]
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (typeof item === 'string') {
      pieces.push(item)
      continue
    }
    yield
    const members = own(item)
    const text = typeof members === 'string' ? members : JSON.stringify(members)
    if (item.children.length === 0 && !always(item)) {
      pieces.push(text)
      continue
    }
    pieces.push(
      text.slice(0, -1),
      text === '{}' ? '' : ',',
      JSON.stringify(typeof key === 'string' ? key : key(item)),
      ':[',
    )
    stack.push(']}')
    for (let i = item.children.length - 1; i >= 0; i--) {
      stack.push(item.children[i] as Node<E, V>)
      if (i > 0) stack.push(',')
    }
  }
  return pieces.join('')
}
