import { systemActor } from '../../actor.js'
import { chunks } from '../../db/batches.js'
import type { Database } from '../../db/database.js'
import { rootsOfDatatype } from '../../db/queries/content.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { Turns } from '../turns.js'
import { type IndexedEntry, indexed, isFoundOtherwise, same, valueRows, visible } from './index-rows.js'
import { publicTree } from './public-snapshot.js'
import { noteModified } from './public-trees.js'
import { followReferences, rebuildReferences } from './references.js'
import { writeWords } from './search-index.js'
import { readEntry } from './snapshots.js'
import type { EntrySnapshot } from './tree-diff.js'
import { hiddenDatatypes } from './visibility.js'

/**
 * The public index: every entry that the public sees, with its values, as queries read them. It is made of the content
 * at the end of each transaction that changes any, so it is never older than the last commit, and a draft or a pending
 * value is never in it.
 */

type Value = EntrySnapshot['fields'][number]

/** Columns of an entry that decide whether and where the public sees it. */
const shape: readonly string[] = [
  'status',
  'parent_id',
  'route_id',
  'datatype_id',
  'sort_order',
  'published_at',
  'author_id',
]

/** How many trees are indexed at once, and in one transaction when all are. */
const treesAtOnce = 50

/** What changes in the index. */
interface Plan {
  /** Ids of entries that leave the index, or are written again. */
  readonly gone: Set<string>
  readonly entries: IndexedEntry[]
  /** Entries whose values are written again from the content. */
  readonly refreshed: Set<string>
  /** The entries whose words are looked for, as they are in the index now. */
  readonly found: Map<string, IndexedEntry>
  /** Values of entries that come from a published snapshot. */
  readonly values: Map<string, readonly Value[]>
}

class IndexUpdate {
  /** Roots of trees of which the public sees something else now. */
  private readonly modified = new Set<string>()
  /** Those of which the index had nothing, because it is made anew or they were not public. */
  private readonly entering = new Set<string>()
  /** Datatypes of which the public sees nothing. */
  private hidden: ReadonlySet<string> = new Set()
  private readonly plan: Plan = {
    gone: new Set(),
    entries: [],
    refreshed: new Set(),
    found: new Map(),
    values: new Map(),
  }

  constructor(
    private readonly tx: Writer,
    private readonly space: ContentSpace,
    private readonly touchedValues: ReadonlySet<string>,
  ) {}

  /** Follows changes of values only: the entries stay where they are. */
  async ofValues(): Promise<void> {
    const { tx, space } = this
    const shown = await tx.findIn(space.publicEntries, 'content_data_id', [...this.touchedValues])
    if (shown.length === 0) return
    const roots = [...new Set(shown.map(({ root_id }) => root_id))]
    const pending = new Set((await tx.findIn(space.pendingTrees, 'root_id', roots)).map(row => row.root_id))
    for (const { root_id, content_data_id } of shown)
      if (!pending.has(root_id)) {
        this.plan.refreshed.add(content_data_id)
        this.modified.add(root_id)
      }
    for (const row of shown) this.plan.found.set(row.content_data_id, row)
    await this.write()
  }

  /** Follows changes of whole trees. @param again trees of which nothing is taken to be right */
  async ofTrees(roots: readonly string[], again: ReadonlySet<string>): Promise<void> {
    this.hidden = await hiddenDatatypes(this.tx, this.space)
    const left: string[] = []
    for (const root of roots) left.push(...(await this.ofTree(root, again.has(root))))
    // What leaves one tree may still be seen in the snapshot of another.
    const kept = await this.tx.findIn(this.space.publishedSnapshots, 'content_data_id', left)
    for (const root of new Set(kept.map(({ root_id }) => root_id))) await this.ofTree(root, true)
    await this.write()
  }

  /** @returns the entries that are not seen in the tree any more */
  private async ofTree(root: string, again: boolean): Promise<string[]> {
    const { tx, space, plan } = this
    const stored = await tx.findAll(space.publicEntries, { root_id: root })
    if (stored.length === 0) this.entering.add(root)
    const isPending = (await tx.get(space.pendingTrees, root)) !== undefined
    if (isPending && !again) {
      await this.followRoute(root, stored)
      return []
    }
    const snapshot = isPending ? await this.snapshotOf(root) : undefined
    const taken = snapshot ? await this.takenFrom(root, snapshot) : undefined
    const entries =
      snapshot?.map(({ entry }) => entry) ?? (await tx.findAll(space.contentData, { root_id: root }))
    const seen = visible(entries, this.hidden).filter(({ content_data_id }) => !taken?.has(content_data_id))
    const known = new Map(again ? [] : stored.map(row => [row.content_data_id, row]))
    const ids = new Set(seen.map(({ content_data_id }) => content_data_id))
    for (const entry of seen)
      this.show(indexed(entry, root), known.get(entry.content_data_id), snapshot === undefined)
    for (const { entry, fields } of snapshot ?? [])
      if (ids.has(entry.content_data_id)) plan.values.set(entry.content_data_id, fields)
    const left = stored.map(({ content_data_id }) => content_data_id).filter(id => !ids.has(id))
    for (const id of left) plan.gone.add(id)
    if (left.length > 0) this.modified.add(root)
    return left
  }

