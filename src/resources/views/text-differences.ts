import {
  type Format,
  type FormattedPiece,
  formattedText,
  withFormats,
} from '../../services/content/rich-text/formatted.js'
import { type Piece, wordDiffs } from '../../services/content/word-diff.js'
import type { PlainText } from '../../texts/text.js'
import type { Wording } from '../../texts/wording.js'
import { Turns } from '../../turns.js'

type Words = Pick<Wording, 't'>

/** A text in two states. */
export interface Difference {
  readonly before: string | null
  readonly after: string | null
  /** Whether both are rich text: its words and formats are compared, and no tags are shown. */
  readonly isRich?: boolean
}

/** A piece, of rich text with the formats that changed. */
export type ShownPiece = Piece & Partial<Pick<FormattedPiece, 'lost' | 'gained'>>

/**
 * Returns the changed words of texts, of rich text as it is read. All texts of one page are computed together, because
 * their work is limited.
 */
export async function changedPieces(differences: readonly Difference[]): Promise<ShownPiece[][]> {
  const rich = await richTextsOf(differences)
  const found = await wordDiffs(
    differences.map(({ before, after }, i) =>
      rich[i] ? [rich[i].before.text, rich[i].after.text] : [before ?? '', after ?? ''],
    ),
  )
  return found.map((words, i) => (rich[i] ? withFormats(words, rich[i].before, rich[i].after) : words))
}

/** Reads both sides of each rich text; undefined for other texts, and for a text that is too large to be read. */
async function richTextsOf(differences: readonly Difference[]) {
  const turns = new Turns()
  const found = []
  for (const { before, after, isRich } of differences) {
    const sides = isRich ? [formattedText(before ?? ''), formattedText(after ?? '')] : []
    const [was, is] = sides
    found.push(was && is ? { before: was, after: is } : undefined)
    await turns.next()
  }
  return found
}

const formatTexts = {
  bold: 'Bold',
  italic: 'Italic',
  underline: 'Underline',
  strikethrough: 'Strikethrough',
  code: 'Code',
  subscript: 'Subscript',
  superscript: 'Superscript',
  quote: 'Quote',
  list: 'List',
  'numbered list': 'Numbered list',
  'code block': 'Code block',
  table: 'Table',
  caption: 'Caption',
} as const satisfies Readonly<Record<string, PlainText>>

/** Returns a format in words. */
export function formatWords(format: Format, { t }: Words): string {
  if (format.kind === 'heading') return t('Heading {level}', { level: format.level })
  return format.kind === 'link' ? t('Link to {address}', { address: format.to }) : t(formatTexts[format.kind])
}

/** The formats that a text has gained and lost, in words. */
export function changedFormats({ gained = [], lost = [] }: ShownPiece, view: Words): string {
  return [
    ...gained.map(format => view.t('{format} added', { format: formatWords(format, view) })),
    ...lost.map(format => view.t('{format} removed', { format: formatWords(format, view) })),
  ].join(', ')
}

/** Whether rich text has changed, and nothing of it that is seen. */
export const isUnseen = (
  { before, after, isRich }: Difference,
  pieces: readonly ShownPiece[] | undefined,
): boolean =>
  isRich === true &&
  before !== after &&
  pieces?.every(
    ({ kind, gained = [], lost = [] }) => kind === 'same' && gained.length + lost.length === 0,
  ) === true
