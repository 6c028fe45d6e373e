import { t } from './text.js'

let dragged: readonly string[] = []

const list = () => document.querySelector<HTMLFormElement>('form.work-list')
const at = (event: Event, selector: string): HTMLElement | null =>
  event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null

const boxOf = (id: string) => document.querySelector<HTMLInputElement>(`#pick-${id}`)

function chosenWith(id: string): string[] {
  if (!boxOf(id)?.checked) return [id]
  const boxes = list()?.querySelectorAll<HTMLInputElement>('input[name=ids]:checked') ?? []
  return [...boxes].map(({ value }) => value)
}

/** Returns a picture of the number of files, which the browser draws beside the pointer. */
function badge(n: number): HTMLElement {
  const made = document.createElement('span')
  made.className = 'drag-badge'
  made.textContent = t('{n} selected', { n })
  document.body.append(made)
  setTimeout(() => made.remove())
  return made
}

function onDragStart(event: DragEvent): void {
  const id = at(event, '[data-media]')?.dataset.media
  dragged = id === undefined ? [] : chosenWith(id)
  if (dragged.length === 0 || !event.dataTransfer) return
  event.dataTransfer.effectAllowed = 'move'
  if (dragged.length > 1) event.dataTransfer.setDragImage(badge(dragged.length), -8, -8)
}

function mark(folder: HTMLElement | null): void {
  for (const one of document.querySelectorAll<HTMLElement>('[data-folder][data-drop]'))
    if (one !== folder) delete one.dataset.drop
  if (folder) folder.dataset.drop = 'make-child'
}

function onDragOver(event: DragEvent): void {
  if (dragged.length === 0) return
  const folder = at(event, '[data-folder]')
  mark(folder)
  if (folder) event.preventDefault()
}

/** Sends the form of the list as its own button does. */
function onDrop(event: DragEvent): void {
  const folder = at(event, '[data-folder]')
  const form = list()
  mark(null)
  if (dragged.length === 0 || !folder || !form) return
  event.preventDefault()
  for (const box of form.querySelectorAll<HTMLInputElement>('input[name=ids]'))
    box.checked = dragged.includes(box.value)
  const choice = form.querySelector<HTMLSelectElement>('select[name=folder_id]')
  const move = form.querySelector<HTMLButtonElement>('button[value=move]')
  if (!choice || !move) return
  choice.value = folder.dataset.folder ?? ''
  form.requestSubmit(move)
}

/**
 * Lets the pointer drag files to a folder: the dragged one, or all selected ones if it is selected. The keyboard selects
 * files and moves them with the bar.
 */
export function startDrag(): void {
  document.addEventListener('dragstart', onDragStart)
  document.addEventListener('dragover', onDragOver)
  document.addEventListener('drop', onDrop)
  document.addEventListener('dragend', () => {
    dragged = []
    mark(null)
  })
}
