import type { Values } from './draft-store.js'
import { rowsOf, setRows } from './rows.js'

/** Restores values into the fields of a form. */
export function restore(form: HTMLFormElement, all: readonly Values[]): void {
  for (const [name, values] of all) {
    const control = form.elements.namedItem(name)
    const rows = rowsOf(control)
    if (rows) setRows(rows, values)
    else if (control instanceof RadioNodeList) check([...control], values)
    else if (control instanceof HTMLInputElement && control.type === 'checkbox') check([control], values)
    else if (control instanceof Element) set(control, values.at(-1) ?? '')
  }
}

const tell = (control: Element) => control.dispatchEvent(new Event('input', { bubbles: true }))

function set(control: Element, value: string): void {
  const isText =
    control instanceof HTMLTextAreaElement ||
    control instanceof HTMLSelectElement ||
    (control instanceof HTMLInputElement && !['checkbox', 'radio', 'hidden'].includes(control.type))
  if (!isText || control.value === value) return
  // A picker has found it, so the select does not have it yet.
  if (control instanceof HTMLSelectElement && ![...control.options].some(one => one.value === value))
    control.add(new Option(value, value))
  control.value = value
  tell(control)
  if (control.closest('[data-shows]')) control.dispatchEvent(new Event('change', { bubbles: true }))
}

/** Ticks boxes in the order of the values; the empty value stands for the form itself. */
function check(controls: readonly Node[], values: readonly string[]): void {
  const boxes = controls.filter(
    (one): one is HTMLInputElement => one instanceof HTMLInputElement && one.type === 'checkbox',
  )
  const [first] = boxes
  const field = controls
    .find((one): one is HTMLElement => one instanceof HTMLElement)
    ?.closest<HTMLElement>('[data-picker]')
  if (field) {
    field.dispatchEvent(new CustomEvent('restored', { detail: values.filter(Boolean), bubbles: true }))
    return
  }
  const before = boxes.map(({ checked }) => checked)
  for (const box of boxes) box.checked = values.includes(box.value)
  if (first && boxes.some(({ checked }, i) => checked !== before[i])) {
    for (const box of boxes) box.dispatchEvent(new Event('change', { bubbles: true }))
    tell(first)
  }
}
