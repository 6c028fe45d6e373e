import { groqLimits, QueryError, type Span } from './syntax.js'
import { type Token, tokensOf } from './tokens.js'

/** Goes through the pieces of a query. */
export class TokenReader {
  private readonly tokens: readonly Token[]
  protected at = 0
  private depth = 0

  constructor(private readonly text: string) {
    this.tokens = tokensOf(text)
  }

  protected get next(): Token {
    return this.tokens[this.at] as Token
  }

  protected refuse(message: string, { start, end }: Span = this.next): never {
    throw new QueryError(message, this.text, start, Math.max(end, start + 1))
  }

  protected unexpected(): never {
    const { kind, value } = this.next
    this.refuse(
      kind === 'end' ? 'unexpected end of query' : `unexpected ${JSON.stringify(String(value).slice(0, 40))}`,
    )
  }

  protected isMark(value: string): boolean {
    return this.next.kind === 'mark' && this.next.value === value
  }

  protected takes(value: string): boolean {
    if (!this.isMark(value)) return false
    this.at++
    return true
  }

  protected expect(value: string): void {
    if (!this.takes(value)) this.refuse(`expected ${JSON.stringify(value)}`)
  }

  protected spanFrom(start: number): Span {
    return { start, end: this.tokens[this.at - 1]?.end ?? start }
  }

  /** Counts a level of nesting while it is read. */
  protected deeper<T>(read: () => T): T {
    if (++this.depth > groqLimits.depth)
      this.refuse(`the query is nested deeper than ${groqLimits.depth} levels`)
    const made = read()
    this.depth--
    return made
  }

  /** What is between commas, up to the mark that ends it. */
  protected listed<T>(end: string, read: () => T): T[] {
    const list: T[] = []
    while (!this.takes(end)) {
      list.push(read())
      if (!this.takes(',') && !this.isMark(end)) this.refuse(`expected "," or ${JSON.stringify(end)}`)
    }
    return list
  }

  /** The piece so far from the next one. */
  protected tokenAt(distance: number): Token | undefined {
    return this.tokens[this.at + distance]
  }
}
