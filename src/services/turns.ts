/** How long a piece of long work may keep others waiting. */
const turnMs = 8

/** Work in pieces: it yields where it may be interrupted. */
export type Pieces<T> = Generator<undefined, T>

/** Gives other work its turn during long work in memory. */
export class Turns {
  private since = performance.now()

  /** Returns at once unless this work has had its turn. */
  async next(): Promise<void> {
    if (!this.isOver) return
    await new Promise(resolve => setTimeout(resolve))
    this.since = performance.now()
  }

  async run<T>(work: Pieces<T>): Promise<T> {
    for (;;) {
      const { done, value } = work.next()
      if (done) return value
      if (this.isOver) await this.next()
    }
  }

  /** Whether others are waiting for their turn, for those to whom a promise each time costs too much. */
  get isOver(): boolean {
    return performance.now() - this.since >= turnMs
  }
}

/** All pieces at once. */
export function atOnce<T>(work: Pieces<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
