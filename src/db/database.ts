import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../actor.js'
import { type HttpError, tooLarge, unavailable } from '../errors.js'
import type { Log } from '../ports.js'
import { ConstraintError } from './changes.js'
import type { AnyTable, InsertOf } from './columns.js'
import { explain } from './constraints.js'
import type { Dialect, Session } from './dialects/dialect.js'
import { chunks, Reader } from './reader.js'
import { encodeIn, refuseUnknown } from './rows.js'
import { maxSnapshotMs, untilEnd } from './snapshot.js'
import { bind, deleteFrom, insertInto, Statements } from './statements.js'
import { keptTables } from './tables.js'
import { type Commit, type Finished, Writer, type WriterSettings } from './writer.js'

export interface DatabaseSettings extends WriterSettings {
  log: Log
}

/** How often a transaction is run again after a deadlock before its caller gets a 503. */
const attempts = 4
/** How often another instance's commits are looked for, in milliseconds. */
const watchInterval = 500
/** The same where looking costs microseconds; `closeInterval` is for what must stop at once, as a revoked key. */
const glanceInterval = 50
const closeInterval = 3

/**
 * The database as the services see it: reads, and `write` as the only door to changes.
 * Knows when another process has changed something, so that caches stay right.
 */
export class Database extends Reader {
  private readonly listeners: ((commit: Commit) => void)[] = []
  private readonly counts = new Map<string, { n: number; foreign: number }>()
  private readonly ownMarks = new Set<number>()
  private commits = 0
  private knownMark: number | undefined
  private foreign = 0
  private lookedAt = Number.NEGATIVE_INFINITY
  private watching: NodeJS.Timeout | undefined

  constructor(
    private readonly dialect: Dialect,
    private readonly settings: DatabaseSettings,
  ) {
    super(new Statements(dialect.knex), guarded(dialect, dialect.read))
  }

