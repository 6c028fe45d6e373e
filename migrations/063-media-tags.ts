import { addColumn, type Migration } from '../src/db/schema.js'

/** The tags of media. It only adds (`+`). */
export const mediaTags: Migration = {
  name: '063+media-tags',
  steps: ['', 'admin_'].map(prefix => addColumn(`${prefix}media`, 'tags', 'json?')),
}
