import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import { all, any } from '../../../services/delivery/documents.js'
import { typeNameOf } from '../../../services/delivery/formats/format.js'
import {
  type FilterCondition,
  type FilterGroup,
  type Operator,
  queryLimits,
} from '../../../services/delivery/query/query-request.js'
import { fieldsOf } from '../../documents.js'
import type { TypeMapping } from '../../mapping.js'
import { bare, distancesIn, type ExprNode, isAttribute, nodesIn } from '../groq/tree.js'
import { ownRecords } from '../names.js'
import { mirrored } from './id-order.js'
import { absent, type Place, SanityPlaces } from './places.js'

type Datatype = TypeMapping['datatype']
type Part = FilterCondition | FilterGroup
type Comparison = Extract<ExprNode, { type: 'OpCall' }>

const opposites: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' }
const comparisons: Readonly<Record<string, Operator>> = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' }

const condition = (
  path: Place['path'],
  operator: FilterCondition['operator'],
  ...values: string[]
): FilterCondition => ({
  parameter: 'query',
  ...{ path, operator, values },
})
const referring: ReadonlySet<string> = new Set(['relation', 'media'])
const always = all([])
const never = any([])
const constant = (holds: unknown): Part => (holds === true ? always : never)
const negated = (part: Part): FilterGroup => ({ all: true, not: true, parts: [part] })

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : null
/** Lists and objects are equal to nothing. */
const isIn = (value: unknown, list: unknown): boolean | null =>
  Array.isArray(list) ? list.some(one => one === value && (typeof one !== 'object' || one === null)) : null

/** The pattern of `path("drafts.**")`, where it is a text. */
function patternOf(given: ExprNode): string | undefined {
  const expr = bare(given)
  const [first] = expr.type === 'FuncCall' && expr.name === 'path' ? expr.args : []
  return first?.type === 'Value' && typeof first.value === 'string' ? first.value : undefined
}

/**
 * Translates a GROQ filter on documents of one datatype into conditions of the query service. Conditions that it cannot
 * translate are checked in memory.
 */
export class SanityFilters {
  private readonly places: SanityPlaces
  private readonly typeName: string
  private readonly hasParts: boolean

  /** @param byCreation whether ids are in the order in which entries were made here: that of Sanity is not known then */
  constructor(
    private readonly site: CompatSite,
    private readonly datatype: Datatype,
    private readonly constantOf: (expr: ExprNode) => Promise<unknown>,
    private readonly byCreation: boolean,
  ) {
    this.places = new SanityPlaces(site, datatype)
    this.typeName = typeNameOf({ datatype }, site)
    this.hasParts = site.types.some(type => type.datatype === datatype && type.namesChildren)
  }

  /**
   * Conditions for documents for which the expression is true, or is false. If it is neither, as in a comparison with
   * nothing, they do not find the document. Undefined if the query service cannot express it.
   */
  async where(given: ExprNode, isTrue = true): Promise<Part | undefined> {
    const expr = bare(given)
    const distances = distancesIn(expr)
    if (distances.size === 0) return constant((await this.constantOf(expr)) === isTrue)
    if (Math.max(...distances) > 0) return undefined
    switch (expr.type) {
      case 'Not':
        return this.where(expr.base, !isTrue)
      case 'And':
      case 'Or':
        return this.both(expr.left, expr.right, isTrue, (expr.type === 'And') === isTrue)
      case 'InRange': {
        const { base, left, right, isInclusive } = expr
        const from = { type: 'OpCall', op: '>=', left: base, right: left } as const
        const to = { type: 'OpCall', op: isInclusive ? '<=' : '<', left: base, right } as const
        return this.both(from, to, isTrue, isTrue)
      }
      case 'FuncCall':
        return this.function(expr, isTrue)
      case 'OpCall':
        return this.comparison(expr, isTrue)
      default:
        return this.truth(expr, isTrue)
    }
  }

  private async both(left: ExprNode, right: ExprNode, isTrue: boolean, isAll: boolean) {
    const parts = [await this.where(left, isTrue), await this.where(right, isTrue)]
    const said = parts.flatMap(part => part ?? [])
    if (said.length < parts.length) return undefined
    return isAll ? all(said) : any(said)
  }

  private truth(expr: ExprNode, isTrue: boolean): Part | undefined {
    const place = this.places.of(expr)
    if (place === undefined) return undefined
    if (place === absent) return never
    if (place.type === 'boolean') return condition(place.path, 'eq', String(isTrue))
    return isCompared(place) ? never : undefined
  }

