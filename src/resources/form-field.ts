/** The texts that a form holds, or has sent, by the names of its fields. */
export type Texts = Readonly<Record<string, string | readonly string[]>>

export interface Choice {
  readonly value: string
  readonly word: string
  readonly hint?: string
  readonly alt?: string
  readonly group?: string
  readonly picture?: string | undefined
  readonly preview?: string | undefined
  /** The focal point of the picture, in percent from the left and from the top, with a blank between. */
  readonly focal?: string | undefined
}

type Control<Choosing> =
  | { kind?: 'text' | 'email' | 'url' | 'password' | 'number' | 'datetime' | 'date'; autocomplete?: string }
  | { kind: 'lines' | 'html' | 'json' }
  | { kind: 'switch'; words?: readonly [string, string] }
  | ({ kind: 'choice'; choices: readonly Choice[]; none?: string } & Choosing)
  | ({ kind: 'choices'; choices: readonly Choice[] } & Choosing)
  /** Choices are the words of former values, for the audit log. */
  | { kind: 'fixed'; choices?: readonly Choice[] }
  | { kind: 'hidden' }

/**
 * A field of a form: a member of the service's schema with its control.
 * @typeParam Choosing what a surface adds to a choice with too many options for a list
 */
export type Field<Choosing = unknown> = Control<Choosing> & {
  readonly name: string
  readonly label: string
  readonly code?: string
  readonly hint?: string
  readonly help?: string
  readonly placeholder?: string
  readonly rows?: number
  readonly required?: boolean
  readonly mono?: boolean
  readonly beside?: boolean
  readonly value?: string | readonly string[]
}
