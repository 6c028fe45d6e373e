import type { Services } from '../services/index.js'
import type { Choice } from './form-field.js'
import type { StateKind } from './resource.js'

type Space = Services['space']
/** Trees are read for every surface that shows them whole. */
interface SpaceParts {
  readonly services: Pick<Services, 'space'>
}
export type Entry = Awaited<ReturnType<Space['content']['get']>>
export type ModelField = Awaited<ReturnType<Space['fields']['get']>>
type Datatype = Awaited<ReturnType<Space['datatypes']['get']>>
type Value = Awaited<ReturnType<Space['contentFields']['get']>>

/** More datatypes and fields than a site has. */
const maxModel = 5000
/** A larger tree is shown along the way to the entry that is open. */
const maxWhole = 500
/** How many entries of one level are shown of a larger tree. */
const maxSiblings = 200
/** How many ids one statement is given. */
const pieceLength = 200

/** Everything that a bounded list gives. */
export async function all<R>(batches: AsyncGenerator<R[]>): Promise<R[]> {
  const found: R[] = []
  for await (const batch of batches) found.push(...batch)
  return found
}

/** Datatypes by id, and the fields of each in their order. */
export interface Model {
  readonly datatypes: ReadonlyMap<string, Datatype>
  readonly fieldsOf: ReadonlyMap<string, readonly ModelField[]>
}

export async function modelOf({ services: { space } }: SpaceParts): Promise<Model> {
  const datatypes = await all(space.datatypes.list({}, { limit: maxModel }))
  const fields = await all(space.fields.list({}, { limit: maxModel }))
  fields.sort((a, b) => a.sort_order - b.sort_order || (a.field_id < b.field_id ? -1 : 1))
  const fieldsOf = new Map<string, ModelField[]>()
  for (const field of fields) fieldsOf.set(field.parent_id, [...(fieldsOf.get(field.parent_id) ?? []), field])
  return { datatypes: new Map(datatypes.map(row => [row.datatype_id, row])), fieldsOf }
}

/** The datatypes of which an entry may be made under another, or at the root. */
export function startsOf(model: Model, under: string | undefined): Choice[] {
  return [...model.datatypes.values()]
    .toSorted((a, b) => Number(b.parent_id === under) - Number(a.parent_id === under))
    .filter(({ type, parent_id }) =>
      under === undefined
        ? type === 'content' && parent_id === null
        : parent_id === null || parent_id === under,
    )
    .map(({ datatype_id, label }) => ({ value: datatype_id, word: label }))
}

const isTitle = ({ field_type }: ModelField) => field_type === 'text'

/** What entries are called: the first text that they have, else their datatype. */
export async function titlesOf(
  entries: readonly Pick<Entry, 'content_data_id' | 'datatype_id'>[],
  model: Model,
  { services: { space } }: SpaceParts,
): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  const fields = new Set(
    entries.flatMap(({ datatype_id }) => model.fieldsOf.get(datatype_id)?.find(isTitle)?.field_id ?? []),
  )
  const field_id = [...fields].slice(0, pieceLength)
  for (let at = 0; at < entries.length && field_id.length > 0; at += pieceLength) {
    const content_data_id = entries.slice(at, at + pieceLength).map(entry => entry.content_data_id)
    const values = await all(
      space.contentFields.list({ content_data_id, field_id }, { limit: pieceLength * 20 }),
    )
    for (const value of values)
      if (value.field_value !== '' && (value.locale === '' || !titles.has(value.content_data_id)))
        titles.set(value.content_data_id, value.field_value)
  }
  for (const { content_data_id, datatype_id } of entries)
    if (!titles.has(content_data_id))
      titles.set(content_data_id, model.datatypes.get(datatype_id)?.label ?? 'Entry')
  return titles
}

/** What the entries with these ids are called, of which there are no more than one statement is given. */
export async function titlesById(
  ids: readonly string[],
  parts: SpaceParts,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const found = parts.services.space.content.list({ content_data_id: ids }, { limit: pieceLength })
  return titlesOf(await all(found), await modelOf(parts), parts)
}

/** The values of an entry, by field. */
export async function valuesOf(id: string, { services: { space } }: SpaceParts): Promise<readonly Value[]> {
  return all(space.contentFields.list({ content_data_id: id }, { limit: maxModel }))
}

interface State {
  readonly kind: StateKind
  readonly word: string
}

/** A row of the tree. */
export interface Node {
  readonly entry: Entry
  readonly title: string
  readonly type: string
  readonly level: number
  readonly state: State
  readonly siblings: readonly string[]
  readonly children: number
}

/** A tree as it is shown. */
export interface Tree {
  readonly root: Entry
  /** The address of the page that it is. */
  readonly route: Awaited<ReturnType<Space['routes']['get']>> | undefined
  readonly nodes: readonly Node[]
  /** Whether all of it is there. */
  readonly isWhole: boolean
  readonly total: number
  /** Since when changes wait for a publish; null while none does. */
  readonly waitingSince: string | null
  readonly waiting: ReadonlySet<string>
}

const inOrder = (a: Entry, b: Entry) =>
  a.sort_order - b.sort_order || (a.content_data_id < b.content_data_id ? -1 : 1)

