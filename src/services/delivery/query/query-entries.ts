import type { AllowanceOf } from '../../../db/allowance.js'
import type { Scalar } from '../../../db/columns.js'
import { afterValues } from '../../../db/queries/entry-order.js'
import {
  countByValues,
  countEntries,
  listEntries,
  passing,
  sourceIds,
  walkEntries,
} from '../../../db/queries/find-entries.js'
import type { Reader } from '../../../db/reader.js'
import type { RowsQuery } from '../../../db/statements.js'
import type { ContentSpace } from '../../../db/tables.js'
import type { Versions } from '../../../db/versions.js'
import { isAscii } from '../../text.js'
import { type Answers, bookTag, type Kept } from '../answers.js'
import type { IndexedEntry } from './entry-source.js'
import { malformedCursor, type Position } from './query-cursor.js'
import { asciiColumns } from './query-plan.js'
import { isBound, sourcesOf } from './query-source.js'
import {
  type FieldTest,
  fieldShapeOf,
  type RelationTest,
  type Sort,
  shapeOf,
  someTest,
  type Test,
  valuesOf,
} from './query-test.js'
import type { KeyedEntry } from './row-order.js'

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
  readonly entries?: readonly IndexedEntry[] | undefined
  readonly next: Position | undefined
}

type Slice = Pick<Selection, 'sorts' | 'after' | 'limit' | 'offset'>

/** Up to this many entries are tested one by one; of more, a page is soon found in the order of an index. */
const maxTestedOneByOne = 400
const maxSourcesTried = 4
const maxTargetsFirst = 5
/** The largest offset that is skipped in the order of an index; beyond it all that pass are sorted. */
const maxOffsetWalked = 1000

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

function entriesOf(datatype_id: string, rows: readonly KeyedEntry[]): IndexedEntry[] | undefined {
  const entries: IndexedEntry[] = []
  for (const { id: content_data_id, route_id, published_at } of rows) {
    if (route_id === undefined || published_at === undefined) return undefined
    entries.push({ content_data_id, datatype_id, route_id, published_at })
  }
  return entries
}

/** The ids, filled up to a power of two, so that few statements are prepared. No entry has the empty id. */
function padded(ids: readonly string[]): readonly string[] {
  const last = ids.at(-1) ?? ''
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, ids.length)))
  return [...ids, ...Array<string>(length - ids.length).fill(last)]
}

const isIndexed = ([sort, ...others]: readonly Sort[]): boolean =>
  !sort ||
  (others.length === 0 &&
    sort.shape.at === 'column' &&
    (sort.shape.column === 'id' ||
      sort.shape.column === 'published_at' ||
      sort.shape.column === 'date_modified'))

const readsTexts = (test: Test): boolean => someTest(test, one => 'op' in one && one.op === 'contains')

/** Whether the test looks in one locale, where each entry has at most one value that passes: a list has each of its members. */
const isOfOneValue = (test: Test): test is FieldTest =>
  test.at === 'field' &&
  test.locales.length === 1 &&
  (test.key === 'number' || (test.op !== 'eq' && test.op !== 'in'))

const allValues = (tests: readonly Test[]) => tests.flatMap(valuesOf)

const selectionOf = (datatypeId: string, tests: readonly Test[]): string =>
  JSON.stringify([datatypeId, ...tests.map(test => JSON.stringify(test)).sort()])

/** How many entries pass, as they were counted before. */
export class Totals {
  private readonly kept: Kept<number>

  /** @param kind of these numbers, in front of their keys */
  constructor(answers: Answers, kind: string) {
    this.kept = answers.of(`${kind} `)
  }

  /** As it was at these versions, which never come back. Who answers with it sees to it that they are still the same. */
  get({ schema, shown }: Versions, selection: string): number | undefined {
    return this.kept.get(`${schema} ${shown} ${selection}`)
  }

  set({ schema, shown }: Versions, selection: string, total: number): void {
    this.kept.set(`${schema} ${shown} ${selection}`, total, 8, [bookTag('public')])
  }
}

const boundsOf = ({ values }: Sort, tests: readonly Test[]) =>
  tests.filter(isBound).filter(({ field, locales }) => `${[field, ...locales]}` === `${values}`)

/** Tests that hold together, and the ids of few entries among which are all that pass; undefined where no source has few. */
interface Narrowed {
  readonly tests: readonly Test[]
  readonly ids: readonly string[] | undefined
}

