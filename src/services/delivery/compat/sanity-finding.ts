import { isUlid } from '../../../ids.js'
import { all, any, nobody } from '../documents.js'
import type { FilterCondition, FilterGroup, Operator } from '../query/query-request.js'
import type { CompatSite } from './compat.js'
import { distancesIn, type Expr, QueryError, type Span } from './groq/syntax.js'
import { isIn, isObject, memberOf } from './groq/values.js'
import type { TypeMapping } from './mapping.js'
import { assetId } from './sanity-assets.js'
import { absent, type Place, SanityPlaces } from './sanity-places.js'

type Datatype = TypeMapping['datatype']
type Part = FilterCondition | FilterGroup

const opposites: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' }
const mirrored: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
const comparisons: Readonly<Record<string, Operator>> = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' }

const condition = (path: Place['path'], operator: Operator, value: string): FilterCondition => ({
  parameter: 'query',
  ...{ path, operator, value },
})
const always = condition(['id'], 'exists', 'true')
const never = condition(['id'], 'eq', nobody)
const constant = (holds: unknown): Part => (holds === true ? always : never)
const negated = (part: Part): FilterGroup => ({ all: true, not: true, parts: [part] })

/** Says in conditions of the query service what a GROQ filter says of documents of one datatype. */
export class SanityFilters {
  private readonly places: SanityPlaces

  constructor(
    private readonly site: CompatSite,
    private readonly datatype: Datatype,
    private readonly query: string,
    /** What is the same for each document. */
    private readonly constantOf: (expr: Expr) => Promise<unknown>,
  ) {
    this.places = new SanityPlaces(site, datatype, query)
  }

  private refuse(message: string, { start, end }: Span): never {
    throw new QueryError(message, this.query, start, end)
  }

  /**
   * Where the expression is true, or where it is false: what is neither, as a comparison with nothing, is not found.
   * @throws 400 for what the query service cannot say
   */
  async where(expr: Expr, isTrue = true): Promise<Part> {
    if (!distancesIn(expr).has(0)) return constant((await this.constantOf(expr)) === isTrue)
    if (expr.kind === 'unary' && expr.operator === '!') return this.where(expr.of, !isTrue)
    if (expr.kind === 'call') return this.function(expr, isTrue)
    if (expr.kind === 'binary') {
      const { operator, left, right } = expr
      if (operator === '&&' || operator === '||') {
        const parts = [await this.where(left, isTrue), await this.where(right, isTrue)]
        return (operator === '&&') === isTrue ? all(parts) : any(parts)
      }
      if (operator === 'in') return this.isIn(expr, isTrue)
      if (operator === '==' || operator === '!=') return this.equal(expr, (operator === '==') === isTrue)
      if (Object.hasOwn(opposites, operator)) return this.ordered(expr, isTrue)
      this.refuse(`${operator} is not answered here`, expr)
    }
    const place = this.places.of(expr)
    if (place === absent) return never
    if (place.type !== 'boolean') this.refuse('is no condition', expr)
    return condition(place.path, 'eq', String(isTrue))
  }

  /** The constant and the place of a comparison, whichever is on the left. */
  private async sides({ left, right }: { left: Expr; right: Expr }) {
    const isLeft = distancesIn(left).has(0)
    if (isLeft && distancesIn(right).has(0))
      this.refuse('attributes of a document are compared with what is the same for all', right)
    const [own, other] = isLeft ? [left, right] : [right, left]
    return { own, isLeft, value: await this.constantOf(other) }
  }

  private async equal(expr: Expr & { left: Expr; right: Expr }, isTrue: boolean): Promise<Part> {
    const { own, value } = await this.sides(expr)
    if (isType(own)) return constant((value === this.datatype.name) === isTrue)
    const place = this.places.of(own)
    if (place === absent) return constant((value === null) === isTrue)
    if (value === null) return condition(place.path, 'exists', String(!isTrue))
    const stored = this.storedIn(place, value, own)
    if (stored === undefined) return constant(!isTrue)
    return condition(place.path, isTrue ? 'eq' : 'ne', stored)
  }

  private storedIn(place: Place, value: unknown, at: Span): string | undefined {
    if (place.type === 'presence' || place.many) this.refuse('is not compared; name what is in it', at)
    return place.stored(value)
  }

