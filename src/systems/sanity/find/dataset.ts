import { type GroqInput, groqLimits, missingMark, valueMark } from '../../../computing/groq-protocol.js'
import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import { all } from '../../../services/delivery/documents.js'
import {
  type FilterGroup,
  type QueryRequest,
  queryLimits,
} from '../../../services/delivery/query/query-request.js'
import { type TypeMapping, targetsOf } from '../../mapping.js'
import { computed, type GroqText, QueryError } from '../groq/query.js'
import {
  bare,
  conjuncts,
  dereferencesIn,
  type ExprNode,
  nodesIn,
  operationsOf,
  partsOf,
  type SourceOp,
  type TreeNode,
} from '../groq/tree.js'
import { ownRecords, sanityIds } from '../names.js'
import { SanityDocuments } from '../write/documents.js'
import type { SanityPlace } from '../write/media.js'
import { SanityConstants } from './constants.js'
import { SanityFilters } from './finding.js'
import { hasIdBehind, type IdRange, idOrder, idRange, ordersIds } from './id-order.js'
import { SanityPlaces } from './places.js'
import { wantedNames } from './wanted.js'

type Datatype = TypeMapping['datatype']

/** Each of them costs a read. */
const mostTypes = 100

interface Plan {
  readonly types: readonly Datatype[]
  /** True without a condition on `_type`: parts of pages do not count as documents then. */
  readonly areRoots: boolean
  readonly filter: ReadonlyMap<Datatype, FilterGroup>
  /** Comparisons of `_id` that are not in the filter, because few documents pass it. */
  readonly ranges: readonly IdRange[]
  readonly rest: readonly ExprNode[]
  readonly order: readonly ExprNode[] | undefined
  readonly window: { readonly offset: number; readonly limit: number; readonly isOne: boolean } | undefined
  readonly isWhole: boolean
  readonly left: readonly SourceOp[]
}

/**
 * Answers a query. What chooses documents is found by the query service, as far as it can say it; their lists stand for
 * it in the tree, and the rest is evaluated in the sandbox.
 */
export class SanityDataset {
  private readonly documents: SanityDocuments
  private readonly locale: string
  private readonly constants: SanityConstants
  private readonly lists = new Map<string, readonly string[]>()
  private reads = 0
  private finds = 0

  constructor(
    private readonly site: CompatSite,
    private readonly place: SanityPlace,
    private readonly query: GroqText,
    private readonly tree: ExprNode,
  ) {
    this.documents = new SanityDocuments(site, place, query.text, wantedNames(tree))
    this.locale = site.documents.localeNamed(place.dataset)
    this.constants = new SanityConstants(site, query, expr => this.evaluated(expr))
  }

  answer(): Promise<string> {
    return this.evaluated(this.tree)
  }

  private refuse(message: string): never {
    throw new QueryError(message, this.query.text)
  }

  private async evaluated(given: ExprNode): Promise<string> {
    const tree = bare((await this.resolved(given)) as ExprNode)
    return this.atOnce(tree) ?? (await this.inSandbox(tree))
  }

  private atOnce(tree: ExprNode): string | undefined {
    if (tree.type === 'Value') return JSON.stringify(tree.value)
    if (tree.type === 'AccessElement' && tree.index === 0) {
      const list = this.atOnce(tree.base)
      const ids = tree.base.type === 'Parameter' ? this.lists.get(tree.base.name) : undefined
      return list && ids ? (this.textOf(ids[0] ?? '') ?? 'null') : undefined
    }
    const ids = tree.type === 'Parameter' ? this.lists.get(tree.name) : undefined
    return ids && `[${ids.map(id => this.textOf(id)).join()}]`
  }

  private textOf(id: string): string | null {
    return this.documents.known.get(id) ?? null
  }

  private async inSandbox(tree: ExprNode): Promise<string> {
    const names = new Set([...nodesIn(tree)].flatMap(node => (node.type === 'Parameter' ? node.name : [])))
    const input: Omit<GroqInput, 'documents'> = {
      tree,
      params: Object.fromEntries([...this.query.params].filter(([name]) => names.has(name))),
      lists: Object.fromEntries([...this.lists].filter(([name]) => names.has(name))),
      now: this.site.now,
      dataset: this.place.dataset,
    }
    await this.documents.follow(dereferencedNames(tree), dereferencesIn(tree).length)
    for (let level = 0; level < groqLimits.levels; level++) {
      const documents = [...this.documents.known]
      const { sandbox } = this.site
      const value = await computed(sandbox, 'groq.evaluate', { ...input, documents }, this.query.text)
      if (value.startsWith(valueMark)) return value.slice(valueMark.length)
      // References that the evaluation has found, and their targets.
      await this.documents.load(JSON.parse(value.slice(missingMark.length)))
    }
    return this.refuse(`follows references more than ${groqLimits.levels} levels deep`)
  }

