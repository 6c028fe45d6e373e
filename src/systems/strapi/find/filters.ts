import { invalid } from '../../../errors.js'
import { isUlid, storedId } from '../../../ids.js'
import { mayList } from '../../../services/content/visibility.js'
import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import { any, type Documents, unknownId } from '../../../services/delivery/documents.js'
import { fieldNamed } from '../../../services/delivery/query/query-plan.js'
import {
  type FilterCondition,
  type FilterGroup,
  type QueryRequest,
  queryLimits,
} from '../../../services/delivery/query/query-request.js'
import { type TypeMapping, targetsOf } from '../../mapping.js'
import { documentKind, sourcesIn } from '../../source-names.js'

/** A condition of a request: names are not looked up yet, and values may be numbers of entries. */
export interface StrapiCondition {
  readonly parameter: string
  readonly path: readonly string[]
  readonly operator: FilterCondition['operator']
  readonly values: readonly string[]
  readonly text?: TextComparison
}

const ofTexts = {
  equal: (text: string, other: string) => text.toLowerCase() === other.toLowerCase(),
  contains: (text: string, other: string) => text.toLowerCase().includes(other.toLowerCase()),
  starts: (text: string, other: string) => text.toLowerCase().startsWith(other.toLowerCase()),
  ends: (text: string, other: string) => text.toLowerCase().endsWith(other.toLowerCase()),
  endsAsWritten: (text: string, other: string) => text.endsWith(other),
} as const
export type TextComparison = keyof typeof ofTexts

const mostTexts = 2000
const mostPassing = 1000

export interface StrapiGroup {
  readonly all: boolean
  readonly not?: boolean
  readonly parts: readonly (StrapiCondition | StrapiGroup)[]
}

const columnNames: Readonly<Record<string, string>> = {
  id: 'id',
  documentId: 'id',
  createdAt: 'date_created',
  updatedAt: 'date_modified',
  publishedAt: 'published_at',
}
const ids: ReadonlySet<string> = new Set(['id', 'documentId'])

type Datatype = TypeMapping['datatype']

/** Turns the filters of a request into conditions of the query service. */
export class Filters {
  private readonly documents: Documents

  constructor(
    private readonly site: CompatSite,
    private readonly datatype: Datatype,
    private readonly locale: string,
  ) {
    this.documents = site.documents
  }

  async group({ parts, ...group }: StrapiGroup): Promise<FilterGroup> {
    const made: (FilterCondition | FilterGroup)[] = []
    for (const part of parts) made.push('parts' in part ? await this.group(part) : await this.condition(part))
    return { ...group, parts: made }
  }

  private async condition({
    parameter,
    path,
    operator,
    values,
    text,
  }: StrapiCondition): Promise<FilterCondition | FilterGroup> {
    if (text) return this.comparedTexts(parameter, path, text, values[0] ?? '')
    const last = path.at(-1) ?? ''
    const isField = this.isField(path)
    const isId = !isField && ids.has(last)
    const before = path.slice(0, -1)
    const given = isId ? await this.idsOf(values, before) : values
    // The target of a relation has no id field to compare: the relation's value is that id.
    const named =
      isId && before.length > 0 ? before : [...before, isField ? last : (columnNames[last] ?? last)]
    if (named.length > 2) throw invalid(parameter, 'can follow only one relation')
    return this.compared({ parameter, path: named as [string], operator }, given)
  }

