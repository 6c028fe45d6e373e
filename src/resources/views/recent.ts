import type { RecentChange } from '../../services/operation/recent-changes.js'
import type { Wording } from '../../texts/wording.js'
import type { ServicesOfSpace } from '../admin-space.js'
import { authorsOf, published, type Subject, subjectsOf, type Verb, verbOf } from './audit-subjects.js'

/** A recent change as one row, or several changes of one record by one person. */
export interface RecentRow {
  readonly subject: Subject
  readonly verb: Verb
  readonly who: string
  readonly at: string
  readonly since: string
  readonly event: string
}

/** Joins changes of one record by one person, if nothing came between or they were made at once. */
export async function recentRows(
  changes: readonly RecentChange[],
  most: number,
  services: ServicesOfSpace,
  wording: Wording,
): Promise<RecentRow[]> {
  const nameOf = await authorsOf(changes, services, wording)
  const subjects = await subjectsOf(changes, services, wording)
  const shown: RecentRow[] = []
  for (const [i, change] of changes.entries()) {
    const subject = subjects[i] as Subject
    const [who, verb] = [nameOf(change), verbOf(change)]
    const { occurred_at: at, audit_event_id: event } = change
    const known = shown.findIndex(
      (one, before) =>
        one.who === who &&
        one.subject.words === subject.words &&
        one.subject.at?.id === subject.at?.id &&
        (before === shown.length - 1 || one.since === at),
    )
    const last = shown[known]
    // The verb of the oldest change stays: a new record is filled in at once. A publish replaces any other verb.
    if (last) shown[known] = { ...last, verb: last.verb === published ? published : verb, since: at }
    else shown.push({ subject, verb, who, at, since: at, event })
  }
  return shown.slice(0, most)
}
