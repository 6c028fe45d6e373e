import type { Scalar } from '../../../db/columns.js'
import type { SortShape } from '../../../db/queries/entry-order.js'
import {
  type Comparison,
  type EntryColumn,
  type FieldShape,
  type IndexKey,
  inLocales,
  type TestShape,
} from '../../../db/queries/entry-tests.js'

/** Tests that an entry must pass to be found by a query, with the values that it is compared with. */

/** The value of a field, in the best of the locales that has one. */
export interface FieldTest {
  readonly at: 'field'
  readonly field: string
  readonly locales: readonly string[]
  readonly key: IndexKey
  readonly op: Comparison
  readonly long: boolean
  readonly operands: readonly Scalar[]
}

export interface ColumnTest {
  readonly at: 'column'
  /** `root` exists where the entry is in no other. */
  readonly column: EntryColumn | 'datatype' | 'root'
  readonly op: Comparison
  readonly operands: readonly Scalar[]
}

/** One of the entries that a field refers to passes the test. */
export interface RelationTest {
  readonly at: 'relation'
  readonly field: string
  readonly locales: readonly string[]
  readonly test: Test
}

/** The value of a field names one of some entries or media items, in any of the locales that a reader may see. */
export interface NamesTest {
  readonly at: 'names'
  readonly field: string
  readonly operands: readonly string[]
}

export type Test =
  | FieldTest
  | NamesTest
  | ColumnTest
  | RelationTest
  | { readonly at: 'not'; readonly test: Test }
  | { readonly at: 'and' | 'or'; readonly tests: readonly Test[] }

export interface Sort {
  readonly shape: SortShape
  readonly values: readonly Scalar[]
}

/** With how many values a test compares. */
export const howManyOf = ({ op, operands }: Pick<FieldTest, 'op' | 'operands'>): number =>
  op === 'in' ? operands.length : 1

/** The shape of a field's test, without its values. */
export const fieldShapeOf = ({ key, op, long, locales, operands }: FieldTest): FieldShape => ({
  at: 'field',
  key,
  op,
  count: howManyOf({ op, operands }),
  long,
  locales: locales.length,
})

/** Returns the shape of a test: all that its statement depends on. */
export function shapeOf(test: Test): TestShape {
  switch (test.at) {
    case 'field':
      return fieldShapeOf(test)
    case 'column': {
      const { at, column, op } = test
      return { at, column, op, count: howManyOf(test) }
    }
    case 'names':
      return { at: 'names', count: test.operands.length }
    case 'relation':
      return { at: 'relation', locales: test.locales.length, test: shapeOf(test.test) }
    case 'not':
      return { at: 'not', test: shapeOf(test.test) }
    default:
      return { at: test.at, tests: test.tests.map(shapeOf) }
  }
}

/** The values of a test, in the order in which its statement takes them. */
export function valuesOf(test: Test): readonly Scalar[] {
  switch (test.at) {
    case 'field':
      return inLocales<Scalar>(test.field, test.locales, test.operands)
    case 'column':
      return test.operands
    case 'names':
      return [test.field, ...test.operands]
    case 'relation':
      return inLocales<Scalar>(test.field, test.locales, valuesOf(test.test))
    case 'not':
      return valuesOf(test.test)
    default:
      return test.tests.flatMap(valuesOf)
  }
}

/** Whether a test, or one that it is made of, is such a one. */
export function someTest(test: Test, is: (one: Test) => boolean): boolean {
  if (is(test)) return true
  if ('tests' in test) return test.tests.some(one => someTest(one, is))
  return 'test' in test && someTest(test.test, is)
}
