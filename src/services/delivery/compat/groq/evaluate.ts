import { Turns } from '../../../turns.js'
import { above, childOf, type Dataset, type Scope, type Source } from './dataset.js'
import { called } from './functions.js'
import { byKeys, combined, givesList, sliced, unary } from './operators.js'
import {
  distancesIn,
  type Expr,
  type GroqQuery,
  groqLimits,
  innerOf,
  type Member,
  type Op,
  QueryError,
  type Span,
} from './syntax.js'
import { isObject, memberOf } from './values.js'

const tooMuch = 'the query takes too many steps; ask for less'

/**
 * Evaluates a query. Every part of it is evaluated once for all values together, so that what references lead to is read
 * at once, however many there are.
 */
export class Evaluation {
  private readonly turns = new Turns()
  private steps = 0
  private reads = 0

  constructor(
    private readonly query: GroqQuery,
    private readonly dataset: Dataset,
    private readonly now: string,
  ) {}

  async result(): Promise<unknown> {
    const [value] = await this.values(this.query.root, [childOf(null, undefined)])
    return value ?? null
  }

  private refuse(message: string, { start, end }: Span): never {
    throw new QueryError(message, this.query.text, start, end)
  }

  /** Counts what was made of others, for a few marks can make much. */
  private weigh<T>(value: T, span: Span): T {
    if (Array.isArray(value)) this.steps += value.length
    else if (typeof value === 'string') this.steps += Math.ceil(value.length / 100)
    if (this.steps > groqLimits.steps) this.refuse(tooMuch, span)
    return value
  }

  /** The value of an expression in each of the scopes. */
  private async values(expr: Expr, scopes: readonly Scope[]): Promise<unknown[]> {
    this.steps += scopes.length + 1
    if (this.steps > groqLimits.steps) this.refuse(tooMuch, expr)
    await this.turns.next()
    switch (expr.kind) {
      case 'literal':
        return scopes.map(() => expr.value)
      case 'this':
        return scopes.map(({ value }) => value)
      case 'parent':
        return scopes.map(scope => above(scope, expr.levels))
      case 'attribute':
        return scopes.map(({ value }) => memberOf(value, expr.name))
      case 'everything':
        return this.sources({ ops: [], counts: false, ...expr }, scopes)
      case 'chain':
        return this.chain(expr, scopes)
      case 'call':
        return this.call(expr, scopes)
      case 'unary':
        return (await this.values(expr.of, scopes)).map(value => unary(expr.operator, value))
      case 'binary':
        return this.binary(expr, scopes)
      case 'object':
        return this.projected(expr.members, scopes)
      case 'array':
        return this.array(expr.items, scopes)
      case 'pair':
        return this.refuse('=> stands in a projection or in select() only', expr)
    }
  }

  private async binary(
    { operator, left, right }: Extract<Expr, { kind: 'binary' }>,
    scopes: readonly Scope[],
  ) {
    const a = await this.values(left, scopes)
    const b = await this.values(right, scopes)
    const made: unknown[] = []
    for (const i of scopes.keys()) {
      if (operator === 'in' || operator === 'match') {
        this.weigh(a[i], right)
        this.weigh(b[i], right)
        await this.turns.next()
      }
      made.push(this.weigh(combined(operator, a[i], b[i]), right))
    }
    return made
  }

  private async array(items: Extract<Expr, { kind: 'array' }>['items'], scopes: readonly Scope[]) {
    const lists: unknown[][] = scopes.map(() => [])
    for (const { spread, value } of items)
      for (const [i, one] of (await this.values(value, scopes)).entries())
        if (spread && Array.isArray(one)) for (const part of this.weigh(one, value)) lists[i]?.push(part)
        else lists[i]?.push(one)
    return lists
  }

  private async call({ name, args, ...span }: Extract<Expr, { kind: 'call' }>, scopes: readonly Scope[]) {
    const [first] = args
    const source = first?.kind === 'chain' && first.base.kind === 'everything' ? first.ops : undefined
    if (name === 'count' && args.length === 1 && source?.every(({ kind }) => kind === 'filter'))
      return this.sources({ ops: source, counts: true, ...span }, scopes)
    if (name === 'select') return this.select(args, scopes)
    const given: unknown[][] = []
    for (const arg of args) given.push(await this.values(arg, scopes))
    const made: unknown[] = []
    for (const [i, { value }] of scopes.entries()) {
      await this.turns.next()
      made.push(
        this.weigh(
          called(
            name,
            given.map(values => values[i]),
            value,
            this.now,
          ),
          span,
        ),
      )
    }
    return made
  }

  private async select(args: readonly Expr[], scopes: readonly Scope[]): Promise<unknown[]> {
    const chosen: unknown[] = scopes.map(() => undefined)
    for (const arg of args) {
      const pair = arg.kind === 'pair' ? arg : undefined
      const conditions = pair && (await this.values(pair.condition, scopes))
      const values = await this.values(pair?.value ?? arg, scopes)
      for (const [i, value] of values.entries())
        if (chosen[i] === undefined && (conditions?.[i] ?? true) === true) chosen[i] = value
    }
    return chosen.map(value => value ?? null)
  }

  private async chain({ base, ops }: Extract<Expr, { kind: 'chain' }>, scopes: readonly Scope[]) {
    if (base.kind === 'everything') return this.sources({ ops, counts: false, ...base }, scopes)
    return this.followed(ops, await this.values(base, scopes), scopes, false)
  }

