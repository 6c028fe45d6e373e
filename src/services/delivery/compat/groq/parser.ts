import { functionNames } from './functions.js'
import { TokenReader } from './reader.js'
import {
  type BinaryOperator,
  type Expr,
  type GroqQuery,
  groqLimits,
  type Member,
  type Op,
  type Span,
} from './syntax.js'

/** Operators by how strongly they bind, the weakest first. */
const levels: readonly ReadonlySet<string>[] = [
  new Set(['||']),
  new Set(['&&']),
  new Set(['==', '!=', '<', '<=', '>', '>=', 'in', 'match']),
  new Set(['+', '-']),
  new Set(['*', '/', '%']),
]
const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value)

/** Reads a query by recursive descent, within bounds. */
class Parser extends TokenReader {
  usesNow = false

  constructor(
    text: string,
    private readonly params: ReadonlyMap<string, unknown>,
  ) {
    super(text)
  }

  whole(): Expr {
    const root = this.expression()
    if (this.next.kind !== 'end') this.unexpected()
    return root
  }

  private expression(): Expr {
    return this.deeper(() => {
      const { start } = this.next
      const condition = this.binary(0)
      if (!this.takes('=>')) return condition
      return { kind: 'pair', condition, value: this.binary(0), ...this.spanFrom(start) }
    })
  }

  private binary(level: number): Expr {
    const operators = levels[level]
    if (!operators) return this.unary()
    const { start } = this.next
    let left = this.binary(level + 1)
    for (let n = 0; this.isOperator(operators); n++) {
      // What stands for each other becomes a tree that is as deep.
      if (n > 200) this.refuse('has too many operators in a row')
      const operator = this.next.value as BinaryOperator
      this.at++
      const right = this.binary(level + 1)
      left = { kind: 'binary', operator, left, right, ...this.spanFrom(start) }
    }
    return left
  }

  private isOperator(operators: ReadonlySet<string>): boolean {
    const { kind, value } = this.next
    return (kind === 'mark' || kind === 'name') && operators.has(value)
  }

  private unary(): Expr {
    const { start } = this.next
    for (const operator of ['!', '-', '+'] as const)
      if (this.takes(operator)) {
        const of = this.deeper(() => this.unary())
        if (operator === '-' && of.kind === 'literal' && typeof of.value === 'number')
          return { kind: 'literal', value: -of.value, ...this.spanFrom(start) }
        return { kind: 'unary', operator, of, ...this.spanFrom(start) }
      }
    return this.chain()
  }

  private chain(): Expr {
    const { start } = this.next
    const base = this.primary()
    const ops: Op[] = []
    for (let op = this.op(); op; op = this.op()) {
      if (ops.length >= groqLimits.depth) this.refuse('has too many parts')
      ops.push(op)
    }
    return ops.length === 0 ? base : { kind: 'chain', base, ops, ...this.spanFrom(start) }
  }

  private op(): Op | undefined {
    const { start } = this.next
    // The attribute of what a reference leads to comes without a dot.
    const isBehind = this.next.kind === 'name' && this.tokenAt(-1)?.value === '->'
    if (isBehind || this.takes('.')) return { kind: 'attribute', name: this.name(), ...this.spanFrom(start) }
    if (this.takes('->')) return { kind: 'deref', ...this.spanFrom(start) }
    if (this.takes('[')) return this.bracket(start)
    if (this.isMark('{')) return { kind: 'project', members: this.members(), ...this.spanFrom(start) }
    return this.takes('|') ? this.piped(start) : undefined
  }

  private name(): string {
    const token = this.next
    if (token.kind !== 'name' || token.value.includes('::')) this.refuse('expected a name')
    this.at++
    return token.value
  }

  private bracket(start: number): Op {
    if (this.takes(']')) return { kind: 'flatten', ...this.spanFrom(start) }
    const inner = this.expression()
    for (const [mark, inclusive] of [
      ['..', true],
      ['...', false],
    ] as const)
      if (this.takes(mark)) {
        const to = this.expression()
        this.expect(']')
        if (
          inner.kind !== 'literal' ||
          to.kind !== 'literal' ||
          !isNumber(inner.value) ||
          !isNumber(to.value)
        )
          this.refuse('a slice must have constant whole numbers', this.spanFrom(start))
        return { kind: 'slice', from: inner.value, to: to.value, inclusive, ...this.spanFrom(start) }
      }
    this.expect(']')
    const span = this.spanFrom(start)
    if (inner.kind !== 'literal') return { kind: 'filter', condition: inner, ...span }
    if (typeof inner.value === 'string') return { kind: 'attribute', name: inner.value, ...span }
    if (typeof inner.value !== 'number') return { kind: 'filter', condition: inner, ...span }
    if (!isNumber(inner.value)) this.refuse('must be a whole number', span)
    return { kind: 'element', index: inner.value, ...span }
  }