  /** Compares texts of a field here, because the databases disagree about case, for those with letters beyond ASCII. */
  private async comparedTexts(
    parameter: string,
    path: readonly string[],
    comparison: TextComparison,
    wanted: string,
  ): Promise<FilterGroup> {
    const { documents, site } = this
    const name = path.at(-1) ?? ''
    const before = path.slice(0, -1)
    // Behind a relation conditions look only into what the caller may list.
    const reach = before.length > 0 ? await site.reach() : undefined
    const types = this.typesAt(before).filter(type => reach === undefined || mayList(type, reach))
    const fields = types.flatMap(({ datatype_id }) => fieldNamed(documents.schema, datatype_id, name) ?? [])
    const field_id = fields.map(field => field.field_id)
    if (path.length > 2 || field_id.length === 0) throw invalid(parameter, 'Invalid key')
    const isWorking = site.audience === 'working'
    const { contentFields, publicValues } = documents.space
    const limit = mostTexts + 1
    const rows = isWorking
      ? await documents.read.findAll(contentFields, { field_id }, { limit })
      : await documents.read.findAll(publicValues, { field_id, position: 0 }, { limit })
    if (rows.length > mostTexts)
      throw invalid(parameter, `is supported for at most ${mostTexts} texts; use _q instead`)
    const { chain } = site.localeChoice(this.locale)
    const best = new Map<string, { readonly rank: number; readonly text: string }>()
    for (const { content_data_id, locale, field_value: text } of rows) {
      const at = chain.indexOf(locale)
      if (at < 0 && locale !== '') continue
      const rank = at < 0 ? chain.length : at
      if (rank < (best.get(content_data_id)?.rank ?? Number.POSITIVE_INFINITY))
        best.set(content_data_id, { rank, text })
    }
    const ids = [...best].flatMap(([id, { text }]) => (ofTexts[comparison](text, wanted) ? id : []))
    if (ids.length > mostPassing)
      throw invalid(parameter, `matches more than ${mostPassing} entries; add conditions`)
    const own: [string] = [path.length === 2 ? (path[0] ?? '') : 'id']
    const parts: FilterCondition[] = []
    for (let at = 0; at < ids.length; at += queryLimits.values)
      parts.push({ parameter, path: own, operator: 'in', values: ids.slice(at, at + queryLimits.values) })
    return any(parts)
  }

  /** True if the path ends in a field; fields go before the members that every document has. */
  private isField([first = '', second]: readonly string[]): boolean {
    const { schema } = this.documents
    const own = fieldNamed(schema, this.datatype.datatype_id, first)
    if (second === undefined || !own) return own !== undefined
    const targets = targetsOf(own)
    return [...schema.datatypes.values()].some(
      ({ name, datatype_id }) =>
        (targets.length === 0 || targets.includes(name)) && fieldNamed(schema, datatype_id, second),
    )
  }

  /** One condition, or several where one of the values is an empty text. */
  private compared(
    condition: Omit<FilterCondition, 'values'>,
    values: readonly string[],
  ): FilterCondition | FilterGroup {
    if (values.length > queryLimits.values)
      throw invalid(condition.parameter, `must have at most ${queryLimits.values} values`)
    if (condition.operator !== 'in') return ofEmpty({ ...condition, values: [values[0] ?? ''] })
    if (!values.includes('')) return { ...condition, values }
    return any(values.map(value => ofEmpty({ ...condition, operator: 'eq', values: [value] })))
  }

  /** The ids of entries by those of Strapi or here. @param before the relation that leads to the entries */
  private async idsOf(values: readonly string[], before: readonly string[]): Promise<string[]> {
    const kinds = [documentKind, ...this.typesAt(before).map(({ name }) => name)]
    const sources = values.flatMap(id => kinds.map(kind => ({ kind, id })))
    const known = new Map<string, string>()
    for (const [{ id }, { content_data_id }] of await sourcesIn(this.site, 'strapi').records(sources))
      if (content_data_id && !known.has(id)) known.set(id, content_data_id)
    const numbers = values.filter(value => /^\d{1,15}$/.test(value) && !known.has(value)).map(Number)
    const found = await this.documents.byNumber(numbers)
    return values.map(value => {
      const own = storedId(value)
      return (
        known.get(value) ?? (isUlid(own) ? own : (found.get(Number(value))?.content_data_id ?? unknownId))
      )
    })
  }

  private typesAt([relation]: readonly string[]): Datatype[] {
    if (relation === undefined) return [this.datatype]
    const { schema } = this.documents
    const field = fieldNamed(schema, this.datatype.datatype_id, relation)
    const targets = field ? targetsOf(field) : []
    return [...schema.datatypes.values()].filter(({ name }) => targets.length === 0 || targets.includes(name))
  }
}

/** An empty text is a field without a value. */
function ofEmpty(condition: FilterCondition): FilterCondition {
  const { operator, values, parameter } = condition
  if (values[0] !== '' || operator === 'exists') return condition
  if (operator === 'eq') return { ...condition, operator: 'exists', values: ['false'] }
  if (operator === 'ne') return { ...condition, operator: 'exists', values: ['true'] }
  throw invalid(parameter, 'must have a value')
}

export function sortOf(
  documents: Documents,
  datatype: Datatype,
  sort: QueryRequest['sort'],
): QueryRequest['sort'] {
  return sort.map(({ name, descending }) => {
    if (fieldNamed(documents.schema, datatype.datatype_id, name)) return { name, descending }
    // Ids are in the order in which entries were made.
    return { name: name === 'createdAt' ? 'id' : (columnNames[name] ?? name), descending }
  })
}
