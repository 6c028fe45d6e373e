import { invalid } from '../../../errors.js'
import { isUlid, storedId } from '../../../ids.js'
import { any, type Documents, unknownId } from '../../../services/delivery/documents.js'
import { fieldNamed } from '../../../services/delivery/query/query-plan.js'
import {
  type FilterCondition,
  type FilterGroup,
  type QueryRequest,
  queryLimits,
} from '../../../services/delivery/query/query-request.js'
import { type TypeMapping, targetsOf } from '../../mapping.js'

/** A condition of a request: names are not looked up yet, and values may be numbers of entries. */
export interface StrapiCondition {
  readonly parameter: string
  readonly path: readonly string[]
  readonly operator: FilterCondition['operator']
  readonly values: readonly string[]
}
export interface StrapiGroup {
  readonly all: boolean
  readonly not?: boolean
  readonly parts: readonly (StrapiCondition | StrapiGroup)[]
}

const columnNames: Readonly<Record<string, string>> = {
  id: 'id',
  documentId: 'id',
  // Ids are in the order in which entries were made.
  createdAt: 'id',
  publishedAt: 'published_at',
}
const ids: ReadonlySet<string> = new Set(['id', 'documentId'])

type Datatype = TypeMapping['datatype']

/** Turns the filters of a request into conditions of the query service. */
export class Filters {
  constructor(
    private readonly documents: Documents,
    private readonly datatype: Datatype,
  ) {}

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
  }: StrapiCondition): Promise<FilterCondition | FilterGroup> {
    const last = path.at(-1) ?? ''
    const isField = this.isField(path)
    const isId = !isField && ids.has(last)
    if (!isField && (last === 'updatedAt' || last === 'createdAt'))
      throw invalid(parameter, 'is not answered; use publishedAt, or a field of your own')
    const given = isId ? await this.idsOf(values) : values
    const before = path.slice(0, -1)
    // The target of a relation has no id field to compare: the relation's value is that id.
    const named =
      isId && before.length > 0 ? before : [...before, isField ? last : (columnNames[last] ?? last)]
    if (named.length > 2) throw invalid(parameter, 'can follow only one relation')
    return this.compared({ parameter, path: named as [string], operator }, given)
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

  private async idsOf(values: readonly string[]): Promise<string[]> {
    const numbers = values.filter(value => /^\d{1,15}$/.test(value)).map(Number)
    const found = await this.documents.byNumber(numbers)
    return values
      .map(storedId)
      .map(value => (isUlid(value) ? value : (found.get(Number(value))?.content_data_id ?? unknownId)))
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
    if (name === 'updatedAt') throw invalid('sort', 'updatedAt is not answered; use publishedAt or createdAt')
    return { name: columnNames[name] ?? name, descending }
  })
}
