/** The style of a cell: bits that are added together. */
export const plain = 0
export const bold = 1
export const dim = 2
export const inverse = 4
export const underline = 8
export const red = 1 << 4
export const green = 2 << 4
export const magenta = 3 << 4

/** The look of a terminal's cells: its own colours, other ones on a background, or no colours. */
export type Theme = 'own' | 'dark' | 'light' | 'contrast' | 'none'

interface Look {
  /** The codes of text and background, for all cells. Without them the terminal's own show through. */
  readonly base: string
  readonly colours: readonly [none: string, red: string, green: string, magenta: string]
  /** Whether faint text is as strong as other text. */
  readonly isStrong?: true
}

/** All are of the 16 colours. The terminal's own are visible on both light and dark backgrounds. */
const looks: Readonly<Record<Theme, Look>> = {
  own: { base: '', colours: ['', ';31', ';32', ';35'] },
  dark: { base: ';37;40', colours: ['', ';91', ';92', ';95'] },
  light: { base: ';30;107', colours: ['', ';31', ';32', ';35'] },
  contrast: { base: ';97;40', colours: ['', ';1;91', ';1;92', ';1;95'], isStrong: true },
  none: { base: '', colours: ['', '', '', ''] },
}

/** Whether a theme has a background of its own, so that blanks are drawn and not erased. */
export const hasBackground = (theme: Theme): boolean => looks[theme].base !== ''

/** Returns the sequence that sets a style, regardless of the one before. */
export function sequenceOf(style: number, theme: Theme = 'own'): string {
  const { base, colours, isStrong } = looks[theme]
  const weight = `${style & bold ? ';1' : ''}${style & dim && !isStrong ? ';2' : ''}`
  return `\x1b[0${base}${weight}${style & underline ? ';4' : ''}${style & inverse ? ';7' : ''}${colours[style >> 4] ?? ''}m`
}

/** A colour of a picture: red, green and blue, 8 bits each. */
export type Rgb = readonly [number, number, number]

/** Returns the sequence for the two halves of a cell, in 24-bit colours. */
export const sequenceOfHalves = (above: Rgb, below: Rgb): string =>
  `\x1b[0;38;2;${above.join(';')};48;2;${below.join(';')}m`
