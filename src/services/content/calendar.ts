import type { Database } from '../../db/database.js'
import { datedEntries } from '../../db/queries/calendar.js'
import type { ContentSpace } from '../../db/tables.js'

const kinds = { publish_at: 'publish', unpublish_at: 'unpublish', published_at: 'published' } as const

/** Something that is scheduled, or the last publish of a page or of shared content. */
export interface CalendarEvent {
  readonly content_data_id: string
  readonly at: string
  readonly what: (typeof kinds)[keyof typeof kinds]
  /** When the entry was last changed. */
  readonly changed: string
}

/** A schedule that has not been carried out. */
export type PlannedEvent = CalendarEvent & { readonly what: 'publish' | 'unpublish' }

/** The most events of one kind in a month that is asked for. */
const maxEvents = 500
const endOfTime = '9999-12-31T23:59:59.999Z'

/** Schedules and publishes by time, for one content space. */
export function calendar(db: Database, space: ContentSpace) {
  async function found(columns: readonly (keyof typeof kinds)[], from: string, until: string) {
    const events: CalendarEvent[] = []
    for (const column of columns)
      for (const { id, at, changed } of await db.boundedQuery(datedEntries(space, column, maxEvents), {
        from,
        until,
      }))
        events.push({ content_data_id: id, at, what: kinds[column], changed })
    return events.sort((a, b) => (a.at < b.at ? -1 : 1))
  }
  return {
    /** Lists events from one time until another, the earliest first: at most 500 of each kind. */
    between: (from: string, until: string): Promise<CalendarEvent[]> =>
      found(['publish_at', 'unpublish_at', 'published_at'], from, until),
    /** Lists what is scheduled after a time, the earliest first: at most 500 of each kind. */
    planned: (from: string): Promise<PlannedEvent[]> =>
      found(['publish_at', 'unpublish_at'], from, endOfTime) as Promise<PlannedEvent[]>,
  }
}
