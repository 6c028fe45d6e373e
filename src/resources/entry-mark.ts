import { changedMeanwhile } from '../errors.js'
import type { Entry } from './entries.js'

type Marked = Pick<Entry, 'revision' | 'date_modified'>

/** The edit of an entry that a form shows: its values are part of its revision (D-720). */
export const entryMark = ({ revision, date_modified }: Marked): string => `${revision} ${date_modified}`

/** Reads a mark; undefined if it is invalid. */
export function readMark(mark: string): { revision: number; at: string } | undefined {
  const [, revision, at] = /^(\d{1,15}) (\d{4}-[\dT:.Z-]{1,40})$/.exec(mark) ?? []
  return revision === undefined || at === undefined || Number.isNaN(Date.parse(at))
    ? undefined
    : { revision: Number(revision), at }
}

/** Refuses, within the transaction, to change an entry that differs from what the form showed. */
export const unlessEdited =
  (seen: string) =>
  (before: Marked): void => {
    if (seen !== '' && entryMark(before) !== seen) throw changedMeanwhile()
  }

/** The part of an entry that a form for its schedule edits. */
export const planIn = ({ publish_at, unpublish_at }: Pick<Entry, 'publish_at' | 'unpublish_at'>) => [
  publish_at,
  unpublish_at,
]
