import type { AllowanceOf } from '../../../db/allowance.js'
import type { Scalar } from '../../../db/columns.js'
import { afterValues } from '../../../db/queries/index-order.js'
import {
  candidates,
  countEntries,
  holders,
  howMany,
  listEntries,
  routesPassing,
  walkCandidates,
  walkEntries,
} from '../../../db/queries/public-index.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace } from '../../../db/tables.js'
import { keyLength } from '../../content/indexed-value.js'
import type { Position } from './query-cursor.js'
import { countOf, firstOf, leastOf, orderOf, type Row } from './query-pieces.js'
import { routeShapeOf, type ScannedTest, type Source, sourceOfScanned } from './query-source.js'
import { type Sort, shapeOf, someTest, type Test, valuesOf } from './query-test.js'

/** What is looked at, and what of it passes. */
export interface Plan {
  /** Undefined for entries of all datatypes, which needs a source. */
  readonly datatypeId: string | undefined
  /** A few entries to begin with. */
  readonly source: Source | undefined
  readonly tests: readonly Test[]
}

/** The order in which entries are listed, and which of them. */
interface Slice {
  readonly sorts: readonly Sort[]
  readonly after: Position | undefined
  readonly limit: number
  readonly offset: number
}

export interface Listed {
  readonly rows: Row[]
  /** How many entries pass in all, where that was seen on the way. */
  readonly passed?: number | undefined
}

function valuesBy(names: readonly string[], values: readonly Scalar[]): Record<string, Scalar> {
  if (names.length !== values.length) throw new Error('a statement takes another number of values')
  return Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]))
}

const shapesOf = (tests: readonly Test[]) => tests.map(shapeOf)
const allValues = (tests: readonly Test[]) => tests.flatMap(valuesOf)

const whereOf = ({ datatypeId, source, tests }: Plan) => ({
  tests: shapesOf(tests),
  source: source?.shape ?? (false as const),
  anyDatatype: datatypeId === undefined,
})
/** The datatype and the source, which go before the tests. */
const ownValues = ({ datatypeId, source }: Plan): Scalar[] => [
  ...(datatypeId === undefined ? [] : [datatypeId]),
  ...(source?.values ?? []),
]

/** Whether a test reads whole texts, however long they are. */
const readsTexts = (test: Test): boolean => someTest(test, one => 'op' in one && one.op === 'contains')

/** Whether only entries with certain ids can pass. */
export const namesIds = (tests: readonly Test[]): boolean =>
  tests.some(test => test.at === 'column' && test.column === 'id' && (test.op === 'eq' || test.op === 'in'))

/** Whether an index has the entries in this order. */
const isIndexed = ([sort, ...others]: readonly Sort[]): boolean =>
  !sort ||
  (others.length === 0 &&
    sort.shape.at === 'column' &&
    (sort.shape.column === 'id' || sort.shape.column === 'published_at'))

/** Which keys of the last row before were null. */
const nullsOf = (after: Position | undefined) => (after ? after.keys.map(key => key === null) : false)

/** The ids of rows; undefined where they are more than `most`. */
const idsOf = (rows: readonly Pick<Row, 'id'>[], most: number): readonly string[] | undefined =>
  rows.length > most ? undefined : [...new Set(rows.map(({ id }) => id))]

/** Runs the statements of a query, in pieces where one could hold others up for long. */
export class QueryStatements {
  constructor(
    private readonly read: Reader,
    private readonly space: ContentSpace,
    private readonly allowanceOf?: AllowanceOf,
  ) {}

  /** How many entries a source names, at most one more than `most`. */
  async howMany({ shape, values }: Source, most: number): Promise<number> {
    const query = howMany(this.space, shape, most)
    const [n = 0] = await this.read.query(query, valuesBy(query.values, values))
    return n
  }

  /**
   * The ids of entries that pass, in any of the locales of a field; undefined where they are more than `most`. It looks
   * through the keys of the field or the routes, and not through the entries, which takes a tenth of the time.
   */
  async scanned(test: ScannedTest, most: number): Promise<readonly string[] | undefined> {
    const isField = test.at === 'field'
    const query = isField
      ? holders(this.space, test.locales.length, keyLength)
      : routesPassing(this.space, routeShapeOf(test))
    const values = isField ? [...test.operands, ...test.operands, test.field, ...test.locales] : test.operands
    const pieces = this.read.queryInPieces(query, valuesBy(query.values, values), this.allowanceOf)
    if (!pieces) return idsOf(await this.ofSource(sourceOfScanned(test), most + 1), most)
    const ids = idsOf(await firstOf(pieces, 0, most + 1), most)
    if (isField || !ids) return ids
    const roots = await this.read.findAll(
      this.space.publicEntries,
      { route_id: [...ids] },
      { limit: most + 1 },
    )
    return idsOf(
      roots.map(({ content_data_id: id }) => ({ id })),
      most,
    )
  }

