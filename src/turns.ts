/** How long a piece of long work may keep others waiting. */
const turnMs = 8

/** Not every runtime has `setImmediate`, which waits for no clock. */
const soon: (go: () => void) => void = globalThis.setImmediate ?? setTimeout

/** Lets other work run: between pieces that are much shorter than a turn. */
export const nextTurn = (): Promise<void> => new Promise(resolve => soon(resolve))

/** Work in pieces: it yields where it may be interrupted. */
export type Pieces<T> = Generator<undefined, T>

/** Gives other work its turn during long work in this process. */
export class Turns {
  private since = performance.now()

  /** Returns at once unless this work has had its turn. */
  async next(): Promise<void> {
    if (!this.isOver) return
    // A timer is a millisecond in which others go on; the next look at I/O alone would let in a third of them.
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
