/** The texts that a form holds, or has sent, by the names of its fields. */
export type Texts = Readonly<Record<string, string | readonly string[]>>

export interface Choice {
  readonly value: string
  readonly word: string
  readonly hint?: string
  /** The alt text of a picture. */
  readonly alt?: string
  /** The group of the choice; choices of one group are listed together under its name. */
  readonly group?: string
  /** The address of a small picture. */
  readonly picture?: string | undefined
  /** The address of a larger picture, which shows all of it. */
  readonly preview?: string | undefined
  /** The focal point of the picture, in percent from the left and from the top, with a blank between. */
  readonly focal?: string | undefined
}

type Control<Choosing> =
  | { kind?: 'text' | 'email' | 'url' | 'password' | 'number' | 'datetime' | 'date'; autocomplete?: string }
  | { kind: 'lines' | 'html' | 'json' }
  /** `words` name off and on. */
  | { kind: 'switch'; words?: readonly [string, string] }
  | ({ kind: 'choice'; choices: readonly Choice[]; none?: string } & Choosing)
  | ({ kind: 'choices'; choices: readonly Choice[] } & Choosing)
  | { kind: 'fixed' }
  | { kind: 'hidden' }

/**
 * A field of a form: a member of the service's schema with its control.
 * @typeParam Choosing what a surface adds to a choice with too many options for a list
 */
export type Field<Choosing = unknown> = Control<Choosing> & {
  readonly name: string
  readonly label: string
  /** The name in the API, shown behind the label. */
  readonly code?: string
  readonly hint?: string
  /** The help text that the author of the field wrote. */
  readonly help?: string
  readonly placeholder?: string
  /** The height of a control with several lines. */
  readonly rows?: number
  readonly required?: boolean
  /** Code, shown in a monospaced typeface if there is one. */
  readonly mono?: boolean
  /** Whether it is beside the previous field if there is room. */
  readonly beside?: boolean
  /** A value that is shown instead of the record's. */
  readonly value?: string | readonly string[]
}
