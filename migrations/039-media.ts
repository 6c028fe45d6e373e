import { addColumn, type Migration } from '../src/db/schema.js'

const spaces = ['', 'admin_'] as const

/** A placeholder of each image; earlier images get theirs with their next variants. */
export const mediaThumbhash: Migration = {
  name: '039-media',
  steps: spaces.map(prefix => addColumn(`${prefix}media`, 'thumbhash', 'text(64)?')),
}
