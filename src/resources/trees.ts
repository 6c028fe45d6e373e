import type { Services } from '../services/index.js'
import type { Wording } from '../texts/wording.js'
import { all, type Entry, type Model, type SpaceParts, titlesOf } from './entries.js'
import type { StateKind } from './resource.js'

type Space = Services['space']

/** The largest tree that is shown whole; a larger one is shown along the path to the open entry. */
const maxWhole = 400
/** The most and the fewest children of one parent that are shown of a larger tree without being asked for. */
const [maxSiblings, minSiblings] = [100, 20]
/** The most children of one parent that are shown together. */
export const maxShown = 1000
/** The most siblings shown before an entry on the path. */
const margin = 20

/** The state of an entry; `stateWord` says it in words. */
export interface State {
  readonly kind: StateKind
  /** The title of the draft above it that hides it. */
  readonly hiddenBy?: string
}

/** A row of the tree. */
export interface Node {
  readonly entry: Entry
  readonly title: string
  readonly type: string
  readonly level: number
  readonly state: State
  readonly at: number
  readonly of: number
  readonly before: string | undefined
  readonly children: number
}

/** The shown positions under a parent. */
export interface Range {
  readonly from: number
  readonly to: number
}

interface Part extends Range {
  readonly total: number
}

/** A tree as it is shown. */
export interface Tree {
  readonly root: Entry
  readonly route: Awaited<ReturnType<Space['routes']['get']>> | undefined
  readonly nodes: readonly Node[]
  readonly isWhole: boolean
  readonly parts: ReadonlyMap<string, Part>
  readonly total: number
  /** The time of the oldest unpublished change; null without one. */
  readonly waitingSince: string | null
  readonly waiting: ReadonlySet<string>
}

/** The parts of a large tree to show in addition to the entries around the open one. */
export interface TreeView {
  readonly beside?: Entry | undefined
  readonly asked?: ReadonlyMap<string, Range>
}

const inOrder = (a: Entry, b: Entry) =>
  a.sort_order - b.sort_order || (a.content_data_id < b.content_data_id ? -1 : 1)

async function wayTo(entry: Entry, { services: { space } }: SpaceParts): Promise<Entry[]> {
  const way = [entry]
  for (let at = entry; at.parent_id !== null && way.length < 1000; way.unshift(at))
    at = await space.content.get(at.parent_id)
  return way
}

/** Returns how many siblings are shown on each level of a path, so that together they are not more than of a whole tree. */
const siblingsOn = (levels: number): number =>
  Math.max(minSiblings, Math.min(maxSiblings, Math.floor(maxWhole / levels)))

const around = (place: number, count: number): Range => {
  const from = Math.max(0, place - Math.min(margin, Math.floor(count / 2)))
  return { from, to: from + count }
}

/**
 * Returns which of many siblings are shown: the requested ones, and those that must be shown. If these are too far
 * apart, it is the range around the last of them.
 * @param count how many siblings are shown unless more are requested
 */
export function rangeWith(
  places: readonly number[],
  asked: Range | undefined,
  { total, count }: { total: number; count: number },
): Range {
  const wanted = asked ?? around(places[0] ?? 0, count)
  const from = Math.max(0, Math.min(wanted.from, ...places))
  const to = Math.min(total, Math.max(wanted.to, ...places.map(place => place + 1)))
  if (from < to && to - from <= maxShown) return { from, to }
  const last = around(places.at(-1) ?? 0, count)
  return { from: last.from, to: Math.min(total, last.to) }
}

interface Found {
  readonly entries: readonly Entry[]
  readonly places: ReadonlyMap<string, number>
  readonly parts: ReadonlyMap<string, Part>
}

async function alongTheWays(
  wanted: readonly Entry[],
  asked: TreeView['asked'],
  context: SpaceParts,
): Promise<Found> {
  const { content, siblings } = context.services.space
  const entries = new Map<string, Entry>()
  const places = new Map<string, number>()
  const parts = new Map<string, Part>()
  for (const entry of wanted)
    for (const one of await wayTo(entry, context)) entries.set(one.content_data_id, one)
  const ways = [...entries.values()]
  const count = siblingsOn(ways.length)
  for (const { content_data_id: parent } of ways) {
    let children = await siblings.list(parent, { limit: count + 1 })
    if (children.length > count) {
      const total = await content.count({ parent_id: parent })
      for (const one of ways)
        if (one.parent_id === parent) places.set(one.content_data_id, await siblings.before(one))
      const needed = ways.flatMap(one =>
        one.parent_id === parent ? (places.get(one.content_data_id) ?? []) : [],
      )
      const { from, to } = rangeWith(needed, asked?.get(parent), { total, count })
      children = await siblings.list(parent, { offset: from, limit: to - from })
      parts.set(parent, { from, to, total })
      for (const [i, child] of children.entries()) places.set(child.content_data_id, from + i)
    }
    for (const child of children) entries.set(child.content_data_id, child)
  }
  return { entries: [...entries.values()], places, parts }
}

