import { keyLength } from '../content-tables.js'
import { eachRow } from '../each-row.js'
import type { ContentSpace } from '../tables.js'

/** Conditions on entries of the public book as SQL text, in which each `?` is one value, in their order. */

/** The key of a value for comparisons. */
export type IndexKey = 'text' | 'number'
/** `sortable`: the value has a key to sort by. */
export type Comparison =
  | 'eq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'contains'
  | 'starts'
  | 'under'
  | 'exists'
  | 'sortable'
export type Bound = 'gt' | 'gte' | 'lt' | 'lte'
/** Times of an entry, which are columns of it. */
export type TimeColumn = 'published_at' | 'date_created' | 'date_modified'
export type EntryColumn = 'id' | TimeColumn | 'slug' | 'title'

export const isTimeColumn = (column: string): column is TimeColumn =>
  column === 'published_at' || column === 'date_created' || column === 'date_modified'

/** Values: the field, the locales, then the values to compare with. */
export type FieldShape = {
  at: 'field'
  key: IndexKey
  op: Comparison
  count: number
  long: boolean
  locales: number
}

/** A condition on an entry. `locales` is how many locales are looked in, the best first. */
export type TestShape =
  | FieldShape
  | { at: 'column'; column: EntryColumn | 'datatype' | 'root'; op: Comparison; count: number }
  /** Values: the field, the locales, then those of the test, which the entry that is referred to must pass. */
  | { at: 'relation'; locales: number; test: TestShape }
  /** A text that names one of some ids. Values: the field, the ids. */
  | NamesShape
  | { at: 'not'; test: TestShape }
  | { at: 'and' | 'or'; tests: TestShape[] }

type NamesShape = { at: 'names'; count: number }
type RouteShape = { at: 'route'; column: 'slug' | 'title'; op: Comparison; count: number }

/**
 * Entries among which are all that pass a test, as an index or a look at the values of one field or at the routes finds
 * them. Values: as each says, in order.
 */
export type SourceShape =
  /** Entries with a passing value in one of the locales. Values: the field, the locales, the values to compare with. */
  | FieldShape
  /** Entries with a number within bounds. Values: the field, the locales, one for each comparison. */
  | { at: 'range'; locales: number; ops: Bound[] }
  /** Entries of a datatype, by their time of publication. Values: the datatype, those of the tests. */
  | { at: 'published'; tests: Pick<RouteShape, 'op' | 'count'>[] }
  /** On routes that pass. Values: those of the test. */
  | RouteShape
  /** On routes with slugs between two. Values: the least slug, and that before which they are. */
  | { at: 'slugs' }
  /** Values: those of the test. */
  | NamesShape
  /** Values: the ids. */
  | { at: 'ids'; count: number }
  | { at: 'any'; sources: SourceShape[] }

/** How many values SQL text takes. */
export const placesIn = (sql: string): number => sql.split('?').length - 1

export const signs = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
const marks = (n: number) => Array.from({ length: n }, () => '?').join(', ')
/** Cutting the value out changes a text that contains it. Only this compares code points on all three engines. */
const containsSql = (column: string) => `replace(${column}, ?, '') <> ${column}`
const between = (column: string) => `${column} >= ? and ${column} < ?`
const keyBound = { gt: '>=', gte: '>=', lt: '<=', lte: '<=' } as const

const ownKey = ['content_data_id', 'field_id', 'locale', 'position']

/**
 * The condition on a value in the row that `alias` names.
 * @param ofField the table, if the row is found by its field. If it is found by its entry, the condition names the whole
 * key, although only the value itself has a number: otherwise SQLite would look through the numbers of all entries for
 * each of them
 */