  private show(row: IndexedEntry, before: IndexedEntry | undefined, isLive: boolean): void {
    const { plan } = this
    const id = row.content_data_id
    plan.found.set(id, row)
    if (isLive) {
      // It is in this tree now, so that what the snapshot of another has of it counts no more.
      plan.values.delete(id)
      if (!before || this.touchedValues.has(id) || isFoundOtherwise(before, row)) {
        plan.refreshed.add(id)
        this.modified.add(row.root_id)
      }
    }
    if (before && same(before, row)) return
    this.modified.add(row.root_id)
    plan.gone.add(id)
    plan.entries.push(row)
  }

  /** What the public sees of a tree with pending changes. Routes change at once. */
  private async snapshotOf(root: string): Promise<EntrySnapshot[]> {
    const { tx, space } = this
    const top = await tx.get(space.contentData, root)
    return (await publicTree(tx, space, root)).map(({ entry, fields }) => ({
      entry: entry.content_data_id === root && top ? { ...entry, route_id: top.route_id } : entry,
      fields,
    }))
  }

  /** Entries of a snapshot that the public sees in the tree that they are in by now. */
  private async takenFrom(root: string, snapshot: readonly EntrySnapshot[]): Promise<Set<string>> {
    const { tx, space, plan } = this
    const ids = snapshot.map(({ entry }) => entry.content_data_id)
    const now = await tx.findIn(space.contentData, 'content_data_id', ids)
    const rootOf = new Map(now.map(({ content_data_id, root_id }) => [content_data_id, root_id]))
    const elsewhere = [...rootOf].filter(([, root_id]) => root_id !== root).map(([id]) => id)
    const stored = await tx.findIn(space.publicEntries, 'content_data_id', elsewhere)
    const shown = [...stored.filter(row => !plan.gone.has(row.content_data_id)), ...plan.entries]
    const isHere = ({ content_data_id, root_id }: IndexedEntry) =>
      root_id !== root && rootOf.get(content_data_id) === root_id
    return new Set(shown.filter(isHere).map(({ content_data_id }) => content_data_id))
  }

  /** A tree with pending changes is on its new route at once. */
  private async followRoute(root: string, stored: readonly IndexedEntry[]): Promise<void> {
    const row = stored.find(({ content_data_id }) => content_data_id === root)
    const top = row && (await this.tx.get(this.space.contentData, root))
    if (!row || !top || top.route_id === row.route_id) return
    this.modified.add(root)
    const now = { ...row, route_id: top.route_id }
    this.plan.gone.add(root)
    this.plan.entries.push(now)
    await this.keptRoot(now)
  }

  /** The root of a tree with pending changes is found by other words: what its route is called. */
  private async keptRoot(row: IndexedEntry): Promise<void> {
    const { content_data_id, root_id } = row
    const kept = await this.tx.find(this.space.publishedSnapshots, { root_id, content_data_id })
    if (!kept) return
    this.plan.found.set(content_data_id, row)
    this.plan.values.set(content_data_id, readEntry(kept.snapshot).fields)
  }

  /** Follows changes of routes, which show at once. */
  async ofRoutes(routes: readonly string[]): Promise<void> {
    const { tx, space, plan } = this
    const shown = await tx.findIn(space.publicEntries, 'route_id', routes)
    const roots = shown.map(({ root_id }) => root_id)
    const pending = new Set((await tx.findIn(space.pendingTrees, 'root_id', roots)).map(row => row.root_id))
    for (const row of shown) {
      this.modified.add(row.root_id)
      plan.found.set(row.content_data_id, row)
      if (pending.has(row.root_id)) await this.keptRoot(row)
      else plan.refreshed.add(row.content_data_id)
    }
    if (shown.length > 0) await this.write()
  }

  private readonly found = (ids: readonly string[]) => ids.flatMap(id => this.plan.found.get(id) ?? [])

