/** The style of a cell: bits that are added together. The colours are visible on both light and dark terminals. */
export const plain = 0
export const bold = 1
export const dim = 2
export const inverse = 4
export const underline = 8
export const red = 1 << 4
export const green = 2 << 4
export const magenta = 3 << 4

const colours = ['', ';31', ';32', ';35']

/** The bits of a style that are no colour. */
export const uncoloured = bold | dim | inverse | underline

/** Returns the sequence that sets a style, regardless of the one before. */
export function sequenceOf(style: number): string {
  const weight = `${style & bold ? ';1' : ''}${style & dim ? ';2' : ''}`
  return `\x1b[0${weight}${style & underline ? ';4' : ''}${style & inverse ? ';7' : ''}${colours[style >> 4] ?? ''}m`
}
