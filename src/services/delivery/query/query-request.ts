import { invalid } from '../../../errors.js'
import { limits } from '../../../limits.js'
import { meantHint } from '../../../nearest-name.js'
import { localeCode } from '../../content/locales.js'
import { expandOf, fieldName, listOf, type Paths } from '../expand.js'

/** A query as its address gives it: names are not looked up yet. See docs/query.md. */
export interface QueryRequest {
  readonly filter: FilterGroup
  readonly sort: readonly { readonly name: string; readonly descending: boolean }[]
  readonly limit: number
  readonly cursor: string | undefined
  readonly offset: number
  readonly count: boolean
  readonly fields: readonly string[] | undefined
  readonly expand: Paths
  readonly children: number
  readonly locale: string
}

const noParameter = (name: string, known: readonly string[]) =>
  `unknown parameter${meantHint(name, known).replace(':', ';')}; use ${known.join(', ')}`

export const operators = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'contains',
  'starts',
  'under',
  'exists',
] as const
export type Operator = (typeof operators)[number]

export interface FilterCondition {
  readonly parameter: string
  readonly path: readonly [string] | readonly [string, string]
  /** `names`, which no address can say: the text names an entry or media item. */
  readonly operator: Operator | 'names'
  /** One; of `in` any number, and `true` or `false` of `exists`. */
  readonly values: readonly string[]
}
export interface FilterGroup {
  readonly all: boolean
  readonly not?: boolean
  readonly parts: (FilterCondition | FilterGroup)[]
}

/** Limits of one query. */
export const queryLimits = limits.query

const names = [
  'sort',
  'limit',
  'cursor',
  'offset',
  'count',
  'fields',
  'expand',
  'children',
  'locale',
] as const
const ofOne = ['fields', 'expand', 'children', 'locale'] as const

const isOperator = (name: string): name is Operator => (operators as readonly string[]).includes(name)

export function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = Number(text)
  if (!/^\d{1,9}$/.test(text) || number < least || number > most)
    throw invalid(name, `must be a whole number from ${least} to ${most}`)
  return number
}

/** The parts of `filter[a][b]`; undefined where the brackets do not close. */
function segmentsOf(parameter: string): string[] | undefined {
  const rest = parameter.slice('filter'.length)
  if (!/^(?:\[[^[\]]{1,600}\])+$/.test(rest)) return undefined
  return rest.slice(1, -1).split('][')
}

class FilterParser {
  readonly root: FilterGroup = { all: true, parts: [] }
  private readonly groups = new Map<string, FilterGroup>([['', this.root]])
  private conditions = 0
  private searches = 0

  add(parameter: string, value: string): void {
    const segments = segmentsOf(parameter)
    if (!segments) throw invalid(parameter.slice(0, 100), 'must be written as filter[field][operator]')
    if (++this.conditions > queryLimits.conditions)
      throw invalid('filter', `has more than ${queryLimits.conditions} conditions`)
    let at = this.root
    let key = ''
    let levels = 0
    while (segments[0] === 'and' || segments[0] === 'or') {
      const [word, number] = segments.splice(0, 2)
      if (++levels > queryLimits.groups || number === undefined || !/^\d{1,3}$/.test(number))
        throw invalid(parameter, `"${word}" must be followed by a number, at most ${queryLimits.groups} deep`)
      const group = this.group(at, `${key}/${word}`, word === 'and')
      key = `${key}/${word}/${number}`
      at = this.group(group, key, true)
    }
    const condition = conditionOf(parameter, segments, value)
    if (condition.operator === 'contains' && ++this.searches > queryLimits.searches)
      throw invalid(parameter, `exceeds the maximum of ${queryLimits.searches} "contains" in a query`)
    at.parts.push(condition)
  }

  private group(above: FilterGroup, key: string, all: boolean): FilterGroup {
    const known = this.groups.get(key)
    if (known) return known
    const made: FilterGroup = { all, parts: [] }
    this.groups.set(key, made)
    above.parts.push(made)
    return made
  }
}

