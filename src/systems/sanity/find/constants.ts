import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import type { GroqText } from '../groq/query.js'
import { bare, conjuncts, distancesIn, type ExprNode, isAttribute } from '../groq/tree.js'

/** The values in a query that are the same for each document. */
export class SanityConstants {
  private readonly known = new Map<ExprNode, Promise<unknown>>()

  constructor(
    private readonly site: Pick<CompatSite, 'now'>,
    private readonly query: Pick<GroqText, 'params'>,
    private readonly evaluated: (expr: ExprNode) => Promise<string>,
  ) {}

  readonly of = (expr: ExprNode): Promise<unknown> => {
    const known = this.known.get(expr)
    if (known !== undefined) return known
    const simple = this.simple(expr)
    const value = simple ? Promise.resolve(simple.value) : this.evaluated(expr).then(json => JSON.parse(json))
    this.known.set(expr, value)
    return value
  }

  private simple(given: ExprNode): { value: unknown } | undefined {
    const expr = bare(given)
    if (expr.type === 'Value') return expr
    if (expr.type === 'Parameter' && this.query.params.has(expr.name))
      return { value: this.query.params.get(expr.name) }
    if (expr.type === 'FuncCall' && expr.name === 'now') return { value: this.site.now }
    if (expr.type !== 'Array') return undefined
    const values = expr.elements.map(({ value, isSplat }) => (isSplat ? undefined : this.simple(value)))
    const known = values.flatMap(one => one ?? [])
    return known.length === values.length ? { value: known.map(({ value }) => value) } : undefined
  }

  async allowed(conditions: readonly ExprNode[], name: string): Promise<unknown[] | undefined> {
    for (const expr of conditions) {
      const found = await this.allowedBy(expr, name)
      if (found) return found
    }
    return undefined
  }

  /** By `name == constant`, `name in constants`, or both sides of `||`. */
  private async allowedBy(expr: ExprNode, name: string): Promise<unknown[] | undefined> {
    if (expr.type === 'Or') {
      const first = await this.allowed(conjuncts(expr.left), name)
      const second = first && (await this.allowed(conjuncts(expr.right), name))
      return second && [...first, ...second]
    }
    if (expr.type !== 'OpCall' || (expr.op !== '==' && expr.op !== 'in')) return undefined
    const { op, left, right } = expr
    const isLeft = isAttribute(left, name)
    const other = isLeft ? right : op === '==' && isAttribute(right, name) ? left : undefined
    if (!other || distancesIn(other).size > 0) return undefined
    const value = await this.of(other)
    if (op === '==') return [value]
    return Array.isArray(value) ? value : undefined
  }
}