  private async write(): Promise<void> {
    const { tx, space } = this
    const { gone, entries, refreshed, values } = this.plan
    // An entry that has moved may be planned by both of its trees; the one that it is in now is planned last or alone.
    const rows = new Map(entries.map(row => [row.content_data_id, row]))
    const left = new Set([...gone].filter(id => !rows.has(id)))
    const written = [...new Set([...left, ...refreshed, ...values.keys()])]
    await tx.deleteAllInternal(space.publicEntries, 'content_data_id', [...gone])
    await tx.deleteAllInternal(space.publicValues, 'content_data_id', written)
    await tx.deleteAllInternal(space.publicSearch, 'content_data_id', [...left])
    await tx.insertAllInternal(space.publicEntries, [...rows.values()])
    const live = [...refreshed].filter(id => !left.has(id) && !values.has(id))
    for (const some of chunks(live)) {
      const stored = await tx.findIn(space.contentFields, 'content_data_id', some)
      await tx.insertAllInternal(space.publicValues, valueRows(stored))
      await writeWords(tx, space, this.found(some), stored)
    }
    const kept = [...values.values()].flat()
    await tx.insertAllInternal(space.publicValues, valueRows(kept))
    for (const some of chunks([...values.keys()])) await writeWords(tx, space, this.found(some), kept)
    for (const root of this.modified) tx.touched.noteShown(root)
    await noteModified(tx, space, this.modified, this.entering)
  }
}

/** Routes that are called otherwise now. */
const renamedRoutes = (tx: Writer, space: ContentSpace): string[] =>
  tx.touched.recordsIn(space.routes).flatMap(({ key, before, after }) => {
    const [was, is] = [before, after].map(row => row && JSON.stringify([row.title, row.translations]))
    return was !== undefined && is !== undefined && was !== is ? [key] : []
  })

/** Brings the public index up to what the transaction has changed of the space. */
async function follow(tx: Writer, space: ContentSpace): Promise<void> {
  const again = tx.touched.treesIn(space.contentTrees)
  const entries = tx.touched.ownersIn(space.contentData)
  const values = tx.touched.ownersIn(space.contentFields)
  const routes = renamedRoutes(tx, space)
  if (routes.length > 0) await new IndexUpdate(tx, space, new Set()).ofRoutes(routes)
  if (again.size + entries.size + values.size === 0) return
  const touched = new Set(values.keys())
  const moved = [...entries.values()].some(columns => shape.some(column => columns.has(column)))
  if (!moved && again.size === 0) return new IndexUpdate(tx, space, touched).ofValues()
  const turns = new Turns()
  for (const roots of chunks([...new Set([...tx.changedTrees, ...again])], treesAtOnce)) {
    await turns.next()
    await new IndexUpdate(tx, space, touched).ofTrees(roots, again)
  }
}

/**
 * Has the public index made anew where it may have entries of the datatype, with whatever is below them. Trees with
 * pending changes may show what they have no more, so all of those are among them.
 */
export async function indexAgain(tx: Writer, space: ContentSpace, datatypeId: string): Promise<void> {
  const now = await tx.query(rootsOfDatatype(space), { datatype: datatypeId })
  const pending = await tx.findAll(space.pendingTrees)
  const roots = new Set([...now, ...pending.map(({ root_id }) => root_id)])
  const turns = new Turns()
  for (const root of [...roots].sort()) {
    await turns.next()
    await tx.lockAndBumpTree(space.contentTrees, root)
    tx.touched.noteTree(space.contentTrees, root)
  }
}

export interface PublicIndex {
  /** Indexes all trees where that has not been done yet: once, at the first start that knows the index. */
  fill(): Promise<void>
  isFilled(): Promise<boolean>
  /** Indexes all trees again, in bounded transactions. @returns how many trees there are */
  rebuild(): Promise<number>
}

/** Keeps the public index of a content space, and its references. */
export function publicIndex(db: Database, space: ContentSpace): PublicIndex {
  db.beforeCommit(tx => follow(tx, space))
  followReferences(db, space)
  const marker = `${space.publicEntries.name} 4`

  async function rebuild(): Promise<number> {
    let after: string | undefined
    for (let n = 0; ; ) {
      const trees = await db.findAll(space.contentTrees, {}, { limit: treesAtOnce, after })
      await db.write(systemActor, async tx => {
        for (const { root_id } of trees) {
          await tx.lockAndBumpTree(space.contentTrees, root_id)
          tx.touched.noteTree(space.contentTrees, root_id)
          await rebuildReferences(tx, space, root_id)
        }
      })
      n += trees.length
      after = trees.at(-1)?.root_id
      if (trees.length < treesAtOnce) return n
    }
  }

  const isFilled = () => db.exists(internalTables.seeds, { name: marker })
  return {
    rebuild,
    isFilled,
    async fill() {
      if (await isFilled()) return
      await rebuild()
      await db.write(systemActor, async tx => void (await tx.claimSeed(marker)))
    },
  }
}
