import { type Actor, authorOf } from '../../actor.js'
import type { Writer } from '../../db/writer.js'
import { timestamp } from '../../ids.js'
import { createEntries } from '../content/create-entries.js'
import type { EditableEntry } from '../content/edit-trees.js'
import { checkedPlace } from '../content/placement.js'
import { emitStatus } from '../content/publication.js'
import { refuseBroken } from '../content/publication-check.js'
import { insertRoute } from '../content/routes.js'
import { type ScheduleContext, schedule } from '../content/schedule.js'
import {
  forgetSourceIds,
  keepSourceIds,
  type NewSourceId,
  type SourcedRecord,
  type SourceId,
  SourceIds,
  sourcedRecords,
} from '../content/source-ids.js'
import { readBack, type StoredEntry } from './read-back.js'
import { batchesOf } from './records.js'
import { type ImportStates, importStates, keepStates, treeHashes } from './states.js'
import { newEntry, type RootToStore } from './tree-to-store.js'
import { ChangedHere, removeTree, updateTree } from './update-tree.js'

/** So many are looked up at once, because rows are read as a whole. */
const lookedUp = 1000

export interface TreeImport extends ImportStates {
  known(ids: Iterable<string>): Promise<ReadonlySet<string>>
  /**
   * Makes trees in one transaction, each published or planned by an event of its own.
   * @param trees each is refused by its place among them, as in `0.children.2.fields.price`
   * @param isComing whether the import makes an entry later: trees may name it
   * @throws 400, 409 as `POST /content` does; then nothing is stored
   */
  store(actor: Actor, trees: readonly RootToStore[], isComing: (id: string) => boolean): Promise<void>
  sourced(system: string, ids: readonly SourceId[]): Promise<ReadonlyMap<SourceId, SourcedRecord>>
  /** Reads trees as they are stored now, by the ids of their top entries. */
  readBack(ids: readonly string[]): Promise<ReadonlyMap<string, StoredEntry>>
  /** The ids that entries have in a system, by the ids of the entries. */
  sourceIdsOf(system: string, entries: readonly string[]): Promise<ReadonlyMap<string, readonly SourceId[]>>
  keep(actor: Actor, rows: readonly NewSourceId[]): Promise<void>
  /** Drops ids of another system. @param keys as `sourceKey` makes them */
  forget(actor: Actor, keys: readonly string[]): Promise<void>
  /** Hashes of trees as they are now, by the ids of their top entries. */
  hashes(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Gives a tree that is here the values, children, page and status that it has in the other system.
   * @param known its hash since the last import
   * @returns false if somebody has changed it here since; then nothing is stored
   * @throws 400, 409 as `PUT /content` does
   */
  update(actor: Actor, tree: RootToStore, known: string): Promise<boolean>
  /** Takes a tree to the trash. @param known as for `update` @returns false as `update` */
  remove(actor: Actor, id: string, known: string): Promise<boolean>
}

interface Made {
  readonly root: RootToStore
  readonly entries: readonly EditableEntry[]
  readonly members: ReadonlyMap<string, string>
}

async function knownIn({ db, space }: ScheduleContext, ids: Iterable<string>): Promise<Set<string>> {
  const found = new Set<string>()
  for (const some of batchesOf(ids, lookedUp))
    for (const row of await db.findIn(space.contentData, 'content_data_id', some))
      found.add(row.content_data_id)
  return found
}

/** @returns false if the tree was changed here, and so nothing is stored */
async function unlessChanged(
  db: ScheduleContext['db'],
  actor: Actor,
  work: (tx: Writer) => Promise<void>,
): Promise<boolean> {
  try {
    await db.write(actor, work)
    return true
  } catch (error) {
    if (!(error instanceof ChangedHere)) throw error
    return false
  }
}

/** Keeps the states of trees that were stored now. */
async function stateIn(tx: Writer, { space }: ScheduleContext, trees: readonly RootToStore[]): Promise<void> {
  const ids = trees.map(({ content_data_id }) => content_data_id)
  const hashes = await treeHashes(tx, space, ids)
  const states = trees.map(({ state, content_data_id: record_id }) => ({
    ...{ ...state, record_id, own_hash: hashes.get(record_id) ?? null },
  }))
  await keepStates(tx, states)
}

/** Announces a published tree, or schedules a draft. @throws 400 if it breaks rules of published ones */
async function showOrPlan(
  tx: Writer,
  context: ScheduleContext,
  actor: Actor,
  { root, entries, members }: Made,
): Promise<void> {
  const { space, clock } = context
  const [entry] = entries
  const { content_data_id, publishAt: publish_at } = root
  if (!root.isPublished && publish_at && publish_at > timestamp(clock.now()))
    await schedule(tx, context, actor, { content_data_id, publish_at })
  if (!entry || !root.isPublished) return
  await refuseBroken(tx, space, entries, undefined, members)
  // Trees that were stored before may name it already.
  await emitStatus(tx, context, actor, { entry, entries }, async () => ({ ids: [content_data_id] }))
}

/** The ids that records have in another system. */
const sourcedIn = ({
  db,
  space,
}: ScheduleContext): Pick<TreeImport, 'sourced' | 'sourceIdsOf' | 'forget' | 'keep'> => ({
  sourced: (system, ids) => sourcedRecords(db, space, system, ids),
  sourceIdsOf: (system, entries) => new SourceIds(db, system).of({ entries }),
  forget: (actor, keys) =>
    db.write(actor, async tx => {
      await forgetSourceIds(tx, keys)
      tx.invalidateAllPages()
    }),
  keep: (actor, rows) =>
    db.write(actor, async tx => {
      await keepSourceIds(tx, rows)
      // Answers in the words of that system show other ids from now on.
      tx.invalidateAllPages()
    }),
})

/** Makes the trees of another system's export, for one content space. */
export function treeImport(context: ScheduleContext): TreeImport {
  const { db, space } = context

  async function make(
    tx: Writer,
    actor: Actor,
    { root, member, isComing }: { root: RootToStore; member: string; isComing: (id: string) => boolean },
  ): Promise<Made> {
    const author_id = authorOf(actor, undefined)
    const { page, datatype_id, content_data_id, isPublished, publishedAt, createdAt, changedAt } = root
    const route = page && (await insertRoute(tx, space, { ...page, author_id }))
    const place = { route_id: route?.route_id ?? null, parent_id: null }
    const top = {
      ...(await checkedPlace(tx, space, datatype_id, place, undefined)),
      ...{ content_data_id, author_id, member, given: newEntry(root), sort_order: 0 },
      status: isPublished ? ('published' as const) : ('draft' as const),
      published_at: publishedAt,
      created_at: createdAt,
      changed_at: changedAt,
    }
    return { root, ...(await createEntries(tx, context, { parent: undefined, actor, isComing }, [top])) }
  }

  return {
    ...importStates(db),
    hashes: ids => treeHashes(db, space, ids),
    update: (actor, tree, known) =>
      unlessChanged(db, actor, async tx => {
        await updateTree(tx, context, actor, { tree, known })
        await stateIn(tx, context, [tree])
      }),
    remove: (actor, id, known) =>
      unlessChanged(db, actor, async tx => removeTree(tx, context, actor, { id, known })),
    readBack: ids => readBack(db, space, ids),
    ...sourcedIn(context),
    known: ids => knownIn(context, ids),
    store: (actor, trees, isComing) =>
      db.write(actor, async tx => {
        const made: Made[] = []
        for (const [i, root] of trees.entries())
          made.push(await make(tx, actor, { root, member: `${i}.`, isComing }))
        await keepSourceIds(
          tx,
          trees.flatMap(({ sources, content_data_id }) =>
            sources.map(source_key => ({ source_key, content_data_id })),
          ),
        )
        for (const one of made) await showOrPlan(tx, context, actor, one)
        await stateIn(tx, context, trees)
      }),
  }
}
