/** Selects whose choices are texts in rows: they follow the typing there. */

interface Choice {
  readonly value: string
  readonly word: string
}

const inputsIn = (row: Element) => [...row.querySelectorAll('input')].map(({ value }) => value.trim())

/** Returns value and label of each row that is filled in; a label alone is the value too. */
function choicesIn(rows: Element): Choice[] {
  const found = new Map<string, Choice>()
  for (const row of rows.querySelectorAll('li')) {
    const [value = '', label = ''] = inputsIn(row)
    const own = value || label
    if (own !== '' && !found.has(own)) found.set(own, { value: own, word: label || own })
  }
  return [...found.values()]
}

/** Returns the select itself, or replaces a text field by one: without choices the field takes any text. */
function selectFor(control: HTMLSelectElement | HTMLInputElement): HTMLSelectElement {
  if (control instanceof HTMLSelectElement) return control
  const select = document.createElement('select')
  for (const name of ['class', 'id', 'name', 'data-follows', 'aria-invalid', 'aria-describedby']) {
    const value = control.getAttribute(name)
    if (value !== null) select.setAttribute(name, value)
  }
  select.add(new Option('–', ''))
  if (control.value) select.add(new Option(control.value, control.value, false, true))
  control.replaceWith(select)
  return select
}

/** Returns the chosen value after a change of the rows: it follows its row, and is empty if the row is gone. */
function chosenOf({ value, options }: HTMLSelectElement, choices: readonly Choice[]): string {
  const before = [...options].map(option => option.value).filter(Boolean)
  const isSame = choices.length === before.length
  if (value === '' || choices.some(choice => choice.value === value)) return value
  return (isSame && choices[before.indexOf(value)]?.value) || ''
}

function follow(control: HTMLSelectElement | HTMLInputElement, rows: Element): void {
  const choices = choicesIn(rows)
  if (choices.length === 0 && control instanceof HTMLInputElement) return
  const select = selectFor(control)
  const chosen = chosenOf(select, choices)
  const drawn = [...select.options].find(({ defaultSelected }) => defaultSelected)?.value
  const options = choices.map(({ value, word }) => new Option(word, value, value === drawn))
  select.replaceChildren(new Option('–', '', drawn === ''), ...options)
  select.value = chosen
}

function onInput({ target }: Event): void {
  const rows = target instanceof Element ? target.closest<HTMLElement>('[data-rows]') : null
  if (!rows) return
  for (const control of document.querySelectorAll('[data-follows]'))
    if (
      control.getAttribute('data-follows') === rows.dataset.rows &&
      (control instanceof HTMLSelectElement || control instanceof HTMLInputElement)
    )
      follow(control, rows)
}

/** Starts selects whose choices follow texts in rows. */
export const startFollowing = (): void => document.addEventListener('input', onInput)
