import htmx from 'htmx.org/dist/htmx.esm.js'
import { baseNow } from './base.js'
import { say } from './say.js'

export const rows = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('[data-tree] [role=treeitem]'),
]
/** Whether a row is an entry, and not one that shows more of them. */
export const isEntry = (row: HTMLElement): boolean => row.dataset.more === undefined
/** What is under a row; undefined where nothing is, or too deep to be closed. */
const groupOf = (row: HTMLElement): HTMLElement | undefined => {
  const next = row.nextElementSibling
  return next instanceof HTMLElement && next.getAttribute('role') === 'group' ? next : undefined
}
export const shown = () => rows().filter(row => !row.parentElement?.closest('[role=group][hidden]'))
const levelOf = (row: HTMLElement) => Number(row.getAttribute('aria-level'))
export const idOf = (row: HTMLElement) => row.id.slice(2)
export const nameOf = (row: HTMLElement | undefined) => row?.querySelector('.label')?.textContent ?? ''

/** Rows that are closed stay so while one works on a tree. */
const closed = new Set<string>()

/** Changes an attribute where it is another one: each change costs the browser styles and a new tree of accessibility. */
export function put(row: HTMLElement, name: string, value: string): void {
  if (row.getAttribute(name) !== value) row.setAttribute(name, value)
}

/** The one row in the order of Tab. */
function stopAt(row: HTMLElement): void {
  for (const other of document.querySelectorAll('[data-tree] [role=treeitem][tabindex="0"]'))
    if (other !== row) other.setAttribute('tabindex', '-1')
  put(row, 'tabindex', '0')
}

/** Hides what is under closed rows, where a search of the browser still finds it, and leaves one row in the order of Tab. */
function draw(): void {
  for (const row of rows()) {
    if (!row.hasAttribute('tabindex')) row.tabIndex = -1
    const group = groupOf(row)
    if (!group) continue
    const isClosed = closed.has(row.id)
    put(row, 'aria-expanded', String(!isClosed))
    if (!isClosed) group.removeAttribute('hidden')
    else put(group, 'hidden', 'until-found')
  }
  const visible = shown()
  const focused = visible.find(row => row === document.activeElement)
  const first = focused ?? visible.find(row => row.hasAttribute('aria-current')) ?? visible[0]
  if (first) stopAt(first)
}

/** What a search of the browser has found is opened. */
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
  draw()
}

const parentOf = (row: HTMLElement): HTMLElement | undefined => {
  const all = rows()
  return all.slice(0, all.indexOf(row)).findLast(other => levelOf(other) < levelOf(row))
}

/** Opens, or goes to the first row under it; the other way round for closing. */
function sideways(row: HTMLElement, opens: boolean): boolean {
  const state = row.getAttribute('aria-expanded')
  if (opens && state === 'false') toggle(row, false)
  else if (opens && state === 'true') return focus(shown()[shown().indexOf(row) + 1])
  else if (!opens && state === 'true') toggle(row, true)
  else if (!opens) return focus(parentOf(row))
  return true
}

let typed = ''
let typedAt = 0

/** Goes to the next row that begins with what is typed. */
function jump(row: HTMLElement, key: string): boolean {
  typed = Date.now() - typedAt < 700 ? typed + key : key
  typedAt = Date.now()
  const all = shown()
  const from = all.indexOf(row) + (typed.length === 1 ? 1 : 0)
  const inTurn = [...all.slice(from), ...all.slice(0, from)]
  return focus(inTurn.find(other => nameOf(other).toLowerCase().startsWith(typed.toLowerCase())))
}

