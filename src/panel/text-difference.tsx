import {
  type Format,
  type FormattedPiece,
  formattedText,
  withFormats,
} from '../services/content/rich-text/formatted.js'
import { type Piece, wordDiffs } from '../services/content/word-diff.js'
import type { PlainText } from '../texts/text.js'
import type { Wording } from '../texts/wording.js'
import { Turns } from '../turns.js'

/** The most characters in all differences of a page. Nobody reads longer ones, and they would delay other requests. */
const maxShown = 500_000
const aroundChange = 1000

export interface Difference {
  readonly before: string | null
  readonly after: string | null
  /** Whether both are rich text: its words and formats are compared, and no tags are shown. */
  readonly isRich?: boolean
}

/** A piece, of rich text with the formats that changed. */
export type ShownPiece = Piece & Partial<Pick<FormattedPiece, 'lost' | 'gained'>>

/** Without pieces the text is replaced as a whole, and too long to show. */
export type WithPieces<D extends Difference> = D & { readonly pieces: readonly ShownPiece[] | undefined }

const shortened = (piece: ShownPiece): ShownPiece =>
  piece.kind === 'same' && piece.text.length > 2 * aroundChange
    ? { ...piece, text: `${piece.text.slice(0, aroundChange)} … ${piece.text.slice(-aroundChange)}` }
    : piece

/** Adds the changed words to differences. A page has all of them computed together, because their work is limited. */
export async function withPieces<D extends Difference>(differences: readonly D[]): Promise<WithPieces<D>[]> {
  const rich = await richTextsOf(differences)
  const found = await wordDiffs(
    differences.map(({ before, after }, i) =>
      rich[i] ? [rich[i].before.text, rich[i].after.text] : [before ?? '', after ?? ''],
    ),
  )
  let left = maxShown
  return differences.map((one, i) => {
    const words = found[i] ?? []
    const own = rich[i] ? withFormats(words, rich[i].before, rich[i].after) : words
    const pieces = own.map(shortened)
    const length = pieces.reduce((sum, { text }) => sum + text.length, 0)
    if (length > left) return { ...one, pieces: undefined }
    left -= length
    return { ...one, pieces }
  })
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

function formatWords(format: Format, { t }: Wording): string {
  if (format.kind === 'heading') return t('Heading {level}', { level: format.level })
  return format.kind === 'link' ? t('Link to {address}', { address: format.to }) : t(formatTexts[format.kind])
}

/** The formats that a text has gained and lost, in words. */
function changedFormats({ gained = [], lost = [] }: ShownPiece, view: Wording): string {
  return [
    ...gained.map(format => view.t('{format} added', { format: formatWords(format, view) })),
    ...lost.map(format => view.t('{format} removed', { format: formatWords(format, view) })),
  ].join(', ')
}

/** A text in both, with the formats that have changed; a line break after it stays behind them. */
function SameText({ piece, note }: { piece: ShownPiece; note: string }) {
  const text = piece.text.trimEnd()
  if (note === '' || text === '') return <>{piece.text}</>
  return (
    <>
      <span class="reformatted">{text}</span> <span class="format-note">({note})</span>
      {piece.text.slice(text.length)}
    </>
  )
}

const isUnseen = ({ pieces, before, after, isRich }: WithPieces<Difference>): boolean =>
  isRich === true &&
  before !== after &&
  pieces?.every(
    ({ kind, gained = [], lost = [] }) => kind === 'same' && gained.length + lost.length === 0,
  ) === true

const count = (text: string | null, { language }: Wording): string =>
  (text ?? '').length.toLocaleString(language)

/** The difference between two texts, word by word. */
export function TextDifference({ view, of }: { view: Wording; of: WithPieces<Difference> }) {
  const { pieces, before, after } = of
  if (!pieces)
    return (
      <em>
        {view.t('Completely replaced: {before} characters before, {after} after.', {
          before: count(before, view),
          after: count(after, view),
        })}
      </em>
    )
  return (
    <>
      {pieces.map(piece => {
        if (piece.kind === 'removed') return <del>{piece.text}</del>
        if (piece.kind === 'added') return <ins>{piece.text}</ins>
        return <SameText piece={piece} note={changedFormats(piece, view)} />
      })}
      {isUnseen(of) && <em> {view.t('Only invisible markup has changed.')}</em>}
    </>
  )
}

/** One of two texts, with the words and formats marked that the other one lacks. */
export const OwnWords = ({
  view,
  pieces,
  own,
}: {
  view: Wording
  pieces: readonly ShownPiece[] | undefined
  own: Exclude<Piece['kind'], 'same'>
}) => (
  <>
    {pieces?.map(piece => {
      const formats = (own === 'added' ? piece.gained : piece.lost) ?? []
      const note = formats.map(format => formatWords(format, view)).join(', ')
      if (piece.kind === 'same') return <SameText piece={piece} note={note} />
      return piece.kind === own && <mark>{piece.text}</mark>
    }) ?? <em>{view.t('Too long to be shown here.')}</em>}
  </>
)