  private piped(start: number): Op {
    const name = this.name()
    if (name !== 'order') this.refuse(`| ${name.slice(0, 40)}() is not answered`, this.spanFrom(start))
    this.expect('(')
    const keys = this.listed(')', () => {
      const by = this.expression()
      const word = this.next.kind === 'name' ? this.next.value : ''
      if (word === 'asc' || word === 'desc') this.at++
      return { by, descending: word === 'desc' }
    })
    if (keys.length === 0) this.refuse('order() has no key', this.spanFrom(start))
    return { kind: 'order', keys, ...this.spanFrom(start) }
  }

  private members(): Member[] {
    this.expect('{')
    return this.deeper(() => this.listed('}', () => this.member()))
  }

  private member(): Member {
    if (this.takes('...')) {
      const isAlone = this.isMark(',') || this.isMark('}')
      return { kind: 'spread', value: isAlone ? undefined : this.expression() }
    }
    const expr = this.expression()
    if (expr.kind === 'pair') return { kind: 'when', condition: expr.condition, value: expr.value }
    if (this.takes(':')) {
      if (expr.kind !== 'literal' || typeof expr.value !== 'string') this.refuse('a key must be a text', expr)
      return { kind: 'named', name: expr.value, value: this.expression() }
    }
    return { kind: 'named', name: this.shortName(expr), value: expr }
  }

  /** `title`, `author->`, `children[]{…}` are called by their first name. */
  private shortName(expr: Expr): string {
    if (expr.kind === 'attribute') return expr.name
    const isPlain = expr.kind === 'chain' && expr.ops.every(({ kind }) => kind !== 'attribute')
    if (!isPlain || expr.base.kind !== 'attribute')
      this.refuse('an attribute without a name of its own needs a key', expr)
    return expr.base.name
  }

  private primary(): Expr {
    const token = this.next
    const { start, end, kind, value } = token
    this.at++
    const span = { start, end }
    if (kind === 'number' || kind === 'string') return { kind: 'literal', value, ...span }
    if (kind === 'param') {
      if (!this.params.has(value))
        this.refuse(`param $${value.slice(0, 60)} referenced, but not provided`, span)
      return { kind: 'literal', value: this.params.get(value), ...span }
    }
    if (kind === 'name') return this.named(value, span)
    if (kind === 'mark') {
      const read = this.marked(value, span)
      if (read) return read
    }
    this.at--
    this.unexpected()
  }

  private named(name: string, span: Span): Expr {
    if (this.takes('(')) {
      if (!functionNames.has(name)) this.refuse(`${name.slice(0, 60)}() is not answered`, span)
      if (name === 'now') this.usesNow = true
      const args = this.listed(')', () => this.expression())
      return { kind: 'call', name, args, ...this.spanFrom(span.start) }
    }
    if (constants.has(name)) return { kind: 'literal', value: constants.get(name), ...span }
    if (name.includes('::')) this.refuse(`${name.slice(0, 60)} is not answered`, span)
    return { kind: 'attribute', name, ...span }
  }

  private marked(mark: string, span: Span): Expr | undefined {
    if (mark === '*') return { kind: 'everything', ...span }
    if (mark === '@') return { kind: 'this', ...span }
    if (mark === '^') return this.parent(span)
    if (mark === '(') {
      const inner = this.expression()
      this.expect(')')
      return inner
    }
    if (mark === '[') {
      const items = this.deeper(() =>
        this.listed(']', () => ({ spread: this.takes('...'), value: this.expression() })),
      )
      return { kind: 'array', items, ...this.spanFrom(span.start) }
    }
    if (mark !== '{') return undefined
    this.at--
    return { kind: 'object', members: this.members(), ...this.spanFrom(span.start) }
  }

  /** `^`, `^.^` and so on. */
  private parent({ start }: Span): Expr {
    let levels = 1
    while (this.isMark('.') && this.tokenAt(1)?.value === '^') {
      this.at += 2
      levels++
    }
    if (levels > groqLimits.depth) this.refuse('goes out too far')
    return { kind: 'parent', levels, ...this.spanFrom(start) }
  }
}

/**
 * Reads a query.
 * @param params what its parameters stand for
 * @throws 400 with the place, in the words of what is wrong
 */
export function parseGroq(text: string, params: ReadonlyMap<string, unknown>): GroqQuery {
  const parser = new Parser(text, params)
  const root = parser.whole()
  return { text, root, usesNow: parser.usesNow }
}
