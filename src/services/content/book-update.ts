import { chunks } from '../../db/batches.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { Turns } from '../../turns.js'
import {
  differing,
  isFoundOtherwise,
  type PublicEntry,
  publicRow,
  reachable,
  valueRows,
  visible,
} from './book-rows.js'
import { hasPendingChanges, pendingAmong, publicValuesOf } from './public-state.js'
import { writePublicReferences } from './references.js'
import { writeWords } from './search-index.js'
import { type EntrySnapshot, valueDifferences } from './tree-diff.js'
import { hiddenDatatypes } from './visibility.js'

type Value = EntrySnapshot['fields'][number]

/** Columns that change with every edit of an entry, and no page shows another state of the content by them. */
const records: ReadonlySet<string> = new Set([
  'revision',
  'date_modified',
  'published_by',
  'publish_at',
  'unpublish_at',
])

const mostChanged = 8

interface Plan {
  readonly gone: Set<string>
  readonly entries: Map<string, PublicEntry>
  readonly changed: Map<string, Partial<PublicEntry>>
  readonly refreshed: Set<string>
  /** Entries whose values stay, while the rows made from them are written again. */
  readonly remade: Set<string>
  readonly renamed: Set<string>
  readonly found: Map<string, PublicEntry>
}

/** One change of the public book: the changes of all trees and entries are written together. */
export class BookUpdate {
  private readonly modified = new Set<string>()
  private readonly rewritten = new Set<string>()
  private readonly left = new Set<string>()
  /** Trees with pending changes that others have taken entries from. */
  private readonly robbed = new Set<string>()
  private hidden: ReadonlySet<string> = new Set()
  private readonly touchedValues: ReadonlySet<string>
  private readonly plan: Plan = {
    gone: new Set(),
    entries: new Map(),
    changed: new Map(),
    refreshed: new Set(),
    remade: new Set(),
    renamed: new Set(),
    found: new Map(),
  }

  constructor(
    private readonly tx: Writer,
    private readonly space: ContentSpace,
  ) {
    this.touchedValues = new Set(tx.touched.ownersIn(space.contentFields).keys())
  }

  async ofEntries(): Promise<void> {
    const { tx, space, plan } = this
    const now = new Map<string, EntryRow>()
    for (const { key, after } of tx.touched.recordsIn(space.contentData))
      if (after) now.set(key, after as EntryRow)
    const ids = [...new Set([...now.keys(), ...this.touchedValues])]
    const shown = await tx.findIn(space.publicEntries, 'content_data_id', ids)
    if (shown.length === 0) return
    const pending = await pendingAmong(tx, space, [...new Set(shown.map(({ root_id }) => root_id))])
    for (const row of shown) {
      if (pending.has(row.root_id)) continue
      const after = now.get(row.content_data_id)
      if (after) this.show(publicRow({ ...after, root_id: row.root_id }), row)
      else {
        plan.found.set(row.content_data_id, row)
        this.refresh(row)
      }
    }
    await this.write()
  }

  /** Follows changes of whole trees. @param again trees whose rows in the book are not trusted */
  async ofTrees(roots: readonly string[], again: ReadonlySet<string>): Promise<void> {
    this.hidden = await hiddenDatatypes(this.tx, this.space)
    for (const root of roots) await this.ofTree(root, again.has(root))
    await this.write()
  }

  private async ofTree(root: string, again: boolean): Promise<void> {
    const { tx, space } = this
    const tree = await tx.get(space.contentTrees, root)
    const stored = await tx.findAll(space.publicEntries, { root_id: root })
    if (tree && tree.pending_since !== null) {
      if (again) this.remake(stored)
      else await this.followRoute(stored.find(({ content_data_id }) => content_data_id === root))
      return
    }
    const seen = visible(await tx.findAll(space.contentData, { root_id: root }), this.hidden)
    const known = new Map(stored.map(row => [row.content_data_id, row]))
    await this.take(
      root,
      seen.filter(({ content_data_id }) => !known.has(content_data_id)),
    )
    if (again) await this.writeAgain(root, known, seen.map(publicRow))
    else for (const entry of seen) this.show(publicRow(entry), known.get(entry.content_data_id))
    this.leave(root, stored, new Set(seen.map(({ content_data_id }) => content_data_id)))
    // When the book is made anew, the date that was noted of a tree stays valid.
    if (stored.length === 0 && tree && tree.public_modified !== null && this.modified.delete(root))
      this.rewritten.add(root)
  }

