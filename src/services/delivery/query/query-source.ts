import type { Scalar } from '../../../db/columns.js'
import type { Bound, SourceShape } from '../../../db/queries/entry-tests.js'
import { type ColumnTest, type FieldTest, fieldShapeOf, howManyOf, type Test } from './query-test.js'

/** Entries among which are all that pass a test. */
export interface Source {
  readonly shape: SourceShape
  readonly values: readonly Scalar[]
  readonly isIndexed: boolean
}

const bounds: ReadonlySet<string> = new Set<Bound>(['gt', 'gte', 'lt', 'lte'])
/** Whether the test is that a number or date is beyond another. */
export const isBound = (test: Test): test is FieldTest & { readonly op: Bound } =>
  test.at === 'field' && test.key === 'number' && bounds.has(test.op)

function ofField(test: FieldTest): Source {
  const isIndexed = test.op !== 'contains' && test.op !== 'exists'
  return { shape: fieldShapeOf(test), values: [test.field, ...test.locales, ...test.operands], isIndexed }
}

/** Of a column that every entry has, the database itself finds the best way. */
function ofColumn({ column, op, operands }: ColumnTest): Source | undefined {
  if (column === 'id' && (op === 'eq' || op === 'in'))
    return { shape: { at: 'ids', count: operands.length }, values: operands, isIndexed: true }
  if (column !== 'slug' && column !== 'title') return undefined
  if (column === 'slug' && (op === 'starts' || op === 'under'))
    // Routes of drafts are there too, as many as there are.
    return { shape: { at: 'slugs' }, values: operands.slice(0, 2), isIndexed: false }
  const isIndexed = column === 'slug' && (op === 'eq' || op === 'in')
  return {
    shape: { at: 'route', column, op, count: howManyOf({ op, operands }) },
    values: operands,
    isIndexed,
  }
}

function any(sources: readonly (Source | undefined)[]): Source | undefined {
  const all = sources.filter(source => source !== undefined)
  if (all.length < sources.length) return undefined
  // An `or` without conditions holds for nothing.
  if (all.length === 0) return { shape: { at: 'ids', count: 1 }, values: [''], isIndexed: true }
  return {
    shape: { at: 'any', sources: all.map(({ shape }) => shape) },
    values: all.flatMap(({ values }) => values),
    isIndexed: all.every(({ isIndexed }) => isIndexed),
  }
}

/** Undefined where all entries must be looked at. */
function sourceOf(test: Test): Source | undefined {
  switch (test.at) {
    case 'field':
      return ofField(test)
    case 'column':
      return ofColumn(test)
    case 'names': {
      const { field, operands } = test
      return { shape: { at: 'names', count: operands.length }, values: [field, ...operands], isIndexed: true }
    }
    case 'or':
      return any(test.tests.map(one => sourceOf(one)))
    case 'and':
      return sourcesOf(test.tests)[0]
    default:
      return undefined
  }
}

/** The entries whose number or date in a field is between two others, where each of them alone may leave many. */
function betweenNumbers(all: readonly Test[]): Source[] {
  const tested = all.filter(isBound)
  return [...new Set(tested.map(({ field }) => field))].flatMap(field => {
    const tests = tested.filter(test => test.field === field)
    const locales = tests[0]?.locales ?? []
    if (tests.length === 1) return []
    const shape = { at: 'range' as const, locales: locales.length, ops: tests.map(({ op }) => op) }
    const values = [field, ...locales, ...tests.flatMap(({ operands }) => operands)]
    return [{ shape, values, isIndexed: true }]
  })
}

const ofTimes: ReadonlySet<string> = new Set(['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'starts'])
const isOfPublishing = (test: Test): test is ColumnTest =>
  test.at === 'column' && test.column === 'published_at' && ofTimes.has(test.op)

function published(datatypeId: string, all: readonly Test[]): Source[] {
  const tests = all.filter(isOfPublishing)
  if (tests.length === 0) return []
  const shapes = tests.map(test => ({ op: test.op, count: howManyOf(test) }))
  const values = [datatypeId, ...tests.flatMap(({ operands }) => operands)]
  return [{ shape: { at: 'published', tests: shapes }, values, isIndexed: true }]
}

/**
 * Sources of tests that hold together, those of an index first: all that pass are in each of them.
 * @param datatypeId of all the entries, where they are of one
 */
export function sourcesOf(tests: readonly Test[], datatypeId?: string): Source[] {
  const times = datatypeId === undefined ? [] : published(datatypeId, tests)
  const sources = [...betweenNumbers(tests), ...tests.flatMap(test => sourceOf(test) ?? []), ...times]
  return [...sources.filter(({ isIndexed }) => isIndexed), ...sources.filter(({ isIndexed }) => !isIndexed)]
}
