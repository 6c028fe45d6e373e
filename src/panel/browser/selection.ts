import { baseNow } from './base.js'
import { button, element, showDialog } from './elements.js'
import { openPicker } from './picker.js'
import { sayRemoval } from './removal.js'
import { say } from './say.js'
import { count as counted, t } from './text.js'
import { focus, post } from './tree.js'
import {
  before,
  entryAt,
  idOf,
  isEntry,
  may,
  nameOf,
  nextTo,
  put,
  rowOf,
  rows,
  shown as shownRows,
} from './tree-rows.js'

/** The selected entries of the tree. They stay selected after an update of the page. */
const selected = new Set<string>()
let anchor: HTMLElement | undefined

const entries = () => rows().filter(isEntry)
const shown = () => shownRows().filter(isEntry)
const place = () => document.querySelector<HTMLElement>('#selection')

const selectedWords = () => counted(selected.size, '{n} entry selected', '{n} entries selected')

const selectedIds = () =>
  entries()
    .map(idOf)
    .filter(id => selected.has(id))
    .join()

function run(what: string, more: Record<string, string> = {}): void {
  const ids = selectedIds()
  if (what === 'delete') selected.clear()
  post(`${baseNow()}/content-selection`, { what, ids, ...more }).then(
    () => say(t('Done')),
    () => say(t('The action failed')),
  )
}

function askToDelete(): void {
  const title = counted(selected.size, 'Delete {n} entry?', 'Delete {n} entries?')
  const words = element(
    'p',
    { 'aria-live': 'polite' },
    t('This deletes them, all entries under them and their versions.'),
  )
  void sayRemoval(words, selectedIds())
  const close = () => dialog.close()
  const remove = () => {
    close()
    run('delete')
  }
  const actions = element(
    'div',
    { class: 'actions' },
    button(t('Delete'), remove, 'bad'),
    button(t('Cancel'), close),
  )
  const dialog = element('dialog', { 'aria-label': title }, element('h2', {}, title), words, actions)
  showDialog(dialog)
}

function offer(): void {
  const host = place()
  if (!host) return
  const chosen = [...selected].flatMap(id => rowOf(id) ?? [])
  if (selected.size === 0) {
    host.replaceChildren()
    return
  }
  const count = element('b', {}, selectedWords())
  const actions: [string, string, () => void][] = [
    ['publish', t('Publish'), () => run('publish')],
    ['unpublish', t('Unpublish'), () => run('unpublish')],
    ['move', t('Move…'), () => openPicker('entries', ({ value }) => run('move', { parent_id: value }))],
    ['delete', t('Delete…'), askToDelete],
  ]
  host.replaceChildren(
    count,
    ...actions
      .filter(([what]) => chosen.every(row => may(what, row)))
      .map(([what, word, act]) => button(word, act, what === 'delete' ? 'bad' : '')),
    button(t('Clear'), () => select([]), 'bare'),
  )
}

function draw(): void {
  const all = entries()
  const there = new Set(all.map(idOf))
  for (const id of selected) if (!there.has(id)) selected.delete(id)
  for (const row of all) put(row, 'aria-selected', String(selected.has(idOf(row))))
  offer()
}

function mark(id: string, isSelected: boolean): void {
  if (isSelected) selected.add(id)
  else selected.delete(id)
  const row = rowOf(id)
  if (row) put(row, 'aria-selected', String(isSelected))
}

function select(chosen: readonly HTMLElement[]): void {
  const ids = new Set(chosen.map(idOf))
  for (const id of [...selected]) if (!ids.has(id)) mark(id, false)
  for (const id of ids) mark(id, true)
  offer()
  say(selected.size === 0 ? t('Nothing is selected') : selectedWords())
}

/** Asks for confirmation to delete one entry. */
export function askToDeleteRow(row: HTMLElement): void {
  select([row])
  askToDelete()
}

function toggle(row: HTMLElement): void {
  anchor = row
  mark(idOf(row), !selected.has(idOf(row)))
  offer()
  const values = { name: nameOf(row), n: selected.size }
  say(
    selected.has(idOf(row))
      ? t('{name} is selected, {n} in all', values)
      : t('{name} is not selected, {n} in all', values),
  )
}

function extendTo(row: HTMLElement): void {
  const all = shown()
  const from = all.indexOf(anchor?.isConnected ? anchor : row)
  const to = all.indexOf(row)
  select(all.slice(Math.min(from, to), Math.max(from, to) + 1))
}

function withShift(row: HTMLElement, by: 1 | -1): void {
  if (selected.size === 0) anchor = row
  let next = row
  do {
    const beside = by === 1 ? nextTo(next) : before(next)
    if (!beside) return
    next = beside
  } while (!isEntry(next))
  focus(next)
  extendTo(next)
}

/** @returns whether the key was for the selection */
function take(event: KeyboardEvent, row: HTMLElement): boolean {
  const { key, shiftKey } = event
  const isControl = event.ctrlKey || event.metaKey
  if (event.altKey) return false
  if (isControl && key === 'a') select(shown())
  else if (isControl) return false
  else if (key === ' ') toggle(row)
  else if (shiftKey && (key === 'ArrowDown' || key === 'ArrowUp'))
    withShift(row, key === 'ArrowDown' ? 1 : -1)
  else if (key === 'Escape' && selected.size > 0) select([])
  else if (key === 'Delete' && may('delete')) {
    if (selected.size === 0) select([row])
    if ([...selected].every(id => may('delete', rowOf(id) ?? undefined))) askToDelete()
  } else return false
  return true
}

function onKey(event: KeyboardEvent): void {
  const row = entryAt(event)
  if (!row || !take(event, row)) return
  event.preventDefault()
  event.stopImmediatePropagation()
}

function onClick(event: MouseEvent): void {
  const row = entryAt(event)
  if (!row || !(event.ctrlKey || event.metaKey || event.shiftKey)) return
  event.preventDefault()
  focus(row)
  if (event.shiftKey) extendTo(row)
  else toggle(row)
}

/** Starts the selection in the tree: by Space, Shift with arrows, Ctrl A, and by Ctrl or Shift with the mouse. */
export function startSelection(): void {
  draw()
  document.addEventListener('keydown', onKey)
  document.addEventListener('click', onClick)
  document.addEventListener('htmx:after:swap', draw)
}
