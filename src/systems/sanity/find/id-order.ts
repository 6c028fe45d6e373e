import { bare, distancesIn, type ExprNode, isAttribute, nodesIn } from '../groq/tree.js'

/** Whether a document with this id passes a comparison such as `_id > "c"`. */
export type IdRange = (id: string) => boolean

const holding: Readonly<Record<string, (id: string, other: string) => boolean>> = {
  '<': (id, other) => id < other,
  '<=': (id, other) => id <= other,
  '>': (id, other) => id > other,
  '>=': (id, other) => id >= other,
}
/** Comparisons by what they are with their sides exchanged. */
export const mirrored: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

/** The comparison of `_id` with a constant text that an expression is; undefined for anything else. */
export async function idRange(
  given: ExprNode,
  constantOf: (expr: ExprNode) => Promise<unknown>,
): Promise<IdRange | undefined> {
  const expr = bare(given)
  if (expr.type !== 'OpCall' || !Object.hasOwn(mirrored, expr.op)) return undefined
  const { op, left, right } = expr
  const isLeft = isAttribute(left, '_id')
  const other = isLeft ? right : isAttribute(right, '_id') ? left : undefined
  if (!other || distancesIn(other).size > 0) return undefined
  const value = await constantOf(other)
  const holds = holding[isLeft ? op : (mirrored[op] ?? '')]
  return typeof value === 'string' && holds ? id => holds(id, value) : undefined
}

/** Whether `_id` is compared by its order somewhere in an expression. */
export const ordersIds = (expr: ExprNode): boolean =>
  [...nodesIn(expr)].some(node =>
    node.type === 'InRange'
      ? isAttribute(node.base, '_id')
      : node.type === 'OpCall' &&
        Object.hasOwn(mirrored, node.op) &&
        (isAttribute(node.left, '_id') || isAttribute(node.right, '_id')),
  )

const keyOf = (key: ExprNode): ExprNode => (key.type === 'Asc' || key.type === 'Desc' ? key.base : key)

/** Whether an order is by `_id` after something else. */
export const hasIdBehind = (keys: readonly ExprNode[] = []): boolean =>
  keys.slice(1).some(key => isAttribute(keyOf(key), '_id'))

/** 1 for `order(_id)`, -1 for `order(_id desc)`; undefined for any other order. */
export function idOrder([key, ...others]: readonly ExprNode[]): 1 | -1 | undefined {
  if (!key || others.length > 0) return undefined
  if (!isAttribute(keyOf(key), '_id')) return undefined
  return key.type === 'Desc' ? -1 : 1
}
