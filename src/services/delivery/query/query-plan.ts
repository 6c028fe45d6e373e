import type { Scalar } from '../../../db/columns.js'
import { keyLength } from '../../../db/content-tables.js'
import {
  type Comparison,
  type EntryColumn,
  type IndexKey,
  isTimeColumn,
} from '../../../db/queries/entry-tests.js'
import type { DatatypeRow, FieldRow } from '../../../db/tables.js'
import { invalid } from '../../../errors.js'
import { storedId } from '../../../ids.js'
import { rulesOf } from '../../content/field-data.js'
import { numberKey, textKey } from '../../content/indexed-value.js'
import { mayList, mayShow, type Reach } from '../../content/visibility.js'
import { isAscii, rooted } from '../../text.js'
import type { Schema } from '../content-model.js'
import {
  type FilterCondition,
  type FilterGroup,
  type QueryRequest,
  queryLimits,
  refusedNumber,
} from './query-request.js'
import type { Sort, Test } from './query-test.js'

/** Looks up the names in a query, and the locales that a field is read in, the best first. */
export interface Names {
  readonly schema: Schema
  readonly reach: Reach
  localesOf(field: FieldRow): readonly string[]
}

const columns: ReadonlySet<string> = new Set([
  ...['id', 'slug', 'title', 'published_at'],
  ...['date_created', 'date_modified'],
])
/** Columns that hold ASCII only: not every engine compares them with anything else. */
export const asciiColumns: ReadonlySet<string> = new Set([
  ...['id', 'published_at'],
  ...['date_created', 'date_modified'],
])
const numeric: ReadonlySet<string> = new Set(['number', 'date', 'datetime'])
const references: ReadonlySet<string> = new Set(['relation', 'media'])
const byReference: ReadonlySet<string> = new Set(['eq', 'ne', 'in', 'exists'])
const unordered: ReadonlySet<string> = new Set(['boolean', 'json'])
const comparing: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte'])
const searching: ReadonlySet<string> = new Set(['contains', 'starts'])

export const fieldNamed = ({ fields }: Schema, datatype: string, name: string): FieldRow | undefined => {
  for (const field of fields.values()) if (field.parent_id === datatype && field.name === name) return field
  return undefined
}

const indexKeyOf = ({ field_type }: FieldRow): IndexKey => (numeric.has(field_type) ? 'number' : 'text')

/** Code points of a text, which is how every engine counts. */
const lengthOf = (text: string): number => [...text].length

function numberOf({ parameter }: FilterCondition, { name, field_type }: FieldRow, text: string): number {
  const number = numberKey(text)
  const isNumber = !/^\d{4}-\d\d-\d\d/.test(text)
  if (number === null || isNumber !== (field_type === 'number'))
    throw invalid(
      parameter,
      field_type === 'number'
        ? `${name} must be compared with a number`
        : `${name} must be compared with a date or time`,
    )
  return number
}

function valuesOf({ parameter, values }: FilterCondition): readonly string[] {
  if (values.length > queryLimits.values) throw refusedNumber(parameter)
  // Conditions are kept as keys of counts, and what nobody can have typed fills memory there.
  if (values.some(({ length }) => length > queryLimits.valueCharacters))
    throw invalid(parameter, `must have at most ${queryLimits.valueCharacters} characters`)
  return values
}

function refuseOperator(condition: FilterCondition, field: FieldRow): void {
  const { parameter, operator } = condition
  if (operator === 'under') throw invalid(parameter, 'only the slug of a route can be nested')
  const { field_type: type } = field
  const fits = references.has(type)
    ? byReference.has(operator)
    : numeric.has(type)
      ? !searching.has(operator)
      : !(unordered.has(type) && comparing.has(operator))
  if (!fits) throw invalid(parameter, `a field of the type ${type} cannot be compared with ${operator}`)
}

/** `ne` and `exists=false` hold wherever their opposite does not. */
const oppositeOf = ({ operator, values }: FilterCondition): 'eq' | 'exists' | undefined =>
  operator === 'ne' ? 'eq' : operator === 'exists' && values[0] === 'false' ? 'exists' : undefined

function negated(condition: FilterCondition, make: (op: Comparison) => Test): Test {
  const opposite = oppositeOf(condition)
  if (!opposite) return make(condition.operator as Comparison)
  return { at: 'not', test: make(opposite) }
}

/** Behind every text that begins with another is that one with the last of all characters. */
const lastCharacter = '\u{10ffff}'
const lastOfAscii = '\u007f'
const startsWith = (value: string, last = lastCharacter): Scalar[] => {
  const key = textKey(value)
  return [key, `${key}${last}`, lengthOf(value), value]
}

function textOperands(op: Comparison, values: readonly string[], long: boolean): Scalar[] {
  const [value = ''] = values
  if (op === 'exists') return []
  if (op === 'in') return values.map(textKey)
  if (op === 'contains') return [value, value]
  if (op === 'starts') return startsWith(value)
  return op === 'eq' && !long ? [textKey(value)] : [textKey(value), value]
}

