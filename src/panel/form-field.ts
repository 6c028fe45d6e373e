import type { Field as Described } from '../resources/form-field.js'

export type { Choice } from '../resources/form-field.js'

/** Where more choices are found than a form has. */
export interface Picked {
  readonly kind: 'entries' | 'media'
  /** Names of datatypes. */
  readonly of?: readonly string[]
}

/** Texts in rows that can be added, put in order and taken away; all have the name of the field. */
export interface Rows {
  readonly kind: 'rows'
  /** The labels of the texts in a row. */
  readonly columns: readonly string[]
  /** The noun for one row, such as `option`. */
  readonly one: string
}

type Base = Pick<
  Described,
  | 'name'
  | 'label'
  | 'code'
  | 'hint'
  | 'help'
  | 'placeholder'
  | 'rows'
  | 'required'
  | 'mono'
  | 'beside'
  | 'value'
>

/** Where a field stands in its form. */
interface Place {
  /** The field of rows whose texts are its choices, as they are typed. */
  readonly follows?: string
  /** The heading over fields that follow each other. */
  readonly group?: string
  /** Folded away under these words until there is something in it. */
  readonly folded?: string
}

interface Choosing {
  picked?: Picked
  /** Which fields the form has depends on the choice; the words of the button that shows them. */
  shows?: string
}

/** A field of a form, as the browser shows it. */
export type Field = (Described<Choosing> | (Rows & Base)) & Place
