/** A part of a JSON object, in the order of the text. */
export type JsonPart =
  /** A member that is no array, with its JSON. */
  | { readonly kind: 'member'; readonly name: string; readonly json: string }
  /** The beginning of a member that is an array; its items follow. */
  | { readonly kind: 'list'; readonly name: string }
  | { readonly kind: 'item'; readonly name: string; readonly json: string }

/** The text is not a JSON object, or is nested too deeply. */
export class PartsProblem extends Error {
  constructor(readonly isDeep: boolean) {
    super(isDeep ? 'the JSON has too many levels' : 'the text is not a JSON object')
  }
}

/** The mark or value that may come next, outside a value. */
type Expected =
  | 'object'
  | 'first name'
  | 'name'
  | 'colon'
  | 'value'
  | 'comma'
  | 'first item'
  | 'item'
  | 'item comma'
  | 'end'

/** The marks that are no part of a value, and what may come behind them. */
const after: Readonly<Record<Expected, Readonly<Partial<Record<string, Expected>>>>> = {
  object: { '{': 'first name' },
  'first name': { '}': 'end' },
  name: {},
  colon: { ':': 'value' },
  value: { '[': 'first item' },
  comma: { ',': 'name', '}': 'end' },
  'first item': { ']': 'comma' },
  item: {},
  'item comma': { ',': 'item', ']': 'comma' },
  end: {},
}

const whitespace = new Set([' ', '\n', '\r', '\t'])
const [quote, backslash] = [34, 92]
const isOpening = (code: number): boolean => code === 91 || code === 123
const isClosing = (code: number): boolean => code === 93 || code === 125
/** `,`, a closing bracket or whitespace. */
const endsPlain = (code: number): boolean => code === 44 || isClosing(code) || code <= 32

/** Finds the end of one JSON value, of which the text comes in pieces. */
class Value {
  private levels = 0
  private isQuoted = false
  private isEscaped = false
  private isPlain = false
  private before = ''

  constructor(
    first: string,
    private readonly mostLevels: number,
  ) {
    this.isPlain = first !== '"' && first !== '{' && first !== '['
  }

  /** @returns where the value ends in the piece, or the length of it if it goes on; the value is whole in the first case */
  end(piece: string, from: number): { readonly at: number; readonly json: string | undefined } {
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (this.isPlain && endsPlain(code)) return { at, json: this.before + piece.slice(from, at) }
      if (!this.isPlain && this.closes(code))
        return { at: at + 1, json: this.before + piece.slice(from, at + 1) }
    }
    this.before += piece.slice(from)
    return { at: piece.length, json: undefined }
  }

  private closes(code: number): boolean {
    if (this.isEscaped) this.isEscaped = false
    else if (this.isQuoted) {
      if (code === backslash) this.isEscaped = true
      if (code !== quote) return false
      this.isQuoted = false
      return this.levels === 0
    } else if (code === quote) this.isQuoted = true
    else if (isOpening(code)) {
      this.levels++
      if (this.levels > this.mostLevels) throw new PartsProblem(true)
    } else if (isClosing(code)) return --this.levels === 0
    return false
  }
}

class Parts {
  private expected: Expected = 'object'
  private name = ''
  private value: Value | undefined

  constructor(private readonly mostLevels: number) {}

  get isWhole(): boolean {
    return this.expected === 'end'
  }

  *of(piece: string): Generator<JsonPart> {
    for (let at = 0; at < piece.length; ) {
      if (this.value) {
        const found = this.value.end(piece, at)
        at = found.at
        if (found.json === undefined) return
        this.value = undefined
        yield* this.part(found.json)
        continue
      }
      const mark = piece.charAt(at)
      if (whitespace.has(mark)) at++
      else if (this.passes(mark)) {
        at++
        if (this.expected === 'first item') yield { kind: 'list', name: this.name }
      }
    }
  }

  /** Whether a mark stands between values. Any other mark begins a value. */
  private passes(mark: string): boolean {
    const next = after[this.expected][mark]
    if (next) {
      this.expected = next
      return true
    }
    const isName = this.expected === 'name' || this.expected === 'first name'
    const isItem = this.expected === 'item' || this.expected === 'first item'
    if (isName ? mark !== '"' : !(isItem || this.expected === 'value')) throw new PartsProblem(false)
    this.value = new Value(mark, this.mostLevels - (isItem ? 2 : 1))
    return false
  }

  private *part(json: string): Generator<JsonPart> {
    switch (this.expected) {
      case 'first name':
      case 'name':
        this.name = String(parsed(json))
        this.expected = 'colon'
        break
      case 'value':
        this.expected = 'comma'
        yield { kind: 'member', name: this.name, json }
        break
      default:
        this.expected = 'item comma'
        yield { kind: 'item', name: this.name, json }
    }
  }
}

/** @throws PartsProblem for a text that is not JSON */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new PartsProblem(false)
  }
}

/**
 * The parts of a JSON object, of which only one is in memory at a time. The JSON of a part itself is not checked.
 * @param mostLevels of arrays and objects
 * @throws PartsProblem at the first place where the text is not such an object
 */
export async function* jsonParts(
  pieces: AsyncIterable<string>,
  mostLevels: number,
): AsyncGenerator<JsonPart> {
  const parts = new Parts(mostLevels)
  for await (const piece of pieces) yield* parts.of(piece)
  if (!parts.isWhole) throw new PartsProblem(false)
}
