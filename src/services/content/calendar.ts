import type { Database } from '../../db/database.js'
import { datedEntries } from '../../db/queries/calendar.js'
import type { ContentSpace } from '../../db/tables.js'

const kinds = { publish_at: 'publish', unpublish_at: 'unpublish', published_at: 'published' } as const

/** Something that is scheduled, or the last publish of a page or of shared content. */
export interface CalendarEvent {
  readonly content_data_id: string
  readonly at: string
  readonly what: (typeof kinds)[keyof typeof kinds]
}

/** The most events of one kind in a month that is asked for. */
const maxEvents = 500

/** Schedules and publishes by time, for one content space. */
export const calendar = (db: Database, space: ContentSpace) => ({
  /** Lists events from one time until another, the earliest first: at most 500 of each kind. */
  async between(from: string, until: string): Promise<CalendarEvent[]> {
    const columns = Object.keys(kinds) as (keyof typeof kinds)[]
    const found: CalendarEvent[] = []
    for (const column of columns)
      for (const { id, at } of await db.boundedQuery(datedEntries(space, column, maxEvents), { from, until }))
        found.push({ content_data_id: id, at, what: kinds[column] })
    return found.sort((a, b) => (a.at < b.at ? -1 : 1))
  },
})
