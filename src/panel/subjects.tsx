import type { RecordPlace, Subject } from '../resources/views/audit-subjects.js'
import { panelPath } from './context.js'
import type { View } from './view.js'

/** Returns the page of a record; undefined if the user may not open it. */
export const addressOf = (view: View, at: RecordPlace | undefined): string | undefined => {
  if (!at || !view.can(at.access)) return undefined
  const front = at.inAdminSpace ? `${panelPath}/space` : panelPath
  return `${front}/${at.resource === 'entry' ? 'content/entry' : at.resource}/${at.id}`
}

interface SubjectLinkProps {
  view: View
  subject: Subject
  otherwise?: string | undefined
  /** Whether the page shows the kind elsewhere. */
  bare?: true
}

/** The subject of a change, as a link if it has a page. */
export function SubjectLink({ view, subject: { words, kind, at }, otherwise, bare }: SubjectLinkProps) {
  const address = addressOf(view, at) ?? otherwise
  const isNamed = at === undefined && !bare && words.toLowerCase() !== kind.toLowerCase()
  const shown = isNamed ? `${words} (${kind})` : words
  return address === undefined ? <span>{shown}</span> : <a href={address}>{shown}</a>
}
