import { createIndex, type Migration } from '../src/db/schema.js'

/** Finds the trees that have a draft, so that a search looks only at what the public does not see. It only adds (`+`). */
export const draftsByStatus: Migration = {
  name: '059+drafts-by-status',
  steps: ['', 'admin_'].map(prefix => createIndex(`${prefix}content_data`, ['status', 'root_id'])),
}
