import type { Clock } from '../ports.js'

/** A question that takes longer says too little about the time of the answer. */
const maxQuestionMs = 2000
/** How far two clocks may drift apart between two questions, in milliseconds. */
const driftMs = 10

/**
 * The clock of all instances: the machine's own, put right by the clock of the database server. So times in the
 * database mean the same to each instance (docs/decisions/902-instances-know-each-other.md).
 */
export class SiteClock implements Clock {
  #offset = 0
  /** The bounds from all questions so far: a quick one narrows them more than a slow one after it. */
  #least = Number.NEGATIVE_INFINITY
  #most = Number.POSITIVE_INFINITY

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
    // The server read its clock at some moment of the question.
    const least = time - this.own.now()
    const most = least + took + 1
    const isSet = least > this.#most + driftMs || most < this.#least - driftMs
    this.#least = isSet ? least : Math.max(least, this.#least - driftMs)
    this.#most = isSet ? most : Math.min(most, this.#most + driftMs)
    // A difference within the bounds stays. Otherwise the earlier time is taken, so that schedules are late rather than early.
    if (this.#offset < this.#least || this.#offset > this.#most) this.#offset = Math.ceil(this.#least)
  }
}
