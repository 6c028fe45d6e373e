import { say } from './say.js'
import { t } from './text.js'

/** Texts in rows that the server draws: with the script a step is done at once, and the last row is always empty. */

const listIn = (rows: Element) => rows.querySelector('ol') as HTMLOListElement
const itemsIn = (rows: Element) => [...listIn(rows).children]
const inputsIn = (part: Element) => [...part.querySelectorAll('input')]
const isEmpty = (item: Element) => inputsIn(item).every(({ value }) => value === '')
const tell = (part: Element) => part.dispatchEvent(new Event('input', { bubbles: true }))

function addRow(rows: Element): Element | undefined {
  const copy = listIn(rows).lastElementChild?.cloneNode(true)
  if (!(copy instanceof Element)) return undefined
  for (const input of inputsIn(copy)) {
    input.value = ''
    for (const name of ['value', 'aria-invalid', 'aria-describedby']) input.removeAttribute(name)
  }
  listIn(rows).append(copy)
  return copy
}

function sayPlace(item: Element): void {
  const items = [...(item.parentElement?.children ?? [])]
  const name = inputsIn(item)[0]?.value || t('Empty')
  say(t('{name}: row {i} of {n}', { name, i: items.indexOf(item) + 1, n: items.length }))
}

function move(item: Element, step: 'up' | 'down'): void {
  const other = step === 'up' ? item.previousElementSibling : item.nextElementSibling
  if (!other) return
  const { activeElement } = document
  if (step === 'up') other.before(item)
  else other.after(item)
  if (activeElement instanceof HTMLElement) activeElement.focus()
  tell(item)
  sayPlace(item)
}

function remove(rows: Element, item: Element): void {
  const next = item.nextElementSibling ?? item.previousElementSibling ?? addRow(rows)
  const name = inputsIn(item)[0]?.value || t('Empty row')
  item.remove()
  if (next) inputsIn(next)[0]?.focus()
  tell(listIn(rows))
  say(t('{name}: removed', { name }))
}

function take(rows: Element, item: Element | null, step: string | undefined): void {
  if (step === 'add') {
    const empty = itemsIn(rows).find(isEmpty) ?? addRow(rows)
    if (empty) inputsIn(empty)[0]?.focus()
  } else if (item && (step === 'up' || step === 'down')) move(item, step)
  else if (item) remove(rows, item)
}

function onClick(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-step]') : null
  const rows = button?.closest('[data-rows]')
  if (!button || !rows) return
  event.preventDefault()
  take(rows, button.closest('li'), button.dataset.step)
}

function onKey(event: KeyboardEvent): void {
  const item = event.target instanceof Element ? event.target.closest('[data-rows] li') : null
  if (!item || !event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
  event.preventDefault()
  move(item, event.key === 'ArrowUp' ? 'up' : 'down')
}

function onInput({ target }: Event): void {
  const item = target instanceof Element ? target.closest('[data-rows] li') : null
  const rows = item?.closest('[data-rows]')
  if (rows && item && !item.nextElementSibling && !isEmpty(item)) addRow(rows)
}

/** Returns the rows that a control, or several of one name, belong to. */
export function rowsOf(control: Element | RadioNodeList | null): Element | null {
  const one = control instanceof RadioNodeList ? control[0] : control
  return one instanceof Element ? one.closest('[data-rows]') : null
}

/** Sets the texts of rows, and adds rows as needed. */
export function setRows(rows: Element, texts: readonly string[]): void {
  const before = JSON.stringify(inputsIn(rows).map(({ value }) => value))
  while (inputsIn(rows).length < texts.length && addRow(rows));
  for (const [i, input] of inputsIn(rows).entries()) input.value = texts[i] ?? ''
  if (JSON.stringify(inputsIn(rows).map(({ value }) => value)) !== before) tell(listIn(rows))
}

let chosen: string | undefined

function onChange({ target }: Event): void {
  const button = target instanceof Element ? target.closest('[data-shows]')?.querySelector('button') : null
  if (!button || !(target instanceof HTMLSelectElement)) return
  chosen = target.selectedOptions[0]?.text
  target.form?.requestSubmit(button)
}

function onSwap(): void {
  if (chosen !== undefined) say(t('{name}: its settings are below', { name: chosen }))
  chosen = undefined
}

/** Starts rows of texts, and fields that depend on a choice. */
export function startRows(): void {
  document.addEventListener('click', onClick)
  document.addEventListener('keydown', onKey)
  document.addEventListener('input', onInput)
  document.addEventListener('change', onChange)
  document.addEventListener('htmx:after:swap', onSwap)
}
