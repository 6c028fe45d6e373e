import type { Changes } from './changes.js'
import type { Reader } from './reader.js'
import { type ContentSpace, type CounterName, internalTables, tables } from './tables.js'

const schemaVersion: CounterName = 'schema_version'
const contentVersion: CounterName = 'content_version'
const publicVersion: CounterName = 'public_version'

type TreeTable = ContentSpace['contentTrees']

/**
 * The versions that rendered pages depend on: one for each content tree, one of all content, and one of what every
 * page may show. Each grows at most once in a transaction.
 */
export class TreeVersions {
  readonly changed = new Set<string>()
  private readonly edited = new Set<string>()
  private readonly ofPublicSpace = new Set<string>()
  /** Roots of the trees of the public space of which the public sees something else. */
  readonly shown = new Set<string>()
  allPages = false

  constructor(
    private readonly read: Reader,
    private readonly changes: Changes,
    private readonly now: string,
  ) {}

  /**
   * Starts after every version that any tree has had (`content_version` grows with each change of a tree). So a page
   * that was rendered before the root was last taken out of a tree never counts as current.
   */
  async create(trees: TreeTable, rootId: string, changedAt: string = this.now): Promise<void> {
    const counter = await this.read.get(internalTables.counters, contentVersion)
    const version = (counter?.value ?? 0) + 1
    await this.changes.insert(trees, [
      { root_id: rootId, version, public_version: version, book_version: version, changed_at: changedAt },
    ])
    this.note(trees, rootId)
    this.edited.add(rootId)
  }

  /** @param editedAt when the tree was edited, as people are shown; undefined for a change that is no edit */
  async touch(trees: TreeTable, rootId: string, editedAt: string | undefined): Promise<void> {
    const isEdit = editedAt !== undefined
    const patch = isEdit && !this.edited.has(rootId) ? { changed_at: editedAt } : {}
    if (isEdit) this.edited.add(rootId)
    if (!this.changed.has(rootId)) {
      this.note(trees, rootId)
      // A tree whose indexes are behind stays so.
      await this.changes.increment(trees, ['version', 'book_version'], rootId, patch)
    } else if (patch.changed_at) await this.changes.updateIn(trees, 'root_id', [rootId], patch)
  }

  /**
   * Says that rows of these trees in the public book are others now.
   * @param patch what else is noted of all of them
   */
  async notePublic(
    trees: TreeTable,
    roots: readonly string[],
    patch: { readonly public_modified?: string | null },
  ): Promise<void> {
    const versions = { column: 'public_version', from: 'version' }
    await this.changes.copyColumn(trees, versions, roots, patch)
    if (trees.name === tables.contentTrees.name) for (const root of roots) this.shown.add(root)
  }

  /** Says that the indexes of these trees are made from the trees as they are now. */
  async noteIndexed(trees: TreeTable, roots: readonly string[]): Promise<void> {
    await this.changes.copyColumn(trees, { column: 'book_version', from: 'version' }, roots, {})
  }

  async drop(trees: TreeTable, rootId: string): Promise<void> {
    await this.changes.deleteIn(trees, 'root_id', [rootId])
    this.note(trees, rootId)
  }

  /**
   * Raises the counters, and stores the changes under the one of content. It runs last in the transaction, because each
   * counter is one row that all writers wait for.
   * @param isPublic true if the public may get something different
   */
  async raiseCounters(now: string, isPublic: boolean): Promise<void> {
    const { counters, contentChanges } = internalTables
    if (this.allPages) await this.changes.increment(counters, ['value'], schemaVersion)
    if (isPublic) await this.changes.increment(counters, ['value'], publicVersion)
    if (this.changed.size === 0 && !this.allPages) return
    // A tree may show content of another.
    await this.changes.increment(counters, ['value'], contentVersion)
    // Listeners reload everything after a change of all pages.
    const trees = this.allPages ? [] : [...this.ofPublicSpace]
    await this.changes.insertNumbered(contentChanges, counters, contentVersion, {
      changed_at: now,
      all_pages: this.allPages,
      trees,
      public_trees: trees.filter(root => this.shown.has(root)),
    })
  }

  private note(trees: TreeTable, rootId: string): void {
    this.changed.add(rootId)
    if (trees.name === tables.contentTrees.name) this.ofPublicSpace.add(rootId)
  }
}
