import { HttpError } from '../../../../errors.js'

/** A query that is not answered, and the part of it that is why. */
export class QueryError extends HttpError {
  constructor(
    message: string,
    readonly query: string,
    readonly start: number,
    readonly end: number,
  ) {
    super(400, 'invalid', message, 'query')
  }
}

/** Limits of one query. */
export const groqLimits = {
  characters: 50_000,
  tokens: 6000,
  /** Levels of brackets and of operators in a row that stand for each other. */
  depth: 40,
  /** Reads of documents by `*`, also those that are repeated for each document. */
  reads: 50,
  /** Documents that one read gives. */
  documents: 2000,
  /** Values that are made on the way to the answer. */
  steps: 500_000,
  /** Characters of the answer. */
  answer: 16_000_000,
} as const

export interface Span {
  readonly start: number
  readonly end: number
}

export type BinaryOperator =
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'match'
  | '&&'
  | '||'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'

/** A key of an order. */
export interface OrderKey {
  readonly by: Expr
  readonly descending: boolean
}

/** A member of an object or a projection. */
export type Member =
  | { readonly kind: 'named'; readonly name: string; readonly value: Expr }
  /** `...`, or `...value` */
  | { readonly kind: 'spread'; readonly value: Expr | undefined }
  /** `condition => value` */
  | { readonly kind: 'when'; readonly condition: Expr; readonly value: Expr }

/** What is done with a value, one after the other. */
export type Op = Span &
  (
    | { readonly kind: 'attribute'; readonly name: string }
    | { readonly kind: 'filter'; readonly condition: Expr }
    | { readonly kind: 'element'; readonly index: number }
    | { readonly kind: 'slice'; readonly from: number; readonly to: number; readonly inclusive: boolean }
    | { readonly kind: 'flatten' }
    | { readonly kind: 'deref' }
    | { readonly kind: 'project'; readonly members: readonly Member[] }
    | { readonly kind: 'order'; readonly keys: readonly OrderKey[] }
  )

export type Expr = Span &
  (
    | { readonly kind: 'literal'; readonly value: unknown }
    | { readonly kind: 'this' }
    | { readonly kind: 'parent'; readonly levels: number }
    /** All documents. */
    | { readonly kind: 'everything' }
    | { readonly kind: 'attribute'; readonly name: string }
    | { readonly kind: 'chain'; readonly base: Expr; readonly ops: readonly Op[] }
    | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expr[] }
    | { readonly kind: 'unary'; readonly operator: '!' | '-' | '+'; readonly of: Expr }
    | {
        readonly kind: 'binary'
        readonly operator: BinaryOperator
        readonly left: Expr
        readonly right: Expr
      }
    | { readonly kind: 'object'; readonly members: readonly Member[] }
    | {
        readonly kind: 'array'
        readonly items: readonly { readonly spread: boolean; readonly value: Expr }[]
      }
    /** `condition => value`, in `select()` only. */
    | { readonly kind: 'pair'; readonly condition: Expr; readonly value: Expr }
  )

/** A query that has been read, with its parameters in it. */
export interface GroqQuery {
  readonly text: string
  readonly root: Expr
  /** Whether the answer depends on the time. */
  readonly usesNow: boolean
}

/** The parts of an expression, without going into them. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'chain':
      return [expr.base]
    case 'call':
      return expr.args
    case 'unary':
      return [expr.of]
    case 'binary':
      return [expr.left, expr.right]
    case 'pair':
      return [expr.condition, expr.value]
    case 'array':
      return expr.items.map(({ value }) => value)
    case 'object':
      return membersOf(expr.members)
    default:
      return []
  }
}

/** The expressions in members. */
const membersOf = (members: readonly Member[]): Expr[] =>
  members.flatMap(member => {
    if (member.kind === 'named') return [member.value]
    if (member.kind === 'when') return [member.condition, member.value]
    return member.value ? [member.value] : []
  })

/** The expressions in an operation, whose `@` is another value than outside of it. */
export function innerOf(op: Op): readonly Expr[] {
  if (op.kind === 'filter') return [op.condition]
  if (op.kind === 'project') return membersOf(op.members)
  return op.kind === 'order' ? op.keys.map(({ by }) => by) : []
}

/**
 * Which values from outside an expression reads: 0 for that of `@`, 1 for what is around it, and so on.
 * @param level so many scopes lie between the expression and the one that is asked about
 */
export function distancesIn(expr: Expr, level = 0): ReadonlySet<number> {
  const found = new Set<number>()
  const look = (one: Expr, at: number): void => {
    const distance = one.kind === 'parent' ? one.levels - at : -at
    const isRead = one.kind === 'parent' || one.kind === 'this' || one.kind === 'attribute'
    if (isRead && distance >= 0) found.add(distance)
    // This function reads the document that it is called in.
    if (one.kind === 'call' && one.name === 'references' && at === 0) found.add(0)
    for (const part of partsOf(one)) look(part, at)
    if (one.kind === 'chain') for (const op of one.ops) for (const inner of innerOf(op)) look(inner, at + 1)
  }
  look(expr, level)
  return found
}
