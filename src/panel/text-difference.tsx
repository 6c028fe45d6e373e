import { type Piece, wordDiffs } from '../services/content/word-diff.js'

export interface Difference {
  readonly before: string | null
  readonly after: string | null
}

export type WithPieces<D extends Difference> = D & { readonly pieces: readonly Piece[] }

/** Differences with what changes their texts, word by word. A page has all of them made at once, for their work is limited. */
export async function withPieces<D extends Difference>(differences: readonly D[]): Promise<WithPieces<D>[]> {
  const found = await wordDiffs(differences.map(({ before, after }) => [before ?? '', after ?? '']))
  return differences.map((one, i) => ({ ...one, pieces: found[i] ?? [] }))
}

/** What changes one text into another, word by word. */
export const TextDifference = ({ pieces }: { pieces: readonly Piece[] }) => (
  <>
    {pieces.map(({ kind, text }) => {
      if (kind === 'removed') return <del>{text}</del>
      return kind === 'added' ? <ins>{text}</ins> : text
    })}
  </>
)

/** One of two texts, in which the words are marked that the other one does not have. */
export const OwnWords = ({
  pieces,
  own,
}: {
  pieces: readonly Piece[]
  own: Exclude<Piece['kind'], 'same'>
}) => (
  <>
    {pieces.map(({ kind, text }) => {
      if (kind === 'same') return text
      return kind === own && <mark>{text}</mark>
    })}
  </>
)