/** Posts what a form of the page would, and puts the answer into the page. */
export async function post(path: string, values: Record<string, string>): Promise<void> {
  const token = document.querySelector<HTMLInputElement>('input[name=form_token]')?.value ?? ''
  const open = document.querySelector<HTMLElement>('[data-tree] [aria-current]')
  const address = `${path}${open ? `?open=${idOf(open)}` : ''}`
  await htmx.ajax('POST', address, {
    values: { ...values, form_token: token },
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

async function move(row: HTMLElement, how: string): Promise<void> {
  const { id } = row
  await post(`${baseNow()}/content/entry/${idOf(row)}/move`, { how })
  const moved = document.getElementById(id)
  if (!moved) return
  focus(moved)
  sayPlace(moved)
}

function sayPlace(moved: HTMLElement | null): void {
  if (!moved) return
  const parent = parentOf(moved)
  const place = `${moved.getAttribute('aria-posinset')} of ${moved.getAttribute('aria-setsize')}`
  say(`${nameOf(moved)}, ${place}${parent ? ` in ${nameOf(parent)}` : ''}`)
}

function plainKey(row: HTMLElement, key: string): boolean {
  const all = shown()
  const at = all.indexOf(row)
  if (key === 'ArrowDown') return focus(all[at + 1])
  if (key === 'ArrowUp') return focus(all[at - 1])
  if (key === 'Home') return focus(all[0])
  if (key === 'End') return focus(all.at(-1))
  if (key === 'ArrowRight' || key === 'ArrowLeft') return sideways(row, key === 'ArrowRight')
  return key.length === 1 && key !== ' ' && jump(row, key)
}

function onKey(event: KeyboardEvent): void {
  const { target, key } = event
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-tree] [role=treeitem]') : null
  if (!row || event.ctrlKey || event.metaKey) return
  const how = event.altKey && isEntry(row) ? directions[key] : undefined
  if (how) {
    event.preventDefault()
    move(row, how).catch(() => say('Could not be moved'))
  } else if (!event.altKey && plainKey(row, key)) event.preventDefault()
}

/** Rows that were not shown come beside those that are, and what is typed elsewhere stays. */
async function showMore(row: HTMLAnchorElement): Promise<void> {
  const before = new Set(rows().map(({ id }) => id))
  await htmx.ajax('GET', row.href, { target: '[data-tree]', select: '[data-tree]', swap: 'outerMorph' })
  const fresh = rows().filter(one => isEntry(one) && !before.has(one.id))
  focus(row.dataset.more === 'before' ? fresh.at(-1) : fresh[0])
  say(`${fresh.length} more are shown`)
}

/** Every answer shows the part of a large tree that is there. */
function sayShown(event: Event): void {
  const shown = document.querySelector<HTMLElement>('[data-tree]')?.dataset.shown
  const { ctx } = (event as CustomEvent<{ ctx: { request: { headers: Record<string, string> } } }>).detail
  if (shown) ctx.request.headers['Slugline-Tree'] = shown
}

function onClick(event: MouseEvent): void {
  const { target } = event
  const more = target instanceof Element ? target.closest<HTMLAnchorElement>('[data-tree] [data-more]') : null
  if (more && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault()
    showMore(more).catch(() => say('Could not be shown'))
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

/** What letting go over a row would do: its outer quarters are the places beside it. */
function dropOn(row: HTMLElement, y: number): Drop | undefined {
  if (!dragged || isUnder(row, dragged)) return undefined
  const { top, height } = row.getBoundingClientRect()
  const part = (y - top) / height
  if (levelOf(row) === 1 || (part > 0.25 && part < 0.75)) return 'make-child'
  return part <= 0.25 ? 'reorder-above' : 'reorder-below'
}

/** The place among the other children of the same parent. */
function placeOf(row: HTMLElement, drop: Drop): Record<string, string> {
  if (drop === 'make-child') return { parent_id: idOf(row) }
  const parent = parentOf(row)
  const placeIn = (one: HTMLElement) => Number(one.getAttribute('aria-posinset'))
  const isBefore = dragged && parentOf(dragged) === parent && placeIn(dragged) < placeIn(row)
  const position = placeIn(row) - (drop === 'reorder-above' ? 1 : 0) - (isBefore ? 1 : 0)
  return parent ? { parent_id: idOf(parent), position: String(position) } : {}
}

const rowAt = ({ target }: Event) =>
  target instanceof Element
    ? target.closest<HTMLElement>('[data-tree] [role=treeitem]:not([data-more])')
    : null

function clearDrops(): void {
  for (const row of rows()) delete row.dataset.drop
}

function onDragOver(event: DragEvent): void {
  const row = rowAt(event)
  const drop = row ? dropOn(row, event.clientY) : undefined
  clearDrops()
  if (!row || !drop) return
  event.preventDefault()
  row.dataset.drop = drop
}

function onDrop(event: DragEvent): void {
  const row = rowAt(event)
  const drop = row ? dropOn(row, event.clientY) : undefined
  clearDrops()
  if (!row || !drop || !dragged) return
  event.preventDefault()
  const { id } = dragged
  post(`${baseNow()}/content/entry/${idOf(dragged)}/place`, placeOf(row, drop)).then(
    () => sayPlace(document.getElementById(id)),
    () => say('Could not be moved'),
  )
}

/** Rows are dragged, which keys and buttons do as well. */
function startDragging(): void {
  document.addEventListener('dragstart', event => {
    dragged = rowAt(event) ?? undefined
  })
  document.addEventListener('dragover', onDragOver)
  document.addEventListener('drop', onDrop)
  document.addEventListener('dragend', () => {
    dragged = undefined
    clearDrops()
  })
}

/** The tree by keys: arrows, Home and End, typing a name, and Alt with arrows to move an entry. */
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
