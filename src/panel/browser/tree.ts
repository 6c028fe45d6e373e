import htmx from 'htmx.org/dist/htmx.esm.js'
import { baseNow } from './base.js'
import { keyAlong } from './direction.js'
import { myTurn } from './in-turn.js'
import { say } from './say.js'
import { t } from './text.js'
import {
  before,
  entryAt,
  groupOf,
  idOf,
  isEntry,
  lastIn,
  levelOf,
  may,
  nameOf,
  nextTo,
  parentOf,
  put,
  rows,
  shown,
  tree,
} from './tree-rows.js'

/** Closed rows, which stay closed across pages of a tree. */
const closed = new Set<string>()

const stops = '[data-tree] [role=treeitem][tabindex="0"]'

function stopAt(row: HTMLElement): void {
  for (const other of document.querySelectorAll(stops))
    if (other !== row) other.setAttribute('tabindex', '-1')
  put(row, 'tabindex', '0')
}

/** Hides the rows under a closed one; the browser's search still finds them. */
function drawRow(row: HTMLElement): void {
  const group = groupOf(row)
  if (!group) return
  const isClosed = closed.has(row.id)
  put(row, 'aria-expanded', String(!isClosed))
  if (!isClosed) group.removeAttribute('hidden')
  else put(group, 'hidden', 'until-found')
}

function draw(): void {
  for (const row of rows()) {
    if (!row.hasAttribute('tabindex')) row.tabIndex = -1
    drawRow(row)
  }
  const visible = shown()
  const focused = visible.find(row => row === document.activeElement)
  const first = focused ?? visible.find(row => row.hasAttribute('aria-current')) ?? visible[0]
  if (first) stopAt(first)
}

function onFound({ target }: Event): void {
  const group = target instanceof Element ? target.closest('[data-tree] [role=group]') : null
  for (let at = group; at?.getAttribute('role') === 'group'; at = at.parentElement) {
    const row = at.previousElementSibling
    if (row) closed.delete(row.id)
  }
  if (group) draw()
}

export function focus(row: HTMLElement | undefined): boolean {
  if (!row) return false
  stopAt(row)
  row.focus()
  return true
}

function toggle(row: HTMLElement, close: boolean): void {
  if (close) closed.add(row.id)
  else closed.delete(row.id)
  drawRow(row)
  if (close && groupOf(row)?.querySelector('[tabindex="0"]')) stopAt(row)
}

/** Opens a row, or moves to the first one under it; for closing the other way round. */
function sideways(row: HTMLElement, opens: boolean): boolean {
  const state = row.getAttribute('aria-expanded')
  if (opens && state === 'false') toggle(row, false)
  else if (opens && state === 'true') return focus(nextTo(row))
  else if (!opens && state === 'true') toggle(row, true)
  else if (!opens) return focus(parentOf(row))
  return true
}

let typed = ''
let typedAt = 0

function jump(row: HTMLElement, key: string): boolean {
  typed = Date.now() - typedAt < 700 ? typed + key : key
  typedAt = Date.now()
  const all = shown()
  const from = all.indexOf(row) + (typed.length === 1 ? 1 : 0)
  const inTurn = [...all.slice(from), ...all.slice(0, from)]
  return focus(inTurn.find(other => nameOf(other).toLowerCase().startsWith(typed.toLowerCase())))
}

/** Posts as a form of the page would, and shows the response in the page. */
export async function post(path: string, values: Record<string, string>): Promise<void> {
  await myTurn()
  const token = document.querySelector<HTMLInputElement>('input[name=form_token]')?.value ?? ''
  const open = document.querySelector<HTMLElement>('[data-tree] [aria-current]')
  const address = `${path}${open ? `?open=${idOf(open)}` : ''}`
  await htmx.ajax('POST', address, {
    values: { ...values, form_token: token },
    // A source of its own: requests of one source wait for each other, or are dropped.
    source: '#saved',
    target: '#app',
    select: '#app',
    swap: 'outerMorph',
  })
}

const directions: Record<string, string> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowRight: 'in',
  ArrowLeft: 'out',
}

export async function move(row: HTMLElement, how: string): Promise<void> {
  const { id } = row
  await post(`${baseNow()}/content/entry/${idOf(row)}/move`, { how })
  const moved = document.getElementById(id)
  if (!moved) return
  focus(moved)
  sayPlace(moved)
}

function moveBack(event: Event): void {
  const button = document.querySelector<HTMLElement>('.bar .move-back')
  if (!button) return
  event.preventDefault()
  button.click()
}

function sayPlace(moved: HTMLElement | null): void {
  if (!moved) return
  const parent = parentOf(moved)
  const [i = '', n = ''] = ['aria-posinset', 'aria-setsize'].map(name => moved.getAttribute(name) ?? '')
  const values = { name: nameOf(moved), i, n }
  say(
    parent
      ? t('{name}, {i} of {n} in {parent}', { ...values, parent: nameOf(parent) })
      : t('{name}, {i} of {n}', values),
  )
}

