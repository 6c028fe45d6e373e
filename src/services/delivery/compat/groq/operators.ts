import type { BinaryOperator, Op } from './syntax.js'
import { areEqual, compared, isIn, isObject, matches, totalOrder } from './values.js'

/** Whether what follows gives a list for each value, which then becomes part of one list. */
export function givesList(ops: readonly Op[]): boolean {
  let isList = false
  for (const { kind } of ops) {
    if (kind === 'filter' || kind === 'slice' || kind === 'flatten') isList = true
    else if (kind === 'element' && isList) isList = false
  }
  return isList
}

const arithmetic: Partial<Record<BinaryOperator, (a: number, b: number) => number>> = {
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
}

function sum(a: unknown, b: unknown): unknown {
  if (typeof a === 'number' && typeof b === 'number') return finite(a + b)
  if (typeof a === 'string' && typeof b === 'string') return a + b
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b]
  return isObject(a) && isObject(b) ? { ...a, ...b } : null
}
const finite = (n: number): number | null => (Number.isFinite(n) ? n : null)

/** What is true, false or neither. */
const truthOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

function both(a: boolean | null, b: boolean | null): boolean | null {
  if (a === false || b === false) return false
  return a === null || b === null ? null : true
}

/** What an operator makes of two values. */
export function combined(operator: BinaryOperator, a: unknown, b: unknown): unknown {
  const not = (truth: boolean | null) => (truth === null ? null : !truth)
  switch (operator) {
    case '&&':
      return both(truthOf(a), truthOf(b))
    case '||':
      return not(both(not(truthOf(a)), not(truthOf(b))))
    case '==':
      return areEqual(a, b)
    case '!=':
      return !areEqual(a, b)
    case 'in':
      return isIn(a, b)
    case 'match':
      return matches(a, b)
    case '+':
      return sum(a, b)
    default:
      return ordered(operator, a, b)
  }
}

function ordered(operator: BinaryOperator, a: unknown, b: unknown): unknown {
  const calculate = arithmetic[operator]
  if (calculate) return typeof a === 'number' && typeof b === 'number' ? finite(calculate(a, b)) : null
  const order = compared(a, b)
  if (order === undefined) return null
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order >= 0
}

/** A part of a list, as its bounds say. */
export function sliced(
  list: readonly unknown[],
  { from, to, inclusive }: Extract<Op, { kind: 'slice' }>,
): unknown[] {
  const placed = (at: number) => Math.max(at < 0 ? list.length + at : at, 0)
  return list.slice(placed(from), placed(to) + (inclusive ? 1 : 0))
}

/** What `!`, `-` and `+` make of a value. */
export function unary(operator: '!' | '-' | '+', value: unknown): unknown {
  if (operator === '!') return typeof value === 'boolean' ? !value : null
  if (typeof value !== 'number') return null
  return operator === '-' ? -value : value
}

/** The order of rows by their keys. */
export const byKeys =
  (down: readonly boolean[]) =>
  (a: { keys: unknown[] }, b: { keys: unknown[] }): number => {
    for (const [i, isDown] of down.entries()) {
      const order = totalOrder(a.keys[i], b.keys[i])
      if (order !== 0) return isDown ? -order : order
    }
    return 0
  }
