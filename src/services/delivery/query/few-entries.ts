import type { Counts } from './counts.js'
import {
  beginningsOf,
  isExact,
  isScanned,
  type Source,
  sourceOfIds,
  sourceOrHolders,
} from './query-source.js'
import type { QueryStatements } from './query-statements.js'
import { someTest, type Test } from './query-test.js'

/** A source of so few entries is where a statement begins. */
export const few = 1000
/** Where more entries pass, a page of them is soon found in its order. */
export const mostScanned = 200
/** So many conditions of alternatives are looked up, and so many of them by looking through keys. */
const most = { conditions: 8, scanned: 2 }

const isCondition = ({ at }: Test): boolean => at === 'field' || at === 'column'

/** How many conditions of a test are such. */
function count(test: Test, is: (one: Test) => boolean): number {
  let n = 0
  someTest(test, one => {
    if (isCondition(one) && is(one)) n++
    return false
  })
  return n
}

/** Finds the ids of entries that pass tests, where they are few and need not be looked for among all. */
export class FewEntries {
  constructor(
    private readonly statements: QueryStatements,
    private readonly counts: Counts,
  ) {}

  /** How many entries a source names, or more than are few. */
  howMany(source: Source): Promise<number> {
    const { shape, values } = source
    if (shape.at === 'column' && shape.op !== 'starts') return Promise.resolve(values.length)
    return this.counts.probe(JSON.stringify([shape, values]), () => this.statements.howMany(source, few))
  }

  /** The entries of all datatypes that pass a test; undefined if they are many or no index has them. */
  async targets(test: Test): Promise<readonly string[] | undefined> {
    const ids = new Set<string>()
    for (const one of test.at === 'or' ? test.tests : [test]) {
      const passing = await this.passing(one)
      if (!passing) return undefined
      for (const id of passing) ids.add(id)
    }
    if (ids.size > few) return undefined
    return [...ids]
  }

  private async passing(test: Test): Promise<readonly string[] | undefined> {
    if (test.at === 'and') {
      const [first, ...others] = test.tests
      const ids = first && (await this.passing(first))
      return ids && this.ofSource(undefined, sourceOfIds(ids, true), others)
    }
    if (isScanned(test) && isExact(test)) return this.statements.scanned(test, few)
    const source = sourceOrHolders(test)
    if (!source || (await this.howMany(source)) > few) return undefined
    return this.ofSource(undefined, source, source.isExact ? [] : [test])
  }

  private async ofSource(datatypeId: string | undefined, source: Source, tests: readonly Test[]) {
    const plan = { datatypeId, source, tests }
    const slice = { sorts: [], after: undefined, limit: few + 1, offset: 0 }
    const { rows } = await this.statements.list(plan, slice)
    return rows.length > few ? undefined : rows.map(({ id }) => id)
  }

  /**
   * Entries of a datatype, among which are all that pass one of several tests; undefined if they are many or are found by
   * looking at all. Nothing is read before each of the alternatives is known to be one of few.
   */
  async alternatives(datatypeId: string, test: Test): Promise<readonly string[] | undefined> {
    if (test.at !== 'or' && test.at !== 'and') return undefined
    if (count(test, () => true) > most.conditions || count(test, isScanned) > most.scanned) return undefined
    if (!(await this.isOfFew(datatypeId, test))) return undefined
    return this.ofOne(datatypeId, test)
  }

  private async isOfFew(datatypeId: string, test: Test): Promise<boolean> {
    if (test.at === 'or') {
      for (const one of test.tests) if (!(await this.isOfFew(datatypeId, one))) return false
      return true
    }
    if (test.at === 'and') {
      for (const one of test.tests) if (await this.isOfFew(datatypeId, one)) return true
      return false
    }
    if (isId(test) || isScanned(test)) return true
    const [begun] = beginningsOf(datatypeId, [test])
    return begun !== undefined && (await this.howMany(begun.source)) <= few
  }

  /** The same for a test of which that is known. */
  private async ofOne(datatypeId: string, test: Test): Promise<readonly string[] | undefined> {
    if (test.at === 'and') {
      for (const one of test.tests)
        if (await this.isOfFew(datatypeId, one)) return this.ofOne(datatypeId, one)
      return undefined
    }
    if (test.at === 'or') {
      const ids = new Set<string>()
      for (const one of test.tests) {
        const own = await this.ofOne(datatypeId, one)
        if (!own || ids.size + own.length > few) return undefined
        for (const id of own) ids.add(id)
      }
      return [...ids]
    }
    if (isId(test)) return test.operands.map(String)
    if (isScanned(test)) return this.statements.scanned(test, mostScanned)
    const [begun] = beginningsOf(datatypeId, [test])
    return begun && this.ofSource(datatypeId, begun.source, [])
  }
}

/** Whether the test names the ids of those that pass. */
const isId = (test: Test): test is Extract<Test, { at: 'column' }> =>
  test.at === 'column' && test.column === 'id' && (test.op === 'eq' || test.op === 'in')
