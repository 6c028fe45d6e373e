import type { Child } from 'hono/jsx'
import type { Choice } from '../resources/form-field.js'
import { Submit } from './parts.js'
import type { View } from './view.js'

interface FilterFormProps {
  view: View
  path: string
  /** The field to search in, which is never folded. */
  seek?: Child
  /** How many of the other filters are set. */
  set: number
  children?: Child
}

/**
 * The filters of a list. With the script they act at once, and are folded on a phone; without it a button sends them.
 */
export const FilterForm = ({ view, path, seek, set, children }: FilterFormProps) => (
  <form
    class="filters"
    method="get"
    action={`${view.base}${path}`}
    data-instant=""
    hx-get={`${view.base}${path}`}
    hx-target="#app"
    hx-select="#app"
    hx-swap="outerMorph"
    hx-sync="this:replace"
    hx-nonce={view.nonce}
  >
    {seek}
    <button type="button" class="button scripted filters-button" aria-expanded="false" data-show-filters="">
      {set === 0 ? view.t('Filters') : view.t('Filters ({n})', { n: set })}
    </button>
    {children}
    <noscript>
      <Submit>{view.t('Filter')}</Submit>
    </noscript>
  </form>
)

interface ChooserProps {
  label: string
  name: string
  none: string
  choices: readonly Choice[]
  chosen: string | undefined
}

/** One filter of a list, in a form of the class `filters`. */
export const Chooser = ({ label, name, none, choices, chosen }: ChooserProps) => (
  <label>
    {label}
    <select class="input" name={name}>
      <option value="">{none}</option>
      {choices.map(({ value, word }) => (
        <option value={value} selected={value === chosen}>
          {word}
        </option>
      ))}
    </select>
  </label>
)

/** Returns the choice with this value; undefined if it is unknown. */
export const known = (choices: readonly Choice[], given: string | undefined) =>
  choices.find(({ value }) => value === given)?.value
