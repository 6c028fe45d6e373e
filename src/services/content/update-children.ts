import type { Actor } from '../../actor.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, invalid, renamed } from '../../errors.js'
import type { ChildEntry } from './content-input.js'
import type { ContentContext } from './context.js'
import { createEntries, type NewTree } from './create-entries.js'
import { type EditableEntry, entriesBeside } from './edit-trees.js'
import { markEdited, updateInTree } from './entry-rows.js'
import { checkedDatatype, lastPosition, step } from './placement.js'
import { publicationOf } from './publication.js'
import { refuseBeyond } from './subtree-limits.js'
import { type GivenValues, valuesOf, writeValues } from './write-values.js'

/** The result of a request for the entries under one entry. */
export interface Under {
  entries: EditableEntry[]
  statuses: EditableEntry[]
  changed: string[]
  whole: EditableEntry[]
  values: Map<string, ReadonlySet<string>>
  /** Where each is in the request, such as `children.2.`, by its id. */
  members: Map<string, string>
}

interface Named {
  id: string
  parentId: string
  given: ChildEntry
  member: string
}

interface Fresh {
  parentId: string
  given: ChildEntry
  member: string
}

type GivenUnder = Pick<ChildEntry, 'children' | 'locale'>

/**
 * Updates the entries under one that a request names by their ids, and makes those without an id, last under their
 * parents. What is not named stays as it is.
 * @throws 400 that names the member, as `children.2.fields.price`
 */
export async function updateChildren(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  top: EditableEntry,
  given: GivenUnder,
): Promise<Under> {
  const { space } = context
  const under: Under = {
    entries: [],
    statuses: [],
    changed: [],
    whole: [],
    values: new Map(),
    members: new Map(),
  }
  if (!given.children?.length) return under
  const { named, fresh } = sorted(top.content_data_id, given)
  refuseBeyond({ entries: named.length }, 'each', 'the entries of the request')
  const ids = named.map(({ id }) => id)
  const known = await entriesBeside(tx, space, top, ids)
  const entries = new Map([[top.content_data_id, top]])
  const values: GivenValues[] = []
  for (const one of named) {
    const before = known.get(one.id)
    if (before?.parent_id !== one.parentId)
      throw invalid(`${one.member}content_data_id`, 'is not a child of this entry')
    const parent = entries.get(one.parentId)
    const { after, changed } = await updateNamed(tx, context, actor, before, { ...one, parent })
    entries.set(one.id, after)
    under.entries.push(after)
    if (changed) under.changed.push(one.id)
    if (after.status !== before.status) under.statuses.push(after)
    if (after.datatype_id !== before.datatype_id) under.whole.push(after)
    const author_id = actor.userId ?? after.author_id
    values.push(...valuesOf(one.given, { entry: after, author_id, member: one.member }))
  }
  under.values = await writeValues(tx, space, values)
  await markValuesChanged(tx, space, under)
  const { entries: made, members } = await makeFresh(tx, context, actor, entries, fresh)
  under.members = new Map([...named.map(({ id, member }) => [id, member] as const), ...members])
  under.entries.push(...made)
  under.whole.push(...made)
  under.changed.push(...made.map(({ content_data_id }) => content_data_id))
  return under
}

function sorted(topId: string, top: GivenUnder): { named: Named[]; fresh: Fresh[] } {
  const [named, fresh]: [Named[], Fresh[]] = [[], []]
  const seen = new Set<string>()
  const take = (parentId: string, { children = [], locale }: GivenUnder, path: string) => {
    for (const [i, child] of children.entries()) {
      const given = { ...child, locale: child.locale ?? locale }
      const member = `${path}children.${i}.`
      const id = given.content_data_id
      if (id === undefined) fresh.push({ parentId, given, member })
      else if (seen.has(id)) throw invalid(`${member}content_data_id`, 'is given twice')
      else named.push({ id, parentId, given, member })
      if (id !== undefined) seen.add(id)
    }
  }
  take(topId, top, '')
  for (const { id, given, member } of named) take(id, given, member)
  return { named, fresh }
}

async function markValuesChanged(tx: Writer, space: ContentSpace, under: Under): Promise<void> {
  const { entries, values, changed } = under
  const known = new Set(changed)
  const edited = entries.filter(({ content_data_id: id }) => values.has(id) && !known.has(id))
  const after = await markEdited(tx, space, edited)
  const byId = new Map(after.map(one => [one.content_data_id, one]))
  under.entries = entries.map(one => byId.get(one.content_data_id) ?? one)
  under.changed.push(...byId.keys())
}

async function updateNamed(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  before: EditableEntry,
  { given, member, parent }: Named & { parent: EditableEntry | undefined },
): Promise<{ after: EditableEntry; changed: boolean }> {
  const { space } = context
  const { datatype_id, sort_order, status, author_id } = given
  if (datatype_id !== undefined && datatype_id !== before.datatype_id)
    try {
      checkedDatatype(space, await tx.get(space.datatypes, datatype_id), parent?.datatype_id)
      await refuseValues(tx, space, before.content_data_id)
    } catch (error) {
      throw renamed(error, name => member + name)
    }
  const publication = await publicationOf(tx, context, actor, before, status)
  const patch = { datatype_id, sort_order, status, author_id, ...publication }
  return updateInTree(tx, space, before, before.content_data_id, patch)
}

async function makeFresh(
  tx: Writer,
  context: ContentContext,
  actor: Actor,
  entries: ReadonlyMap<string, EditableEntry>,
  fresh: readonly Fresh[],
): ReturnType<typeof createEntries> {
  const positions = new Map<string, number>()
  const trees: NewTree[] = []
  for (const { parentId, given, member } of fresh) {
    const parent = entries.get(parentId) as EditableEntry
    const position = positions.get(parentId) ?? (await lastPosition(tx, context.space, parentId))
    positions.set(parentId, position + step)
    trees.push({
      given: newEntry(given, member),
      parent_id: parentId,
      route_id: null,
      under: parent.datatype_id,
      status: given.status ?? (parent.status as NewTree['status']),
      author_id: given.author_id ?? actor.userId ?? parent.author_id,
      sort_order: given.sort_order ?? position,
      member,
    })
  }
  return createEntries(tx, context, { parent: entries.values().next().value, actor }, trees)
}

/** @throws 400 for an entry without a datatype, and for one that is there already under one that is not */
function newEntry({ children, datatype_id, ...given }: ChildEntry, member: string): NewTree['given'] {
  if (datatype_id === undefined) throw invalid(`${member}datatype_id`, 'is required')
  return {
    ...given,
    datatype_id,
    children: children?.map((child, i) => newChild(child, `${member}children.${i}.`)),
  }
}

/** The body is nested at most so deeply as its reader allows, which recursion can do. */
function newChild(child: ChildEntry, member: string): NewTree['given'] {
  if (child.content_data_id !== undefined)
    throw invalid(`${member}content_data_id`, 'is not a child of this entry')
  return newEntry(child, member)
}

/** @throws 409 while an entry has values, which belong to fields of its datatype */
export async function refuseValues(tx: Writer, space: ContentSpace, content_data_id: string): Promise<void> {
  if (await tx.exists(space.contentFields, { content_data_id }))
    throw conflict('datatype_id cannot change while the entry has field values')
}
