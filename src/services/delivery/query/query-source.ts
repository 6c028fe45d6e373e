import type { Scalar } from '../../../db/columns.js'
import type { SourceShape } from '../../../db/queries/index-tests.js'
import { type ColumnTest, type FieldTest, fieldShapeOf, type Test } from './query-test.js'

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
  if (op !== 'eq' && op !== 'in') return undefined
  return { shape: { at: 'column', column, op, count: operands.length }, values: operands, isExact: true }
}

/** The entries that an index has for a test; undefined where none does. */
export function sourceOf(test: Test): Source | undefined {
  if (test.at === 'column') return ofColumn(test)
  return test.at === 'field' && beginning.has(test.op) ? ofField(test) : undefined
}

/** The same, or all entries that have a value in the field. */
export const sourceOrHolders = (test: Test): Source | undefined =>
  sourceOf(test) ??
  (test.at === 'field'
    ? { ...ofField({ ...test, op: 'sortable', key: 'text', operands: [] }), isExact: false }
    : undefined)
