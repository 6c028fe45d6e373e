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
  if (column === 'slug' && (op === 'starts' || op === 'under'))
    return {
      shape: { at: 'column', column, op: 'starts', count: 1 },
      values: operands.slice(0, 2),
      isExact: op === 'starts',
    }
  if (op !== 'eq' && op !== 'in') return undefined
  return { shape: { at: 'column', column, op, count: operands.length }, values: operands, isExact: true }
}

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
