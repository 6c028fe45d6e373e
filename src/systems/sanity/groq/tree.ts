import type { ExprNode } from '../../../computing/groq-protocol.js'

export type { ExprNode } from '../../../computing/groq-protocol.js'

/** A part of a syntax tree, also one that is no expression, such as a member of an object. */
export interface TreeNode {
  readonly type: string
}

/** The value of `@` in a part: that of the whole, a different one, or a different one that `^` does not count. */
type PartScope = 'same' | 'nested' | 'hidden'

interface Part {
  readonly part: TreeNode
  readonly scope: PartScope
  replace(part: TreeNode): void
}

const isNode = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function scopeOf({ type }: TreeNode, name: string): PartScope {
  if (name === 'expr') return type === 'Map' || type === 'FlatMap' ? 'hidden' : 'nested'
  return type === 'PipeFuncCall' && name === 'args' ? 'nested' : 'same'
}

/** The parts of a node, without going into them. */
export function* partsOf(node: TreeNode): Generator<Part> {
  if (node.type === 'Value') return
  const members = node as unknown as Record<string, unknown>
  for (const [name, value] of Object.entries(members)) {
    const scope = scopeOf(node, name)
    if (isNode(value)) yield { part: value, scope, replace: part => (members[name] = part) }
    else if (Array.isArray(value))
      for (const [i, part] of value.entries())
        if (isNode(part)) yield { part, scope, replace: other => (value[i] = other) }
  }
}

/** A node and everything in it. */
export function* nodesIn(node: TreeNode): Generator<ExprNode> {
  yield node as ExprNode
  for (const { part } of partsOf(node)) yield* nodesIn(part)
}

/** Brackets around an expression change nothing once it has been read. */
export function bare(expr: ExprNode): ExprNode {
  let inner = expr
  while (inner.type === 'Group') inner = inner.base
  return inner
}

/** Functions that look at the document that they are called in. */
export const readsDocument = (node: ExprNode): boolean =>
  node.type === 'FuncCall' && ['references', 'versionOf', 'partOfRelease'].includes(node.name)

/**
 * The scopes that an expression reads from outside: 0 for `@`, 1 for the scope around it, and so on. If it reads none,
 * its value is the same everywhere.
 */
export function distancesIn(expr: TreeNode): ReadonlySet<number> {
  const found = new Set<number>()
  const look = (given: TreeNode, level: number, isHidden: boolean, isOwn: boolean): void => {
    const node = given as ExprNode
    const readsOwn =
      node.type === 'This' || (node.type === 'AccessAttribute' && !node.base) || readsDocument(node)
    if (readsOwn && isOwn) found.add(0)
    if (node.type === 'Parent' && node.n >= level) found.add(node.n - level)
    for (const { part, scope } of partsOf(node)) {
      if (scope === 'same') look(part, level, isHidden, isOwn)
      else look(part, isHidden ? level : level + 1, scope === 'hidden', false)
    }
  }
  look(expr, 0, false, true)
  return found
}

/** The conditions that a filter requires of every document. */
export function conjuncts(given: ExprNode): readonly ExprNode[] {
  const expr = bare(given)
  return expr.type === 'And' ? [...conjuncts(expr.left), ...conjuncts(expr.right)] : [expr]
}

/** A step from a value to a part of it, or to the target of a reference. */
export type Step =
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'flatten' }
  | { readonly kind: 'deref' }

/** The steps from `@` to what an expression names, such as `author->name`; undefined for anything else. */
export function stepsOf(given: ExprNode): readonly Step[] | undefined {
  const expr = bare(given)
  const after = (base: ExprNode, ...steps: readonly Step[]) => {
    const before = stepsOf(base)
    return before && [...before, ...steps]
  }
  switch (expr.type) {
    case 'This':
      return []
    case 'AccessAttribute': {
      const step = { kind: 'attribute', name: expr.name } as const
      return expr.base ? after(expr.base, step) : [step]
    }
    case 'Deref':
      return after(expr.base, { kind: 'deref' })
    case 'ArrayCoerce':
      return after(expr.base, { kind: 'flatten' })
    case 'Map': {
      const inner = stepsOf(expr.expr)
      return inner && after(expr.base, ...inner)
    }
    default:
      return undefined
  }
}

/** True if an expression is an attribute of `@`. */
export const isAttribute = (given: ExprNode, name: string): boolean => {
  const expr = bare(given)
  return expr.type === 'AccessAttribute' && expr.name === name && (!expr.base || expr.base.type === 'This')
}

/** The references that a filter or an order follows. */
export const dereferencesIn = (expr: TreeNode): Extract<ExprNode, { type: 'Deref' }>[] =>
  [...nodesIn(expr)].flatMap(node => (node.type === 'Deref' ? [node] : []))

/** An operation on all documents, without the node that it works on. */
export type SourceOp = Extract<
  ExprNode,
  { type: 'Filter' | 'Slice' | 'AccessElement' | 'Map' | 'PipeFuncCall' }
>

const isOperation = (node: ExprNode): node is SourceOp =>
  ['Filter', 'Slice', 'AccessElement', 'Map', 'PipeFuncCall'].includes(node.type)

/** The operations after `*`, in order; undefined if the expression does not begin with `*`. */
export function operationsOf(given: TreeNode): SourceOp[] | undefined {
  const ops: SourceOp[] = []
  for (let node = given as ExprNode; node.type !== 'Everything'; ) {
    if (isOperation(node)) ops.push(node)
    else if (node.type !== 'Group' && node.type !== 'ArrayCoerce') return undefined
    node = node.base as ExprNode
  }
  return ops.reverse()
}
