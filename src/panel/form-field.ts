import type { Field as Described } from '../resources/form-field.js'

export type { Choice } from '../resources/form-field.js'

/** A picker, which finds more choices than the form has. */
export interface Picked {
  readonly kind: 'entries' | 'media' | 'pages'
  readonly of?: readonly string[]
}

/** Texts in rows that can be added, ordered and removed; all have the name of the field. */
export interface Rows {
  readonly kind: 'rows'
  readonly columns: readonly string[]
  /** The label of the button that adds a row. */
  readonly add: string
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

interface Place {
  /** The field of rows whose texts are its choices, also while they are typed. */
  readonly follows?: string
  readonly group?: string
  /** The label under which the field is folded while it is empty. */
  readonly folded?: string
  /** A text that a button copies into the field, and the name of its language if it has one. */
  readonly copied?: { readonly from?: string; readonly text: string }
}

interface Choosing {
  picked?: Picked
  /** The label of the button that shows the fields which depend on this choice. */
  shows?: string
  /** Shows all choices side by side. */
  tiles?: true
  /** Shows permissions as a table of resources and operations. */
  table?: true
}

/** A field of a form, as the browser shows it. */
export type Field = (Described<Choosing> | (Rows & Base)) & Place
