import { distancesIn, type Expr, innerOf, type Op, partsOf } from './groq/syntax.js'

/** Whether a chain ends with documents as they are. */
function endsWhole(ops: readonly Op[], isDocument: boolean): boolean {
  let whole = isDocument
  for (const { kind } of ops) {
    if (kind === 'deref') whole = true
    else if (kind === 'attribute' || kind === 'project') whole = false
  }
  return whole
}

/** Whether the value of an expression is documents as they are. */
const isWhole = (expr: Expr): boolean =>
  isBare(expr) || (expr.kind === 'chain' && endsWhole(expr.ops, isWhole(expr.base)))

const isBare = ({ kind }: Expr): boolean => kind === 'this' || kind === 'parent' || kind === 'everything'

/**
 * The members of documents that a query can read, so that the others need not be made; undefined where documents are
 * shown or read whole.
 */
export function wantedNames(root: Expr): ReadonlySet<string> | undefined {
  const names = new Set<string>()
  let whole = false
  const inOp = (op: Op): void => {
    if (op.kind === 'attribute') names.add(op.name)
    if (op.kind === 'project' && op.members.some(({ kind }) => kind !== 'named')) whole ||= spreads(op)
    for (const inner of innerOf(op)) look(inner, false)
  }
  const look = (expr: Expr, isInner: boolean): void => {
    if (expr.kind === 'attribute') names.add(expr.name)
    if (isWhole(expr) && !isInner) whole = true
    if (expr.kind === 'call' && expr.name === 'references' && distancesIn(expr).has(0)) whole = true
    if (expr.kind === 'object' && expr.members.some(({ kind }) => kind === 'spread')) whole = true
    if (expr.kind === 'chain') for (const op of expr.ops) inOp(op)
    // What is counted is not shown.
    const counts = expr.kind === 'call' && expr.name === 'count'
    for (const part of partsOf(expr)) look(part, counts || expr.kind === 'chain')
  }
  look(root, false)
  return whole ? undefined : names
}

/** Whether all members are taken over. */
const spreads = ({ members }: Extract<Op, { kind: 'project' }>): boolean =>
  members.some(member => member.kind === 'spread')

/** Whether a field is rich text that the query can read. */
export const isWantedRich =
  (wanted: ReadonlySet<string>) =>
  ({ field_type, name }: { field_type: string; name: string }): boolean =>
    field_type === 'richtext' && wanted.has(name)
