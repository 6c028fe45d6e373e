import type { Database } from '../../../db/database.js'
import type { Log } from '../../../ports.js'
import type { Change, ChangeLog } from './change-log.js'

const gatherMs = 10

interface Follower {
  /** Gets changes in the order of the commits. */
  changed(changes: readonly Change[]): Promise<void> | void
  tick(): void
}

/**
 * Follows what is committed, here and by other processes, while somebody listens. One statement for each change that is
 * noticed or gathered, and none while nothing changes: whether others have committed is known without asking.
 */
export class ChangeFeed {
  #timer: ReturnType<typeof setInterval> | undefined
  #soon: ReturnType<typeof setTimeout> | undefined
  #seen = 0
  /** The newest change that was given on; undefined before the start. */
  #at: number | undefined
  #looking: Promise<void> | undefined
  #again = false

  constructor(
    private readonly db: Database,
    private readonly log: ChangeLog,
    private readonly follower: Follower,
    private readonly warnings: Log,
    private readonly intervalMs: number,
  ) {
    db.onCommit(({ trees, allPages }) => {
      if (this.#timer && (allPages || trees.size > 0)) this.#soon ??= setTimeout(() => this.#look(), gatherMs)
    })
  }

  /** The newest change that was passed on. Begins to follow if nobody has listened before. */
  async now(): Promise<number> {
    this.#timer ??= setInterval(() => this.#tick(), this.intervalMs)
    if (this.#at === undefined) {
      this.#seen = this.db.externalChanges()
      const newest = await this.log.newest()
      // Another caller may have begun meanwhile, and what came since then is given on to both.
      this.#at ??= newest
    } else await this.#look()
    return this.#at
  }

  stop(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    this.#timer = undefined
    this.#soon = undefined
    this.#at = undefined
  }

  #tick(): void {
    try {
      this.follower.tick()
      const external = this.db.externalChanges()
      if (external === this.#seen) return
      this.#seen = external
    } catch (error) {
      // Nothing awaits a timer, so an error would end the process. The next tick tries again.
      this.warnings.warn({ err: error }, 'changes of content could not be checked')
      return
    }
    void this.#look()
  }

  #look(): Promise<void> {
    clearTimeout(this.#soon)
    this.#soon = undefined
    if (this.#looking !== undefined) {
      this.#again = true
      return this.#looking
    }
    this.#looking = this.#giveOn()
      .catch(error => {
        // The next tick tries again.
        this.#seen = -1
        this.warnings.warn({ err: error }, 'changes of content could not be read')
      })
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  async #giveOn(): Promise<void> {
    do {
      this.#again = false
      if (this.#at === undefined) return
      const before = this.#at
      const { changes, isWhole } = await this.log.after(before)
      const last = changes.at(-1)
      // All listeners may have left by now.
      if (last && this.#at === before) {
        this.#at = last.id
        try {
          await this.follower.changed(changes)
        } catch (error) {
          if (this.#at === last.id) this.#at = before
          throw error
        }
      }
      if (!isWhole) this.#again = true
    } while (this.#again)
  }
}