function plainKey(row: HTMLElement, key: string): boolean {
  if (key === 'ArrowDown') return focus(nextTo(row))
  if (key === 'ArrowUp') return focus(before(row))
  if (key === 'Home') return focus(shown()[0])
  if (key === 'End') return focus(lastIn(tree()))
  if (key === 'ArrowRight' || key === 'ArrowLeft') return sideways(row, key === 'ArrowRight')
  return key.length === 1 && key !== ' ' && jump(row, key)
}

function onKey(event: KeyboardEvent): void {
  const { target } = event
  const key = keyAlong(event.key)
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-tree] [role=treeitem]') : null
  if (row && (event.ctrlKey || event.metaKey) && key === 'z') moveBack(event)
  if (!row || event.ctrlKey || event.metaKey) return
  const how = event.altKey && isEntry(row) && may('move', row) ? directions[key] : undefined
  if (how) {
    event.preventDefault()
    move(row, how).catch(() => say(t('Moving failed')))
  } else if (!event.altKey && plainKey(row, key)) event.preventDefault()
}

/** Shows more rows beside those shown. Unsaved values on the page stay. */
async function showMore(row: HTMLAnchorElement): Promise<void> {
  const before = new Set(rows().map(({ id }) => id))
  await htmx.ajax('GET', row.href, { target: '[data-tree]', select: '[data-tree]', swap: 'outerMorph' })
  const fresh = rows().filter(one => isEntry(one) && !before.has(one.id))
  focus(row.dataset.more === 'before' ? fresh.at(-1) : fresh[0])
  say(t('{n} more are shown', { n: fresh.length }))
}

function sayShown(event: Event): void {
  const shown = tree()?.dataset.shown
  const { ctx } = (event as CustomEvent<{ ctx: { request: { headers: Record<string, string> } } }>).detail
  if (shown) ctx.request.headers['Slugline-Tree'] = shown
}

function onClick(event: MouseEvent): void {
  const { target } = event
  const more = target instanceof Element ? target.closest<HTMLAnchorElement>('[data-tree] [data-more]') : null
  if (more && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault()
    showMore(more).catch(() => say(t('The preview failed')))
    return
  }
  const twist = target instanceof Element ? target.closest('.twist') : null
  const row = twist?.closest<HTMLElement>('[aria-expanded]')
  if (!row) return
  event.preventDefault()
  toggle(row, row.getAttribute('aria-expanded') === 'true')
}

type Drop = 'reorder-above' | 'reorder-below' | 'make-child'

let dragged: HTMLElement | undefined

const isUnder = (row: HTMLElement, above: HTMLElement): boolean => {
  for (let at: HTMLElement | undefined = row; at; at = parentOf(at)) if (at === above) return true
  return false
}

/** Returns what a drop on a row would do: its upper and lower quarter are the places beside it. */
function dropOn(row: HTMLElement, y: number): Drop | undefined {
  if (!dragged || isUnder(row, dragged)) return undefined
  const { top, height } = row.getBoundingClientRect()
  const part = (y - top) / height
  if (levelOf(row) === 1 || (part > 0.25 && part < 0.75)) return 'make-child'
  return part <= 0.25 ? 'reorder-above' : 'reorder-below'
}

function placeOf(row: HTMLElement, drop: Drop): Record<string, string> {
  if (drop === 'make-child') return { parent_id: idOf(row) }
  const parent = parentOf(row)
  const placeIn = (one: HTMLElement) => Number(one.getAttribute('aria-posinset'))
  const isBefore = dragged && parentOf(dragged) === parent && placeIn(dragged) < placeIn(row)
  const position = placeIn(row) - (drop === 'reorder-above' ? 1 : 0) - (isBefore ? 1 : 0)
  return parent ? { parent_id: idOf(parent), position: String(position) } : {}
}

function clearDrops(): void {
  for (const row of rows()) delete row.dataset.drop
}

function onDragOver(event: DragEvent): void {
  const row = entryAt(event)
  const drop = row ? dropOn(row, event.clientY) : undefined
  clearDrops()
  if (!row || !drop) return
  event.preventDefault()
  row.dataset.drop = drop
}

function onDrop(event: DragEvent): void {
  const row = entryAt(event)
  const drop = row ? dropOn(row, event.clientY) : undefined
  clearDrops()
  if (!row || !drop || !dragged) return
  event.preventDefault()
  const { id } = dragged
  post(`${baseNow()}/content/entry/${idOf(dragged)}/place`, placeOf(row, drop)).then(
    () => sayPlace(document.getElementById(id)),
    () => say(t('Moving failed')),
  )
}

function startDragging(): void {
  document.addEventListener('dragstart', event => {
    const row = entryAt(event)
    dragged = row && may('move', row) ? row : undefined
  })
  document.addEventListener('dragover', onDragOver)
  document.addEventListener('drop', onDrop)
  document.addEventListener('dragend', () => {
    dragged = undefined
    clearDrops()
  })
}

/** Starts keyboard control of the tree: arrows, Home and End, typing a name, and Alt with arrows to move an entry. */
export function startTree(): void {
  draw()
  startDragging()
  document.querySelector('[data-tree] [aria-current]')?.scrollIntoView({ block: 'nearest' })
  document.addEventListener('keydown', onKey)
  document.addEventListener('click', onClick)
  document.addEventListener('beforematch', onFound)
  document.addEventListener('htmx:config:request', sayShown)
  document.addEventListener('htmx:after:swap', draw)
}