/** Tests that the relation refers to one of the entries that are seen: an id alone would reveal drafts. */
function relationTest(names: Names, condition: FilterCondition, { field_id, ...field }: FieldRow): Test {
  const locales = names.localesOf({ field_id, ...field })
  const given = valuesOf(condition).map(id => (isAscii(id) ? storedId(id) : ''))
  return negated(condition, op => {
    const test: Test = { at: 'column', column: 'id', op, operands: op === 'exists' ? [] : given }
    return { at: 'relation', field: field_id, locales, test }
  })
}

function refuseOddBoolean(
  { parameter, operator }: FilterCondition,
  { name }: FieldRow,
  given: readonly string[],
): void {
  if (operator !== 'exists' && given.some(value => value !== 'true' && value !== 'false'))
    throw invalid(parameter, `${name} must be true or false`)
}

function fieldTest(names: Names, condition: FilterCondition, field: FieldRow): Test {
  if (condition.operator === 'names')
    return { at: 'names', field: field.field_id, operands: valuesOf(condition).map(storedId) }
  refuseOperator(condition, field)
  if (field.field_type === 'relation') return relationTest(names, condition, field)
  const locales = names.localesOf(field)
  const key = indexKeyOf(field)
  const given = references.has(field.field_type) ? valuesOf(condition).map(storedId) : valuesOf(condition)
  if (field.field_type === 'boolean') refuseOddBoolean(condition, field, given)
  if (condition.operator === 'in' && given.some(value => lengthOf(value) >= keyLength))
    throw invalid(condition.parameter, `has a value of ${keyLength} characters or more; use eq`)
  return negated(condition, op => {
    const long = key === 'text' && lengthOf(given[0] ?? '') >= keyLength
    const operands =
      op !== 'exists' && key === 'number'
        ? given.map(value => numberOf(condition, field, value))
        : textOperands(op, given, long)
    return { at: 'field', field: field.field_id, locales, key, op, long, operands }
  })
}

/** The path and a slash, and where that ends: what is under it has no further slash. */
function underPath(path: string): Scalar[] {
  const prefix = path.endsWith('/') ? path : `${path}/`
  const rest = lengthOf(prefix) + 1
  return [...startsWith(prefix), rest, rest, rest]
}

function timeOf(text: string): string {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? numberKey(text) : null
  if (time === null) return text
  const stored = new Date(time).toISOString()
  // Columns have years of four digits.
  return /^\d/.test(stored) ? stored : text
}

/** A slug as it is stored: one `/` in front, none at its end unless it is only the beginning of one. */
function slugOf(text: string, { operator }: FilterCondition): string {
  if (operator === 'contains' || operator === 'exists') return text
  const slug = text.normalize('NFC')
  return operator === 'starts' ? `/${slug.replace(/^\/+/, '')}` : rooted(slug)
}

function columnValue(condition: FilterCondition, column: EntryColumn, value: string): string {
  if (column === 'id') return storedId(value)
  if (column === 'slug') return slugOf(value, condition)
  return isTimeColumn(column) && isCompared(condition) ? timeOf(value) : value
}

const isCompared = ({ operator }: FilterCondition) => operator !== 'exists' && !searching.has(operator)

function columnOperands(op: Comparison, given: readonly string[], last: string): readonly Scalar[] {
  const [first = ''] = given
  if (op === 'exists') return []
  if (op === 'starts') return startsWith(first, last)
  return op === 'under' ? underPath(first) : given
}

function columnTest(condition: FilterCondition, column: EntryColumn): Test {
  const last = asciiColumns.has(column) ? lastOfAscii : lastCharacter
  const given = valuesOf(condition).map(value => columnValue(condition, column, value))
  if (condition.operator === 'under' && column !== 'slug')
    throw invalid(condition.parameter, 'only the slug of a route can be nested')
  if (asciiColumns.has(column) && !given.every(isAscii))
    throw invalid(condition.parameter, `${column} accepts only ASCII characters`)
  return negated(condition, op => ({ at: 'column', column, op, operands: columnOperands(op, given, last) }))
}

/** A field goes before a column of the same name. */
function namedTest(names: Names, datatype: DatatypeRow, condition: FilterCondition, name: string): Test {
  const field = fieldNamed(names.schema, datatype.datatype_id, name)
  if (field) return fieldTest(names, condition, field)
  if (columns.has(name)) return columnTest(condition, name as EntryColumn)
  throw invalid(condition.parameter, `${datatype.name} has no field "${name}"`)
}

function targetsOf({ datatypes }: Schema, relation: FieldRow): DatatypeRow[] {
  const { target } = rulesOf(relation)
  const all = [...datatypes.values()]
  return target === undefined ? all : all.filter(({ name }) => [target].flat().includes(name))
}

/**
 * Whether conditions look, one relation away, into entries that are not listed for everybody, so that what they find
 * depends on who asks.
 */
