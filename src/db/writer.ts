import type { Actor, KeyClaim } from '../actor.js'
import type { EventData, EventName } from '../events.js'
import { AuditedRows } from './audited-rows.js'
import type { AnyTable, Exact } from './columns.js'
import type { Dialect, Session } from './dialects/dialect.js'
import { settleClaim } from './key-claims.js'
import { Outbox, type OutboxSettings } from './outbox.js'
import type { Part } from './part.js'
import type { Statements } from './statements.js'
import { type ContentSpace, internalTables } from './tables.js'
import type { TransactionSettings } from './transaction.js'
import { TreeVersions } from './tree-versions.js'

/** The changes of a transaction. Listeners get it after the commit. */
export interface Commit {
  readonly tables: ReadonlySet<string>
  readonly trees: ReadonlySet<string>
  /** Roots of the trees of the public space of which the public sees something else. */
  readonly shown: ReadonlySet<string>
  /** True if the public may get something different, such as a tree, an address or a media item. */
  readonly isPublic: boolean
  readonly allPages: boolean
  readonly deliveries: number
}

/** The results of a transaction that are needed after its commit. */
export interface Finished {
  commit: Commit
  growth: ReadonlyMap<string, number>
  /** The new value of the number that other instances watch; undefined where the engine itself counts. */
  version: number | undefined
}

export interface WriterSettings extends TransactionSettings, OutboxSettings {}

/**
 * The one place where rows change: rows with their audit events, versions of trees, and deliveries of events. All of
 * it commits together.
 */
export class Writer extends AuditedRows {
  private readonly trees: TreeVersions
  private readonly outbox: Outbox
  private readonly claim: KeyClaim | undefined

  /** @param part what the actor may read, if that is not all */
  constructor(
    private readonly dialect: Dialect,
    statements: Statements,
    session: Session,
    actor: Actor,
    settings: WriterSettings,
    part?: Part,
  ) {
    super(dialect, statements, session, actor, settings)
    this.part = part
    this.claim = actor.claim
    this.trees = new TreeVersions(this, this.changes, this.now)
    this.outbox = new Outbox(this, this.now, dialect.propagationDelayMs, settings)
  }

  /**
   * Lets a service that was made over this transaction join it: its changes commit with all others, or not at all.
   * @param actor the one of the transaction, which all of its audit events name
   */
  write<T>(actor: Actor, work: (tx: Writer) => Promise<T>): Promise<T> {
    if (actor.userId !== this.userId) throw new Error('a transaction has one actor')
    return work(this)
  }

  /** The work of the caller is done: what is derived from it is made of all of the site. */
  endPart(): void {
    this.part = undefined
  }

  get changedTrees(): ReadonlySet<string> {
    return this.trees.changed
  }

  /**
   * Rows that change from now on show this time as that of their last change. Audit events and versions keep the time
   * of the transaction.
   * @param changedAt ISO 8601, in UTC, to the millisecond
   */
  dateChanges(changedAt: string): void {
    this.changedAt = changedAt
  }

  /** @param changedAt when it was edited last, if that is not now */
  createTree(
    trees: ContentSpace['contentTrees'],
    rootId: string,
    changedAt: string = this.now,
  ): Promise<void> {
    return this.trees.create(trees, rootId, changedAt)
  }

  /**
   * Takes the tree's lock and gives it a new version, once. Every change inside a tree starts with this.
   * @param how.isEdit gives it the time of the changes as `changed_at`
   */
  lockAndBumpTree(
    trees: ContentSpace['contentTrees'],
    rootId: string,
    { isEdit = false } = {},
  ): Promise<void> {
    return this.trees.touch(trees, rootId, isEdit ? this.changedAt : undefined)
  }

  /** Says that rows of these trees in the public book are others now, and with `public_modified` when that was seen. */
  notePublic(
    trees: ContentSpace['contentTrees'],
    roots: readonly string[],
    patch: { readonly public_modified?: string | null } = {},
  ): Promise<void> {
    return this.trees.notePublic(trees, roots, patch)
  }

  /** Says that the indexes of these trees are made from the trees as they are now. */
  noteIndexed(trees: ContentSpace['contentTrees'], roots: readonly string[]): Promise<void> {
    return this.trees.noteIndexed(trees, roots)
  }

  dropTree(trees: ContentSpace['contentTrees'], rootId: string): Promise<void> {
    return this.trees.drop(trees, rootId)
  }

  /** The tables of the records that the transaction has changed so far. */
  get tablesChanged(): ReadonlySet<AnyTable> {
    return new Set(this.changedTables.keys())
  }

  /** Whether the public sees other content after what the transaction has changed so far. */
  get changesPublicContent(): boolean {
    return this.trees.allPages || this.trees.shown.size > 0
  }

  noteSettings(): void {
    this.changed(internalTables.settings, 0)
  }

  invalidateAllPages(): void {
    this.trees.allPages = true
  }

  /**
   * Leaves one delivery for each active webhook that subscribes to the event, and nothing while webhooks are off.
   * @param data called only if a webhook subscribes; without a result, there was no event
   */
  emit<E extends EventName, D extends EventData<E>>(
    event: E,
    data: () => Promise<Exact<D, EventData<E>> | undefined>,
  ): Promise<void> {
    return this.outbox.emit(event, data)
  }

  /**
   * Stores audit events, counters and deliveries of the changes. Called by the database, last in the transaction.
   * @param result the result of the work
   * @returns undefined when no record and no tree has changed, and no delivery was left
   */
  async finish(result: unknown): Promise<Finished | undefined> {
    const { deliveries } = this.outbox
    if (this.claim && this.changedTables.size > 0) await settleClaim(this, this.claim, result)
    await this.storeAuditEvents()
    await this.insertAllInternal(internalTables.webhookDeliveries, deliveries)
    const changed = [...this.changedTables]
    if (changed.some(([table]) => table.shapesPages)) this.invalidateAllPages()
    const isPublic =
      this.trees.allPages || this.trees.shown.size > 0 || changed.some(([table]) => table.announced)
    await this.trees.raiseCounters(this.now, isPublic)
    if (changed.length + this.trees.changed.size + deliveries.length === 0) return undefined
    const growth = new Map(changed.map(([table, by]) => [table.name, by]))
    const commit = {
      tables: new Set(growth.keys()),
      trees: this.trees.changed,
      shown: this.trees.shown,
      isPublic,
      allPages: this.trees.allPages,
      deliveries: deliveries.length,
    }
    return { commit, growth, version: await this.dialect.raiseVersion(this.session) }
  }
}
