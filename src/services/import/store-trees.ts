import { type Actor, authorOf } from '../../actor.js'
import type { Writer } from '../../db/writer.js'
import { timestamp } from '../../ids.js'
import type { NewEntry, Values } from '../content/content-input.js'
import { createEntries } from '../content/create-entries.js'
import type { EditableEntry } from '../content/edit-trees.js'
import { checkedPlace } from '../content/placement.js'
import { emitStatus } from '../content/publication.js'
import { refuseBroken } from '../content/publication-check.js'
import { insertRoute } from '../content/routes.js'
import { type ScheduleContext, schedule } from '../content/schedule.js'
import {
  keepSourceIds,
  type NewSourceId,
  type SourcedRecord,
  type SourceId,
  sourcedRecords,
} from '../content/source-ids.js'
import { writeValues } from '../content/write-values.js'
import { readBack, type StoredEntry } from './read-back.js'
import { batchesOf } from './records.js'

/** So many are looked up at once, because rows are read as a whole. */
const lookedUp = 1000

/** An entry that an import makes, in the ids of this site. */
export interface TreeToStore {
  readonly datatype_id: string
  readonly values: Values
  readonly late: Values
  readonly translations: Readonly<Record<string, Values>>
  readonly children: readonly TreeToStore[]
}

/** A tree of its own. */
export interface RootToStore extends TreeToStore {
  readonly content_data_id: string
  readonly page: { readonly slug: string; readonly title: string } | undefined
  readonly isPublished: boolean
  readonly publishedAt: string | undefined
  readonly createdAt: string | undefined
  readonly changedAt: string | undefined
  readonly sources: readonly string[]
  readonly publishAt: string | undefined
}

export interface TreeImport {
  known(ids: Iterable<string>): Promise<ReadonlySet<string>>
  /**
   * Makes trees in one transaction, each published or planned by an event of its own. They may refer to each other.
   * @param trees each is refused by its place among them, as in `0.children.2.fields.price`
   * @throws 400, 409 as `POST /content` does; then nothing is stored
   */
  store(actor: Actor, trees: readonly RootToStore[]): Promise<void>
  sourced(system: string, ids: readonly SourceId[]): Promise<ReadonlyMap<SourceId, SourcedRecord>>
  /** Reads trees as they are stored now, by the ids of their top entries. */
  readBack(ids: readonly string[]): Promise<ReadonlyMap<string, StoredEntry>>
  keep(actor: Actor, rows: readonly NewSourceId[]): Promise<void>
}

interface Made {
  readonly root: RootToStore
  readonly entries: readonly EditableEntry[]
  readonly members: ReadonlyMap<string, string>
}

function flat(root: TreeToStore): TreeToStore[] {
  const all = [root]
  for (const one of all) all.push(...one.children)
  return all
}

const given = ({ datatype_id, values, children }: TreeToStore): NewEntry => ({
  datatype_id,
  fields: values,
  children: children.map(given),
})

async function knownIn({ db, space }: ScheduleContext, ids: Iterable<string>): Promise<Set<string>> {
  const found = new Set<string>()
  for (const some of batchesOf(ids, lookedUp))
    for (const row of await db.findIn(space.contentData, 'content_data_id', some))
      found.add(row.content_data_id)
  return found
}

/** Makes the trees of another system's export, for one content space. */
export function treeImport(context: ScheduleContext): TreeImport {
  const { db, space, clock } = context

  async function make(tx: Writer, actor: Actor, root: RootToStore, member: string): Promise<Made> {
    const author_id = authorOf(actor, undefined)
    const { page, datatype_id, content_data_id, isPublished, publishedAt, createdAt, changedAt } = root
    const route = page && (await insertRoute(tx, space, { ...page, author_id }))
    const place = { route_id: route?.route_id ?? null, parent_id: null }
    const top = {
      ...(await checkedPlace(tx, space, datatype_id, place, undefined)),
      ...{ content_data_id, author_id, member, given: given(root), sort_order: 0 },
      status: isPublished ? ('published' as const) : ('draft' as const),
      published_at: publishedAt,
      created_at: createdAt,
      changed_at: changedAt,
    }
    return { root, ...(await createEntries(tx, context, { parent: undefined, actor }, [top])) }
  }

  async function complete(tx: Writer, actor: Actor, { root, entries, members }: Made): Promise<void> {
    const author_id = authorOf(actor, undefined)
    const { changedAt: changed_at } = root
    const further = flat(root).flatMap(({ late, translations }, i) => {
      const entry = entries[i]
      if (!entry) throw new Error('an entry was not made')
      const member = members.get(entry.content_data_id) ?? ''
      const translated = Object.entries(translations).map(([locale, values]) => ({ values, locale }))
      return [{ values: late, locale: '' }, ...translated].map(one => ({
        ...one,
        entry,
        author_id,
        member,
        changed_at,
      }))
    })
    await writeValues(tx, space, further)
  }

  return {
    readBack: ids => readBack(db, space, ids),
    sourced: (system, ids) => sourcedRecords(db, space, system, ids),
    keep: (actor, rows) =>
      db.write(actor, async tx => {
        await keepSourceIds(tx, rows)
        // Answers in the words of that system show other ids from now on.
        tx.invalidateAllPages()
      }),
    known: ids => knownIn(context, ids),
    store: (actor, trees) =>
      db.write(actor, async tx => {
        const made: Made[] = []
        for (const [i, root] of trees.entries()) made.push(await make(tx, actor, root, `${i}.`))
        for (const one of made) await complete(tx, actor, one)
        await keepSourceIds(
          tx,
          trees.flatMap(({ sources, content_data_id }) =>
            sources.map(source_key => ({ source_key, content_data_id })),
          ),
        )
        for (const { root, entries, members } of made) {
          const [entry] = entries
          const { content_data_id, publishAt: publish_at } = root
          if (!root.isPublished && publish_at && publish_at > timestamp(clock.now()))
            await schedule(tx, context, actor, { content_data_id, publish_at })
          if (!entry || !root.isPublished) continue
          await refuseBroken(tx, space, entries, undefined, members)
          await emitStatus(tx, context, actor, { entry, entries }, async () => ({ ids: [] }))
        }
      }),
  }
}