  /** The tree in which lists of documents replace the parts that read them. Changes the tree. */
  private async resolved(node: TreeNode): Promise<TreeNode> {
    const counted = await this.counted(node)
    if (counted !== undefined) return made({ type: 'Value', value: counted })
    const ops = operationsOf(node)
    if (ops) return this.read(ops)
    for (const { part, replace } of partsOf(node)) replace(await this.resolved(part))
    return node
  }

  private async counted(given: TreeNode): Promise<number | undefined> {
    const node = given as ExprNode
    const [first, ...others] = node.type === 'FuncCall' && node.name === 'count' ? node.args : []
    const ops = first && others.length === 0 ? operationsOf(first) : undefined
    if (!ops?.every(({ type }) => type === 'Filter')) return undefined
    const plan = await this.planOf(ops)
    if (plan.rest.length > 0) return undefined
    if (plan.ranges.length > 0) return (await this.byId(plan))?.length
    let sum = 0
    for (const datatype of plan.types)
      sum += (await this.passing(plan, datatype, { limit: 1, count: true })).count ?? 0
    return sum
  }

  private async read(ops: readonly SourceOp[]): Promise<TreeNode> {
    const plan = await this.planOf(ops)
    const ids = (await this.byId(plan)) ?? (await this.find(plan))
    await this.documents.of(ids)
    // No parameter of a query has a blank in its name.
    const name = `documents ${this.lists.size}`
    const names = this.documents.namesOf(ids)
    this.lists.set(name, plan.order || plan.window ? names : names.sort())
    let base = made({ type: 'Parameter', name })
    for (const expr of plan.rest) base = made({ type: 'Filter', base, expr: await this.resolved(expr) })
    for (const op of plan.left) {
      for (const { part, scope, replace } of partsOf(op))
        if (scope !== 'same') replace(await this.resolved(part))
      base = made({ ...op, base })
    }
    return base
  }

  private async planOf(ops: readonly SourceOp[]): Promise<Plan> {
    if (++this.reads > groqLimits.reads)
      this.refuse(`the query reads documents more than ${groqLimits.reads} times; simplify it`)
    const filters = ops.slice(0, ops.findIndex(({ type }) => type !== 'Filter') >>> 0)
    const every = filters.flatMap(op => (op.type === 'Filter' ? conjuncts(op.expr) : []))
    const { types, areRoots } = await this.typesOf(every)
    this.finds += types.length
    if (this.finds > groqLimits.finds)
      this.refuse(
        `the query reads datatypes more than ${groqLimits.finds} times; name the types that it needs`,
      )
    const { filter, rest, ranges } = await this.conditionsOf({ types, areRoots }, every)
    const behind = ops.slice(filters.length)
    const keys = this.orderOf(behind[0], types)
    // With `_id` behind another key: in memory, where there are few.
    const isFew = hasIdBehind(keys) && (await this.few({ types, areRoots, filter }))
    const order = isFew ? undefined : keys
    const isOrdered = order !== undefined
    const after = isOrdered ? behind.slice(1) : behind
    const chosen = rest.length === 0 && types.length <= 1
    const plan = { types, areRoots, filter, ranges, rest, order, isWhole: chosen }
    const at = after.findIndex(({ type }) => type !== 'Map')
    const op = after[at]
    // Operations on single documents run only for the chosen few.
    const window = chosen && op ? this.windowOf(op) : undefined
    // `[0]` stays where it is: what comes after it is about one document.
    const first = window?.isOne && op ? [{ ...op, index: 0 } as SourceOp] : []
    const left = window ? [...after.slice(0, at), ...first, ...after.slice(at + 1)] : after
    for (const expr of [...left.flatMap(conditionsIn), ...rest]) await this.refuseHidden(expr)
    return { ...plan, window, left }
  }

  private orderOf(op: SourceOp | undefined, types: readonly Datatype[]): readonly ExprNode[] | undefined {
    if (op?.type !== 'PipeFuncCall' || op.name !== 'order' || types.length > 1) return undefined
    const [datatype] = types
    if (!datatype) return op.args
    return new SanityPlaces(this.site, datatype).sorts(op.args) && op.args
  }

