import type { Texts } from '../../resources/form-field.js'
import { differingIn } from '../../resources/views/conflict.js'
import type { Difference } from './conflict.js'
import { type FormField, type FormState, isChanged, textsOf } from './form-state.js'

/** The data that a form is opened with: fields, and the stored texts. */
export interface Loaded<R> {
  readonly fields: readonly FormField[]
  /** The record that the texts come from, to detect changes by somebody else; undefined for a new record. */
  readonly record: R | undefined
  readonly locked?: string | undefined
  readonly lead?: readonly string[]
  readonly title: string
}

/** Returns the form with a record that was read. Typed values stay, and count as typed into this record. */
export function fresh<R>(
  state: FormState<R>,
  { fields, record, locked, lead = [], title }: Loaded<R>,
): FormState<R> {
  const base = textsOf(fields, record)
  const texts = state.isLoaded
    ? Object.fromEntries(
        Object.entries(base).map(([name, text]) => [
          name,
          isChanged(state, name) ? (state.texts[name] ?? text) : text,
        ]),
      )
    : base
  const at = Math.min(state.at, Math.max(0, fields.length - 1))
  return { ...state, fields, base, texts, record, locked, lead, title, at, isLoaded: true }
}

/** Fields that both have changed, to choose from. */
export function differencesOf<R>(mine: FormState<R>, theirs: Texts): Difference[] {
  const isTheirs = ({ name }: FormField) =>
    JSON.stringify(theirs[name] ?? '') !== JSON.stringify(mine.base[name] ?? '')
  return differingIn(
    mine.fields.filter(field => isChanged(mine, field.name) && isTheirs(field)),
    ({ name }) => mine.texts[name] ?? '',
    ({ name }) => theirs[name] ?? '',
  ).map(one => ({ ...one, base: mine.base[one.field.name] ?? '' }))
}