  /** Writes all of a tree, whatever the book has, and notes whether the public sees a difference. */
  private async writeAgain(
    root: string,
    known: ReadonlyMap<string, PublicEntry>,
    rows: readonly PublicEntry[],
  ): Promise<void> {
    const { tx, space, plan } = this
    const ids = rows.map(({ content_data_id }) => content_data_id)
    const was = await publicValuesOf(tx, space, ids)
    const is = await tx.findIn(space.contentFields, 'content_data_id', ids)
    const isOther = rows.some(row => {
      const before = known.get(row.content_data_id)
      return !before || Object.keys(differing(before, row)).some(name => !records.has(name))
    })
    const values = isOther ? [] : await new Turns().run(valueDifferences(was, is))
    if (isOther || values.length > 0) this.modified.add(root)
    else this.rewritten.add(root)
    for (const row of rows) {
      if (known.has(row.content_data_id)) plan.gone.add(row.content_data_id)
      plan.found.set(row.content_data_id, row)
      plan.entries.set(row.content_data_id, row)
      plan.refreshed.add(row.content_data_id)
    }
  }

  /**
   * Writes a part of a tree with pending changes.
   * @param stored the tree in the public book @param next the same as it becomes
   * @param fresh those of them that are written from the working book
   */
  async ofPart(
    root: string,
    stored: readonly PublicEntry[],
    next: readonly PublicEntry[],
    fresh: ReadonlySet<string>,
  ): Promise<void> {
    const known = new Map(stored.map(row => [row.content_data_id, row]))
    const rows = next.filter(({ content_data_id }) => fresh.has(content_data_id))
    await this.take(
      root,
      rows.filter(({ content_data_id }) => !known.has(content_data_id)),
    )
    for (const row of rows) {
      this.show(row, known.get(row.content_data_id))
      this.refresh(row)
    }
    this.leave(root, stored, new Set(next.map(({ content_data_id }) => content_data_id)))
    await this.write()
  }

  async ofRoutes(routes: readonly string[]): Promise<void> {
    const shown = await this.tx.findIn(this.space.publicEntries, 'route_id', routes)
    for (const row of shown) this.rename(row)
    if (shown.length > 0) await this.write()
  }

  private show(row: PublicEntry, before: PublicEntry | undefined): void {
    const { plan } = this
    const id = row.content_data_id
    plan.found.set(id, row)
    if (!before || this.touchedValues.has(id) || isFoundOtherwise(before, row)) this.refresh(row)
    if (!before) {
      plan.entries.set(id, row)
      return
    }
    const other = differing(before, row)
    const names = Object.keys(other)
    if (names.length === 0) return
    plan.changed.set(id, other)
    if (names.every(name => records.has(name))) this.rewritten.add(row.root_id)
    else this.modified.add(row.root_id)
  }

  private refresh({ content_data_id, root_id }: PublicEntry): void {
    this.plan.refreshed.add(content_data_id)
    this.modified.add(root_id)
  }

  private rename(row: PublicEntry): void {
    this.plan.found.set(row.content_data_id, row)
    this.plan.renamed.add(row.content_data_id)
    this.modified.add(row.root_id)
  }

  private leave(root: string, stored: readonly PublicEntry[], staying: ReadonlySet<string>): void {
    for (const { content_data_id } of stored) {
      if (staying.has(content_data_id)) continue
      this.plan.gone.add(content_data_id)
      this.modified.add(root)
      if (content_data_id === root) this.left.add(root)
    }
  }

  /** An entry is in the book once: what comes into a tree leaves the one in which the public saw it. */
  private async take(root: string, entries: readonly { readonly content_data_id: string }[]): Promise<void> {
    const { tx, space } = this
    if (entries.length === 0) return
    // Looked up one by one: an import makes many trees in a transaction.
    const ids = entries.flatMap(({ content_data_id: id }) => {
      const change = tx.touched.recordOf(space.contentData, id)
      return change && !change.before ? [] : [id]
    })
    for (const row of await tx.findIn(space.publicEntries, 'content_data_id', ids)) {
      this.plan.gone.add(row.content_data_id)
      if (row.root_id !== root) this.robbed.add(row.root_id)
    }
  }

