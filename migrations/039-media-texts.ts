import { addColumn, type Migration } from '../src/db/schema.js'

const spaces = ['', 'admin_'] as const

/** A placeholder of each image, which earlier images get with their next variants, and texts in other locales. */
export const mediaTexts: Migration = {
  name: '039-media-texts',
  steps: spaces.flatMap(prefix => [
    addColumn(`${prefix}media`, 'thumbhash', 'text(64)?'),
    addColumn(`${prefix}media`, 'translations', 'json', "('{}')"),
  ]),
}