  /** Reads by `*`, for each scope, because what chooses documents may be of the scope. */
  private async sources(source: Source, scopes: readonly Scope[]): Promise<unknown[]> {
    const isSame = !source.ops.some(op => innerOf(op).some(expr => distancesIn(expr, 1).size > 0))
    const values: unknown[] = []
    for (const scope of isSame ? scopes.slice(0, 1) : scopes) {
      if (++this.reads > groqLimits.reads)
        this.refuse(`documents are read more than ${groqLimits.reads} times; ask for less`, source)
      const inner = childOf(null, scope)
      const constantOf = async (expr: Expr) => (await this.values(expr, [inner]))[0] ?? null
      const { value, left } = await this.dataset.read(source, constantOf)
      const [made] = await this.followed(left, [value], [scope], Array.isArray(value))
      values.push(made)
    }
    return isSame ? scopes.map(() => values[0]) : values
  }

  /**
   * What operations make of values, one after the other.
   * @param isMany whether the values are lists that are gone through
   */
  private async followed(
    ops: readonly Op[],
    given: readonly unknown[],
    scopes: readonly Scope[],
    isMany: boolean,
  ): Promise<unknown[]> {
    let values = [...given]
    let many = isMany
    for (const [i, op] of ops.entries()) {
      this.steps += values.length
      if (op.kind === 'attribute' && many) return this.inEach(ops.slice(i), values, scopes)
      if (op.kind === 'attribute') values = values.map(value => memberOf(value, op.name))
      else if (op.kind === 'element') {
        values = values.map(value => (Array.isArray(value) ? (value.at(op.index) ?? null) : null))
        many = false
      } else if (op.kind === 'deref' || op.kind === 'project')
        values = await this.mapped(values, scopes, many, (list, of) =>
          op.kind === 'deref' ? this.dereferenced(list) : this.projections(op.members, list, of),
        )
      else {
        values = await this.listed(op, values, scopes)
        many = true
      }
    }
    return values
  }

  /** Does with each part of the lists what operations say, and puts lists that they give together. */
  private async inEach(ops: readonly Op[], lists: readonly unknown[], scopes: readonly Scope[]) {
    const isList = givesList(ops)
    return this.mapped(
      lists,
      scopes,
      true,
      (parts, of) => this.followed(ops, parts, of, false),
      parts => (isList ? parts.flatMap(part => (Array.isArray(part) ? part : [])) : parts),
    )
  }

  /** The same for values, or for all parts of lists together. */
  private async mapped(
    values: readonly unknown[],
    scopes: readonly Scope[],
    many: boolean,
    make: (parts: unknown[], scopes: Scope[]) => Promise<unknown[]>,
    join: (parts: unknown[]) => unknown = parts => parts,
  ): Promise<unknown[]> {
    if (!many) return make([...values], [...scopes])
    const parts = values.flatMap(value => (Array.isArray(value) ? value : []))
    const of = values.flatMap((value, i) => (Array.isArray(value) ? value.map(() => scopes[i] as Scope) : []))
    const made = await make(parts, of)
    let at = 0
    return values.map(value => {
      if (!Array.isArray(value)) return null
      at += value.length
      return join(made.slice(at - value.length, at))
    })
  }

  private async listed(op: Op, values: readonly unknown[], scopes: readonly Scope[]): Promise<unknown[]> {
    const lists = values.map(value => (Array.isArray(value) ? value : undefined))
    if (op.kind === 'slice') return lists.map(list => (list ? sliced(list, op) : null))
    if (op.kind === 'flatten') return lists.map(list => list ?? null)
    const inner = lists.flatMap((list, i) => (list ?? []).map(value => childOf(value, scopes[i])))
    const keys: unknown[][] = []
    const exprs =
      op.kind === 'filter' ? [op.condition] : op.kind === 'order' ? op.keys.map(({ by }) => by) : []
    for (const expr of exprs) keys.push(await this.values(expr, inner))
    let at = 0
    return lists.map(list => {
      if (!list) return null
      const rows = list.map((value, i) => ({ value, keys: keys.map(key => key[at + i]) }))
      at += list.length
      if (op.kind === 'filter') return rows.filter(row => row.keys[0] === true).map(row => row.value)
      const down = op.kind === 'order' ? op.keys.map(({ descending }) => descending) : []
      return rows.sort(byKeys(down)).map(row => row.value)
    })
  }

  private async dereferenced(values: readonly unknown[]): Promise<unknown[]> {
    const idOf = (value: unknown): string | undefined => {
      const id = memberOf(value, '_ref')
      return typeof id === 'string' ? id : undefined
    }
    const ids = [...new Set(values.flatMap(value => idOf(value) ?? []))]
    const found = ids.length > 0 ? await this.dataset.load(ids) : new Map()
    return values.map(value => found.get(idOf(value) ?? '') ?? null)
  }

  private async projections(
    members: readonly Member[],
    values: readonly unknown[],
    scopes: readonly Scope[],
  ) {
    const inner = values.map((value, i) => childOf(value, scopes[i]))
    const made = await this.projected(members, inner)
    // Of what is no object nothing is shown.
    return values.map((value, i) => (isObject(value) ? made[i] : null))
  }

  /** The members of objects, each in its scope. What is not there is null, as in a projection of Sanity. */
  private async projected(members: readonly Member[], scopes: readonly Scope[]) {
    const made = scopes.map((): Record<string, unknown> => ({}))
    for (const member of members) {
      const values = member.value ? await this.values(member.value, scopes) : scopes.map(({ value }) => value)
      const conditions = member.kind === 'when' ? await this.values(member.condition, scopes) : undefined
      for (const [i, object] of made.entries()) {
        const value = values[i]
        if (member.kind === 'named') setMember(object, member.name, value)
        else if (isObject(value) && (conditions?.[i] ?? true) === true)
          for (const name of Object.keys(value)) setMember(object, name, value[name])
      }
    }
    return made
  }
}

/** Sets a member of its own, whatever it is called. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
}
