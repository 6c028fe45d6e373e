import type { Actor } from '../../actor.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { renamed } from '../../errors.js'
import type { NewEntry } from './content-input.js'
import type { ContentContext } from './context.js'
import type { EditableEntry } from './edit-trees.js'
import { insertEntries } from './entry-rows.js'
import { checkedDatatype, type Place, step } from './placement.js'
import { refusePublished } from './publication.js'
import { refuseBeyond, type Sizes } from './subtree-limits.js'
import { valuesOf, writeValues } from './write-values.js'

interface Inherited {
  status: 'draft' | 'published'
  author_id: string
  /** When a published entry was published; without it, now. */
  published_at?: string | undefined
  created_at?: string | undefined
  changed_at?: string | undefined
}

/** An entry to make, with everything under it. */
export interface NewTree extends Inherited, Place {
  content_data_id?: string | undefined
  given: Omit<NewEntry, 'status' | 'author_id'>
  sort_order: number
  /** Where it is in the request, such as `children.2.`; `''` for the entry that the request is about. */
  member: string
  /** The datatype that it is under, where its own has not been checked yet. */
  under?: string
}

interface Planned extends NewTree {
  content_data_id: string
}

interface Making {
  readonly parent: EditableEntry | undefined
  readonly actor: Actor
  readonly isComing?: ((id: string) => boolean) | undefined
}

/**
 * Makes entries with everything under them, in one tree: a statement for each few hundred rows. Without a parent the
 * first is the root of a tree of its own.
 * @param parent an entry of the tree
 * @param isComing as for `writeValues`
 * @returns all of them, parents first, and where each is in the request
 * @throws 400 that names the member, as `children.2.fields.price`; 400 when they are too many for one transaction; 403
 * when some are published and the caller may not publish
 */
export async function createEntries(
  tx: Writer,
  context: ContentContext,
  { parent, actor, isComing }: Making,
  tops: readonly NewTree[],
): Promise<{ entries: EditableEntry[]; members: Map<string, string> }> {
  const { space } = context
  const plan = planned(tx, tops)
  await refusePublished(context, actor, plan)
  const [first, ...others] = plan.map(one => rowOf(tx, one, actor.userId))
  const members = new Map(plan.map(({ content_data_id, member }) => [content_data_id, member]))
  if (!first) return { entries: [], members }
  refuseBeyond(sizesOfPlan(plan), 'each', 'the entries of the request')
  await refuseDatatypes(tx, space, plan)
  const entries = await insertEntries(tx, space, parent, [first, ...others])
  await writeValues(
    tx,
    space,
    plan.flatMap(({ given, author_id, member, changed_at }, i) =>
      valuesOf(given, { entry: entries[i] as EditableEntry, author_id, member, changed_at }),
    ),
    { fresh: true, isComing },
  )
  return { entries, members }
}

function planned(tx: Writer, tops: readonly NewTree[]): Planned[] {
  const plan: Planned[] = tops.map(top => ({ ...top, content_data_id: top.content_data_id ?? tx.newId() }))
  for (const {
    given,
    content_data_id,
    status,
    author_id,
    published_at,
    created_at,
    changed_at,
    member,
  } of plan)
    for (const [i, child] of (given.children ?? []).entries())
      plan.push({
        content_data_id: tx.newId(),
        parent_id: content_data_id,
        route_id: null,
        given: { ...child, locale: child.locale ?? given.locale },
        under: given.datatype_id,
        status: child.status ?? status,
        author_id: child.author_id ?? author_id,
        published_at,
        created_at,
        changed_at,
        sort_order: child.sort_order ?? (i + 1) * step,
        member: `${member}children.${i}.`,
      })
  return plan
}

const rowOf = (tx: Writer, planned: Planned, publishedBy: string | null) => {
  const { content_data_id, given, parent_id, route_id, sort_order, status, author_id } = planned
  return {
    content_data_id,
    datatype_id: given.datatype_id,
    parent_id,
    route_id,
    sort_order,
    status,
    author_id,
    published_at: status === 'published' ? (planned.published_at ?? tx.now) : null,
    published_by: status === 'published' ? publishedBy : null,
    date_created: planned.created_at,
    date_modified: planned.changed_at,
  }
}

function sizesOfPlan(plan: readonly Planned[]): Pick<Sizes, 'entries' | 'values'> {
  let values = 0
  for (const { given } of plan)
    for (const fields of [given.fields ?? {}, ...Object.values(given.locales ?? {}).map(one => one.fields)])
      values += Object.keys(fields).length
  return { entries: plan.length, values }
}

async function refuseDatatypes(tx: Writer, space: ContentSpace, plan: readonly Planned[]): Promise<void> {
  const inside = plan.filter(({ under }) => under !== undefined)
  const ids = [...new Set(inside.map(({ given }) => given.datatype_id))]
  const datatypes = new Map(
    (await tx.findIn(space.datatypes, 'datatype_id', ids)).map(row => [row.datatype_id, row]),
  )
  for (const { given, under, member } of inside)
    try {
      checkedDatatype(space, datatypes.get(given.datatype_id), under)
    } catch (error) {
      throw renamed(error, name => member + name)
    }
}