const refersTo = ({ field, locales }: RelationTest, ids: readonly string[]): Test =>
  ids.length === 0
    ? { at: 'or', tests: [] }
    : { at: 'field', field, locales, key: 'text', op: 'in', long: false, operands: padded(ids) }

/** Finds entries of the public book: among few that a condition names, else in the order that is asked for. */
export class EntryFinder {
  private readonly narrowed = new Map<readonly Test[], Promise<Narrowed>>()
  private targetsLeft = maxTargetsFirst

  constructor(
    private readonly read: Reader,
    private readonly space: ContentSpace,
    private readonly totals: Totals,
    private readonly versions: Versions,
    private readonly allowanceOf: AllowanceOf = async () => undefined,
  ) {}

  /** @throws 400 for a cursor of another order; what `boundedQuery` throws */
  async find(selection: Selection): Promise<Found> {
    const { limit, sorts, after, offset, datatypeId, tests } = selection
    if (after && !fits(after, sorts)) throw malformedCursor()
    const rows = await this.rows(selection, limit + 1)
    const isLast = !after && rows.length <= limit && (rows.length > 0 || offset === 0)
    if (isLast) this.totals.set(this.versions, selectionOf(datatypeId, tests), offset + rows.length)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    const found = rows.slice(0, limit)
    return {
      ids: found.map(({ id }) => id),
      entries: entriesOf(datatypeId, found),
      next: last && { keys: last.keys, id: last.id },
    }
  }

  async count({ datatypeId, tests: given }: Pick<Selection, 'datatypeId' | 'tests'>): Promise<number> {
    const selection = selectionOf(datatypeId, given)
    const known = this.totals.get(this.versions, selection)
    if (known !== undefined) return known
    const { tests, ids } = await this.narrow(given, datatypeId)
    const total = await this.countOf(datatypeId, tests, ids)
    this.totals.set(this.versions, selection, total)
    return total
  }

  private async countOf(
    datatypeId: string,
    tests: readonly Test[],
    ids: readonly string[] | undefined,
  ): Promise<number> {
    const first = ids ? undefined : tests.find(isOfOneValue)
    if (first) {
      const others = tests.filter(test => test !== first)
      const query = countByValues(this.space, { first: fieldShapeOf(first), tests: others.map(shapeOf) })
      const ofOthers = others.length > 0 ? [datatypeId, ...allValues(others)] : []
      const values = [first.field, ...first.locales, ...first.operands, ...ofOthers]
      return (await this.run(query, values, false))[0] ?? 0
    }
    const among = ids ? padded(ids) : []
    const query = countEntries(this.space, { tests: tests.map(shapeOf), ids: among.length })
    const values = [datatypeId, ...among, ...allValues(tests)]
    return (await this.run(query, values, ids !== undefined && !tests.some(readsTexts)))[0] ?? 0
  }

  private async rows(given: Selection, limit: number): Promise<KeyedEntry[]> {
    const { sorts, offset } = given
    const { tests, ids } = await this.narrow(given.tests, given.datatypeId)
    const selection = { ...given, tests }
    const [sort, ...others] = sorts
    const isWalk =
      !ids &&
      others.length === 0 &&
      offset <= maxOffsetWalked &&
      sort?.shape.at === 'field' &&
      sort.shape.locales === 1
    if (!isWalk) return this.list(selection, { ...selection, limit }, ids)
    const wanted = offset + limit
    // Lengths are rounded up to a power of two, to keep the number of different statements small.
    const read = offset === 0 ? limit : 2 ** Math.ceil(Math.log2(wanted))
    return (await this.inOrderOf(sort, selection, read)).slice(offset, wanted)
  }

  /** Reads rows in the order of one field: first those with a value, from its index, then those without one. */
  private async inOrderOf(sort: Sort, selection: Selection, limit: number): Promise<KeyedEntry[]> {
    const { after, tests } = selection
    const isBehind = after?.keys[0] === null
    const rows = isBehind ? [] : await this.walk(sort, selection, limit)
    const missing = limit - rows.length
    // An entry without a value is beyond no bound.
    if (missing <= 0 || boundsOf(sort, tests).length > 0) return rows
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
    const without = await this.list(
      // It is the cheapest to ask of all entries, so it goes first.
      { ...selection, tests: [{ at: 'not', test: has }, ...tests] },
      {
        sorts: [{ shape: { at: 'column', column: 'id', descending: sort.shape.descending }, values: [] }],
        after: isBehind ? { keys: [after.id], id: after.id } : undefined,
        limit: missing,
        offset: 0,
      },
    )
    return [...rows, ...without.map(row => ({ ...row, keys: [null] }))]
  }

