import type { Clock } from '../ports.js'

/** A question that takes longer says too little about the time of the answer. */
const maxQuestionMs = 2000

/**
 * The clock of all instances: the machine's own, put right by the clock of the database server. So times in the
 * database mean the same to each instance (docs/decisions/902-instances-know-each-other.md).
 */
export class SiteClock implements Clock {
  #offset = 0

  /** @param timeOfDatabase without it the machine's clock is as it is */
  constructor(
    private readonly own: Clock,
    private readonly timeOfDatabase?: () => Promise<number>,
  ) {}

  /** Bound, since some are given this function alone. */
  readonly now = (): number => this.own.now() + this.#offset

  /** How far the machine's clock is ahead of the database's, in milliseconds; 0 where it has no other. */
  get aheadMs(): number {
    return 0 - this.#offset
  }

  /** Compares both clocks. @throws when the database does not respond */
  async compare(): Promise<void> {
    if (!this.timeOfDatabase) return
    const from = performance.now()
    const time = await this.timeOfDatabase()
    const took = performance.now() - from
    if (took > maxQuestionMs) return
    // The server read its clock at some moment of the question. What is known stays as long as it fits.
    const least = time - this.own.now()
    if (this.#offset < least || this.#offset > least + took + 1) this.#offset = Math.round(least + took / 2)
  }
}
