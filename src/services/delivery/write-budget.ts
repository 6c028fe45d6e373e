import { invalid } from '../../errors.js'
import { limits } from '../../limits.js'

/**
 * The limits of one response. Few entries that refer to each other can be written very often, so written entries are
 * counted, not read ones.
 */
const { entries, references, characters } = limits.pages
export const answerLimits = { entries, references, characters }

type Counted = keyof typeof answerLimits

/** Counts what is written into one answer. */
export class WriteBudget {
  private readonly written: Record<Counted, number> = { entries: 0, references: 0, characters: 0 }

  /** @param parameter which the refusal is about: the one that makes the answer large */
  constructor(private readonly parameter: string) {}

  /** @throws 400 when the answer would hold more than it may */
  take(what: Counted, n = 1): void {
    this.written[what] += n
    this.refuse(what, this.written[what])
  }

  /** Checks a number before it is written. @throws as `take` */
  refuse(what: Counted, n: number, parameter = this.parameter): void {
    const limit = answerLimits[what]
    if (n > limit)
      throw invalid(parameter, `the response would have more than ${limit} ${what}: narrow the request`)
  }
}