export const looksFurther = (schema: Schema, datatype: DatatypeRow, { parts }: FilterGroup): boolean =>
  parts.some(part => {
    if ('parts' in part) return looksFurther(schema, datatype, part)
    const [name, further] = part.path
    const relation = further === undefined ? undefined : fieldNamed(schema, datatype.datatype_id, name)
    return relation !== undefined && targetsOf(schema, relation).some(one => !mayList(one, 'anybody'))
  })

/** Refuses a name with one sentence, whether it is not listed or does not exist, so that it reveals neither. */
const nothingNamed = ({ reach }: Names, relation: FieldRow, name: string): string =>
  reach === 'anybody'
    ? `the public entries in ${relation.name} have no field "${name}": without an API key, conditions look only into datatypes whose visibility is "public"`
    : `the entries in ${relation.name} have no field "${name}"`

function targetTest(names: Names, condition: FilterCondition, relation: FieldRow, name: string): Test {
  const { schema, reach } = names
  const listed = targetsOf(schema, relation).filter(datatype => mayList(datatype, reach))
  const having = listed.filter(({ datatype_id }) => fieldNamed(schema, datatype_id, name) !== undefined)
  const tests = having.map(datatype => namedTest(names, datatype, condition, name))
  if (tests.length === 0 && columns.has(name) && listed.length > 0)
    tests.push(columnOf(names, listed, columnTest(condition, name as EntryColumn)))
  if (tests.length === 0) throw invalid(condition.parameter, nothingNamed(names, relation, name))
  return tests.length === 1 ? (tests[0] as Test) : { at: 'or', tests }
}

function columnOf({ schema, reach }: Names, listed: readonly DatatypeRow[], test: Test): Test {
  const isOfAll = [...schema.datatypes.values()].every(
    datatype => listed.includes(datatype) || !mayShow(datatype, 'public'),
  )
  if (reach !== 'anybody' || isOfAll) return test
  const operands = listed.map(({ datatype_id }) => datatype_id)
  return { at: 'and', tests: [test, { at: 'column', column: 'datatype', op: 'in', operands }] }
}

function conditionTest(names: Names, datatype: DatatypeRow, condition: FilterCondition): Test {
  // No value is in an empty list.
  if (condition.values.length === 0) return { at: 'or', tests: [] }
  const [name, further] = condition.path
  if (further === undefined) return namedTest(names, datatype, condition, name)
  const relation = fieldNamed(names.schema, datatype.datatype_id, name)
  if (relation?.field_type !== 'relation')
    throw invalid(condition.parameter, `${datatype.name} has no relation "${name}"`)
  const locales = names.localesOf(relation)
  const opposite = oppositeOf(condition)
  // `ne` one relation away: no entry that is referred to has the value.
  const positive: FilterCondition = opposite
    ? { ...condition, operator: opposite, values: opposite === 'exists' ? ['true'] : condition.values }
    : condition
  const test: Test = {
    at: 'relation',
    field: relation.field_id,
    locales,
    test: targetTest(names, positive, relation, further),
  }
  return opposite ? { at: 'not', test } : test
}

const partTest = (names: Names, datatype: DatatypeRow, part: FilterGroup | FilterCondition): Test =>
  'parts' in part ? groupTest(names, datatype, part) : conditionTest(names, datatype, part)

function groupTest(names: Names, datatype: DatatypeRow, { all, not, parts }: FilterGroup): Test {
  const test: Test = {
    at: all ? 'and' : 'or',
    tests: parts.map(part => partTest(names, datatype, part)),
  }
  return not ? { at: 'not', test } : test
}

/** The conditions of a query that hold together. @throws 400 that names the parameter */
export const testsOf = (
  names: Names,
  datatype: DatatypeRow,
  { filter }: Pick<QueryRequest, 'filter'>,
): Test[] =>
  filter.parts.flatMap(part =>
    'parts' in part && !part.not && (part.all || part.parts.length === 1)
      ? testsOf(names, datatype, { filter: part })
      : [partTest(names, datatype, part)],
  )

/** The order of a query, by id without one. @throws 400 that names what cannot be sorted by */
export function sortsOf(names: Names, datatype: DatatypeRow, { sort }: Pick<QueryRequest, 'sort'>): Sort[] {
  return sort.map(({ name, descending }): Sort => {
    const field = fieldNamed(names.schema, datatype.datatype_id, name)
    if (!field && columns.has(name))
      return { shape: { at: 'column', column: name as EntryColumn, descending }, values: [] }
    if (!field) throw invalid('sort', `${datatype.name} has no field "${name}"`)
    if (references.has(field.field_type) || field.field_type === 'json')
      throw invalid('sort', `entries cannot be sorted by a field of the type ${field.field_type}`)
    const locales = names.localesOf(field)
    return {
      shape: { at: 'field', key: indexKeyOf(field), locales: locales.length, descending },
      values: locales.flatMap(locale => [field.field_id, locale]),
    }
  })
}