  private async comparison(expr: Comparison, isTrue: boolean): Promise<Part | undefined> {
    const { op } = expr
    if (op === 'in') return this.isIn(expr, isTrue)
    if (op === '==' || op === '!=') return this.equal(expr, (op === '==') === isTrue)
    return Object.hasOwn(opposites, op) ? this.ordered(expr, isTrue) : undefined
  }

  private async sides({ left, right }: Comparison) {
    const isLeft = distancesIn(left).has(0)
    if (isLeft && distancesIn(right).has(0)) return undefined
    const [own, other] = isLeft ? [left, right] : [right, left]
    return { own, isLeft, isSame: sameKind(own, other), value: await this.constantOf(other) }
  }

  private async equal(expr: Comparison, isTrue: boolean): Promise<Part | undefined> {
    const sides = await this.sides(expr)
    if (!sides) return undefined
    const { own, value, isSame } = sides
    if (isAttribute(own, '_type')) return constant((value === this.typeName) === isTrue)
    const place = this.places.of(own)
    if (place === undefined) return undefined
    if (place === absent) return constant((value === null) === isTrue)
    if (value === null) return condition(place.path, 'exists', String(!isTrue))
    if (!isSame || !isCompared(place)) return isSame === false ? constant(!isTrue) : undefined
    const stored = await this.storedIn(place, value)
    if (stored === undefined) return constant(!isTrue)
    return condition(place.path, isTrue ? 'eq' : 'ne', stored)
  }

  private async storedIn(place: Place, value: unknown): Promise<string | undefined> {
    if (!place.isId || typeof value !== 'string') return place.stored(value)
    return (await this.ownIds([value]))[0]
  }

  private async ownIds(values: readonly unknown[]): Promise<string[]> {
    const texts = values.filter(value => typeof value === 'string')
    const own = [...(await ownRecords(this.site, texts)).values()]
    return own.flatMap(({ entry, media }) => entry ?? media ?? [])
  }

  private async ordered(expr: Comparison, isTrue: boolean): Promise<Part | undefined> {
    const sides = await this.sides(expr)
    if (!sides) return undefined
    const { own, isLeft, value, isSame } = sides
    const place = this.places.of(own)
    if (place === undefined) return undefined
    if (place === absent || value === null) return never
    if (!isSame || !isCompared(place)) return isSame === false ? never : undefined
    const given = isLeft ? expr.op : (mirrored[expr.op] ?? '')
    const operator = comparisons[isTrue ? given : (opposites[given] ?? '')]
    if (operator === undefined) return never
    if (place.isId && typeof value === 'string') return this.orderedId(place, operator, value)
    const stored = place.stored(value)
    return stored === undefined ? never : condition(place.path, operator, stored)
  }

  private async orderedId(place: Place, operator: Operator, value: string): Promise<Part | undefined> {
    // Every id is behind the empty text, at which pages begin.
    if (value === '') return constant(operator === 'gt' || operator === 'gte')
    const [stored] = this.byCreation ? await this.ownIds([value]) : []
    return stored === undefined ? undefined : condition(place.path, operator, stored)
  }

  private async isIn({ left, right }: Comparison, isTrue: boolean): Promise<Part | undefined> {
    if (distancesIn(left).has(0))
      return distancesIn(right).has(0) ? undefined : this.isOneOf(left, right, isTrue)
    const place = this.places.of(right)
    const value = await this.constantOf(left)
    // `in` a missing list is neither true nor false.
    if (place === absent) return never
    if (!place?.many) return undefined
    const stored = await this.storedIn(place, value)
    if (stored === undefined) return constant(!isTrue)
    return condition(place.path, isTrue ? 'eq' : 'ne', stored)
  }

  private async isOneOf(left: ExprNode, right: ExprNode, isTrue: boolean): Promise<Part | undefined> {
    const pattern = patternOf(right)
    // Drafts and releases have no ids of their own here.
    if (pattern !== undefined)
      return isAttribute(left, '_id') && /^(?:drafts|versions)\./.test(pattern)
        ? constant(!isTrue)
        : undefined
    const list = await this.constantOf(right)
    if (isAttribute(left, '_type')) return constant(isIn(this.typeName, list) === isTrue)
    const place = this.places.of(left)
    if (place === undefined) return undefined
    if (place === absent) return constant(isIn(null, list) === isTrue)
    if (!Array.isArray(list)) return never
    if (!isCompared(place) || isMoment(left)) return undefined
    const own = place.isId ? await this.ownIds(list) : undefined
    const stored = own ?? list.flatMap(value => place.stored(value) ?? [])
    const parts = [
      ...(stored.length > 0 ? [condition(place.path, 'in', ...new Set(stored))] : []),
      ...(list.includes(null) ? [condition(place.path, 'exists', 'false')] : []),
    ]
    return isTrue ? any(parts) : negated(any(parts))
  }

