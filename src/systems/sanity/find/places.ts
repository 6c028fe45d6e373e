import type { FieldRow } from '../../../db/tables.js'
import { isUlid } from '../../../ids.js'
import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import type { Schema } from '../../../services/delivery/content-model.js'
import { fieldNamed } from '../../../services/delivery/query/query-plan.js'
import { type QueryRequest, queryLimits } from '../../../services/delivery/query/query-request.js'
import { type TypeMapping, targetsOf } from '../../mapping.js'
import { bare, type ExprNode, type Step, stepsOf } from '../groq/tree.js'
import { assetId } from '../write/media.js'

type Datatype = TypeMapping['datatype']

/** Something of a document that conditions are about. */
export interface Place {
  readonly path: readonly [string] | readonly [string, string]
  readonly type: 'text' | 'number' | 'boolean' | 'time' | 'reference' | 'presence'
  readonly many: boolean
  /** True if values are ids, which are those of Sanity for imported records. */
  readonly isId?: boolean
  stored(value: unknown): string | undefined
}

/** The attribute is null in every document. */
export const absent = 'absent'

const asText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const asNumber = (value: unknown) => (typeof value === 'number' ? String(value) : undefined)
const asBoolean = (value: unknown) => (typeof value === 'boolean' ? String(value) : undefined)
const asId = (value: unknown) => (isUlid(value) ? value : undefined)
/** Paths of routes are shown without their first slash. */
const asPath = (value: unknown) => {
  if (typeof value !== 'string' || value === '') return undefined
  return value.startsWith('/') ? value : `/${value}`
}
const nothing = () => undefined

const columns: Readonly<Record<string, Pick<Place, 'path' | 'type' | 'stored' | 'isId'>>> = {
  _id: { path: ['id'], type: 'text', isId: true, stored: asId },
  title: { path: ['title'], type: 'text', stored: asText },
  slug: { path: ['slug'], type: 'presence', stored: nothing },
  publishedAt: { path: ['published_at'], type: 'text', stored: asText },
  _createdAt: { path: ['date_created'], type: 'text', stored: asText },
  _updatedAt: { path: ['date_modified'], type: 'text', stored: asText },
}
const slugColumn = { path: ['slug'], type: 'text', stored: asPath } as const
const alwaysUnanswered = ['_rev', '_type', '_originalId']
const times: ReadonlySet<string> = new Set(['published_at', 'date_created', 'date_modified'])
const types: Readonly<Record<string, Pick<Place, 'type' | 'stored'>>> = {
  number: { type: 'number', stored: asNumber },
  boolean: { type: 'boolean', stored: asBoolean },
  date: { type: 'time', stored: asText },
  datetime: { type: 'time', stored: asText },
  json: { type: 'presence', stored: nothing },
  richtext: { type: 'presence', stored: nothing },
  media: { type: 'presence', stored: nothing },
  relation: { type: 'presence', stored: nothing },
  slug: { type: 'presence', stored: nothing },
}
const ofText = { type: 'text', stored: asText } as const

const isAttribute = (steps: readonly Step[], name: string): boolean =>
  steps.length === 1 && steps[0]?.kind === 'attribute' && steps[0].name === name

const isAsset = ([first, ...others]: readonly Step[]): boolean =>
  first?.kind === 'attribute' &&
  first.name === 'asset' &&
  (others.length === 0 || isAttribute(others, '_ref'))

/** The place that an expression names in a document; undefined if conditions cannot be about it. */
type Named = Place | typeof absent | undefined

/** Finds what expressions name of documents of one datatype. */
export class SanityPlaces {
  private readonly schema: Schema
  private readonly unanswered: ReadonlySet<string>

  constructor(
    { documents, childrenNames }: Pick<CompatSite, 'documents' | 'childrenNames'>,
    private readonly datatype: Datatype,
  ) {
    this.schema = documents.schema
    this.unanswered = new Set([...alwaysUnanswered, ...childrenNames.values()])
  }