/** Returns the state of an entry. @param waits whether it has unpublished changes */
export function stateOf(
  entry: Pick<Entry, 'status' | 'publish_at' | 'unpublish_at'>,
  waits: boolean,
  hiddenBy?: string,
): State {
  if (entry.status === 'published' && hiddenBy !== undefined) return { kind: 'off', hiddenBy }
  if (waits) return { kind: 'changed' }
  if (entry.publish_at !== null || entry.unpublish_at !== null) return { kind: 'due' }
  return { kind: entry.status === 'published' ? 'live' : 'draft' }
}

const stateTexts = {
  live: 'Published',
  draft: 'Draft',
  due: 'Scheduled',
  changed: 'Unpublished changes',
  off: 'Empty',
} as const

/** Returns the state of an entry in words. */
export function stateWord({ kind, hiddenBy }: State, { t }: Wording): string {
  if (hiddenBy !== undefined) return t('Hidden by {title}, which is a draft', { title: hiddenBy })
  return kind === 'bad' ? '' : t(stateTexts[kind])
}

async function entriesFor(entry: Entry, total: number, shown: TreeView, context: SpaceParts): Promise<Found> {
  const { root_id } = entry
  if (total <= maxWhole) {
    const entries = await all(context.services.space.content.list({ root_id }, { limit: maxWhole }))
    return { entries, places: new Map(), parts: new Map() }
  }
  const { beside, asked } = shown
  const wanted = beside?.root_id === root_id ? [entry, beside] : [entry]
  return alongTheWays(wanted, asked, context)
}

/** Returns the tree of an entry, in reading order. */
export async function treeOf(
  entry: Entry,
  model: Model,
  context: SpaceParts,
  shown: TreeView = {},
): Promise<Tree> {
  const { content, changes, routes } = context.services.space
  const { root_id } = entry
  const total = await content.count({ root_id })
  const { entries, places, parts } = await entriesFor(entry, total, shown, context)
  const { waiting_since, changes: waits } = await changes.list(root_id)
  const waiting = new Set(waits.map(({ content_data_id }) => content_data_id))
  const titles = await titlesOf(entries, model, context)
  const childrenOf = new Map<string, Entry[]>()
  for (const one of entries.toSorted(inOrder)) {
    const known = childrenOf.get(one.parent_id ?? '')
    if (known) known.push(one)
    else if (one.parent_id !== null) childrenOf.set(one.parent_id, [one])
  }
  const root = entries.find(({ content_data_id }) => content_data_id === root_id) ?? entry
  const route = root.route_id === null ? undefined : await routes.get(root.route_id)
  const nodes: Node[] = []
  type Open = Pick<Node, 'entry' | 'level' | 'at' | 'of' | 'before'> & { hiddenBy: string | undefined }
  const open: Open[] = [{ entry: root, level: 1, at: 0, of: 1, before: undefined, hiddenBy: undefined }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { entry: one, hiddenBy, ...place } = next
    const id = one.content_data_id
    const children = childrenOf.get(id) ?? []
    const title = (id === root_id && route?.title) || (titles.get(id) ?? '')
    const type = model.datatypes.get(one.datatype_id)?.label ?? ''
    const state = stateOf(one, waiting.has(id), hiddenBy)
    nodes.push({ ...place, entry: one, title, type, state, children: children.length })
    const hides = hiddenBy ?? (one.status === 'draft' ? title : undefined)
    const under = children.map((child, i) => ({
      entry: child,
      level: place.level + 1,
      at: places.get(child.content_data_id) ?? i,
      of: parts.get(id)?.total ?? children.length,
      before: children[i - 1]?.content_data_id,
      hiddenBy: hides,
    }))
    open.push(...under.toReversed())
  }
  return {
    root,
    route,
    nodes,
    isWhole: total <= maxWhole,
    parts,
    total,
    waitingSince: waiting_since,
    waiting,
  }
}

/** Returns the parent and position for a move; undefined if there is no such place. */
export function placeFor(
  { nodes }: Tree,
  id: string,
  how: string,
): { parent_id: string; position?: number } | undefined {
  const byId = new Map(nodes.map(node => [node.entry.content_data_id, node]))
  const node = byId.get(id)
  const parent = node?.entry.parent_id
  if (!node || !parent) return undefined
  const { at, of, before } = node
  if (how === 'up') return at > 0 ? { parent_id: parent, position: at - 1 } : undefined
  if (how === 'down') return at < of - 1 ? { parent_id: parent, position: at + 1 } : undefined
  if (how === 'in') return before === undefined ? undefined : { parent_id: before }
  const above = byId.get(parent)
  const outer = above?.entry.parent_id
  return above && outer ? { parent_id: outer, position: above.at + 1 } : undefined
}

/** Returns how many changes a publish of this entry makes public: in it and under it, at the root deletions too. */
export function waitingIn({ nodes, root, waiting }: Tree, id: string): number {
  if (id === root.content_data_id) return waiting.size
  const at = nodes.findIndex(({ entry }) => entry.content_data_id === id)
  const level = nodes[at]?.level ?? 0
  const end = nodes.findIndex((node, i) => i > at && node.level <= level)
  const subtree = nodes.slice(at, end < 0 ? undefined : end)
  return subtree.filter(({ entry }) => waiting.has(entry.content_data_id)).length
}
