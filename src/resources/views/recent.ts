import type { RecentChange } from '../../services/operation/recent-changes.js'
import type { Wording } from '../../texts/wording.js'
import type { ServicesOfSpace } from '../admin-space.js'
import {
  authorsOf,
  doneWords,
  published,
  type Subject,
  subjectsOf,
  type Verb,
  verbOf,
} from './audit-subjects.js'

/** A recent change as one row, or several changes of one record by one person. */
export interface RecentRow {
  readonly subject: Subject
  readonly verb: Verb
  /** The kind and the action, such as “Entry changed”. */
  readonly done: string
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
    const [who, verb, done] = [nameOf(change), verbOf(change), doneWords(change, subject, wording)]
    const { occurred_at: at, audit_event_id: event } = change
    const known = shown.findIndex(
      (one, before) =>
        one.who === who &&
        one.subject.words === subject.words &&
        one.subject.at?.id === subject.at?.id &&
        (before === shown.length - 1 || one.since === at),
    )
    const last = shown[known]
    // The verb of the oldest change stays: a new record is filled in at once. A publish replaces any other verb, and
    // so does the deletion of a record.
    const isLast = last && (last.verb === published || (last.verb === 'deleted' && !last.subject.at))
    if (last) shown[known] = { ...last, ...(isLast ? {} : { verb, done }), since: at }
    else shown.push({ subject, verb, done, who, at, since: at, event })
  }
  return shown.slice(0, most)
}

/** Consecutive changes by one person, grouped by action. */
export interface RecentGroup {
  readonly who: string
  readonly at: string
  readonly done: readonly { readonly words: string; readonly subjects: readonly Subject[] }[]
}

/** The longest pause between two changes of one group. */
const pauseMs = 3_600_000

/** Groups rows, the newest first, by person and time. */
export function recentGroups(rows: readonly RecentRow[]): RecentGroup[] {
  const groups: { who: string; at: string; since: string; done: Map<string, Subject[]> }[] = []
  for (const { who, at, since, done, subject } of rows) {
    const last = groups.at(-1)
    const isNext = last?.who === who && Date.parse(last.since) - Date.parse(at) <= pauseMs
    const group = isNext ? last : { who, at, since, done: new Map<string, Subject[]>() }
    if (!isNext) groups.push(group)
    group.since = since < group.since ? since : group.since
    group.done.set(done, [...(group.done.get(done) ?? []), subject])
  }
  return groups.map(({ who, at, done }) => ({
    who,
    at,
    done: [...done].map(([words, subjects]) => ({ words, subjects })),
  }))
}