  of(given: ExprNode): Named {
    const expr = bare(given)
    if (expr.type === 'FuncCall' && expr.name === 'dateTime' && expr.args[0]) {
      const place = this.of(expr.args[0])
      const isTime =
        place !== absent && place && (place.type === 'time' || times.has(place.path.at(-1) ?? ''))
      return place === absent || isTime ? place : undefined
    }
    const [first, ...steps] = stepsOf(expr) ?? []
    if (first?.kind !== 'attribute') return undefined
    const field = fieldNamed(this.schema, this.datatype.datatype_id, first.name)
    return field ? this.ofField(field, steps) : this.ofColumn(first.name, steps)
  }

  private ofColumn(name: string, steps: readonly Step[]): Named {
    if (this.unanswered.has(name)) return undefined
    const column = Object.hasOwn(columns, name) ? columns[name] : undefined
    if (!column) return absent
    if (name === 'slug' && isAttribute(steps, 'current')) return { ...slugColumn, many: false }
    return steps.length > 0 ? undefined : { ...column, many: false }
  }

  private ofField(field: FieldRow, given: readonly Step[]): Named {
    const { name, field_type, data } = field
    const path: [string] = [name]
    const isList = given[0]?.kind === 'flatten'
    const steps = isList ? given.slice(1) : given
    if (field_type === 'relation') {
      const many = data.cardinality === 'many'
      return given.length > 0 && isList !== many ? undefined : this.ofRelation(field, steps, many)
    }
    if (steps.length === 0 && !isList) return { path, ...(types[field_type] ?? ofText), many: false }
    if (field_type === 'slug' && !isList && isAttribute(steps, 'current'))
      return { path, ...ofText, many: false }
    if (field_type !== 'media' || !isAsset(steps)) return undefined
    return steps.length === 1
      ? { path, type: 'presence', stored: nothing, many: false }
      : { path, type: 'reference', isId: true, stored: assetId, many: isList }
  }

  private ofRelation(field: FieldRow, steps: readonly Step[], many: boolean): Named {
    const path: [string] = [field.name]
    if (steps.length === 0) return { path, type: 'presence', stored: nothing, many: false }
    if (isAttribute(steps, '_ref')) return { path, type: 'reference', isId: true, stored: asId, many }
    return steps[0]?.kind === 'deref' ? this.behind(field, steps.slice(1), many) : undefined
  }

  /** One relation away: the members depend on the datatypes that it may lead to. */
  private behind(relation: FieldRow, steps: readonly Step[], many: boolean): Named {
    const [first, ...others] = steps
    if (first?.kind !== 'attribute') return undefined
    const { schema } = this
    const targets = targetsOf(relation)
    const reached = [...schema.datatypes.values()].filter(
      ({ name }) => targets.length === 0 || targets.includes(name),
    )
    const field = reached
      .map(({ datatype_id }) => fieldNamed(schema, datatype_id, first.name))
      .find(one => one)
    if (first.name === '_id')
      return { path: [relation.name], type: 'reference', isId: true, stored: asId, many }
    const place = field ? this.ofField(field, others) : this.ofColumn(first.name, others)
    if (place === undefined || place === absent) return place
    return place.path.length > 1 ? undefined : { ...place, path: [relation.name, place.path[0]], many }
  }

  sorts(keys: readonly ExprNode[]): QueryRequest['sort'] | undefined {
    if (keys.length > queryLimits.sorts) return undefined
    const sorts: { name: string; descending: boolean }[] = []
    for (const key of keys) {
      const by = key.type === 'Asc' || key.type === 'Desc' ? key.base : key
      const place = this.orderPlace(by)
      if (place === undefined) return undefined
      // A missing attribute does not change the order.
      if (place !== absent) sorts.push({ name: place.path[0], descending: key.type === 'Desc' })
    }
    return sorts
  }

  private orderPlace(by: ExprNode): Named {
    const [first, ...steps] = stepsOf(by) ?? []
    if (first?.kind !== 'attribute') return undefined
    if (first.name === '_createdAt' && steps.length === 0) return creation
    if (steps.length > 0 && !isAttribute(steps, 'current')) return undefined
    const place = this.of(by)
    return place !== absent && (place?.many || place?.type === 'presence') ? undefined : place
  }
}

/** Ids are in the order in which entries were made. */
const creation: Place = { path: ['id'], type: 'text', stored: nothing, many: false }