  private async ofSource(source: Source, limit: number): Promise<readonly Pick<Row, 'id'>[]> {
    const plan = { datatypeId: undefined, source, tests: [] }
    return (await this.list(plan, { sorts: [], after: undefined, limit, offset: 0 })).rows
  }

  async count(plan: Plan): Promise<number> {
    const pieces = this.inPieces(plan, { sorts: [], after: undefined })
    if (pieces) return countOf(pieces)
    const query = countEntries(this.space, whereOf(plan))
    const values = [...ownValues(plan), ...allValues(plan.tests)]
    const [n = 0] = await this.read.query(query, valuesBy(query.values, values))
    return n
  }

  async list(plan: Plan, slice: Slice): Promise<Listed> {
    const { sorts, after, limit, offset } = slice
    const pieces = this.inPieces(plan, slice)
    if (pieces && !plan.source && isIndexed(sorts)) return { rows: await firstOf(pieces, offset, limit) }
    if (pieces) {
      const order = orderOf(sorts.map(({ shape }) => shape.descending))
      const { least, passed } = await leastOf(pieces, offset, limit, order)
      return after ? { rows: least } : { rows: least, passed }
    }
    const query = listEntries(this.space, {
      ...whereOf(plan),
      sorts: sorts.map(sort => sort.shape),
      after: nullsOf(after),
      limit,
      offset: offset > 0,
    })
    const values = [
      ...sorts.flatMap(sort => sort.values),
      ...ownValues(plan),
      ...allValues(plan.tests),
      ...(after ? afterValues<Scalar>(after.keys, after.id) : []),
      ...(offset > 0 ? [offset] : []),
    ]
    return { rows: await this.read.query(query, valuesBy(query.values, values)) }
  }

  /**
   * Those of one datatype that have a value in a field, in its order, from its index.
   * @param sort by a field in one locale
   */
  async walk(
    { datatypeId = '', tests }: Plan,
    { shape, values }: Sort,
    { after, limit }: Pick<Slice, 'after' | 'limit'>,
  ): Promise<Row[]> {
    if (shape.at !== 'field') throw new Error('only the order of a field is walked')
    const [key] = after?.keys ?? []
    const walk = {
      tests: shapesOf(tests),
      key: shape.key,
      descending: shape.descending,
      after: after !== undefined,
    }
    const place = after && key !== undefined ? [key, key, after.id] : []
    const given = [...values, ...place]
    const whole = walkCandidates(this.space, walk)
    const pieces =
      tests.length === 0
        ? undefined
        : this.read.queryInPieces(
            whole,
            valuesBy(whole.values, [...allValues(tests), datatypeId, ...given]),
            this.allowanceOf,
          )
    if (pieces) return firstOf(pieces, 0, limit)
    const query = walkEntries(this.space, { ...walk, limit })
    return this.read.query(query, valuesBy(query.values, [...given, datatypeId, ...allValues(tests)]))
  }

  /**
   * The entries that pass and some that do not, where a statement that gives only the first could hold others up for
   * long: it looks at all entries, or sorts them, before it gives one.
   */
  private inPieces(plan: Plan, { sorts, after }: Pick<Slice, 'sorts' | 'after'>) {
    const { source, tests } = plan
    const isShort = source !== undefined || namesIds(tests) || (tests.length === 0 && isIndexed(sorts))
    if (isShort && !tests.some(readsTexts)) return undefined
    const query = candidates(this.space, {
      ...whereOf(plan),
      sorts: sorts.map(sort => sort.shape),
      after: nullsOf(after),
      ordered: !source && isIndexed(sorts),
    })
    const values = [
      ...allValues(tests),
      ...sorts.flatMap(sort => sort.values),
      ...ownValues(plan),
      ...(after ? afterValues<Scalar>(after.keys, after.id) : []),
    ]
    return this.read.queryInPieces(query, valuesBy(query.values, values), this.allowanceOf)
  }
}
