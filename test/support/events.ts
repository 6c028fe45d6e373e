import type { EventData } from '../../src/events.js'

/** What a change of an entry says, for tests that only need something to be delivered. */
export const updated =
  (content_data_id = 'x') =>
  async (): Promise<EventData<'content.updated'>> => ({
    content_data_id,
    locale: '',
    slug: null,
    datatypes: [],
    slugs: [],
    updated_by: null,
  })