/** The way from the root to an entry, both included. */
async function wayTo(entry: Entry, { services: { space } }: SpaceParts): Promise<Entry[]> {
  const way = [entry]
  for (let at = entry; at.parent_id !== null && way.length < 1000; way.unshift(at))
    at = await space.content.get(at.parent_id)
  return way
}

/** Of a large tree what is beside the way to an entry. */
async function alongTheWay(entry: Entry, context: SpaceParts): Promise<Entry[]> {
  const { content } = context.services.space
  const way = await wayTo(entry, context)
  const found = new Map(way.map(one => [one.content_data_id, one]))
  for (const { content_data_id } of way)
    for (const child of await all(content.list({ parent_id: content_data_id }, { limit: maxSiblings })))
      found.set(child.content_data_id, child)
  return [...found.values()]
}

function stateOf(entry: Entry, waiting: ReadonlySet<string>, hiddenBy: string | undefined): State {
  if (entry.status === 'published' && hiddenBy !== undefined)
    return { kind: 'off', word: `Hidden by ${hiddenBy}, which is a draft` }
  if (waiting.has(entry.content_data_id)) return { kind: 'changed', word: 'Changes wait for a publish' }
  if (entry.publish_at !== null || entry.unpublish_at !== null) return { kind: 'due', word: 'Scheduled' }
  return entry.status === 'published' ? { kind: 'live', word: 'Published' } : { kind: 'draft', word: 'Draft' }
}

/** The tree of an entry, in the order in which it is read. */
export async function treeOf(entry: Entry, model: Model, context: SpaceParts): Promise<Tree> {
  const { content, changes, routes } = context.services.space
  const { root_id } = entry
  const total = await content.count({ root_id })
  const isWhole = total <= maxWhole
  const entries = isWhole
    ? await all(content.list({ root_id }, { limit: maxWhole }))
    : await alongTheWay(entry, context)
  const { waiting_since, changes: waits } = await changes.list(root_id)
  const waiting = new Set(waits.map(({ content_data_id }) => content_data_id))
  const titles = await titlesOf(entries, model, context)
  const childrenOf = new Map<string, Entry[]>()
  for (const one of entries.toSorted(inOrder))
    if (one.parent_id !== null) childrenOf.set(one.parent_id, [...(childrenOf.get(one.parent_id) ?? []), one])
  const root = entries.find(({ content_data_id }) => content_data_id === root_id) ?? entry
  const route = root.route_id === null ? undefined : await routes.get(root.route_id)
  const nodes: Node[] = []
  const open: { entry: Entry; level: number; siblings: string[]; hiddenBy: string | undefined }[] = [
    { entry: root, level: 1, siblings: [root_id], hiddenBy: undefined },
  ]
  for (let at = open.pop(); at; at = open.pop()) {
    const { entry: one, level, siblings, hiddenBy } = at
    const id = one.content_data_id
    const children = childrenOf.get(id) ?? []
    const title = (id === root_id && route?.title) || (titles.get(id) ?? '')
    const type = model.datatypes.get(one.datatype_id)?.label ?? ''
    nodes.push({
      entry: one,
      title,
      type,
      level,
      state: stateOf(one, waiting, hiddenBy),
      siblings,
      children: children.length,
    })
    const ids = children.map(child => child.content_data_id)
    const hides = hiddenBy ?? (one.status === 'draft' ? title : undefined)
    for (const child of children.toReversed())
      open.push({ entry: child, level: level + 1, siblings: ids, hiddenBy: hides })
  }
  return { root, route, nodes, isWhole, total, waitingSince: waiting_since, waiting }
}

/** Where an entry would go, and which place among the others there; undefined where there is no such place. */
export function placeFor(
  { nodes }: Tree,
  id: string,
  how: string,
): { parent_id: string; position?: number } | undefined {
  const byId = new Map(nodes.map(node => [node.entry.content_data_id, node]))
  const node = byId.get(id)
  const parent = node?.entry.parent_id
  if (!node || !parent) return undefined
  const at = node.siblings.indexOf(id)
  if (how === 'up') return at > 0 ? { parent_id: parent, position: at - 1 } : undefined
  if (how === 'down')
    return at < node.siblings.length - 1 ? { parent_id: parent, position: at + 1 } : undefined
  const before = node.siblings[at - 1]
  if (how === 'in') return before === undefined ? undefined : { parent_id: before }
  const above = byId.get(parent)
  const outer = above?.entry.parent_id
  return above && outer ? { parent_id: outer, position: above.siblings.indexOf(parent) + 1 } : undefined
}

/** How many changes a publish of this entry makes public: those in it and under it, with what was deleted at the root. */
export function waitingIn({ nodes, root, waiting }: Tree, id: string): number {
  if (id === root.content_data_id) return waiting.size
  const at = nodes.findIndex(({ entry }) => entry.content_data_id === id)
  const level = nodes[at]?.level ?? 0
  const end = nodes.findIndex((node, i) => i > at && node.level <= level)
  const subtree = nodes.slice(at, end < 0 ? undefined : end)
  return subtree.filter(({ entry }) => waiting.has(entry.content_data_id)).length
}
