import type { ContentSpace } from '../tables.js'
import { type EntryColumn, type IndexKey, isTimeColumn } from './entry-tests.js'

/** The order of entries of the public book, and where in it a page begins, as SQL text. */

export type SortShape =
  /** Values: the field, the locales. */
  | { at: 'field'; key: IndexKey; locales: number; descending: boolean }
  | { at: 'column'; column: EntryColumn; descending: boolean }

/** Where a page begins after a row with given keys: for each key, true if it was null in that row. */
export type AfterShape = readonly boolean[]

/** The join and the SQL of a sort key. */
export function sortParts(space: ContentSpace, sort: SortShape, n: number) {
  if (sort.at === 'column') {
    const { column } = sort
    if (column === 'id' || isTimeColumn(column))
      return { joins: '', key: `e.${column === 'id' ? 'content_data_id' : column}`, nullable: false }
    return {
      joins: ` left join ${space.routes.name} r${n} on r${n}.route_id = e.route_id`,
      key: `r${n}.${column}`,
      nullable: true,
    }
  }
  const aliases = Array.from({ length: sort.locales }, (_, level) => `s${n}_${level}`)
  const keySql = (alias: string) =>
    sort.key === 'number' ? `${alias}.number_key` : `nullif(${alias}.text_key, '')`
  const joins = aliases.map(
    alias =>
      ` left join ${space.publicValues.name} ${alias} on ${alias}.content_data_id = e.content_data_id and ${alias}.field_id = ? and ${alias}.locale = ? and ${alias}.position = 0`,
  )
  const cases = aliases.map(alias => `when ${alias}.position is not null then ${keySql(alias)}`)
  return {
    joins: joins.join(''),
    key: aliases.length === 1 ? keySql(aliases[0] as string) : `case ${cases.join(' ')} end`,
    nullable: true,
  }
}

export type SortPart = ReturnType<typeof sortParts> & { descending: boolean }

/** SQL for the rows after the one with these keys: missing keys come last, in both directions. */
export function afterSql(parts: readonly SortPart[], after: AfterShape, lastDescending: boolean): string {
  const clauses: string[] = []
  const equal: string[] = []
  for (const [i, { key, nullable, descending }] of parts.entries()) {
    const sign = descending ? '<' : '>'
    if (!after[i]) {
      const beyond = nullable ? `(${key} ${sign} ? or ${key} is null)` : `${key} ${sign} ?`
      clauses.push([...equal, beyond].join(' and '))
    }
    equal.push(after[i] ? `${key} is null` : `${key} = ?`)
  }
  clauses.push([...equal, `e.content_data_id ${lastDescending ? '<' : '>'} ?`].join(' and '))
  return `(${clauses.map(clause => `(${clause})`).join(' or ')})`
}

/** The values of `afterSql` in their order. */
export function afterValues<T>(keys: readonly (T | null)[], id: T): T[] {
  const values: T[] = []
  const equal: T[] = []
  for (const key of keys) {
    if (key === null) continue
    values.push(...equal, key)
    equal.push(key)
  }
  return [...values, ...equal, id]
}
