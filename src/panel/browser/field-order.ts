import type { Values } from './draft-store.js'
import { changedFrom, drawnIn, valuesIn } from './form-values.js'
import { restore } from './restore.js'
import { say } from './say.js'
import { t } from './text.js'

/**
 * Loaded by the page of a datatype alone. The order of fields: rows are dragged, or moved by Alt and an arrow. The form of
 * the list saves each move.
 */

const itemOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-order] > li') : null
const listOf = (item: HTMLElement) => [...(item.parentElement?.children ?? [])]

let dragged: HTMLElement | undefined
let from = -1

function send(item: HTMLElement, index: number): void {
  const form = item.closest('form')
  const name = item.querySelector('a')?.textContent ?? ''
  if (!form) return
  const place = document.createElement('input')
  Object.assign(place, { type: 'hidden', name: 'place', value: `${item.dataset.orderId}.${index}` })
  form.append(place)
  form.requestSubmit()
  place.remove()
  say(t('{name}: row {i} of {n}', { name, i: index + 1, n: listOf(item).length }))
}

function onKey(event: KeyboardEvent): void {
  const item = itemOf(event.target)
  const isUp = event.key === 'ArrowUp'
  if (!item?.draggable || !event.altKey || (!isUp && event.key !== 'ArrowDown')) return
  event.preventDefault()
  const index = listOf(item).indexOf(item) + (isUp ? -1 : 1)
  if (index >= 0 && index < listOf(item).length) send(item, index)
}

function onDragStart(event: DragEvent): void {
  const item = itemOf(event.target)
  if (!item?.draggable) return
  dragged = item
  from = listOf(item).indexOf(item)
  item.classList.add('dragged')
  if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move'
}

/** The row moves under the pointer, so that its place is seen before it is let go. */
function onDragOver(event: DragEvent): void {
  const item = itemOf(event.target)
  if (!dragged || !item || item.parentElement !== dragged.parentElement) return
  event.preventDefault()
  const { top, height } = item.getBoundingClientRect()
  if (item === dragged) return
  if (event.clientY < top + height / 2) item.before(dragged)
  else item.after(dragged)
}

function onDrop(event: DragEvent): void {
  if (!dragged) return
  event.preventDefault()
  const index = listOf(dragged).indexOf(dragged)
  if (index !== from) send(dragged, index)
  from = index
}

/** Without a drop, as after Escape, the row goes back. */
function onDragEnd(): void {
  if (!dragged) return
  const others = listOf(dragged).filter(one => one !== dragged)
  if (listOf(dragged).indexOf(dragged) !== from) {
    const next = others[from]
    if (next) next.before(dragged)
    else others.at(-1)?.after(dragged)
  }
  dragged.classList.remove('dragged')
  dragged = undefined
}

/** Opens the form of a new field at once, so that what is typed after the click goes into its first control. */
function onClick(event: MouseEvent): void {
  const opened =
    event.target instanceof Element && event.target.closest('#add-field > summary')?.parentElement
  if (!(opened instanceof HTMLDetailsElement) || opened.open) return
  event.preventDefault()
  opened.open = true
  opened.querySelector<HTMLInputElement>('input:not([type=hidden])')?.focus()
}

const addForm = () => document.querySelector<HTMLFormElement>('#add-field form')
let sent: readonly Values[] = []

/** Empties the form for the next field as soon as this one is on its way. A refused one comes back with the page. */
function onSubmit({ target: form }: Event): void {
  if (!(form instanceof HTMLFormElement) || form !== addForm()) return
  sent = valuesIn(form)
  setTimeout(() => form.reset())
}

/** Without a response it comes back too, if nothing else is typed. */
function onFailure(event: Event): void {
  const form = addForm()
  const { sourceElement } = (event as CustomEvent<{ ctx?: { sourceElement?: Element } }>).detail.ctx ?? {}
  if (!form || sourceElement !== form) return
  if (changedFrom(drawnIn(form), valuesIn(form)).length === 0) restore(form, sent)
}

document.addEventListener('keydown', onKey)
document.addEventListener('dragstart', onDragStart)
document.addEventListener('dragover', onDragOver)
document.addEventListener('drop', onDrop)
document.addEventListener('dragend', onDragEnd)
document.addEventListener('click', onClick)
document.addEventListener('submit', onSubmit)
document.addEventListener('htmx:error', onFailure)
