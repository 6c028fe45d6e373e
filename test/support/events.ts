import type { EventData } from '../../src/events.js'

/** The event of a changed entry, for tests that only need a delivery. */
export const updated =
  (content_data_id = 'x') =>
  async (): Promise<EventData<'content.updated'>> => ({
    content_data_id,
    locale: '',
    slug: null,
    datatypes: [],
    slugs: [],
    surrogate_keys: [],
    updated_by: null,
  })
