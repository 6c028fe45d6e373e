import { groqLimits, QueryError, type Span } from './syntax.js'

/** A piece of a query. */
export type Token = Span &
  (
    | { readonly kind: 'number'; readonly value: number }
    | { readonly kind: 'string'; readonly value: string }
    /** A name, also one such as `pt::text`. */
    | { readonly kind: 'name'; readonly value: string }
    | { readonly kind: 'param'; readonly value: string }
    | { readonly kind: 'mark'; readonly value: string }
    | { readonly kind: 'end'; readonly value: '' }
  )

// Each looks at a place only, and goes on as long as the next character fits: none can go back.
const space = /(?:[\s]|\/\/[^\n]*)+/y
const numberAt = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const nameAt = /[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)?/y
const plainAt = /[^"'\\]+/y
const markAt = /\.{1,3}|->|=>|[=!<>]=|&&|\|\||\*\*|[[\]{}(),:|*/+\-%!<>@^]/y
const escapes: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' },
  ...{ '"': '"', "'": "'", '\\': '\\', '/': '/' },
}

/** Cuts a query into its pieces, in one pass. */
class Lexer {
  private at = 0

  constructor(private readonly text: string) {}

  tokens(): Token[] {
    const tokens: Token[] = []
    for (;;) {
      this.taken(space)
      if (this.at >= this.text.length) break
      if (tokens.length >= groqLimits.tokens) this.refuse('the query has too many parts', this.at)
      tokens.push(this.token())
    }
    return [...tokens, { kind: 'end', value: '', start: this.at, end: this.at }]
  }

  private token(): Token {
    const start = this.at
    const first = this.text[start] ?? ''
    if (first === '"' || first === "'") {
      const value = this.string(first)
      return { kind: 'string', value, start, end: this.at }
    }
    if (first === '$') {
      this.at++
      const value = this.taken(nameAt)
      if (value === undefined) this.refuse('a parameter has no name', start)
      return { kind: 'param', value, start, end: this.at }
    }
    const mark = this.taken(markAt)
    if (mark !== undefined) return { kind: 'mark', value: mark, start, end: this.at }
    const name = this.taken(nameAt)
    if (name !== undefined) return { kind: 'name', value: name, start, end: this.at }
    const digits = this.taken(numberAt)
    if (digits !== undefined) return { kind: 'number', value: Number(digits), start, end: this.at }
    return this.refuse(`unexpected character ${JSON.stringify(first)}`, start)
  }

  /** What the pattern matches here. */
  private taken(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    this.at += found?.length ?? 0
    return found
  }

  private string(quote: string): string {
    const start = this.at++
    const parts: string[] = []
    for (;;) {
      parts.push(this.taken(plainAt) ?? '')
      const mark = this.text[this.at]
      if (mark === undefined) this.refuse('a text has no end', start)
      this.at++
      if (mark === quote) return parts.join('')
      parts.push(mark === '\\' ? this.escaped(start) : mark)
    }
  }

  private escaped(start: number): string {
    const mark = this.text[this.at++] ?? ''
    if (mark === 'u') {
      const [, short, long] =
        /^(?:([0-9a-fA-F]{4})|\{([0-9a-fA-F]{1,6})\})/.exec(this.text.slice(this.at, this.at + 8)) ?? []
      const code = Number.parseInt(short ?? long ?? '', 16)
      if (!(code <= 0x10ffff)) this.refuse('a text has a wrong escape', start)
      this.at += short ? 4 : (long ?? '').length + 2
      return String.fromCodePoint(code)
    }
    const known = Object.hasOwn(escapes, mark) ? escapes[mark] : undefined
    if (known === undefined) this.refuse('a text has a wrong escape', start)
    return known
  }

  private refuse(message: string, start: number): never {
    throw new QueryError(message, this.text, start, Math.min(start + 1, this.text.length))
  }
}

/** @throws 400 with the place */
export function tokensOf(text: string): Token[] {
  if (text.length > groqLimits.characters)
    throw new QueryError(
      `the query is longer than ${groqLimits.characters} characters`,
      text.slice(0, 200),
      0,
      1,
    )
  return new Lexer(text).tokens()
}
