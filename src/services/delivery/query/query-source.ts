import type { Scalar } from '../../../db/columns.js'
import type { RouteShape, SourceShape } from '../../../db/queries/index-tests.js'
import { type ColumnTest, type FieldTest, fieldShapeOf, howManyOf, type Test } from './query-test.js'

/** Where a statement can begin: all entries that pass a test are among those that it names. */
export interface Source {
  readonly shape: SourceShape
  readonly values: readonly Scalar[]
  /** Each of them passes. */
  readonly isExact: boolean
}

const beginning: ReadonlySet<string> = new Set(['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'starts'])

const ofField = (test: FieldTest): Source => ({
  shape: fieldShapeOf(test),
  values: [test.field, ...test.locales, ...test.operands],
  // A value in a better locale may be another.
  isExact: test.locales.length === 1,
})

function ofColumn({ column, op, operands }: ColumnTest): Source | undefined {
  if (column !== 'slug' && column !== 'id') return undefined
  if (column === 'slug' && (op === 'starts' || op === 'under'))
    return {
      shape: { at: 'column', column, op: 'starts', count: 1 },
      values: operands.slice(0, 2),
      isExact: op === 'starts',
    }
  if (op !== 'eq' && op !== 'in') return undefined
  return { shape: { at: 'column', column, op, count: operands.length }, values: operands, isExact: true }
}

const isOfPublishing = (test: Test): test is ColumnTest =>
  test.at === 'column' && test.column === 'published_at' && beginning.has(test.op)

/** A source, and the tests that it is of. */
export interface Beginning {
  readonly tests: readonly Test[]
  readonly source: Source
}

/** The entries that were published when all conditions on that hold; undefined where there are none. */
function betweenTimes(datatypeId: string, all: readonly Test[]): Beginning | undefined {
  const tests = all.filter(isOfPublishing)
  if (tests.length === 0) return undefined
  const shapes = tests.map(test => ({ op: test.op, count: howManyOf(test) }))
  const values = [datatypeId, ...tests.flatMap(({ operands }) => operands)]
  return { tests, source: { shape: { at: 'published', tests: shapes }, values, isExact: true } }
}

type Bound = 'gt' | 'gte' | 'lt' | 'lte'
const bounds: ReadonlySet<string> = new Set<Bound>(['gt', 'gte', 'lt', 'lte'])
const isBound = (test: Test): test is FieldTest & { readonly op: Bound } =>
  test.at === 'field' && test.key === 'number' && bounds.has(test.op)

/** The entries whose number or date in a field is between two others, where each of them alone may leave many. */
function betweenNumbers(all: readonly Test[]): Beginning[] {
  const tested = all.filter(isBound)
  return [...new Set(tested.map(({ field }) => field))].flatMap(field => {
    const tests = tested.filter(test => test.field === field)
    const locales = tests[0]?.locales ?? []
    if (tests.length === 1) return []
    const shape = { at: 'range' as const, locales: locales.length, ops: tests.map(({ op }) => op) }
    const values = [field, ...locales, ...tests.flatMap(({ operands }) => operands)]
    return [{ tests, source: { shape, values, isExact: locales.length === 1 } }]
  })
}

/** Where a statement with these tests can begin. */
export function beginningsOf(datatypeId: string, tests: readonly Test[]): Beginning[] {
  const times = betweenTimes(datatypeId, tests)
  const others = tests.flatMap(test => {
    // Ids need no beginning.
    const source = test.at === 'column' && test.column === 'id' ? undefined : sourceOf(test)
    return source ? [{ tests: [test], source }] : []
  })
  return [...betweenNumbers(tests), ...others, ...(times ? [times] : [])]
}

/** A test whose entries no index has, but the keys of a field or the routes, which are fewer than the entries. */
export type ScannedTest =
  | (FieldTest & { readonly op: 'contains' })
  | (ColumnTest & { readonly column: 'slug' | 'title' })

export const isScanned = (test: Test): test is ScannedTest =>
  test.at === 'field'
    ? test.op === 'contains'
    : test.at === 'column' && (test.column === 'slug' || test.column === 'title') && !ofColumn(test)

/** Whether all entries that are found by it pass: a value in a better locale may be another. */
export const isExact = (test: ScannedTest): boolean => test.at === 'column' || test.locales.length === 1

export const routeShapeOf = (test: Extract<ScannedTest, { at: 'column' }>): RouteShape => ({
  at: 'route',
  column: test.column,
  op: test.op,
  count: howManyOf(test),
})

/** The entries that are found by it, by looking at all values of the field or all routes. */
export const sourceOfScanned = (test: ScannedTest): Source =>
  test.at === 'field' ? ofField(test) : { shape: routeShapeOf(test), values: test.operands, isExact: true }

/** Entries that are known. The last id is repeated, so that there are few statements. */
export function sourceOfIds(ids: readonly string[], isExact: boolean): Source {
  const values = padded(ids)
  return { shape: { at: 'column', column: 'id', op: 'in', count: values.length }, values, isExact }
}

/** At least one id, and as many as a power of two. No entry has the empty one. */
export function padded(ids: readonly string[]): readonly string[] {
  const last = ids.at(-1) ?? ''
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, ids.length)))
  return [...ids, ...Array<string>(length - ids.length).fill(last)]
}

/** The entries that an index has for a test; undefined where none does. */
function sourceOf(test: Test): Source | undefined {
  if (test.at === 'column') return ofColumn(test)
  return test.at === 'field' && beginning.has(test.op) ? ofField(test) : undefined
}

/** The same, or all entries that have a value in the field. */
export const sourceOrHolders = (test: Test): Source | undefined =>
  sourceOf(test) ??
  (test.at === 'field'
    ? { ...ofField({ ...test, op: 'sortable', key: 'text', operands: [] }), isExact: false }
    : undefined)