function conditionOf(parameter: string, segments: readonly string[], value: string): FilterCondition {
  const [name = '', operator = 'eq', ...more] = segments
  if (name === '' || more.length > 0) throw invalid(parameter, 'must be written as filter[field][operator]')
  if (!isOperator(operator))
    throw invalid(parameter, `has no operator "${operator.slice(0, 40)}": use ${operators.join(', ')}`)
  const path = name.split('.').map(part => fieldName(parameter, part))
  if (path.length > 2) throw invalid(parameter, 'can follow only one relation')
  if (operator === 'exists' && value !== 'true' && value !== 'false')
    throw invalid(parameter, 'must be true or false')
  if (operator === 'contains' && value.length > queryLimits.searchCharacters)
    throw invalid(parameter, `must have at most ${queryLimits.searchCharacters} characters`)
  if (operator !== 'exists' && value === '')
    throw invalid(parameter, 'must have a value; for empty fields use [exists]=false')
  const values = operator === 'in' ? value.split(',').filter(one => one !== '') : [value]
  if (values.length === 0) throw refusedNumber(parameter)
  return { parameter, path: path as [string] | [string, string], operator, values }
}

/** For a condition with too many values, or an address that gives none. */
export const refusedNumber = (parameter: string) =>
  invalid(parameter, `must have 1 to ${queryLimits.values} values, separated by commas`)

/**
 * Holds a filter that no address has been read for to what one may have.
 * @throws 400
 */
export function refuseLargeFilter(filter: FilterGroup): void {
  const counted = { conditions: 0, searches: 0 }
  const count = ({ parts }: FilterGroup, level: number): void => {
    // Conditions that became groups of their own are a level more than an address can say.
    if (level > 2 * queryLimits.groups) throw invalid('filters', 'are nested too deeply')
    for (const part of parts) {
      if ('parts' in part) count(part, level + 1)
      else countCondition(part, counted)
    }
  }
  count(filter, 0)
}

function countCondition(
  { parameter, operator, values }: FilterCondition,
  counted: { conditions: number; searches: number },
): void {
  const { conditions, searches, searchCharacters } = queryLimits
  if (++counted.conditions > conditions) throw invalid('filters', `have more than ${conditions} conditions`)
  if (operator !== 'contains') return
  if (++counted.searches > searches)
    throw invalid(parameter, `exceeds the maximum of ${searches} text searches`)
  if (values.some(({ length }) => length > searchCharacters))
    throw invalid(parameter, `must have at most ${searchCharacters} characters`)
}

function sortOf(text: string): QueryRequest['sort'] {
  const sorts = listOf(text).map(part => {
    const descending = part.startsWith('-')
    return { name: fieldName('sort', descending ? part.slice(1) : part), descending }
  })
  if (sorts.length > queryLimits.sorts) throw invalid('sort', `has more than ${queryLimits.sorts} keys`)
  if (new Set(sorts.map(({ name }) => name)).size < sorts.length)
    throw invalid('sort', 'contains a field twice')
  return sorts
}

/**
 * Reads the parameters of a query.
 * @param isOne for one entry by its id, which takes only what says how it is shown
 * @throws 400 that names the parameter: unknown, given twice, or with a value that it does not take
 */
export function queryRequest(parameters: URLSearchParams, isOne: boolean): QueryRequest {
  const filter = new FilterParser()
  const plain = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of parameters) {
    if (seen.has(name)) throw invalid(name.slice(0, 100), 'is given twice')
    seen.add(name)
    if (isOne && !(ofOne as readonly string[]).includes(name))
      throw invalid(name.slice(0, 100), noParameter(name, ofOne))
    if (name === 'filter' || name.startsWith('filter[')) filter.add(name, value)
    else if ((names as readonly string[]).includes(name)) plain.set(name, value)
    else throw invalid(name.slice(0, 100), noParameter(name, ['filter', ...names]))
  }
  return { filter: filter.root, ...plainOf(name => plain.get(name)) }
}

function plainOf(given: (name: (typeof names)[number]) => string | undefined): Omit<QueryRequest, 'filter'> {
  const count = given('count') ?? 'false'
  if (count !== 'true' && count !== 'false') throw invalid('count', 'must be true or false')
  const [cursor, offset, locale = ''] = [given('cursor'), given('offset'), given('locale')]
  if (cursor !== undefined && offset !== undefined) throw invalid('offset', 'cannot be used with cursor')
  if (locale !== '' && !localeCode.safeParse(locale).success)
    throw invalid('locale', 'must be a language tag such as de or de-AT')
  return {
    sort: sortOf(given('sort') ?? ''),
    limit: wholeNumber('limit', given('limit') ?? `${queryLimits.standardLimit}`, 1, queryLimits.limit),
    cursor,
    offset: wholeNumber('offset', offset ?? '0', 0, queryLimits.offset),
    count: count === 'true',
    fields:
      given('fields') === undefined
        ? undefined
        : listOf(given('fields') ?? '').map(name => fieldName('fields', name)),
    expand: expandOf(given('expand') ?? ''),
    children: wholeNumber('children', given('children') ?? '0', 0, queryLimits.children),
    locale,
  }
}
