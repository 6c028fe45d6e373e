import { setTimeout as sleep } from 'node:timers/promises'
import { type Actor, refuseReadOnly } from '../actor.js'
import { type HttpError, readOnlyInstance, tooLarge, unavailable } from '../errors.js'
import type { PoolState, StatementCounts } from '../metrics.js'
import type { Log, Tracing } from '../ports.js'
import type { ReadBound } from '../role-limits.js'
import { Changes, ConstraintError } from './changes.js'
import type { AnyTable } from './columns.js'
import { explain } from './constraints.js'
import type { Dialect, Session } from './dialects/dialect.js'
import { ExternalChanges } from './external-changes.js'
import { FollowedCommits, type ForeignCommits } from './foreign-commits.js'
import { Outage } from './outage.js'
import { Part } from './part.js'
import { Reader } from './reader.js'
import { counting, guarded, guardedVersion, observing, translated } from './sessions.js'
import { maxSnapshotMs, untilEnd } from './snapshot.js'
import { Statements } from './statements.js'
import { internalTables } from './tables.js'
import { unlessUnchanged } from './unchanged.js'
import { WriteProbe } from './write-probe.js'
import { type Commit, type Finished, Writer, type WriterSettings } from './writer.js'

export interface DatabaseSettings extends WriterSettings {
  log: Log
  tracing?: Tracing | undefined
}

interface PartListeners {
  readonly own: ((commit: Commit) => void)[]
  readonly foreign: ((commits: ForeignCommits) => void)[]
}

export interface PartOfDatabase {
  readonly database: Database
  /** Nobody reads by it any more. */
  readonly release: () => void
}

const attempts = 4
const retryForMs = 2000
/** An instance that only reads is ready while its database is at most this far behind, in milliseconds. */
const maxLagMs = 5000
/** The row of `counters` that only shows whether something can be written. */
const probeName = 'write_probe'

/**
 * Reads and writes of a service: by the database, or by a transaction that the service's changes become a part of.
 */
export type Door = Reader & Pick<Database, 'write'>

/**
 * The database as the services see it: reads, and `write` as the only door to changes.
 * Knows when another process has changed something, so that caches stay right.
 */
export class Database extends Reader {
  private readonly listeners: ((commit: Commit) => void)[] = []
  private readonly finishers: ((tx: Writer) => Promise<void>)[] = []
  private readonly counts = new Map<string, { n: number; external: number }>()
  private readonly external: ExternalChanges
  private readonly writeProbe: WriteProbe
  private commits = 0
  /** The listeners of those who read only a part, as long as they do. */
  private readonly inParts = new Set<PartListeners>()
  /** Whether the database answers, and what may be given while it does not. */
  readonly outage: Outage
  /** The commits of other processes. Only where the database is a server, and after `watch`. */
  readonly foreign: FollowedCommits
  private readonly counted: Parameters<typeof counting>[1]

  constructor(
    private readonly dialect: Dialect,
    private readonly settings: DatabaseSettings,
  ) {
    const counted = { counts: { read: 0, write: 0 }, observe: observing(dialect, settings.tracing) }
    super(
      new Statements(dialect.knex, dialect.fullText),
      guarded(dialect, counting(dialect.read, counted, 'read')),
    )
    this.counted = counted
    this.external = new ExternalChanges(guardedVersion(dialect))
    this.outage = new Outage(settings.log)
    this.foreign = new FollowedCommits(this, settings.log)
    this.foreign.onCommits(commits => {
      for (const { foreign } of this.inParts) for (const listener of foreign) listener(commits)
    })
    this.writeProbe = new WriteProbe(() => this.canWrite())
  }

  /**
   * The only way to change rows. `work` may run more than once, so it does nothing but read and write through `tx`.
   * When it resolves, the change and its events are on disk.
   * @throws the error of `work`, after the rollback; 403 for a key that only reads; 400 or 409 if a constraint refuses;
   * 503 if the database is away or stays contended, and at an instance that only reads
   */
  write<T>(actor: Actor, work: (tx: Writer) => Promise<T>): Promise<T> {
    return this.writeFrom(undefined, actor, work)
  }

