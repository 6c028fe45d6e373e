import { isUlid } from '../../../ids.js'
import { all } from '../documents.js'
import type { FilterGroup } from '../query/query-request.js'
import { queryLimits } from '../query/query-request.js'
import type { CompatSite } from './compat.js'
import type { Dataset, Source } from './groq/dataset.js'
import { distancesIn, type Expr, groqLimits, type Op, partsOf, QueryError, type Span } from './groq/syntax.js'
import type { TypeMapping } from './mapping.js'
import type { SanityPlace } from './sanity-assets.js'
import { SanityDocuments } from './sanity-documents.js'
import { conjuncts, SanityFilters } from './sanity-finding.js'
import { SanityPlaces } from './sanity-places.js'

type Datatype = TypeMapping['datatype']
type ConstantOf = (expr: Expr) => Promise<unknown>

const mostTypes = 10

/** What a read asks for. */
interface Plan {
  readonly types: readonly Datatype[]
  readonly conditions: readonly Expr[]
  /** What the query service does not compare, and is compared in memory. */
  readonly rest: readonly Expr[]
  readonly order: Extract<Op, { kind: 'order' }> | undefined
  /** Whether what is found is what was asked for; else the rest is done in memory. */
  readonly isWhole: boolean
  readonly window: { readonly offset: number; readonly limit: number; readonly isOne: boolean } | undefined
  readonly left: readonly Op[]
}

/** Whether a condition has words in it, which the query service knows nothing of. */
const hasMatch = (expr: Expr): boolean =>
  (expr.kind === 'binary' && expr.operator === 'match') || partsOf(expr).some(hasMatch)

/** The documents of the site, found by the query service. */
export class SanityDataset implements Dataset {
  private readonly documents: SanityDocuments
  private readonly locale: string

  /** @param wanted members of documents that are made; undefined for all */
  constructor(
    private readonly site: CompatSite,
    place: SanityPlace,
    private readonly query: string,
    wanted: ReadonlySet<string> | undefined,
  ) {
    this.documents = new SanityDocuments(site, place, query, wanted)
    this.locale = site.documents.localeNamed(place.dataset)
  }

  private refuse(message: string, { start, end }: Span): never {
    throw new QueryError(message, this.query, start, end)
  }

  async read(source: Source, constantOf: ConstantOf): Promise<{ value: unknown; left: readonly Op[] }> {
    const plan = await this.planOf(source, constantOf)
    const { isWhole } = plan
    if (source.counts && isWhole) return { value: await this.count(plan, constantOf), left: [] }
    const ids = await this.find(plan, source, constantOf)
    const found = await this.documents.of(ids)
    const list = ids.flatMap(id => found.get(id) ?? [])
    if (isWhole) return { value: plan.window?.isOne ? (list[0] ?? null) : list, left: plan.left }
    const rest = plan.rest.map(
      (condition): Op => ({ kind: 'filter', condition, start: source.start, end: source.end }),
    )
    if (!source.counts) return { value: list, left: [...rest, ...plan.left] }
    return { value: await this.countOf(list, plan.rest, source), left: [] }
  }

  private countOf(list: readonly unknown[], rest: readonly Expr[], at: Span): number {
    if (rest.length > 0) this.refuse('match is not answered in count(); count what is found by it', at)
    return list.length
  }

  /** What stands behind `*`, and how much of it is found at once. */
  private async planOf(source: Source, constantOf: ConstantOf): Promise<Plan> {
    const { ops } = source
    const filters = ops.slice(0, ops.findIndex(({ kind }) => kind !== 'filter') >>> 0)
    const every = filters.flatMap(op => (op.kind === 'filter' ? conjuncts(op.condition) : []))
    const types = await this.typesOf(every, source, constantOf)
    const [rest, conditions] = [every.filter(hasMatch), every.filter(one => !hasMatch(one))]
    const behind = ops.slice(filters.length)
    const [first] = behind
    const given = first?.kind === 'order' ? first : undefined
    const order = given && this.isIndexed(given, types) ? given : undefined
    const after = order ? behind.slice(1) : behind
    const isWhole = rest.length === 0 && types.length <= 1 && order === given
    if (!isWhole) return { types, conditions, rest, order, isWhole, window: undefined, left: after }
    // What is done with each document is done with the few that are chosen.
    const at = after.findIndex(({ kind }) => kind !== 'project' && kind !== 'deref')
    const op = after[at]
    const window = op && this.windowOf(op)
    const left = window ? after.filter(one => one !== op) : after
    return { types, conditions, rest, order, isWhole, window, left }
  }

  /** Whether the query service has the entries in this order. */
  private isIndexed({ keys }: Extract<Op, { kind: 'order' }>, types: readonly Datatype[]): boolean {
    const [datatype] = types
    if (types.length > 1 || !datatype) return types.length === 0
    return new SanityPlaces(this.site, datatype, this.query).sorts(keys) !== undefined
  }

  private windowOf(op: Op): Plan['window'] {
    if (op.kind !== 'element' && op.kind !== 'slice') return undefined
    const [from, to] =
      op.kind === 'element' ? [op.index, op.index + 1] : [op.from, op.to + (op.inclusive ? 1 : 0)]
    if (from < 0 || to < 0 || (op.kind === 'slice' && op.to < 0))
      this.refuse('documents are counted from the first one', op)
    if (from > queryLimits.offset) this.refuse(`may pass over at most ${queryLimits.offset} documents`, op)
    return { offset: from, limit: Math.max(to - from, 0), isOne: op.kind === 'element' }
  }

