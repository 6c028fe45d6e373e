import { wordDiff } from '../services/content/word-diff.js'

/** What changes one text into another, word by word. */
export const TextDifference = ({ before, after }: { before: string; after: string }) => (
  <>
    {wordDiff(before, after).map(({ kind, text }) => {
      if (kind === 'removed') return <del>{text}</del>
      return kind === 'added' ? <ins>{text}</ins> : text
    })}
  </>
)

/** A text in which the words are marked that another one does not have. */
export const OwnWords = ({ text, other }: { text: string; other: string }) => (
  <>
    {wordDiff(other, text)
      .filter(({ kind }) => kind !== 'removed')
      .map(({ kind, text: part }) => (kind === 'added' ? <mark>{part}</mark> : part))}
  </>
)