  private async followRoute(row: PublicEntry | undefined): Promise<void> {
    const top = row && (await this.tx.get(this.space.contentData, row.content_data_id))
    if (!row || !top || top.route_id === row.route_id) return
    const { route_id } = top
    this.plan.changed.set(row.content_data_id, { route_id })
    this.rename({ ...row, route_id })
  }

  /** Writes again what is made of a tree with pending changes, of which the book is the only copy. */
  private remake(stored: readonly PublicEntry[]): void {
    const kept = reachable(stored)
    for (const row of kept) {
      this.plan.found.set(row.content_data_id, row)
      this.plan.remade.add(row.content_data_id)
    }
    const ids = new Set(kept.map(({ content_data_id }) => content_data_id))
    for (const { content_data_id } of stored)
      if (!ids.has(content_data_id)) this.plan.gone.add(content_data_id)
  }

  private readonly found = (ids: readonly string[]) => ids.flatMap(id => this.plan.found.get(id) ?? [])

  private async write(): Promise<void> {
    await this.writeEntries()
    const { gone, entries, refreshed, remade, renamed } = this.plan
    const isLeft = (id: string) => gone.has(id) && !entries.has(id)
    for (const some of chunks([...refreshed].filter(id => !isLeft(id))))
      await this.writeValues(some, await this.tx.findIn(this.space.contentFields, 'content_data_id', some))
    for (const some of chunks([...remade])) {
      const values = await publicValuesOf(this.tx, this.space, some)
      await this.tx.deleteAllInternal(this.space.publicValues, 'content_data_id', some)
      await this.writeValues(some, values)
    }
    for (const some of chunks([...renamed].filter(id => !refreshed.has(id))))
      await writeWords(this.tx, this.space, this.found(some), await publicValuesOf(this.tx, this.space, some))
    await this.noteTrees()
    for (const root of this.robbed) await this.prune(root)
  }

  private async writeEntries(): Promise<void> {
    const { tx, space } = this
    const { gone, entries, changed, refreshed, found } = this.plan
    if (changed.size > mostChanged)
      for (const id of changed.keys()) {
        const row = found.get(id)
        if (!row) continue
        gone.add(id)
        entries.set(id, row)
      }
    const left = [...gone].filter(id => !entries.has(id))
    await tx.deleteAllInternal(space.publicEntries, 'content_data_id', [...gone])
    await tx.deleteAllInternal(space.publicValues, 'content_data_id', [...new Set([...left, ...refreshed])])
    await tx.deleteAllInternal(space.publicReferences, 'content_data_id', left)
    await tx.deleteAllInternal(space.publicSearch, 'content_data_id', left)
    await tx.insertAllInternal(space.publicEntries, [...entries.values()])
    for (const [id, { content_data_id: _, ...columns }] of changed)
      if (!gone.has(id)) await tx.updateInternal(space.publicEntries, [id], columns)
  }

  private async writeValues(ids: readonly string[], values: readonly Value[]): Promise<void> {
    const { tx, space } = this
    const rootOf = (id: string) => this.plan.found.get(id)?.root_id ?? ''
    await tx.insertAllInternal(space.publicValues, valueRows(values, rootOf))
    await writePublicReferences(tx, space, ids, values)
    await writeWords(tx, space, this.found(ids), values)
  }

  private async noteTrees(): Promise<void> {
    const { tx, space, modified, left, rewritten } = this
    const seen = [...modified].filter(root => !left.has(root))
    await tx.notePublic(space.contentTrees, seen, { public_modified: tx.now })
    await tx.notePublic(space.contentTrees, [...left], { public_modified: null })
    await tx.notePublic(
      space.contentTrees,
      [...rewritten].filter(root => !modified.has(root)),
    )
  }

  /** Takes away what nothing leads to any more, where another tree has taken what was above it. */
  private async prune(root: string): Promise<void> {
    const { tx, space } = this
    if (!(await hasPendingChanges(tx, space, root))) return
    await tx.lockAndBumpTree(space.contentTrees, root)
    const stored = await tx.findAll(space.publicEntries, { root_id: root })
    const update = new BookUpdate(tx, space)
    update.modified.add(root)
    await update.ofPart(root, stored, reachable(stored), new Set())
  }
}
