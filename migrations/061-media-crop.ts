import { addColumn, type Migration } from '../src/db/schema.js'

const spaces = ['', 'admin_'] as const

/**
 * The part of an uploaded image that is shown at its address, and the name under which the whole image is kept. It only
 * adds (`+`).
 */
export const mediaCrop: Migration = {
  name: '061+media-crop',
  steps: spaces.flatMap(prefix => [
    addColumn(`${prefix}media`, 'crop', 'json?'),
    addColumn(`${prefix}media`, 'uncropped_key', 'text(512)?'),
  ]),
}
