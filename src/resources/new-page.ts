import { type Model, startsOf } from './entries.js'
import type { Field } from './form-field.js'

/** What a new page is asked for. */
export const newPageFields = (model: Model): Field[] => [
  { name: 'title', label: 'Title', required: true },
  { name: 'slug', label: 'Slug', required: true, mono: true, hint: 'a path such as /about' },
  { name: 'datatype_id', label: 'Starts from', kind: 'choice', choices: startsOf(model, undefined) },
]
