import type { RowOf } from '../../../db/columns.js'
import type { ContentSpace } from '../../../db/tables.js'
import { isUlid } from '../../../ids.js'
import type { Schema } from '../content-model.js'
import { fieldNamed } from '../query/query-plan.js'
import { type QueryRequest, queryLimits } from '../query/query-request.js'
import type { CompatSite } from './compat.js'
import { type Expr, type Op, type OrderKey, QueryError, type Span } from './groq/syntax.js'
import { type TypeMapping, targetsOf } from './mapping.js'
import { assetId } from './sanity-assets.js'

type Datatype = TypeMapping['datatype']
type Field = RowOf<ContentSpace['fields']>

/** Something of a document that conditions are about. */
export interface Place {
  readonly path: readonly [string] | readonly [string, string]
  readonly type: 'text' | 'number' | 'boolean' | 'time' | 'reference' | 'presence'
  /** Whether it is a list of several. */
  readonly many: boolean
  /** Of a value the text that it is stored as. */
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

const columns: Readonly<Record<string, Pick<Place, 'path' | 'type' | 'stored'>>> = {
  _id: { path: ['id'], type: 'text', stored: asId },
  title: { path: ['title'], type: 'text', stored: asText },
  slug: { path: ['slug'], type: 'presence', stored: nothing },
  publishedAt: { path: ['published_at'], type: 'text', stored: asText },
}
const slugColumn = { path: ['slug'], type: 'text', stored: asPath } as const
/** What every document has and no condition is about. */
const alwaysUnanswered = ['_createdAt', '_updatedAt', '_rev', '_type', '_originalId']
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

const isAttribute = (ops: readonly Op[], name: string): boolean =>
  ops.length === 1 && ops[0]?.kind === 'attribute' && ops[0].name === name

/** `asset` and `asset._ref` of a picture. */
const isAsset = ([first, ...others]: readonly Op[]): boolean =>
  first?.kind === 'attribute' &&
  first.name === 'asset' &&
  (others.length === 0 || isAttribute(others, '_ref'))

/** Finds what expressions name of documents of one datatype. */
export class SanityPlaces {
  private readonly schema: Schema
  private readonly unanswered: ReadonlySet<string>

  constructor(
    { documents, childrenNames }: Pick<CompatSite, 'documents' | 'childrenNames'>,
    private readonly datatype: Datatype,
    private readonly query: string,
  ) {
    this.schema = documents.schema
    this.unanswered = new Set([...alwaysUnanswered, ...childrenNames.values()])
  }

  private refuse(message: string, { start, end }: Span): never {
    throw new QueryError(message, this.query, start, end)
  }

  /** What an expression names of a document. @throws 400 for what conditions cannot be about */
  of(expr: Expr): Place | typeof absent {
    if (expr.kind === 'call' && expr.name === 'dateTime' && expr.args[0]) {
      const place = this.of(expr.args[0])
      if (place === absent || place.type === 'time' || place.path[0] === 'published_at') return place
    }
    const base = expr.kind === 'chain' ? expr.base : expr
    if (base.kind !== 'attribute') this.refuse('is not answered in a filter', expr)
    const ops = expr.kind === 'chain' ? expr.ops : []
    const field = fieldNamed(this.schema, this.datatype.datatype_id, base.name)
    return field ? this.ofField(field, ops, expr) : this.ofColumn(base.name, ops, expr)
  }

  private ofColumn(name: string, ops: readonly Op[], at: Span): Place | typeof absent {
    if (this.unanswered.has(name))
      this.refuse(`${name} is not answered here; use publishedAt, or a field of your own`, at)
    const column = Object.hasOwn(columns, name) ? columns[name] : undefined
    if (!column) return absent
    if (name === 'slug' && isAttribute(ops, 'current')) return { ...slugColumn, many: false }
    if (ops.length > 0) this.refuse('is not answered in a filter', at)
    return { ...column, many: false }
  }

  private ofField(field: Field, given: readonly Op[], at: Span): Place | typeof absent {
    const { name, field_type, data } = field
    const path: [string] = [name]
    const isList = given[0]?.kind === 'flatten'
    const ops = isList ? given.slice(1) : given
    if (field_type === 'relation') {
      const many = data.cardinality === 'many'
      if (given.length > 0 && isList !== many)
        this.refuse(many ? `${name} is a list: write ${name}[]` : `${name} is no list`, at)
      return this.ofRelation(field, ops, many, at)
    }
    if (ops.length === 0 && !isList) return { path, ...(types[field_type] ?? ofText), many: false }
    if (field_type === 'slug' && !isList && isAttribute(ops, 'current'))
      return { path, ...ofText, many: false }
    if (field_type === 'media' && isAsset(ops))
      return ops.length === 1
        ? { path, type: 'presence', stored: nothing, many: false }
        : { path, type: 'reference', stored: assetId, many: isList }
    this.refuse('is not answered in a filter', at)
  }

  private ofRelation(field: Field, ops: readonly Op[], many: boolean, at: Span): Place | typeof absent {
    const path: [string] = [field.name]
    if (ops.length === 0) return { path, type: 'presence', stored: nothing, many: false }
    if (isAttribute(ops, '_ref')) return { path, type: 'reference', stored: asId, many }
    if (ops[0]?.kind === 'deref') return this.behind(field, ops.slice(1), many, at)
    this.refuse('is not answered in a filter', at)
  }

  /** One relation away: the datatypes that it leads to say what is there. */
  private behind(relation: Field, ops: readonly Op[], many: boolean, at: Span): Place | typeof absent {
    const [first, ...others] = ops
    if (first?.kind !== 'attribute') this.refuse('names no attribute', at)
    const { schema } = this
    const targets = targetsOf(relation)
    const reached = [...schema.datatypes.values()].filter(
      ({ name }) => targets.length === 0 || targets.includes(name),
    )
    const field = reached
      .map(({ datatype_id }) => fieldNamed(schema, datatype_id, first.name))
      .find(one => one)
    if (first.name === '_id') return { path: [relation.name], type: 'reference', stored: asId, many }
    const place = field ? this.ofField(field, others, at) : this.ofColumn(first.name, others, at)
    if (place === absent) return place
    if (place.path.length > 1) this.refuse('may look one relation away', at)
    return { ...place, path: [relation.name, place.path[0]], many }
  }

  /** The order of the query service; undefined where it has none such. */
  sorts(keys: readonly OrderKey[]): QueryRequest['sort'] | undefined {
    if (keys.length > queryLimits.sorts) return undefined
    const sorts: { name: string; descending: boolean }[] = []
    for (const { by, descending } of keys) {
      const place = isCreation(by) ? creation : this.orderPlace(by)
      if (place === undefined) return undefined
      // What is nowhere orders nothing.
      if (place !== absent) sorts.push({ name: place.path[0], descending })
    }
    return sorts
  }

  private orderPlace(by: Expr): Place | typeof absent | undefined {
    const base = by.kind === 'chain' ? by.base : by
    if (base.kind !== 'attribute' || this.unanswered.has(base.name)) return undefined
    if (by.kind === 'chain' && !isAttribute(by.ops, 'current')) return undefined
    const place = this.of(by)
    return place !== absent && (place.many || place.type === 'presence') ? undefined : place
  }
}

const isCreation = (by: Expr): boolean => by.kind === 'attribute' && by.name === '_createdAt'
/** Ids are in the order in which entries were made. */
const creation: Place = { path: ['id'], type: 'text', stored: nothing, many: false }
