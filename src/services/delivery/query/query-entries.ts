import type { AllowanceOf } from '../../../db/allowance.js'
import type { Scalar } from '../../../db/columns.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace } from '../../../db/tables.js'
import { isAscii } from '../../text.js'
import type { Versions } from '../versioned-answers.js'
import type { Counts } from './counts.js'
import type { IndexedEntry } from './entry-source.js'
import { FewEntries, few, mostScanned } from './few-entries.js'
import { malformedCursor, type Position } from './query-cursor.js'
import type { Row } from './query-pieces.js'
import { asciiColumns } from './query-plan.js'
import { type Beginning, beginningsOf, isExact, isScanned, padded, sourceOfIds } from './query-source.js'
import { type Listed, namesIds, type Plan, QueryStatements } from './query-statements.js'
import type { RelationTest, Sort, Test } from './query-test.js'

/** Which entries a query finds, and in what order. */
export interface Selection {
  readonly datatypeId: string
  readonly tests: readonly Test[]
  readonly sorts: readonly Sort[]
  readonly limit: number
  readonly offset: number
  readonly after: Position | undefined
}

export interface Found {
  readonly ids: readonly string[]
  /** What else the statement gave of all of them. */
  readonly entries?: readonly IndexedEntry[] | undefined
  /** Where the next page begins; undefined when there is none. */
  readonly next: Position | undefined
}

interface Counted extends Beginning {
  /** How many entries it names. */
  readonly n: number
}

/** How many sources are tried for that. */
const maxProbes = 3
/** So many rows are left out in the order of an index; for more, all that pass are put in order. */
const mostWalked = 1000
/** Of so many conditions one relation away it is found out what they refer to. */
const maxTargets = 5

/** Whether these sorts can have given a position: anybody can write a cursor, and engines refuse to compare other keys. */
function fits({ keys }: Position, sorts: readonly Sort[]): boolean {
  const isKey = (key: Scalar | null, { shape }: Sort): boolean => {
    if (key === null) return shape.at === 'field' || shape.column === 'slug' || shape.column === 'title'
    if (shape.at === 'field' && shape.key === 'number') return typeof key === 'number'
    if (typeof key !== 'string') return false
    return !(shape.at === 'column' && asciiColumns.has(shape.column)) || isAscii(key)
  }
  return keys.length === sorts.length && sorts.every((sort, i) => isKey(keys[i] ?? null, sort))
}

function entriesOf(datatype_id: string, rows: readonly Row[]): IndexedEntry[] | undefined {
  const entries: IndexedEntry[] = []
  for (const { id: content_data_id, route_id, published_at } of rows) {
    if (route_id === undefined || published_at === undefined) return undefined
    entries.push({ content_data_id, datatype_id, route_id, published_at })
  }
  return entries
}

/** The same whatever the order of the tests is. */
const selectionOf = (datatypeId: string, tests: readonly Test[]): string =>
  JSON.stringify([datatypeId, ...tests.map(test => JSON.stringify(test)).sort()])

/** With how many pass in all, where that is seen from a page that is the last one. */
function withTotal({ rows, passed }: Listed, { offset, after }: Selection, limit: number): Listed {
  const isLast = !after && rows.length < limit && (rows.length > 0 || offset === 0)
  return { rows, passed: passed ?? (isLast ? offset + rows.length : undefined) }
}

/** The relation refers to one of these. */
function refersTo({ field, locales }: RelationTest, ids: readonly string[]): Test {
  // An empty value has an empty key, which is nobody's id.
  if (ids.length === 0) return { at: 'column', column: 'id', op: 'eq', operands: [''] }
  return { at: 'field', field, locales, key: 'text', op: 'in', long: false, operands: padded(ids) }
}

/** Finds entries by one statement, and by others before it or after it where they spare much work. */
export class EntryFinder {
  private readonly statements: QueryStatements
  private readonly few: FewEntries
  private readonly plans = new Map<readonly Test[], Promise<Plan>>()
  private targetsLeft = maxTargets

  constructor(
    read: Reader,
    space: ContentSpace,
    private readonly counts: Counts,
    private readonly versions: Versions,
    private readonly allowanceOf: AllowanceOf = async () => undefined,
  ) {
    this.statements = new QueryStatements(read, space, allowanceOf)
    this.few = new FewEntries(this.statements, counts)
  }

  async find(selection: Selection): Promise<Found> {
    const { limit, sorts, after } = selection
    if (after && !fits(after, sorts)) throw malformedCursor()
    const { rows, passed } = await this.allowed(selection, async () =>
      this.rows(selection, await this.planOf(selection), limit + 1),
    )
    if (passed !== undefined)
      this.counts.knowTotal(this.versions, selectionOf(selection.datatypeId, selection.tests), passed)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    const found = rows.slice(0, limit)
    return {
      ids: found.map(({ id }) => id),
      entries: entriesOf(selection.datatypeId, found),
      next: last && { keys: last.keys, id: last.id },
    }
  }

  /** How many entries pass the tests. */
  count(selection: Pick<Selection, 'datatypeId' | 'tests'>): Promise<number> {
    const { datatypeId, tests } = selection
    return this.counts.total(this.versions, selectionOf(datatypeId, tests), async () =>
      this.allowed({ datatypeId, tests }, async () => this.statements.count(await this.planOf(selection))),
    )
  }

