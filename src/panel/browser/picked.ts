import { baseNow } from './base.js'
import type { Chosen } from './chosen.js'
import { button, element } from './elements.js'
import { largeOf, showMedia } from './media-field.js'
import { openPicker, rowOf } from './picker.js'
import { say } from './say.js'
import { t } from './text.js'

/**
 * Shows the chosen entries or files of a field as rows with pictures. The select or the boxes of the form are still
 * what is sent; their order is the order of the rows.
 */

type Control = HTMLOptionElement | HTMLInputElement

const shownOf = (control: Control): Chosen => {
  const { word = control.value, hint, picture, large: preview, focalAt: focal } = control.dataset
  const given = Object.entries({ hint, picture, preview, focal }).filter(([, text]) => text)
  return { value: control.value, word, ...Object.fromEntries(given) }
}

function kindOf({ dataset: { picker } }: HTMLElement): 'entries' | 'media' | 'pages' {
  return picker === 'media' || picker === 'pages' ? picker : 'entries'
}

const selectOf = (field: HTMLElement) => field.querySelector<HTMLSelectElement>(':scope > select')
const boxesOf = (field: HTMLElement) => field.querySelector<HTMLElement>(':scope > .checks')

function chosenIn(field: HTMLElement): Control[] {
  const select = selectOf(field)
  if (select) return [...select.selectedOptions].filter(({ value }) => value !== '')
  return [...field.querySelectorAll<HTMLInputElement>('.checks input:checked')]
}

const tell = (field: HTMLElement) => {
  const control = selectOf(field) ?? boxesOf(field)
  control?.dispatchEvent(new Event('input', { bubbles: true }))
}

function describe(control: Control, { word, hint, picture, preview, focal }: Chosen): void {
  const texts = Object.entries({ word, hint, picture, large: preview, focalAt: focal })
  for (const [name, text] of texts) if (text) control.dataset[name] = text
}

function add(field: HTMLElement, chosen: Chosen): void {
  const select = selectOf(field)
  if (select) {
    const known = [...select.options].find(({ value }) => value === chosen.value)
    const option = known ?? new Option(chosen.word, chosen.value)
    describe(option, chosen)
    if (!known) select.add(option)
    select.value = chosen.value
  } else addBox(field, chosen)
  tell(field)
  show(field)
}

function addBox(field: HTMLElement, chosen: Chosen): void {
  const boxes = boxesOf(field)
  const name = boxes?.querySelector<HTMLInputElement>('input[type=hidden]')?.name
  const known = [...(boxes?.querySelectorAll<HTMLInputElement>('input[type=checkbox]') ?? [])].find(
    ({ value }) => value === chosen.value,
  )
  if (!boxes || name === undefined || known?.checked) return
  const box =
    known ?? Object.assign(document.createElement('input'), { type: 'checkbox', name, value: chosen.value })
  describe(box, chosen)
  box.checked = true
  const label = known?.closest('label') ?? document.createElement('label')
  if (!known) label.append(box)
  const last = chosenIn(field)
    .findLast(one => one !== box)
    ?.closest('label')
  if (last) last.after(label)
  else boxes.querySelector('input[type=hidden]')?.after(label)
}

function remove(field: HTMLElement, control: Control): void {
  const select = selectOf(field)
  if (select) select.value = ''
  else (control as HTMLInputElement).checked = false
  tell(field)
  show(field)
  field.querySelector<HTMLElement>('[data-open]')?.focus()
  say(t('{name} is removed', { name: shownOf(control).word }))
}

function move(field: HTMLElement, control: Control, by: -1 | 1): void {
  const all = chosenIn(field)
  const at = all.indexOf(control)
  const label = control.closest('label')
  const other = all[at + by]?.closest('label')
  if (!label || !other) return
  if (by < 0) other.before(label)
  else other.after(label)
  tell(field)
  show(field)
  focusRow(field, at + by, by)
  say(t('{name}, {i} of {n}', { name: shownOf(control).word, i: at + by + 1, n: all.length }))
}

function focusRow(field: HTMLElement, at: number, by: number): void {
  const row = field.querySelectorAll<HTMLElement>('.chosen')[at]
  const buttons = [...(row?.querySelectorAll<HTMLButtonElement>('[data-by]') ?? [])]
  const same = buttons.find(({ dataset }) => dataset.by === String(by))
  ;(same ?? buttons[0])?.focus()
}

function small(text: string, label: string, run: () => void): HTMLButtonElement {
  const made = button(text, run, 'small')
  if (label !== text) made.setAttribute('aria-label', label)
  return made
}

let dragged: { field: HTMLElement; control: Control } | undefined

function letDrag(row: HTMLElement, field: HTMLElement, control: Control): void {
  row.draggable = true
  row.addEventListener('dragstart', () => {
    dragged = { field, control }
  })
  row.addEventListener('dragover', event => {
    if (dragged?.field === field) event.preventDefault()
  })
  row.addEventListener('drop', event => {
    if (dragged?.field !== field || dragged.control === control) return
    event.preventDefault()
    const all = chosenIn(field)
    const isDown = all.indexOf(dragged.control) < all.indexOf(control)
    const [label, other] = [dragged.control.closest('label'), control.closest('label')]
    if (label && isDown) other?.after(label)
    else if (label) other?.before(label)
    dragged = undefined
    tell(field)
    show(field)
  })
}

