import type { Scalar } from '../../../db/columns.js'
import { type AfterShape, afterValues } from '../../../db/queries/index-order.js'
import type { TestShape } from '../../../db/queries/index-tests.js'
import {
  candidates,
  countEntries,
  howMany,
  listEntries,
  walkCandidates,
  walkEntries,
} from '../../../db/queries/public-index.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace } from '../../../db/tables.js'
import { isAscii } from '../../text.js'
import type { Versions } from '../versioned-answers.js'
import type { Counts } from './counts.js'
import { malformedCursor, type Position } from './query-cursor.js'
import { countOf, firstOf, leastOf, orderOf, type Row } from './query-pieces.js'
import { asciiColumns, type Sort, type Test } from './query-plan.js'

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
  /** Where the next page begins; undefined when there is none. */
  readonly next: Position | undefined
}

/** A test that so few entries pass is where a statement begins. */
const few = 1000
/** How many tests are tried for that. */
const maxProbes = 3

function valuesBy(names: readonly string[], values: readonly Scalar[]): Record<string, Scalar> {
  if (names.length !== values.length) throw new Error('a statement takes another number of values')
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]))
}

const shapesOf = (tests: readonly Test[]) => tests.map(({ shape }) => shape)
const valuesOf = (tests: readonly Test[]) => tests.flatMap(({ values }) => values)

