/**
 * A cell is one number: the code of its text in the lower 24 bits, its style above. The code is a code point, 0 for the
 * second half of a wide character, or from `firstOther` on a text of several code points.
 */
const textBits = 0xff_ff_ff
const styleShift = 24
const firstOther = 0x11_00_00
/** The most texts of several code points that are kept. */
const mostOthers = 10_000

export const blank = 0x20
/** No drawn cell is like this one. */
export const never = -1

export const codeOf = (cell: number): number => cell & textBits
export const styleOf = (cell: number): number => cell >>> styleShift
export const cellOf = (code: number, style: number): number => (style << styleShift) | code

/** The texts of the cells of one screen. */
export class CellTexts {
  #others: string[] = []
  #codes = new Map<string, number>()

  /** Drops its texts if they are too many. @returns whether it has, so that no cell is valid any more */
  dropIfFull(): boolean {
    if (this.#others.length <= mostOthers) return false
    this.#others = []
    this.#codes.clear()
    return true
  }

  /** Returns the code of a character, which may be several code points. */
  codeOf(text: string): number {
    const point = text.codePointAt(0) ?? 0
    if (text.length === 1 || (text.length === 2 && point > 0xffff)) return point
    const known = this.#codes.get(text)
    if (known !== undefined) return known
    const code = firstOther + this.#others.push(text) - 1
    this.#codes.set(text, code)
    return code
  }

  /** Returns the text of a cell; empty for the second half of a wide character. */
  textOf(cell: number): string {
    const code = codeOf(cell)
    if (code === 0) return ''
    return code < firstOther ? String.fromCodePoint(code) : (this.#others[code - firstOther] ?? ' ')
  }
}