  private async function(
    { namespace, name, args }: Extract<ExprNode, { type: 'FuncCall' }>,
    isTrue: boolean,
  ): Promise<Part | undefined> {
    const [first, second] = args
    if (name === 'references') return this.references(args, isTrue)
    if (name === 'defined' && first) {
      if (isAttribute(first, '_type')) return constant(isTrue)
      const place = this.places.of(first)
      if (place === undefined) return undefined
      return place === absent ? constant(!isTrue) : this.defined(place, isTrue)
    }
    if (namespace === 'string' && name === 'startsWith' && first && second)
      return this.startsWith(first, second, isTrue)
    return undefined
  }

  /** An empty list is there, and the query service does not count it. */
  private defined({ path }: Place, isTrue: boolean): Part {
    const exists = condition(path, 'exists', String(isTrue))
    const fields = fieldsOf(this.site.documents.schema, this.datatype)
    const isJson = fields.some(({ name, field_type }) => name === path[0] && field_type === 'json')
    if (path.length > 1 || !isJson) return exists
    return isTrue ? any([exists, condition(path, 'eq', '[]')]) : all([exists, condition(path, 'ne', '[]')])
  }

  private async startsWith(first: ExprNode, second: ExprNode, isTrue: boolean): Promise<Part | undefined> {
    if (distancesIn(second).has(0)) return undefined
    const place = this.places.of(first)
    if (place === undefined) return undefined
    const start = await this.constantOf(second)
    if (place === absent || typeof start !== 'string') return never
    if (place.isId) return undefined
    if (!isCompared(place)) return undefined
    const stored = place.stored(start)
    if (stored === undefined) return start === '' ? condition(place.path, 'exists', String(isTrue)) : never
    const part = condition(place.path, 'starts', stored)
    return isTrue ? part : all([condition(place.path, 'exists', 'true'), negated(part)])
  }

  private async references(args: readonly ExprNode[], isTrue: boolean): Promise<Part | undefined> {
    if (args.some(arg => distancesIn(arg).size > 0)) return undefined
    const given: unknown[] = []
    for (const arg of args) given.push(await this.constantOf(arg))
    const ids = given.flat().map(one => memberOf(one, '_ref') ?? one)
    const wanted = [...new Set(await this.ownIds(ids))]
    // A page refers to everything that its parts refer to.
    if (wanted.length > 0 && this.hasParts) return undefined
    const parts = fieldsOf(this.site.documents.schema, this.datatype).flatMap(({ name, field_type }) => {
      if (referring.has(field_type)) return [condition([name], 'in', ...wanted)]
      if (field_type === 'richtext') return [condition([name], 'names', ...wanted)]
      // References in JSON are in no index.
      return field_type === 'json' ? wanted.map(id => condition([name], 'contains', id)) : []
    })
    if (wanted.length === 0 || parts.length === 0) return constant(!isTrue)
    const searches = parts.filter(({ operator }) => operator === 'contains')
    if (searches.length > queryLimits.searches || parts.length > queryLimits.conditions) return undefined
    return isTrue ? any(parts) : negated(any(parts))
  }
}

const isDateTime = (expr: ExprNode): boolean => expr.type === 'FuncCall' && expr.name === 'dateTime'

/** Whether the value is a moment, which no text is equal to or before; undefined where that is not known. */
function isMoment(given: ExprNode): boolean | undefined {
  const expr = bare(given)
  if (isDateTime(expr)) return true
  if (![...nodesIn(expr)].some(isDateTime)) return false
  if (expr.type !== 'OpCall' || (expr.op !== '+' && expr.op !== '-')) return undefined
  const [left, right] = [isMoment(expr.left), isMoment(expr.right)]
  return left === undefined || right === undefined ? undefined : left && !right
}

/** Whether two sides are both moments, or both none; undefined where that is not known. */
function sameKind(own: ExprNode, other: ExprNode): boolean | undefined {
  const is = isMoment(other)
  return is === undefined ? undefined : is === isMoment(own)
}

const isCompared = ({ type, many }: Place): boolean => type !== 'presence' && !many
