import { DatabaseAwayError } from '../errors.js'
import type { Log } from '../ports.js'

/** A question that has waited this long for its answer begins an outage, in milliseconds. */
const patienceMs = 1000
/** So many questions in a row fail in an outage: a single one may have had a broken connection. */
const manyFailures = 2

/**
 * Whether the database answers, by a question that is put to it again and again. So requests need not wait for a
 * database that others have waited for in vain.
 */
export class Outage {
  private askedAt: number | undefined
  private failures = 0
  private isNow = false
  private readonly waiting = new Set<() => void>()
  private readonly listeners: (() => void)[] = []

  constructor(private readonly log: Log) {}

  get isOn(): boolean {
    return this.isNow
  }

  /** Calls `listener` at the end of each outage. */
  onEnd(listener: () => void): void {
    this.listeners.push(listener)
  }

  /** Puts the question, unless the one before has no answer yet. @returns whether it was answered */
  async ask(question: () => Promise<unknown>): Promise<boolean> {
    if (this.askedAt !== undefined) {
      if (performance.now() - this.askedAt > patienceMs) this.begin(undefined)
      return false
    }
    this.askedAt = performance.now()
    try {
      await question()
    } catch (error) {
      this.askedAt = undefined
      if (++this.failures < manyFailures) return this.ask(question)
      this.begin(error)
      return false
    }
    this.askedAt = undefined
    this.failures = 0
    if (this.isNow) this.end()
    return true
  }

  /**
   * The result of `read`; in an outage at once what was last known, also in one that begins meanwhile.
   * @param lastKnown undefined where nothing may be given
   * @throws 503 at once where nothing may be given and the database refuses; what `read` throws
   */
  async outlived<T>(read: () => Promise<T>, lastKnown: () => T | undefined): Promise<T> {
    const known = this.isNow ? lastKnown() : undefined
    if (known !== undefined) return known
    if (this.failures >= manyFailures) throw new DatabaseAwayError()
    let begun: () => void = () => undefined
    const lasting = new Promise<T>(resolve => {
      begun = () => {
        const known = lastKnown()
        if (known !== undefined) resolve(known)
      }
      this.waiting.add(begun)
    })
    try {
      return await Promise.race([read(), lasting])
    } catch (error) {
      const known = error instanceof DatabaseAwayError ? lastKnown() : undefined
      if (known === undefined) throw error
      return known
    } finally {
      this.waiting.delete(begun)
    }
  }

  private begin(error: unknown): void {
    if (this.isNow) return
    this.isNow = true
    this.log.warn({ err: error }, 'the database does not respond: public pages are served from memory')
    for (const begun of [...this.waiting]) begun()
  }

  private end(): void {
    this.isNow = false
    this.log.info({}, 'the database responds again')
    for (const listener of this.listeners) listener()
  }
}
