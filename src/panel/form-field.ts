import type { Field as Described } from '../resources/form-field.js'

export type { Choice } from '../resources/form-field.js'

/** Where more choices are found than a form has. */
export interface Picked {
  readonly kind: 'entries' | 'media'
  /** Names of datatypes. */
  readonly of?: readonly string[]
}

/** A field of a form, as the browser shows it. */
export type Field = Described<{ picked?: Picked }>
