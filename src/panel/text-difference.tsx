import {
  changedFormats,
  changedPieces,
  type Difference,
  formatWords,
  isUnseen,
  type ShownPiece,
} from '../resources/views/text-differences.js'
import type { Piece } from '../services/content/word-diff.js'
import type { Wording } from '../texts/wording.js'

export type { ShownPiece }

/** The most characters in all differences of a page. Nobody reads longer ones, and they would delay other requests. */
const maxShown = 500_000
const aroundChange = 1000

/** Without pieces the text is replaced as a whole, and too long to show. */
export type WithPieces<D extends Difference> = D & { readonly pieces: readonly ShownPiece[] | undefined }

const shortened = (piece: ShownPiece): ShownPiece =>
  piece.kind === 'same' && piece.text.length > 2 * aroundChange
    ? { ...piece, text: `${piece.text.slice(0, aroundChange)} … ${piece.text.slice(-aroundChange)}` }
    : piece

/** Adds the changed words to differences. A page has all of them computed together, because their work is limited. */
export async function withPieces<D extends Difference>(differences: readonly D[]): Promise<WithPieces<D>[]> {
  const found = await changedPieces(differences)
  let left = maxShown
  return differences.map((one, i) => {
    const pieces = (found[i] ?? []).map(shortened)
    const length = pieces.reduce((sum, { text }) => sum + text.length, 0)
    if (length > left) return { ...one, pieces: undefined }
    left -= length
    return { ...one, pieces }
  })
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
      {isUnseen(of, pieces) && <em> {view.t('Only invisible markup has changed.')}</em>}
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