const beginning: ReadonlySet<string> = new Set(['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'starts'])

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

/** Whether a test reads whole texts, however long they are. */
function readsTexts(test: TestShape): boolean {
  if ('tests' in test) return test.tests.some(readsTexts)
  return 'test' in test ? readsTexts(test.test) : test.op === 'contains'
}

/** Whether only entries with certain ids can pass. */
const namesIds = (tests: readonly Test[]): boolean =>
  tests.some(
    ({ shape }) => shape.at === 'column' && shape.column === 'id' && (shape.op === 'eq' || shape.op === 'in'),
  )

/** Whether an index has the entries in this order. */
const isIndexed = ([sort, ...others]: readonly Sort[]): boolean =>
  !sort ||
  (others.length === 0 &&
    sort.shape.at === 'column' &&
    (sort.shape.column === 'id' || sort.shape.column === 'published_at'))

/** The same whatever the order of the tests is. */
const selectionOf = (datatypeId: string, tests: readonly Test[]): string =>
  JSON.stringify([datatypeId, ...tests.map(test => JSON.stringify(test)).sort()])

/** Finds entries by one statement, and by another one before it or after it where that spares much work. */
export class EntryFinder {
  constructor(
    private readonly read: Reader,
    private readonly space: ContentSpace,
    private readonly counts: Counts,
    private readonly versions: Versions,
  ) {}

  async find(selection: Selection): Promise<Found> {
    const { limit, sorts, offset, after } = selection
    if (after && !fits(after, sorts)) throw malformedCursor()
    const begun = await this.beginWithFew(selection.tests)
    const tests = begun ?? selection.tests
    const [sort] = sorts
    const isWalk =
      !begun &&
      !namesIds(tests) &&
      sorts.length === 1 &&
      offset === 0 &&
      sort?.shape.at === 'field' &&
      sort.shape.locales === 1
    const rows = isWalk
      ? await this.walk(selection, sort as Sort)
      : await this.list({ ...selection, tests }, begun !== undefined)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      ids: rows.slice(0, limit).map(({ id }) => id),
      next: last && { keys: last.keys, id: last.id },
    }
  }

  /** How many entries pass the tests. */
  count({ datatypeId, tests }: Pick<Selection, 'datatypeId' | 'tests'>): Promise<number> {
    return this.counts.total(this.versions, selectionOf(datatypeId, tests), () =>
      this.counted(datatypeId, tests),
    )
  }

  private async counted(datatypeId: string, tests: readonly Test[]): Promise<number> {
    const begun = await this.beginWithFew(tests)
    const ordered = begun ?? tests
    const pieces = this.inPieces(
      { datatypeId, tests: ordered, sorts: [], after: undefined },
      begun !== undefined,
    )
    if (pieces) return countOf(pieces)
    const query = countEntries(this.space, { tests: shapesOf(ordered), few: begun !== undefined })
    const values = [datatypeId, ...valuesOf(ordered)]
    const [n = 0] = await this.read.query(query, valuesBy(query.values, values))
    return n
  }

  /** The tests with one in front that few entries pass; undefined when there is none. */
  private async beginWithFew(tests: readonly Test[]): Promise<readonly Test[] | undefined> {
    let best: { test: Test; n: number } | undefined
    const candidates = tests.filter(
      ({ shape }) => shape.at === 'field' && shape.locales === 1 && beginning.has(shape.op),
    )
    for (const test of candidates.slice(0, maxProbes)) {
      const { shape, values } = test
      if (shape.at !== 'field') continue
      const n = await this.counts.probe(JSON.stringify([shape, values]), async () => {
        const query = howMany(this.space, shape, few)
        return (await this.read.query(query, valuesBy(query.values, values)))[0] ?? 0
      })
      if (n <= few && (!best || n < best.n)) best = { test, n }
    }
    const first = best?.test
    return first && [first, ...tests.filter(test => test !== first)]
  }

  /**
   * The entries of the datatype with whether they pass, where a statement that gives only the others could hold others
   * up for long: it looks at all entries, or sorts them, before it gives one.
   */
  private inPieces(selection: Omit<Selection, 'limit' | 'offset'>, isFew: boolean) {
    const { datatypeId, tests, sorts, after } = selection
    const isShort = isFew || namesIds(tests) || (tests.length === 0 && isIndexed(sorts))
    if (isShort && !shapesOf(tests).some(readsTexts)) return undefined
    const query = candidates(this.space, {
      tests: shapesOf(tests),
      few: isFew,
      sorts: sorts.map(sort => sort.shape),
      after: after ? after.keys.map(key => key === null) : false,
      ordered: !isFew && isIndexed(sorts),
    })
    const begun = tests.slice(0, isFew ? 1 : 0)
    const values = [
      ...valuesOf(tests.slice(begun.length)),
      ...sorts.flatMap(sort => sort.values),
      datatypeId,
      ...valuesOf(begun),
      ...(after ? afterValues<Scalar>(after.keys, after.id) : []),
    ]
    return this.read.queryInPieces(query, valuesBy(query.values, values))
  }

  private async list(selection: Selection, isFew: boolean): Promise<Row[]> {
    const { datatypeId, tests, sorts, limit, offset, after } = selection
    const pieces = this.inPieces(selection, isFew)
    if (pieces && !isFew && isIndexed(sorts)) return firstOf(pieces, offset, limit + 1)
    if (pieces) {
      const order = orderOf(sorts.map(({ shape }) => shape.descending))
      const { least, passed } = await leastOf(pieces, offset, limit + 1, order)
      // All that pass were seen.
      if (!after) this.counts.knowTotal(this.versions, selectionOf(datatypeId, tests), passed)
      return least
    }
    const shape: AfterShape | false = after ? after.keys.map(key => key === null) : false
    const query = listEntries(this.space, {
      tests: shapesOf(tests),
      few: isFew,
      sorts: sorts.map(sort => sort.shape),
      after: shape,
      limit: limit + 1,
      offset: offset > 0,
    })
    const values = [
      ...sorts.flatMap(sort => sort.values),
      datatypeId,
      ...valuesOf(tests),
      ...(after ? afterValues<Scalar>(after.keys, after.id) : []),
      ...(offset > 0 ? [offset] : []),
    ]
    return this.read.query(query, valuesBy(query.values, values))
  }

  /** In the order of one field: first those that have a value, from its index, then those that have none. */
  private async walk(selection: Selection, { shape, values }: Sort): Promise<Row[]> {
    const { datatypeId, tests, limit, after } = selection
    if (shape.at !== 'field') throw malformedCursor()
    const [key] = after?.keys ?? []
    const rows: Row[] = []
    if (key !== null) {
      const walk = {
        tests: shapesOf(tests),
        key: shape.key,
        descending: shape.descending,
        after: after !== undefined,
      }
      const place = after && key !== undefined ? [key, key, after.id] : []
      const given = [...values, ...place, datatypeId]
      const whole = walkCandidates(this.space, walk)
      const pieces =
        tests.length === 0
          ? undefined
          : this.read.queryInPieces(whole, valuesBy(whole.values, [...valuesOf(tests), ...given]))
      if (pieces) rows.push(...(await firstOf(pieces, 0, limit + 1)))
      else {
        const query = walkEntries(this.space, { ...walk, limit: limit + 1 })
        rows.push(...(await this.read.query(query, valuesBy(query.values, [...given, ...valuesOf(tests)]))))
      }
    }
    if (rows.length > limit) return rows
    return [...rows, ...(await this.without(selection, { shape, values }, limit + 1 - rows.length))]
  }

  private async without(selection: Selection, sort: Sort, limit: number): Promise<Row[]> {
    const { after } = selection
    const [field = null, locale = null] = sort.values
    const key = sort.shape.at === 'field' ? sort.shape.key : 'text'
    const empty: Test = {
      shape: { at: 'not', test: { at: 'field', key, op: 'sortable', count: 0, long: false, locales: 1 } },
      values: [field, locale],
    }
    const rows = await this.list(
      {
        ...selection,
        tests: [...selection.tests, empty],
        sorts: [{ shape: { at: 'column', column: 'id', descending: sort.shape.descending }, values: [] }],
        limit: limit - 1,
        after: after?.keys[0] === null ? { keys: [after.id], id: after.id } : undefined,
      },
      false,
    )
    return rows.map(({ id }) => ({ id, keys: [null] }))
  }
}
