/** The texts that a form holds, or has sent, by the names of its fields. */
export type Texts = Readonly<Record<string, string | readonly string[]>>

export interface Choice {
  readonly value: string
  readonly word: string
  readonly hint?: string
  /** Choices of one group stand together, under its name. */
  readonly group?: string
  /** The address of a small picture of it. */
  readonly picture?: string | undefined
  /** The address of a larger picture of it, which shows it whole. */
  readonly preview?: string | undefined
  /** The focal point of the picture, in percent from the left and from the top, with a blank between. */
  readonly focal?: string | undefined
}

type Control<Choosing> =
  | { kind?: 'text' | 'email' | 'url' | 'password' | 'number' | 'datetime' | 'date'; autocomplete?: string }
  | { kind: 'lines' | 'html' | 'json' }
  /** `words` are for off and on. */
  | { kind: 'switch'; words?: readonly [string, string] }
  | ({ kind: 'choice'; choices: readonly Choice[]; none?: string } & Choosing)
  | ({ kind: 'choices'; choices: readonly Choice[] } & Choosing)
  | { kind: 'fixed' }
  | { kind: 'hidden' }

/**
 * A field of a form: a member of the service's schema with its control.
 * @typeParam Choosing what a surface adds to choices that are more than a list takes
 */
export type Field<Choosing = unknown> = Control<Choosing> & {
  readonly name: string
  readonly label: string
  /** Its name for programs, shown behind the label. */
  readonly code?: string
  readonly hint?: string
  /** The help text that the author of the field wrote. */
  readonly help?: string
  readonly placeholder?: string
  /** How many lines are shown of a control of several. */
  readonly rows?: number
  readonly required?: boolean
  /** Code, shown in a typeface of its own where there is one. */
  readonly mono?: boolean
  /** Beside the field before it, where there is room for both. */
  readonly beside?: boolean
  /** Instead of the value of the record. */
  readonly value?: string | readonly string[]
}