  /** Does the work within what the caller is allowed, and not again what was refused of the same content. */
  private async allowed<T>(what: Partial<Selection>, work: () => Promise<T>): Promise<T> {
    const { counts, versions, allowanceOf } = this
    const key = JSON.stringify(what)
    const refusal = counts.isRefused(versions, key) ? (await allowanceOf())?.refusal() : undefined
    if (refusal) throw refusal
    try {
      return await work()
    } catch (error) {
      const allowance = await allowanceOf()
      if (allowance && allowance.leftMs < 0) counts.refuse(versions, key)
      throw error
    }
  }

  private async rows(selection: Selection, plan: Plan, limit: number): Promise<Listed> {
    const { sorts, offset, after } = selection
    const [sort, ...others] = sorts
    const isWalk =
      !plan.source &&
      !namesIds(plan.tests) &&
      others.length === 0 &&
      offset <= mostWalked &&
      sort?.shape.at === 'field' &&
      sort.shape.locales === 1
    if (!isWalk)
      return withTotal(await this.statements.list(plan, { sorts, after, limit, offset }), selection, limit)
    const wanted = offset + limit
    // Few lengths, so that there are few statements.
    const read = offset === 0 ? limit : 2 ** Math.ceil(Math.log2(wanted))
    const rows = (await this.walk(plan, sort, read, after)).slice(offset, wanted)
    return withTotal({ rows }, selection, limit)
  }

  /** In the order of one field: first those that have a value, from its index, then those that have none. */
  private async walk(plan: Plan, sort: Sort, limit: number, after: Position | undefined): Promise<Row[]> {
    const isBehind = after?.keys[0] === null
    const rows = isBehind ? [] : await this.statements.walk(plan, sort, { after, limit })
    const missing = limit - rows.length
    if (missing <= 0) return rows
    const [field, locale] = sort.values.map(String) as [string, string]
    const key = sort.shape.at === 'field' ? sort.shape.key : 'text'
    const has: Test = {
      at: 'field',
      field,
      locales: [locale],
      key,
      op: 'sortable',
      long: false,
      operands: [],
    }
    const without = await this.statements.list(
      // It is the cheapest to ask of all entries, so it goes first.
      { ...plan, tests: [{ at: 'not', test: has }, ...plan.tests] },
      {
        sorts: [{ shape: { at: 'column', column: 'id', descending: sort.shape.descending }, values: [] }],
        after: isBehind ? { keys: [after.id], id: after.id } : undefined,
        limit: missing,
        offset: 0,
      },
    )
    return [...rows, ...without.rows.map(row => ({ ...row, keys: [null] }))]
  }

  private planOf({ datatypeId, tests }: Pick<Selection, 'datatypeId' | 'tests'>): Promise<Plan> {
    const known = this.plans.get(tests)
    if (known) return known
    const plan = this.plan(datatypeId, tests)
    this.plans.set(tests, plan)
    return plan
  }

  private async plan(datatypeId: string, given: readonly Test[]): Promise<Plan> {
    const tests = await this.withTargets(given)
    let best: Counted | undefined
    for (const one of beginningsOf(datatypeId, tests).slice(0, maxProbes)) {
      const n = await this.few.howMany(one.source)
      if (n <= few && (!best || n < best.n)) best = { ...one, n }
    }
    const begun = best ?? (await this.alternatives(datatypeId, tests)) ?? (await this.scanned(tests))
    const isDone = (test: Test) => begun?.source.isExact && begun.tests.includes(test)
    return { datatypeId, source: begun?.source, tests: tests.filter(test => !isDone(test)) }
  }

  /** Begins with the entries that pass one of several tests, where those are few. */
  private async alternatives(datatypeId: string, tests: readonly Test[]): Promise<Beginning | undefined> {
    if (namesIds(tests)) return undefined
    for (const test of tests) {
      const ids = await this.few.alternatives(datatypeId, test)
      if (ids) return { tests: [test], source: sourceOfIds(ids, false) }
    }
    return undefined
  }

  /** Begins with the entries that have a text in a field, or whose route passes, where those are few. */
  private async scanned(tests: readonly Test[]): Promise<Beginning | undefined> {
    if (namesIds(tests)) return undefined
    for (const test of tests.filter(isScanned)) {
      const ids = await this.statements.scanned(test, mostScanned)
      if (ids) return { tests: [test], source: sourceOfIds(ids, isExact(test)) }
    }
    return undefined
  }

  private async withTargets(tests: readonly Test[]): Promise<readonly Test[]> {
    const found: Test[] = []
    for (const test of tests) found.push(await this.withTarget(test))
    return found
  }

  /** The same test, with the ids of what is referred to instead of conditions on it, where those are few. */
  private async withTarget(test: Test): Promise<Test> {
    if (test.at === 'relation') {
      const target = await this.withTarget(test.test)
      // Ids are looked up by a key, however many conditions name some.
      const isById = target.at === 'column' && target.column === 'id'
      if (!isById && --this.targetsLeft < 0) return { ...test, test: target }
      const ids = await this.few.targets(target)
      return ids ? refersTo(test, ids) : { ...test, test: target }
    }
    if (test.at === 'not') return { ...test, test: await this.withTarget(test.test) }
    return 'tests' in test ? { ...test, tests: await this.withTargets(test.tests) } : test
  }
}