  private windowOf(op: SourceOp): Plan['window'] {
    if (op.type !== 'AccessElement' && op.type !== 'Slice') return undefined
    const [from, to] =
      op.type === 'AccessElement' ? [op.index, op.index + 1] : [op.left, op.right + (op.isInclusive ? 1 : 0)]
    const isFromEnd = op.type === 'Slice' && op.right < 0
    if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || isFromEnd) return undefined
    if (from > queryLimits.offset) this.refuse(`can skip at most ${queryLimits.offset} documents`)
    return { offset: from, limit: Math.max(to - from, 0), isOne: op.type === 'AccessElement' }
  }

  private async typesOf(every: readonly ExprNode[]): Promise<Pick<Plan, 'types' | 'areRoots'>> {
    const named = await this.constants.allowed(every, '_type')
    const { types } = this.site
    const byId = named ? undefined : await this.typesById(every)
    const found =
      named !== undefined
        ? types.filter(({ name }) => named.includes(name)).map(({ datatype }) => datatype)
        : (byId ?? types.map(({ datatype }) => datatype))
    const missing = named && new Set(named.filter(one => typeof one === 'string')).size > found.length
    // Missing and private types look the same.
    if (missing) await this.site.sees(undefined)
    const seen: Datatype[] = []
    for (const datatype of found) if (await this.site.sees(datatype)) seen.push(datatype)
    if (seen.length > mostTypes) this.refuse(`must have at most ${mostTypes} types`)
    return { types: seen, areRoots: !named && !byId }
  }

  private async typesById(every: readonly ExprNode[]): Promise<Datatype[] | undefined> {
    const ids = await this.constants.allowed(every, '_id')
    if (ids === undefined) return undefined
    const { documents } = this.site
    const texts = ids.filter(one => typeof one === 'string').slice(0, queryLimits.values)
    const own = [...(await ownRecords(this.site, texts)).values()].flatMap(({ entry }) => entry ?? [])
    const rows = await documents.records(own)
    const known = new Set(rows.map(({ datatype_id }) => datatype_id))
    return [...known].flatMap(id => documents.schema.datatypes.get(id) ?? [])
  }

  private async filtersOf(types: readonly Datatype[], every: readonly ExprNode[], byCreation: boolean) {
    const rest = new Set<ExprNode>()
    const parts = new Map<Datatype, FilterGroup['parts'][number][]>(types.map(one => [one, []]))
    for (const condition of every)
      for (const datatype of types) {
        const filters = new SanityFilters(this.site, datatype, this.constants.of, byCreation)
        const part = await filters.where(condition)
        if (part === undefined) rest.add(condition)
        // A condition that always holds is left out.
        else if (!isAlways(part)) parts.get(datatype)?.push(part)
      }
    const filter = new Map([...parts].map(([datatype, some]) => [datatype, all(some)]))
    return { filter, rest: [...rest] }
  }

  /**
   * Comparisons of `_id` go by the ids here, which are in the order of creation, only where many documents pass the other
   * conditions: the database does not know the order of those in Sanity.
   */
  private async conditionsOf(
    { types, areRoots }: Pick<Plan, 'types' | 'areRoots'>,
    every: readonly ExprNode[],
  ) {
    const found = new Map<ExprNode, IdRange>()
    for (const condition of every) {
      const range = await idRange(condition, this.constants.of)
      if (range) found.set(condition, range)
    }
    const ranges = [...found.values()]
    const left = every.filter(one => !found.has(one))
    const others = await this.filtersOf(types, left, false)
    const isOrdered = ranges.length > 0 || left.some(ordersIds)
    if (!isOrdered || (await this.few({ types, areRoots, filter: others.filter })))
      return { ...others, ranges }
    return { ...(await this.filtersOf(types, every, true)), ranges: [] }
  }

  /** Documents of one datatype that pass the filter. */
  private passing(
    { filter, areRoots }: Pick<Plan, 'filter' | 'areRoots'>,
    datatype: Datatype,
    asked: Partial<QueryRequest> & { limit: number },
  ) {
    const standard = { sort: [], offset: 0, locale: this.locale, count: false }
    return this.site.documents.find({
      ...standard,
      ...asked,
      ...{ datatype, areRoots },
      filter: filter.get(datatype) ?? all([]),
    })
  }

  /** The ids of what passes the filter; undefined if that is more than a read may have. */
  private async few(plan: Pick<Plan, 'types' | 'areRoots' | 'filter'> & Partial<Pick<Plan, 'order'>>) {
    const { types, order } = plan
    const ids: string[] = []
    for (const datatype of types) {
      const sort = (order && new SanityPlaces(this.site, datatype).sorts(order)) ?? []
      const limit = groqLimits.documents + 1 - ids.length
      ids.push(...(await this.passing(plan, datatype, { sort, limit })).ids)
      if (ids.length > groqLimits.documents) return undefined
    }
    return ids
  }

  /**
   * Ids of the documents that are chosen by their ids in Sanity: by comparisons, by `order(_id)`, or by a slice without an
   * order. Undefined without these, and if they choose among more documents than a read may have. Those are in the order
   * of creation.
   */
  private async byId(plan: Plan): Promise<string[] | undefined> {
    const { order, window, ranges } = plan
    const direction = order ? idOrder(order) : window && 1
    if (direction === undefined && ranges.length === 0) return undefined
    const ids = await this.few(direction === undefined ? plan : { ...plan, order: undefined })
    if (!ids) return undefined
    const names = ids.length > 0 ? await sanityIds(this.site, { entries: ids }) : new Map<string, string>()
    const nameOf = (id: string) => names.get(id) ?? id
    const chosen = ids.filter(id => ranges.every(holds => holds(nameOf(id))))
    if (direction !== undefined) chosen.sort((a, b) => (nameOf(a) < nameOf(b) ? -direction : direction))
    return window ? chosen.slice(window.offset, window.offset + window.limit) : chosen
  }

  /** The ids of what passes: in their order where there is one datatype, else by id. */
  private async find(plan: Plan): Promise<string[]> {
    const { types, order, window, isWhole } = plan
    const ids: string[] = []
    for (const datatype of types) {
      const most = groqLimits.documents - ids.length
      const limit = Math.min(window?.limit ?? most + 1, most + 1)
      if (limit === 0) continue
      const sort = (order && new SanityPlaces(this.site, datatype).sorts(order)) ?? []
      const found = await this.passing(plan, datatype, { sort, limit, offset: window?.offset ?? 0 })
      ids.push(...found.ids)
      if (ids.length > groqLimits.documents)
        this.refuse(
          isWhole
            ? `finds more than ${groqLimits.documents} documents; choose a slice, such as [0...100]`
            : `is done in memory, and finds more than ${groqLimits.documents} documents; narrow it by a comparison of an attribute with a constant`,
        )
    }
    return isWhole || types.length === 1 ? ids : ids.sort()
  }

  /**
   * Refuses conditions and orders in memory that look into documents which are not listed for the caller: by many of
   * them a field could be guessed letter by letter.
   */
  private async refuseHidden(expr: TreeNode): Promise<void> {
    const { schema } = this.site.documents
    for (const { base } of dereferencesIn(expr)) {
      const names = new Set(
        [...nodesIn(base)].flatMap(node => (node.type === 'AccessAttribute' ? node.name : [])),
      )
      const relations = [...schema.fields.values()].filter(
        ({ name, field_type }) => field_type === 'relation' && (names.size === 0 || names.has(name)),
      )
      const targets = relations.flatMap(targetsOf)
      const isAny = relations.some(relation => targetsOf(relation).length === 0)
      for (const datatype of schema.datatypes.values())
        if ((isAny || targets.includes(datatype.name)) && !(await this.site.sees(datatype)))
          this.refuse(
            `-> in a filter or an order could reach ${datatype.name}, whose entries cannot be listed`,
          )
    }
  }
}

/** Expressions that an operation evaluates for each document. */
const conditionsIn = (op: SourceOp): readonly ExprNode[] =>
  op.type === 'Filter' ? [op.expr] : op.type === 'PipeFuncCall' ? op.args : []

const made = (node: { type: string } & Record<string, unknown>): TreeNode => node

function dereferencedNames(tree: ExprNode): ReadonlySet<string> {
  const names = new Set<string>()
  for (const node of nodesIn(tree)) {
    const base = node.type === 'Deref' ? bare(node.base) : undefined
    if (base?.type === 'AccessAttribute') names.add(base.name)
    // `categories[]->`
    const list = node.type === 'Map' || node.type === 'FlatMap' ? bare(node.base) : undefined
    const of = list?.type === 'ArrayCoerce' ? bare(list.base as ExprNode) : undefined
    if (of?.type === 'AccessAttribute' && dereferencesIn(node).length > 0) names.add(of.name)
  }
  return names
}

const isAlways = (part: FilterGroup['parts'][number]): boolean =>
  'parts' in part && part.all && !part.not && part.parts.length === 0
