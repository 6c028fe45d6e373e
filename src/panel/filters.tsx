import type { Child } from 'hono/jsx'
import type { Choice } from '../resources/form-field.js'
import { Submit } from './parts.js'
import type { View } from './view.js'

/** The filters of a list. With the script they act at once; without it a button sends them. */
export const FilterForm = ({ view, path, children }: { view: View; path: string; children?: Child }) => (
  <form
    class="filters"
    method="get"
    action={`${view.base}${path}`}
    data-instant=""
    hx-get={`${view.base}${path}`}
    hx-target="#app"
    hx-select="#app"
    hx-swap="outerMorph"
    hx-nonce={view.nonce}
  >
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
