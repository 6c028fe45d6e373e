const maxDepth = 50

const bytesOf = new TextEncoder()
const utf8 = new TextDecoder()

type PhpArray = unknown[] | Record<string, unknown>

class Damaged extends Error {}

/** Reads what `serialize` of PHP has written. Lengths of texts are in bytes of UTF-8. */
class PhpReader {
  private at = 0
  private readonly bytes: Uint8Array

  constructor(text: string) {
    this.bytes = bytesOf.encode(text)
  }

  whole(): PhpArray {
    if (this.upTo(':') !== 'a') throw new Damaged()
    const value = this.array(1)
    if (this.at < this.bytes.length) throw new Damaged()
    return value
  }

  private value(depth: number): unknown {
    const kind = this.upTo(this.bytes[this.at] === 0x4e ? ';' : ':')
    switch (kind) {
      case 'N':
        return null
      case 'b':
        return this.upTo(';') === '1'
      case 'i':
      case 'd':
        return this.number()
      case 's':
        return this.text()
      case 'a':
        if (depth === maxDepth) throw new Damaged()
        return this.array(depth + 1)
      default:
        throw new Damaged()
    }
  }

  private number(): number {
    const value = Number(this.upTo(';'))
    if (!Number.isFinite(value)) throw new Damaged()
    return value
  }

  private text(): string {
    const length = this.length()
    const from = this.at + 1
    const text = utf8.decode(this.bytes.subarray(from, from + length))
    this.at = from + length
    if (this.upTo(';') !== '"') throw new Damaged()
    return text
  }

  /** A list where its keys are 0, 1, 2 and so on. */
  private array(depth: number): PhpArray {
    const count = this.length()
    if (this.upTo('{') !== '') throw new Damaged()
    const members: [string, unknown][] = []
    for (let i = 0; i < count; i++) members.push([String(this.value(maxDepth)), this.value(depth)])
    if (this.upTo('}') !== '') throw new Damaged()
    const isList = members.every(([key], i) => key === String(i))
    return isList ? members.map(([, value]) => value) : Object.fromEntries(members)
  }

  private length(): number {
    const text = this.upTo(':')
    if (!/^\d{1,9}$/.test(text)) throw new Damaged()
    return Number(text)
  }

  private upTo(mark: string): string {
    const end = this.bytes.indexOf(mark.charCodeAt(0), this.at)
    if (end < 0 || end - this.at > 64) throw new Damaged()
    const text = utf8.decode(this.bytes.subarray(this.at, end))
    this.at = end + 1
    return text
  }
}

const isPhpArray = (text: string): boolean => /^a:\d+:\{/.test(text)

/**
 * The array that a text is in the form of PHP's `serialize`, as JSON has it.
 * @returns undefined for any other text, for a damaged one and for one with objects
 */
export function phpArray(text: string): PhpArray | undefined {
  if (!isPhpArray(text)) return undefined
  try {
    return new PhpReader(text).whole()
  } catch (error) {
    if (error instanceof Damaged) return undefined
    throw error
  }
}