  /**
   * The only way to change rows. `work` may run more than once, so it does nothing but read and write through `tx`.
   * When it resolves, the change and its events are on disk.
   * @throws whatever `work` throws, after the rollback; 400 or 409 where a constraint refuses; 503 when the database
   * is away or stays contended
   */
  async write<T>(actor: Actor, work: (tx: Writer) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(actor, work)
      } catch (error) {
        const refusal = await this.refusalFor(error)
        if (refusal !== 'again') throw refusal
        if (attempt === attempts) throw unavailable('the database is busy, try again')
        await sleep(Math.random() * 20 * attempt)
      }
    }
  }

  /**
   * Reads that belong together: all of them see the database as it is when `work` begins, whatever is written
   * meanwhile. They hold up no writer and no other read. Few run at once and the rest wait, so `work` reads and does
   * nothing slow, and it begins no snapshot of its own.
   * @throws whatever `work` throws; 503 when the database is away or `work` takes longer than `maxMs`
   */
  async snapshot<T>(work: (read: Reader) => Promise<T>, { maxMs = maxSnapshotMs } = {}): Promise<T> {
    try {
      return await this.dialect.snapshot(session =>
        untilEnd(session, open => work(new Reader(this.statements, open)), maxMs),
      )
    } catch (error) {
      throw translated(this.dialect, error)
    }
  }

  private async attempt<T>(actor: Actor, work: (tx: Writer) => Promise<T>): Promise<T> {
    const { result, finished } = await this.dialect.transaction(async session => {
      const tx = new Writer(this.dialect, this.statements, session, actor, this.settings)
      const result = await work(tx)
      return { result, finished: await tx.finish() }
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
        this.settings.log.error({ err: error }, 'the database does not answer')
        return unavailable('the database does not answer')
      case 'too-large':
        return tooLarge('the value is too large for the database')
      default:
        return error
    }
  }

  private committed({ commit, growth, mark }: Finished): void {
    this.commits++
    if (mark !== undefined) {
      this.ownMarks.add(mark)
      this.advance()
    }
    for (const [table, by] of growth) {
      const count = this.counts.get(table)
      if (count) count.n += by
    }
    for (const listener of this.listeners) listener(commit)
  }

  /** Deliveries of an event are due so many milliseconds after it. */
  get newsTime(): number {
    return this.dialect.newsTime
  }

  /** Calls `listener` after each commit of this instance, before the writer's promise resolves. */
  onCommit(listener: (commit: Commit) => void): void {
    this.listeners.push(listener)
  }

  /**
   * Grows whenever another process has changed the database, within half a second.
   * What was cached under an older number must be checked.
   */
  foreignChanges(): number {
    if (this.dialect.marksAtOnce) this.glance(glanceInterval)
    return this.foreign
  }

  /** Looks again unless that was done a moment ago; only where looking takes no statement. */
  private glance(interval: number): void {
    const now = performance.now()
    if (now - this.lookedAt < interval) return
    this.lookedAt = now
    this.observe(this.dialect.foreignMark() as number)
  }

  /** The same, exact to milliseconds and at once; undefined on the servers, where that takes a statement. */
  foreignChangesAtOnce(): number | undefined {
    if (!this.dialect.marksAtOnce) return undefined
    this.glance(closeInterval)
    return this.foreign
  }

  /** The same, exact at the time of the call: one small statement on the servers, none on SQLite. */
  async foreignChangesNow(): Promise<number> {
    this.observe(await this.dialect.foreignMark())
    return this.foreign
  }

  private observe(mark: number): void {
    if (this.knownMark === undefined || this.dialect.marksAtOnce) {
      if (this.knownMark !== undefined && mark !== this.knownMark) this.foreign++
      this.knownMark = mark
      return
    }
    if (mark <= this.knownMark) return
    this.advance()
    if (mark <= this.knownMark) return
    this.foreign++
    this.knownMark = mark
    for (const own of this.ownMarks) if (own <= mark) this.ownMarks.delete(own)
  }

  /** Our own commits in their order are no news. */
  private advance(): void {
    while (this.knownMark !== undefined && this.ownMarks.delete(this.knownMark + 1)) this.knownMark++
  }

  /** Begins to look for other instances' commits; ends with `close`. */
  watch(): void {
    if (this.dialect.marksAtOnce) return
    this.watching = setInterval(() => {
      this.foreignChangesNow().catch(error =>
        this.settings.log.warn({ err: error }, 'cannot look for changes'),
      )
    }, watchInterval)
    this.watching.unref()
  }

  /** How many rows a table has. The number is kept and follows our commits, so that lists stay cheap. */
  async countAll(table: AnyTable): Promise<number> {
    const foreign = await this.foreignChangesNow()
    const known = this.counts.get(table.name)
    if (known?.foreign === foreign) return known.n
    const before = this.commits
    const n = await this.count(table)
    if (this.commits === before) this.counts.set(table.name, { n, foreign })
    return n
  }

  /** Replaces rows of a table that can be computed again at any time. Not a change of any record. */
  async keep(table: typeof keptTables.renderedPages, rows: readonly InsertOf<typeof table>[]): Promise<void> {
    for (const row of rows) refuseUnknown(table, row)
    const columns = Object.keys(table.columns)
    await this.dialect.transaction(async session => {
      for (const some of chunks(rows, 50)) {
        const gone = deleteFrom(this.statements, table, [[table.key, some.length]])
        await session.run(
          gone.sql,
          bind(
            gone,
            some.map(row => row.page_key ?? null),
          ),
        )
        const insert = insertInto(this.statements, table, some.length)
        const values = some.flatMap(row =>
          columns.map(name => encodeIn(table, name, (row as Record<string, unknown>)[name])),
        )
        await session.run(insert.sql, bind(insert, values))
      }
    })
  }

  /** True when the database answers. */
  async answers(): Promise<boolean> {
    try {
      await this.find(keptTables.counters, { name: 'changes' })
      return true
    } catch {
      return false
    }
  }

  async close(): Promise<void> {
    clearInterval(this.watching)
    await this.dialect.close()
  }
}

const translated = (dialect: Dialect, error: unknown): HttpError | unknown =>
  dialect.classify(error) === 'unavailable' ? unavailable('the database does not answer') : error

/** Reads outside a writing transaction fail in the API's words when the database is away. */
function guarded(dialect: Dialect, session: Session): Session {
  const translate = (error: unknown) => translated(dialect, error)
  return {
    all: (sql, bindings) =>
      session.all(sql, bindings).catch(error => {
        throw translate(error)
      }),
    lists: (sql, bindings) =>
      session.lists(sql, bindings).catch(error => {
        throw translate(error)
      }),
    run: (sql, bindings) =>
      session.run(sql, bindings).catch(error => {
        throw translate(error)
      }),
  }
}
