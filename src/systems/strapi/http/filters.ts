import { invalid } from '../../../errors.js'
import type { Nested } from '../../brackets.js'
import type { StrapiCondition, StrapiGroup, TextComparison } from '../find/filters.js'

type Part = StrapiCondition | StrapiGroup
type Operator = StrapiCondition['operator']

const same: Readonly<Record<string, Operator>> = {
  $eq: 'eq',
  $ne: 'ne',
  $lt: 'lt',
  $lte: 'lte',
  $gt: 'gt',
  $gte: 'gte',
  $in: 'in',
  $contains: 'contains',
  $startsWith: 'starts',
}
const negated: Readonly<Record<string, Operator>> = { $notIn: 'in', $notContains: 'contains' }
/** Operators that the engines would compare in different ways, and how texts are compared here. */
const ofTexts: Readonly<Record<string, readonly [TextComparison, boolean]>> = {
  $eqi: ['equal', true],
  $nei: ['equal', false],
  $containsi: ['contains', true],
  $notContainsi: ['contains', false],
  $startsWithi: ['starts', true],
  $endsWithi: ['ends', true],
  $endsWith: ['endsAsWritten', true],
}
const groups: ReadonlySet<string> = new Set(['$and', '$or', '$not'])
const fieldNamePattern = /^[A-Za-z0-9_]{1,255}$/

/** @throws 400 that names the parameter */
export function filtersOf(given: Nested | undefined): StrapiGroup {
  if (given === undefined) return { all: true, parts: [] }
  if (typeof given === 'string') throw invalid('filters', 'must be written as filters[field][$eq]=value')
  return group('filters', [], given)
}

const listOf = (given: Nested): Nested[] => (typeof given === 'string' ? [given] : [...given.values()])

function group(parameter: string, path: readonly string[], given: Nested): StrapiGroup {
  return { all: true, parts: partsOf(parameter, path, given) }
}

function partsOf(parameter: string, path: readonly string[], given: Nested): Part[] {
  if (typeof given === 'string') return [condition(parameter, path, 'eq', [given])]
  return [...given].map(([name, value]) => {
    const at = `${parameter}[${name}]`.slice(0, 200)
    if (groups.has(name)) return combined(at, path, name, value)
    if (name.startsWith('$')) return compared(at, path, name, value)
    if (!fieldNamePattern.test(name)) throw invalid(at, 'Invalid key')
    return group(at, [...path, name], value)
  })
}

function combined(parameter: string, path: readonly string[], name: string, value: Nested): StrapiGroup {
  if (name === '$not') return { ...group(parameter, path, value), not: true }
  return { all: name === '$and', parts: listOf(value).map(one => group(parameter, path, one)) }
}

function textsIn(parameter: string, given: Nested): string[] {
  return listOf(given).map(one => {
    if (typeof one !== 'string') throw invalid(parameter, 'is nested too deeply')
    return one
  })
}

const isTrue = (text: string | undefined): boolean => text !== 'false' && text !== '0'

function compared(parameter: string, path: readonly string[], operator: string, given: Nested): Part {
  const values = textsIn(parameter, given)
  const [first = '', second = ''] = values
  const [text, holds] = (Object.hasOwn(ofTexts, operator) ? ofTexts[operator] : undefined) ?? []
  if (text) {
    if (values.length !== 1) throw invalid(parameter, 'must have one value')
    const part = { ...condition(parameter, path, 'eq', values), text }
    return holds ? part : { all: true, not: true, parts: [part] }
  }
  if (operator === '$null' || operator === '$notNull') {
    const exists = (operator === '$notNull') === isTrue(first)
    return condition(parameter, path, 'exists', [String(exists)])
  }
  if (operator === '$between') {
    if (values.length !== 2) throw invalid(parameter, 'must have two values')
    return {
      all: true,
      parts: [condition(parameter, path, 'gte', [first]), condition(parameter, path, 'lte', [second])],
    }
  }
  const not = Object.hasOwn(negated, operator) ? negated[operator] : undefined
  if (not) return { all: true, not: true, parts: [condition(parameter, path, not, values)] }
  const known = Object.hasOwn(same, operator) ? same[operator] : undefined
  if (!known) throw invalid(parameter, `Invalid operator ${operator.slice(0, 40)}`)
  if (known !== 'in' && values.length !== 1) throw invalid(parameter, 'must have one value')
  return condition(parameter, path, known, values)
}

function condition(
  parameter: string,
  path: readonly string[],
  operator: Operator,
  values: readonly string[],
): StrapiCondition {
  if (path.length === 0) throw invalid(parameter, 'must name a field')
  return { parameter, path, operator, values }
}
