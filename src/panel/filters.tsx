import type { Choice } from '../resources/form-field.js'

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