  /** @param sort by a field in one locale */
  private async walk(sort: Sort, selection: Selection, limit: number): Promise<KeyedEntry[]> {
    const { shape, values } = sort
    if (shape.at !== 'field') throw new Error('only the order of a field is walked')
    const { datatypeId, tests, after } = selection
    const { key, descending } = shape
    // Bounds of the sorted number limit the walk to a part of the index.
    const bounds = boundsOf(sort, tests)
    const others = tests.filter(test => !bounds.some(bound => bound === test))
    const [last] = after?.keys ?? []
    const place = after && last !== undefined ? [last, last, after.id] : []
    const query = walkEntries(this.space, {
      ...{ key, descending, limit, after: after !== undefined },
      bounds: bounds.map(({ op }) => op),
      tests: others.map(shapeOf),
    })
    const given = [...values, ...bounds.flatMap(({ operands }) => operands), ...place, datatypeId]
    return this.run(query, [...given, ...allValues(others)], others.length === 0)
  }

  private list(
    { datatypeId, tests }: Pick<Selection, 'datatypeId' | 'tests'>,
    { sorts, after, limit, offset }: Slice,
    ids?: readonly string[],
  ): Promise<KeyedEntry[]> {
    const among = ids ? padded(ids) : []
    const query = listEntries(this.space, {
      tests: tests.map(shapeOf),
      ids: among.length,
      sorts: sorts.map(sort => sort.shape),
      after: after ? after.keys.map(key => key === null) : false,
      limit,
      offset: offset > 0,
    })
    const values = [
      ...sorts.flatMap(sort => sort.values),
      datatypeId,
      ...among,
      ...allValues(tests),
      ...(after ? afterValues<Scalar>(after.keys, after.id) : []),
      ...(offset > 0 ? [offset] : []),
    ]
    const isShort = ids !== undefined || (tests.length === 0 && isIndexed(sorts))
    return this.run(query, values, isShort && !tests.some(readsTexts))
  }

  private narrow(tests: readonly Test[], datatypeId: string): Promise<Narrowed> {
    const known = this.narrowed.get(tests) ?? this.narrowAnew(tests, datatypeId)
    this.narrowed.set(tests, known)
    return known
  }

  private async narrowAnew(given: readonly Test[], datatypeId: string): Promise<Narrowed> {
    const tests: Test[] = []
    for (const test of given) tests.push(await this.withTargets(test))
    return { tests, ids: await this.candidateIds(tests, datatypeId) }
  }

  private async candidateIds(
    tests: readonly Test[],
    datatypeId?: string,
  ): Promise<readonly string[] | undefined> {
    for (const { shape, values, isIndexed } of sourcesOf(tests, datatypeId).slice(0, maxSourcesTried)) {
      const ids = await this.run(sourceIds(this.space, shape, maxTestedOneByOne + 1), values, isIndexed)
      if (ids.length <= maxTestedOneByOne) return [...new Set(ids)]
    }
    return undefined
  }

  /** Puts the ids of the entries that a relation may refer to in place of the conditions on them, if these are few. */
  private async withTargets(test: Test): Promise<Test> {
    if (test.at === 'not') return { ...test, test: await this.withTargets(test.test) }
    if ('tests' in test) {
      const tests: Test[] = []
      for (const one of test.tests) tests.push(await this.withTargets(one))
      return { ...test, tests }
    }
    if (test.at !== 'relation' || --this.targetsLeft < 0) return test
    const ids = await this.candidateIds([test.test])
    if (!ids) return test
    const among = padded(ids)
    const query = passing(this.space, among.length, shapeOf(test.test))
    const targets = await this.run(query, [...among, ...valuesOf(test.test)], !readsTexts(test.test))
    return refersTo(test, targets)
  }

  /** @param isShort where few rows are looked at, whatever is asked for */
  private run<R>(query: RowsQuery<string, R>, values: readonly Scalar[], isShort: boolean): Promise<R[]> {
    if (query.values.length !== values.length)
      throw new Error('the number of values differs from the number of parameters in the statement')
    const named = Object.fromEntries(query.values.map((name, i) => [name, values[i] ?? null]))
    return isShort ? this.read.query(query, named) : this.read.boundedQuery(query, named, this.allowanceOf)
  }
}