  /** The datatypes that a filter lets through, as far as the caller sees them. */
  private async typesOf(every: readonly Expr[], at: Span, constantOf: ConstantOf): Promise<Datatype[]> {
    const named = await this.constantsOf(every, '_type', constantOf)
    const { types } = this.site
    const found =
      named !== undefined
        ? types.filter(({ datatype }) => named.includes(datatype.name)).map(({ datatype }) => datatype)
        : await this.typesById(every, at, constantOf)
    const missing = named && new Set(named.filter(one => typeof one === 'string')).size > found.length
    // What there is not and what is not public look the same.
    if (missing) await this.site.sees(undefined)
    const seen: Datatype[] = []
    for (const datatype of found) if (await this.site.sees(datatype)) seen.push(datatype)
    if (seen.length > mostTypes) this.refuse(`may name ${mostTypes} types`, at)
    return seen
  }

  private async typesById(every: readonly Expr[], at: Span, constantOf: ConstantOf): Promise<Datatype[]> {
    const ids = await this.constantsOf(every, '_id', constantOf)
    if (ids === undefined) this.refuse('the filter must name _type, or _id', at)
    const { documents } = this.site
    const rows = await documents.records(ids.filter(isUlid).slice(0, queryLimits.values))
    const known = new Set(rows.map(({ datatype_id }) => datatype_id))
    return [...known].flatMap(id => documents.schema.datatypes.get(id) ?? [])
  }

  /** What `name == constant`, `name in constants` or both of `||` say that it is; undefined where none is said. */
  private async constantsOf(
    every: readonly Expr[],
    name: string,
    constantOf: ConstantOf,
  ): Promise<unknown[] | undefined> {
    for (const expr of every) {
      const found = expr.kind === 'binary' ? await this.constantsIn(expr, name, constantOf) : undefined
      if (found) return found
    }
    return undefined
  }

  private async constantsIn(
    { operator, left, right }: Extract<Expr, { kind: 'binary' }>,
    name: string,
    constantOf: ConstantOf,
  ): Promise<unknown[] | undefined> {
    if (operator === '||') {
      const first = await this.constantsOf(conjuncts(left), name, constantOf)
      const second = first && (await this.constantsOf(conjuncts(right), name, constantOf))
      return second && [...first, ...second]
    }
    const isNamed = (expr: Expr) => expr.kind === 'attribute' && expr.name === name
    const other = isNamed(left) ? right : operator === '==' && isNamed(right) ? left : undefined
    if (!other || distancesIn(other).has(0) || (operator !== '==' && operator !== 'in')) return undefined
    const value = await constantOf(other)
    if (operator === '==') return [value]
    return Array.isArray(value) ? value : undefined
  }

  private async filterOf(
    datatype: Datatype,
    { conditions }: Plan,
    constantOf: ConstantOf,
  ): Promise<FilterGroup> {
    const filters = new SanityFilters(this.site, datatype, this.query, constantOf)
    const parts: FilterGroup['parts'] = []
    for (const condition of conditions) {
      const part = await filters.where(condition)
      // What always holds need not be asked for.
      if (!isAlways(part)) parts.push(part)
    }
    return all(parts)
  }

  private async count(plan: Plan, constantOf: ConstantOf): Promise<number> {
    const [datatype] = plan.types
    if (!datatype) return 0
    const filter = await this.filterOf(datatype, plan, constantOf)
    const asked = { datatype, filter, sort: [], limit: 1, offset: 0, locale: this.locale, count: true }
    return (await this.site.documents.find(asked)).count ?? 0
  }

  /** The ids of what passes: in their order where there is one datatype, else by id. */
  private async find(plan: Plan, at: Span, constantOf: ConstantOf): Promise<string[]> {
    const { types, order, window, isWhole } = plan
    const { documents } = this.site
    const ids: string[] = []
    for (const datatype of types) {
      const places = new SanityPlaces(this.site, datatype, this.query)
      const most = groqLimits.documents - ids.length
      const limit = Math.min(window?.limit ?? most + 1, most + 1)
      if (limit === 0) continue
      const found = await documents.find({
        datatype,
        filter: await this.filterOf(datatype, plan, constantOf),
        sort: (order && places.sorts(order.keys)) ?? [],
        ...{ limit, offset: window?.offset ?? 0, locale: this.locale, count: false },
      })
      ids.push(...found.ids)
      if (ids.length > groqLimits.documents)
        this.refuse(
          isWhole
            ? `finds more than ${groqLimits.documents} documents; choose a slice, such as [0...100]`
            : `is done in memory, and finds more than ${groqLimits.documents} documents`,
          at,
        )
    }
    return isWhole || types.length === 1 ? ids : ids.sort()
  }

  load(references: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    return this.documents.load(references)
  }
}

const isAlways = (part: FilterGroup['parts'][number]): boolean =>
  !('parts' in part) && part.path[0] === 'id' && part.operator === 'exists' && part.value === 'true'
