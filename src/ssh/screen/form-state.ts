import type { HttpError } from '../../errors.js'
import type { Choice, Field, Texts } from '../../resources/form-field.js'
import { refusalOf } from '../../resources/refusals.js'
import { english } from '../../texts/language.js'
import type { Line } from './line.js'

/** A search for choices that are too many for a list. */
export interface Find {
  readonly access: string
  look(text: string): Promise<readonly Choice[]>
}

/** A field of a form on a terminal. */
export type FormField = Field<{ find?: Find }>

export interface FormState<R> {
  readonly fields: readonly FormField[]
  readonly base: Texts
  readonly texts: Texts
  readonly errors: ReadonlyMap<string, string>
  readonly words: ReadonlyMap<string, string>
  readonly record: R | undefined
  readonly locked: string | undefined
  readonly lead: readonly string[]
  readonly title: string
  readonly at: number
  readonly line: Line | undefined
  readonly isLoaded: boolean
  /** The last text that was made for the derived field. */
  readonly made?: string
}

const textIn = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** Returns the texts that the fields of a record show. */
export function textsOf(fields: readonly FormField[], record: unknown): Texts {
  const members = (record ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    fields.map(({ name, value, kind }) => {
      const own = value ?? members[name]
      if (kind === 'choices') return [name, [own ?? []].flat().map(String)]
      if (kind === 'switch') return [name, textIn(own) || 'false']
      return [name, textIn(own)]
    }),
  )
}

export const isChanged = <R>({ texts, base }: FormState<R>, name: string): boolean =>
  JSON.stringify(texts[name] ?? '') !== JSON.stringify(base[name] ?? '')

/** The typed texts that are not stored yet. */
export const typedTexts = <R>(state: FormState<R>): Texts =>
  Object.fromEntries(Object.entries(state.texts).filter(([name]) => isChanged(state, name)))

/** Returns the problems of a refusal by shown field, and those about no field. */
export const errorsOf = <R>(error: HttpError, { fields }: FormState<R>) =>
  refusalOf(error, new Set(fields.filter(({ kind }) => kind !== 'hidden').map(({ name }) => name)), english)