function rowFor(field: HTMLElement, control: Control, i: number, count: number): HTMLElement {
  const chosen = shownOf(control)
  const name = chosen.word
  const row = field.dataset.picker === 'media' && selectOf(field) ? largeOf(chosen) : rowOf('div', chosen)
  row.classList.add('chosen')
  const buttons = element('span', { class: 'row-actions' })
  const place = (text: string, label: string, by: -1 | 1) => {
    const made = small(text, label, () => move(field, control, by))
    made.dataset.by = String(by)
    buttons.append(made)
  }
  const isOrdered = kindOf(field) !== 'pages'
  if (isOrdered && i > 0) place('↑', t('Move {name} up', { name }), -1)
  if (isOrdered && i < count - 1) place('↓', t('Move {name} down', { name }), 1)
  if (field.dataset.picker === 'entries' && control.dataset.word !== undefined) {
    const href = `${baseNow()}/content/entry/${encodeURIComponent(chosen.value)}`
    const label = t('Open {name}', { name })
    buttons.append(element('a', { class: 'button small', href, 'aria-label': label }, t('Open')))
  }
  buttons.append(small(t('Remove'), t('Remove {name}', { name }), () => remove(field, control)))
  ;(row.querySelector('.about') ?? row).append(buttons)
  if (isOrdered && count > 1) letDrag(row, field, control)
  return row
}

function show(field: HTMLElement): void {
  const host = field.querySelector<HTMLElement>(':scope > [data-keep]')
  const control = selectOf(field) ?? boxesOf(field)
  if (!host || !control) return
  control.hidden = true
  const isMany = selectOf(field) === null
  const chosen = chosenIn(field)
  const kind = kindOf(field)
  const label = field.dataset.label ?? ''
  const [word, longWord] = isMany
    ? [t('Add…'), t('Add: {label}', { label })]
    : chosen.length > 0
      ? [t('Change…'), t('Change: {label}', { label })]
      : [t('Choose…'), t('Choose: {label}', { label })]
  const options = { many: isMany, ...(field.dataset.of ? { of: field.dataset.of } : {}) }
  const open = small(word, longWord, () => openPicker(kind, one => add(field, one), options))
  open.classList.remove('small')
  open.dataset.open = ''
  const rows = chosen.map((one, i) => rowFor(field, one, i, chosen.length))
  if (kind === 'media') showMedia(host, { rows, open, isMany, add: one => add(field, one) })
  else host.replaceChildren(...rows, open)
  const select = selectOf(field)
  for (const name of ['aria-describedby', 'aria-invalid']) {
    const value = select?.getAttribute(name)
    if (value && name === 'aria-describedby') open.setAttribute(name, value)
  }
}

const showAll = () => {
  for (const field of document.querySelectorAll<HTMLElement>('[data-picker]')) show(field)
}

async function named(field: HTMLElement, value: string): Promise<Chosen> {
  const answer = await fetch(`${baseNow()}/pick/${field.dataset.picker}?q=${encodeURIComponent(value)}`)
  const found = answer.ok ? ((await answer.json()) as Chosen[]) : []
  return found.find(one => one.value === value) ?? { value, word: value }
}

async function restore(field: HTMLElement, values: readonly string[]): Promise<void> {
  const boxes = [...field.querySelectorAll<HTMLInputElement>('.checks input[type=checkbox]')]
  for (const box of boxes) box.checked = false
  for (const value of values) {
    const known = boxes.find(box => box.value === value)
    addBox(field, known ? shownOf(known) : { value, word: value })
  }
  tell(field)
  show(field)
  for (const value of values)
    if (!boxes.some(box => box.value === value)) {
      const found = await named(field, value)
      const box = chosenIn(field).find(one => one.value === value)
      if (box) describe(box, found)
    }
  show(field)
}

async function restoreOne(field: HTMLElement, select: HTMLSelectElement): Promise<void> {
  show(field)
  const [option] = select.selectedOptions
  if (!option || option.value === '' || option.dataset.word !== undefined) return
  describe(option, await named(field, option.value))
  show(field)
}

/** Starts the search in fields that choose entries or files; without it they are lists of the first ones. */
export function startPicked(): void {
  showAll()
  document.addEventListener('htmx:after:swap', showAll)
  document.addEventListener('restored', event => {
    const { target, detail } = event as CustomEvent<readonly string[]>
    if (target instanceof HTMLElement) restore(target, detail).catch(() => show(target))
  })
  // A draft was restored.
  document.addEventListener('input', ({ target }) => {
    const field = target instanceof Element ? target.closest<HTMLElement>('[data-picker]') : null
    if (field && target instanceof HTMLSelectElement) restoreOne(field, target).catch(() => show(field))
  })
}