  private async ordered(expr: Extract<Expr, { kind: 'binary' }>, isTrue: boolean): Promise<Part> {
    const { own, isLeft, value } = await this.sides(expr)
    const place = this.places.of(own)
    if (place === absent || value === null) return never
    const given = isLeft ? expr.operator : (mirrored[expr.operator] ?? '')
    const operator = comparisons[isTrue ? given : (opposites[given] ?? '')]
    const stored = this.storedIn(place, value, own)
    if (stored === undefined || operator === undefined) return never
    return condition(place.path, operator, stored)
  }

  private async isIn(expr: Extract<Expr, { kind: 'binary' }>, isTrue: boolean): Promise<Part> {
    const { left, right } = expr
    if (distancesIn(left).has(0)) return this.isOneOf(left, right, isTrue)
    const place = this.places.of(right)
    const value = await this.constantOf(left)
    // What is in no list is neither true nor false.
    if (place === absent) return never
    if (!place.many) this.refuse('is no list of references or of what they lead to', right)
    const stored = place.stored(value)
    if (stored === undefined) return constant(!isTrue)
    return condition(place.path, isTrue ? 'eq' : 'ne', stored)
  }

  private async isOneOf(left: Expr, right: Expr, isTrue: boolean): Promise<Part> {
    const list = await this.constantOf(right)
    if (isType(left)) return constant(isIn(this.datatype.name, list) === isTrue)
    const place = this.places.of(left)
    if (place === absent) return constant(isIn(null, list) === isTrue)
    if (!Array.isArray(list)) {
      // Of a path, which only ids are in: drafts have no ids of their own here.
      if (place.path[0] === 'id' && isObject(list)) return constant(!isTrue)
      return never
    }
    const stored = list.flatMap(value => this.storedIn(place, value, left) ?? [])
    const parts = [
      ...(stored.length > 0 ? [this.oneOf(place, [...new Set(stored)])] : []),
      ...(list.includes(null) ? [condition(place.path, 'exists', 'false')] : []),
    ]
    const found = parts.length === 0 ? never : any(parts)
    return isTrue ? found : negated(found)
  }

  /** A comma separates values, so that values with one are looked for one by one. */
  private oneOf({ path }: Place, values: readonly string[]): Part {
    if (!values.some(value => value.includes(','))) return condition(path, 'in', values.join())
    return any(values.map(value => condition(path, 'eq', value)))
  }

  private async function(expr: Extract<Expr, { kind: 'call' }>, isTrue: boolean): Promise<Part> {
    const { name, args } = expr
    const [first, second] = args
    if (name === 'defined' && first) {
      if (isType(first)) return constant(isTrue)
      const place = this.places.of(first)
      return place === absent ? constant(!isTrue) : condition(place.path, 'exists', String(isTrue))
    }
    if (name === 'references') return this.references(args, isTrue)
    if (name === 'string::startsWith' && first && second) {
      const place = this.places.of(first)
      const start = await this.constantOf(second)
      if (place === absent || typeof start !== 'string') return never
      const stored = this.storedIn(place, start, first)
      if (stored === undefined) return start === '' ? condition(place.path, 'exists', String(isTrue)) : never
      const part = condition(place.path, 'starts', stored)
      return isTrue ? part : all([condition(place.path, 'exists', 'true'), negated(part)])
    }
    this.refuse(`${name}() is not answered in a filter`, expr)
  }

  private async references(args: readonly Expr[], isTrue: boolean): Promise<Part> {
    const given: unknown[] = []
    for (const arg of args) given.push(await this.constantOf(arg))
    const ids = given.flat().map(one => memberOf(one, '_ref') ?? one)
    const media = ids.flatMap(one => assetId(one) ?? [])
    const wanted = [...new Set([...ids.filter(isUlid), ...media])]
    const fields = [...this.site.documents.schema.fields.values()].filter(
      ({ parent_id, field_type }) =>
        parent_id === this.datatype.datatype_id && (field_type === 'relation' || field_type === 'media'),
    )
    if (wanted.length === 0 || fields.length === 0) return constant(!isTrue)
    const found = any(fields.map(({ name }) => condition([name], 'in', wanted.join())))
    return isTrue ? found : negated(found)
  }
}

const isType = (expr: Expr): boolean => expr.kind === 'attribute' && expr.name === '_type'

/** What a filter says that all documents have to pass, in its parts. */
export const conjuncts = (expr: Expr): readonly Expr[] =>
  expr.kind === 'binary' && expr.operator === '&&'
    ? [...conjuncts(expr.left), ...conjuncts(expr.right)]
    : [expr]