  /** @param part what the actor may read, if that is not all */
  private async writeFrom<T>(
    part: Part | undefined,
    actor: Actor,
    work: (tx: Writer) => Promise<T>,
  ): Promise<T> {
    this.refuseChanges(actor)
    const from = performance.now()
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(part, actor, work)
      } catch (error) {
        const refusal = await this.refusalFor(error)
        if (refusal !== 'again') throw refusal
        if (attempt === attempts || performance.now() - from > retryForMs)
          throw unavailable('the database is busy, try again')
        await sleep(Math.random() * 20 * attempt)
      }
    }
  }

  get statementCounts(): StatementCounts {
    return this.counted.counts
  }

  /** Whether this instance only reads: the database is a standby or a replica. */
  get isReadOnly(): boolean {
    return this.dialect.isReadOnly === true
  }

  /**
   * Refuses as `write` does. Services that change or send something before they write, or without, call it themselves.
   * @throws 403 for a key that only reads, 503 at an instance that only reads
   */
  refuseChanges(actor: Pick<Actor, 'credential'>): void {
    refuseReadOnly(actor)
    this.refuseIfReadOnly()
  }

  /** Refuses at an instance that only reads, whoever asks. @throws 503 */
  refuseIfReadOnly(): void {
    if (this.isReadOnly) throw readOnlyInstance()
  }

  /**
   * `write` for an edit of records. An edit that changes none is rolled back with everything it did, such as the
   * version of a tree that its lock has raised (docs/decisions/003-one-way-to-write.md).
   */
  edit<T>(actor: Actor, work: (tx: Writer) => Promise<T>): Promise<T> {
    return unlessUnchanged(whole => this.write(actor, whole), work)
  }

  /**
   * Reads that belong together: all of them see the database as it is when `work` begins, whatever is written
   * meanwhile. They hold up no writer and no other read. Few run at once and the rest wait, so `work` reads and does
   * nothing slow, and it begins no snapshot of its own. One that is `long` may read for minutes: it keeps no other
   * waiting.
   * @throws whatever `work` throws; 503 when the database is away or `work` takes longer than `maxMs`
   */
  async snapshot<T>(
    work: (read: Reader) => Promise<T>,
    { maxMs = maxSnapshotMs, long = false } = {},
  ): Promise<T> {
    try {
      return await this.dialect.snapshot(
        session =>
          untilEnd(
            counting(session, this.counted, 'read'),
            open => work(new Reader(this.statements, this.limited(open))),
            maxMs,
          ),
        long,
      )
    } catch (error) {
      throw translated(this.dialect, error)
    }
  }

  /** The session of a snapshot, for those who read by this database. */
  protected limited(session: Session): Session {
    return session
  }

  /**
   * Returns the database for a caller who may read only a part of the content. It reads that part alone, and its
   * transactions find only rows of that part by their keys.
   */
  async partFor(bounds: readonly ReadBound[]): Promise<PartOfDatabase> {
    const part = new Part(bounds, this.dialect.quote(await this.dialect.schema()))
    const listeners: PartListeners = { own: [], foreign: [] }
    const foreign = Object.assign(Object.create(this.foreign), {
      onCommits: (listener: (commits: ForeignCommits) => void) => listeners.foreign.push(listener),
    })
    const database: Database = Object.assign(Object.create(this), {
      foreign,
      session: part.session(this.session),
      limited: (session: Session) => part.session(session),
      write: <T>(actor: Actor, work: (tx: Writer) => Promise<T>) => this.writeFrom(part, actor, work),
      // The whole database derives data from changes, once.
      beforeCommit: () => undefined,
      onCommit: (listener: (commit: Commit) => void) => listeners.own.push(listener),
      countAll: (table: AnyTable) => database.count(table),
    })
    this.inParts.add(listeners)
    return { database, release: () => this.inParts.delete(listeners) }
  }

  private async attempt<T>(
    part: Part | undefined,
    actor: Actor,
    work: (tx: Writer) => Promise<T>,
  ): Promise<T> {
    const { result, finished } = await this.dialect.transaction(async session => {
      const counted = counting(session, this.counted, 'write')
      const tx = new Writer(this.dialect, this.statements, counted, actor, this.settings, part)
      const result = await work(tx)
      tx.endPart()
      for (const finish of this.finishers) await finish(tx)
      return { result, finished: await tx.finish(result) }
    })
    if (finished) this.committed(finished)
    return result
  }

  private async refusalFor(error: unknown): Promise<unknown> {
    if (error instanceof ConstraintError) return (await explain(this, error)) ?? 'again'
    switch (this.dialect.classify(error)) {
      case 'retry':
        return 'again'
      case 'unavailable':
        return this.cannotWrite(error, 'the database does not respond')
      case 'unwritable':
        this.writeProbe.ended(false)
        return this.cannotWrite(
          error,
          'the database accepts no changes: its disk is full, or it is read-only',
        )
      case 'too-large':
        return tooLarge('the value is too large for the database')
      default:
        return error
    }
  }

  private cannotWrite(error: unknown, sentence: string): HttpError {
    this.settings.log.error({ err: error }, sentence)
    return unavailable(sentence)
  }

  private committed({ commit, growth, version }: Finished): void {
    this.commits++
    this.writeProbe.ended(true)
    if (version !== undefined) this.external.committed(version)
    for (const [table, by] of growth) {
      const count = this.counts.get(table)
      if (count) count.n += by
    }
    for (const listener of this.listeners) listener(commit)
    for (const { own } of this.inParts) for (const listener of own) listener(commit)
  }

  /** Whether an index has the titles of pages. */
  get hasTitlesInOrder(): boolean {
    return this.dialect.expressionIndexes
  }

  get pool(): PoolState | undefined {
    return this.dialect.pool?.()
  }

  /** The time of the database server, in milliseconds since 1970; absent where its clock is that of this process. */
  get time(): (() => Promise<number>) | undefined {
    return this.dialect.time
  }

  /** Deliveries of an event are due this long after it, in milliseconds. */
  get propagationDelayMs(): number {
    return this.dialect.propagationDelayMs
  }

  /** Calls `finish` at the end of each transaction, to write the data that is derived from the changed rows. */
  beforeCommit(finish: (tx: Writer) => Promise<void>): void {
    this.finishers.push(finish)
  }

  /** Calls `listener` after each commit of this instance, before the writer's promise resolves. */
  onCommit(listener: (commit: Commit) => void): void {
    this.listeners.push(listener)
  }

  /**
   * Grows whenever another process has changed the database, within half a second.
   * Cached data with an older number must be checked.
   */
  externalChanges(): number {
    return this.external.known()
  }

  /** `externalChanges`, exact to milliseconds or at once; undefined on the servers, where that takes a statement. */
  externalChangesSync(how?: { exact: boolean }): number | undefined {
    return this.external.sync(how)
  }

  /** A request arrives: see `ExternalChanges.arrived`. */
  requestArrived(): void {
    this.external.arrived()
  }

  externalChangesNow(): Promise<number> {
    return this.external.now()
  }

  onExternalChange(listener: () => void): void {
    this.external.onChange(listener)
  }

  /** From here on, changes of other processes are noticed. Called before anything is kept. */
  async begin(): Promise<void> {
    await this.externalChangesNow()
    if (!this.dialect.cheapToRead) await this.foreign.begin()
  }

  watch(): void {
    if (!this.dialect.cheapToRead) this.external.onChange(() => this.foreign.noticed())
    this.external.watch(this.outage, askedAt => this.foreign.confirmed(askedAt))
  }

  /** The number of rows of a table. It is cached and follows our commits, so that lists stay cheap. */
  override async countAll(table: AnyTable): Promise<number> {
    const external = await this.externalChangesNow()
    const known = this.counts.get(table.name)
    if (known?.external === external) return known.n
    const before = this.commits
    const n = await this.count(table)
    if (this.commits === before) this.counts.set(table.name, { n, external })
    return n
  }

  /**
   * True when the database answers and takes writes. The latter is tried every few seconds at most. At an instance that
   * only reads: when the database answers and is not far behind.
   */
  async ping(): Promise<boolean> {
    try {
      await this.find(internalTables.counters, { name: 'changes' })
      if (this.isReadOnly) return ((await this.lagMs()) ?? 0) <= maxLagMs
    } catch {
      return false
    }
    return this.writeProbe.writable()
  }

  /** Returns how far the standby or replica that this instance reads is behind; undefined if the instance writes. */
  async lagMs(): Promise<number | undefined> {
    return this.isReadOnly ? ((await this.dialect.lagMs?.()) ?? 0) : undefined
  }

  private async canWrite(): Promise<boolean> {
    const { counters } = internalTables
    try {
      await this.dialect.transaction(async session => {
        const changes = new Changes(this.dialect, this.statements, session)
        if (await new Reader(this.statements, session).get(counters, probeName))
          await changes.increment(counters, ['value'], probeName)
        else await changes.insert(counters, [{ name: probeName, value: 1 }])
      })
      return true
    } catch (error) {
      return !['unavailable', 'unwritable'].includes(this.dialect.classify(error))
    }
  }

  async close(): Promise<void> {
    this.external.close()
    await this.dialect.close()
  }
}