export function comparison(alias: string, { key, op, count, long }: FieldShape, ofField?: string): string {
  const at = (column: string) => `${alias}.${column}`
  if (op === 'exists') return `${at('position')} = 0 and ${at('text_key')} not in ('', '[]')`
  if (op === 'sortable')
    return `${at('position')} = 0 and ${key === 'number' ? `${at('number_key')} is not null` : `${at('text_key')} > ''`}`
  if (key === 'number') {
    const compared = op === 'in' ? `in (${marks(count)})` : `${signs[op as keyof typeof signs]} ?`
    return `${ofField ? '' : `${at('position')} = 0 and `}${at('number_key')} ${compared}`
  }
  switch (op) {
    case 'eq':
      return long ? `${at('text_key')} = ? and ${at('field_value')} = ?` : `${at('text_key')} = ?`
    case 'in':
      return `${at('text_key')} in (${marks(count)})`
    case 'contains': {
      // The index has all columns but the value, and the key is the whole value unless it is as long as keys are.
      const whole = ofField
        ? `exists (select 1 from ${ofField} w where ${ownKey.map(name => `w.${name} = ${at(name)}`).join(' and ')} and ${containsSql('w.field_value')})`
        : containsSql(at('field_value'))
      return `${at('position')} = 0 and (${containsSql(at('text_key'))} or (length(${at('text_key')}) >= ${keyLength} and ${whole}))`
    }
    case 'starts':
      return `${at('position')} = 0 and ${between(at('text_key'))} and substr(${at('field_value')}, 1, ?) = ?`
    case 'under':
      throw new Error('only columns are compared by their place under a path')
    default:
      // An empty text counts as missing, so it is not less than others.
      return `${at('position')} = 0 and ${at('text_key')} > '' and ${at('text_key')} ${keyBound[op]} ? and ${at('field_value')} ${signs[op]} ?`
  }
}

/** Names of the tables, and a number for each alias. */
export interface Naming {
  readonly space: ContentSpace
  next: number
}

/**
 * A test of the entry that `owner` names, as SQL text. Where several locales are looked in, the value of the best that
 * has one counts, and the values of the statement are repeated: the caller gives them in that order.
 */
export function sqlOf(test: TestShape, owner: string, naming: Naming): string {
  switch (test.at) {
    case 'not':
      return `not (${sqlOf(test.test, owner, naming)})`
    case 'and':
    case 'or':
      // An empty `and` is true, and an empty `or` is false.
      if (test.tests.length === 0) return test.at === 'and' ? '1 = 1' : '1 = 0'
      return test.tests.map(one => `(${sqlOf(one, owner, naming)})`).join(` ${test.at} `)
    case 'column':
      return columnTest(test, owner, naming)
    case 'field':
      return inBestLocale(test.locales, owner, naming, alias => ({
        field: `${alias}.field_id`,
        condition: comparison(alias, test),
      }))
    case 'names': {
      const alias = `n${naming.next++}`
      const rows = `${naming.space.publicReferences.name} ${alias}`
      return `exists (select 1 from ${rows} where ${alias}.content_data_id = ${owner}.content_data_id and ${alias}.field_id = ? and ${alias}.target_id ${oneOf(test.count)})`
    }
    case 'relation':
      return inBestLocale(test.locales, owner, naming, alias => {
        const target = `t${naming.next++}`
        const entries = naming.space.publicEntries.name
        return {
          // Ids of a list have positions of their own, so the whole key cannot be named: no index may begin with the field.
          field: `coalesce(${alias}.field_id, '')`,
          condition: `exists (select 1 from ${entries} ${target} where ${target}.content_data_id = ${alias}.text_key and (${sqlOf(test.test, target, naming)}))`,
        }
      })
  }
}

function inBestLocale(
  locales: number,
  owner: string,
  naming: Naming,
  parts: (alias: string) => { readonly field: string; readonly condition: string },
): string {
  const values = naming.space.publicValues.name
  const levels = Array.from({ length: locales }, (_, level) => {
    const alias = `v${naming.next++}`
    const { field, condition } = parts(alias)
    const of = `${alias}.content_data_id = ${owner}.content_data_id and ${field} = ?`
    const found = `exists (select 1 from ${values} ${alias} where ${of} and ${alias}.locale = ? and ${condition})`
    if (level === 0) return found
    const better = `v${naming.next++}`
    return `(${found} and not exists (select 1 from ${values} ${better} where ${better}.content_data_id = ${owner}.content_data_id and ${better}.field_id = ? and ${better}.position = 0 and ${better}.locale in (${marks(level)})))`
  })
  return levels.length === 1 ? (levels[0] as string) : `(${levels.join(' or ')})`
}

