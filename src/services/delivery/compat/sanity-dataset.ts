import { isUlid } from '../../../ids.js'
import { all, nobody } from '../documents.js'
import { sanityDocument } from '../formats/sanity.js'
import { assetName } from '../formats/sanity-media.js'
import type { FilterGroup } from '../query/query-request.js'
import { queryLimits } from '../query/query-request.js'
import { idsIn, mediaIdsIn } from '../query/query-rows.js'
import { portableTextOf } from '../rich-text/index.js'
import { walk } from '../tree.js'
import type { CompatSite } from './compat.js'
import type { Dataset, Source } from './groq/dataset.js'
import { distancesIn, type Expr, groqLimits, type Op, partsOf, QueryError, type Span } from './groq/syntax.js'
import type { TypeMapping } from './mapping.js'
import { assetDocument, assetId, type SanityPlace } from './sanity-assets.js'
import { draftsAmong } from './sanity-drafts.js'
import { conjuncts, SanityFilters } from './sanity-finding.js'
import { SanityPlaces } from './sanity-places.js'
import { isWantedRich } from './sanity-wanted.js'

type Datatype = TypeMapping['datatype']
type ConstantOf = (expr: Expr) => Promise<unknown>

/** Levels of children in a document. */
const childLevels = 10
/** Entries that all documents of one answer have in them. */
const mostEntries = 10_000
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

/** The documents of the site, found by the query service and shown as Sanity shows them. */
export class SanityDataset implements Dataset {
  private readonly loaded = new Map<string, unknown>()
  /** What documents that were read refer to: who may read them may read that too. */
  private readonly referred = new Set<string>()
  private entries = 0
  private readonly locale: string

  /** @param wanted members of documents that are made; undefined for all */
  constructor(
    private readonly site: CompatSite,
    private readonly place: SanityPlace,
    private readonly query: string,
    private readonly wanted: ReadonlySet<string> | undefined,
  ) {
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
    const found = await this.documentsOf(ids)
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

  async load(references: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const found = new Map<string, unknown>()
    const ids = references.filter(isUlid)
    const unknown = ids.filter(id => !this.referred.has(id) && !this.loaded.has(id))
    const open = new Set(ids.filter(id => !unknown.includes(id)))
    const { documents } = this.site
    for (const { content_data_id, datatype_id } of await documents.records(unknown))
      if (await this.site.sees(documents.schema.datatypes.get(datatype_id))) open.add(content_data_id)
    for (const [id, document] of await this.documentsOf([...open])) found.set(id, document)
    for (const [reference, asset] of await this.assets(references)) found.set(reference, asset)
    return found
  }

  private async assets(references: readonly string[]): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>()
    const idOf = new Map(references.flatMap(one => (assetId(one) ? [[one, assetId(one) ?? nobody]] : [])))
    if (idOf.size === 0) return found
    const media = await this.site.documents.media([...new Set(idOf.values())])
    for (const [reference, id] of idOf) {
      const item = media.get(id)
      const isSeen = item && (this.referred.has(id) || (await this.site.seesMedia(id)))
      if (isSeen && assetName(item).id === reference)
        found.set(reference, assetDocument(item, this.place.images))
    }
    return found
  }

  /** Documents by their ids, each read once. */
  private async documentsOf(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    const missing = [...new Set(ids)].filter(id => !this.loaded.has(id))
    if (missing.length > 0) await this.loadAll(missing)
    return this.loaded
  }

  private async loadAll(ids: readonly string[]): Promise<void> {
    const { site, wanted } = this
    const childrenNames = [...site.childrenNames.values()]
    const needsChildren = !wanted || wanted.has('_rev') || childrenNames.some(name => wanted.has(name))
    const hasRich = !wanted || [...site.documents.schema.fields.values()].some(isWantedRich(wanted))
    const shown = await site.documents.shown(ids, {
      locale: this.locale,
      children: needsChildren ? childLevels : 0,
      expand: [],
      writeRich: hasRich || needsChildren ? portableTextOf : undefined,
    })
    const { trees } = shown
    const context = { ...shown.context, childrenNames: site.childrenNames }
    const nodes = trees.flatMap(({ root }) => [...walk(root)])
    this.entries += nodes.length
    if (this.entries > mostEntries)
      this.refuse(`the answer would have more than ${mostEntries} entries; ask for less`, {
        start: 0,
        end: this.query.length,
      })
    for (const id of mediaIdsIn(nodes)) this.referred.add(id)
    const seen = await site.documents.seen(idsIn(nodes))
    for (const id of seen) this.referred.add(id)
    const isSeen = (id: string) => seen.has(id)
    const drafts = await draftsAmong(site, trees, wanted)
    for (const tree of trees) {
      const { content_data_id: id } = tree.root.entry
      this.loaded.set(id, sanityDocument(tree, context, { wanted, isSeen, isDraft: drafts.has(id) }))
    }
  }
}

const isAlways = (part: FilterGroup['parts'][number]): boolean =>
  !('parts' in part) && part.path[0] === 'id' && part.operator === 'exists' && part.value === 'true'
