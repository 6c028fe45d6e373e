import { type Piece, wordDiffs } from '../services/content/word-diff.js'
import type { Wording } from '../texts/wording.js'

/** The most characters in all differences of a page. Nobody reads longer ones, and they would delay other requests. */
const maxShown = 500_000
const aroundChange = 1000

export interface Difference {
  readonly before: string | null
  readonly after: string | null
}

/** Without pieces the text is replaced as a whole, and too long to show. */
export type WithPieces<D extends Difference> = D & { readonly pieces: readonly Piece[] | undefined }

const shortened = (piece: Piece): Piece =>
  piece.kind === 'same' && piece.text.length > 2 * aroundChange
    ? { ...piece, text: `${piece.text.slice(0, aroundChange)} … ${piece.text.slice(-aroundChange)}` }
    : piece

/** Adds the changed words to differences. A page has all of them computed together, because their work is limited. */
export async function withPieces<D extends Difference>(differences: readonly D[]): Promise<WithPieces<D>[]> {
  const found = await wordDiffs(differences.map(({ before, after }) => [before ?? '', after ?? '']))
  let left = maxShown
  return differences.map((one, i) => {
    const pieces = (found[i] ?? []).map(shortened)
    const length = pieces.reduce((sum, { text }) => sum + text.length, 0)
    if (length > left) return { ...one, pieces: undefined }
    left -= length
    return { ...one, pieces }
  })
}

const count = (text: string | null, { language }: Wording): string =>
  (text ?? '').length.toLocaleString(language)

/** The difference between two texts, word by word. */
export const TextDifference = ({
  view,
  of: { pieces, before, after },
}: {
  view: Wording
  of: WithPieces<Difference>
}) => (
  <>
    {pieces?.map(({ kind, text }) => {
      if (kind === 'removed') return <del>{text}</del>
      return kind === 'added' ? <ins>{text}</ins> : text
    }) ?? (
      <em>
        {view.t('Completely replaced: {before} characters before, {after} after.', {
          before: count(before, view),
          after: count(after, view),
        })}
      </em>
    )}
  </>
)

/** One of two texts, with the words marked that the other one lacks. */
export const OwnWords = ({
  view,
  pieces,
  own,
}: {
  view: Wording
  pieces: readonly Piece[] | undefined
  own: Exclude<Piece['kind'], 'same'>
}) => (
  <>
    {pieces?.map(({ kind, text }) => {
      if (kind === 'same') return text
      return kind === own && <mark>{text}</mark>
    }) ?? <em>{view.t('Too long to be shown here.')}</em>}
  </>
)