/** Bindings of a test in several locales, in the order in which `sqlOf` takes them. */
export function inLocales<T>(field: T, locales: readonly T[], operands: readonly T[]): T[] {
  return locales.flatMap((locale, level) => [
    field,
    locale,
    ...operands,
    ...(level === 0 ? [] : [field, ...locales.slice(0, level)]),
  ])
}

/** The comparison with one of `n` values, as SQL text. */
export const oneOf = (n: number): string => (n === 1 ? '= ?' : `in (${marks(n)})`)

/** The ids of the entries of a source, as SQL text. Some may come twice. */
export function sourceSql(space: ContentSpace, source: SourceShape): string {
  const [entries, values, routes] = [space.publicEntries.name, space.publicValues.name, space.routes.name]
  const ofValues = (locales: number, condition: string) =>
    `select d.content_data_id as id from ${values} d where ${eachRow.of('d.position')} d.field_id = ? and d.locale ${oneOf(locales)} and ${condition}`
  const onRoutes = (condition: string) =>
    `select d.content_data_id as id from ${routes} r join ${entries} d on d.route_id = r.route_id where ${eachRow.of('r.route_id')} ${condition}`
  switch (source.at) {
    case 'field':
      return ofValues(source.locales, comparison('d', source, values))
    case 'range':
      return ofValues(source.locales, source.ops.map(op => `d.number_key ${signs[op]} ?`).join(' and '))
    case 'published': {
      const tests = source.tests.map(test => columnSql('d.published_at', test)).join(' and ')
      return `select d.content_data_id as id from ${entries} d where d.datatype_id = ? and ${tests}`
    }
    case 'route':
      return onRoutes(columnSql(`r.${source.column}`, source))
    case 'slugs':
      return onRoutes(between('r.slug'))
    case 'names':
      return `select d.content_data_id as id from ${space.publicReferences.name} d where d.field_id = ? and d.target_id ${oneOf(source.count)}`
    case 'ids':
      return `select d.content_data_id as id from ${entries} d where d.content_data_id ${oneOf(source.count)}`
    case 'any':
      return source.sources.map(one => sourceSql(space, one)).join(' union all ')
  }
}

function columnSql(name: string, { op, count }: Pick<RouteShape, 'op' | 'count'>): string {
  if (op === 'in') return `${name} in (${marks(count)})`
  if (op === 'exists' || op === 'sortable') return `${name} <> ''`
  if (op === 'contains') return containsSql(name)
  if (op === 'starts') return `${between(name)} and substr(${name}, 1, ?) = ?`
  if (op === 'under') {
    const rest = `substr(${name}, ?)`
    return `${between(name)} and substr(${name}, 1, ?) = ? and ${rest} <> '' and replace(${rest}, '/', '') = ${rest}`
  }
  return `${name} ${signs[op]} ?`
}

function columnTest(test: Extract<TestShape, { at: 'column' }>, owner: string, naming: Naming): string {
  const { column } = test
  if (column === 'id') return columnSql(`${owner}.content_data_id`, test)
  if (column === 'root') return `${owner}.parent_id is null`
  if (column === 'datatype') return columnSql(`${owner}.datatype_id`, test)
  if (isTimeColumn(column)) return columnSql(`${owner}.${column}`, test)
  const alias = `r${naming.next++}`
  return `exists (select 1 from ${naming.space.routes.name} ${alias} where ${alias}.route_id = ${owner}.route_id and ${columnSql(`${alias}.${column}`, test)})`
}
