import { along, keyAlong } from './direction.js'
import { isEntry, rows } from './tree-rows.js'

const [narrow, wide, step] = [220, 480, 16]
const [widthKey, foldedKey] = ['slugline.tree.width', 'slugline.tree.folded']

function kept(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // The next page has the old setting.
  }
}

const root = document.documentElement
const edge = () => document.querySelector<HTMLElement>('[data-edge]')
const button = () => document.querySelector<HTMLElement>('[data-fold]')
const filtersButton = () => document.querySelector('[data-show-filters]')

let shown: string | undefined

const phone = matchMedia('(max-width: 760px)')
/** The page whose tree a phone shows, above the content. */
let shownOnPhone: string | undefined

const isThere = () => document.querySelector(phone.matches ? '#tree' : '[data-tree]') !== null

/** The id of the only entry of a tree: such a tree adds nothing to the page, and is folded. */
const single = (): string | undefined => {
  const all = rows()
  return all.length === 1 && all[0] && isEntry(all[0]) ? all[0].id : undefined
}

function isFolded(): boolean {
  if (phone.matches) return shownOnPhone !== location.pathname
  const only = single()
  return only === undefined ? kept(foldedKey) === 'true' : only !== shown
}

function draw(): void {
  const folded = isThere() && isFolded()
  root.toggleAttribute('data-folded', folded)
  root.toggleAttribute('data-unfolded', !folded)
  filtersButton()?.setAttribute('aria-expanded', String(root.hasAttribute('data-filters')))
  button()?.setAttribute('aria-expanded', String(!folded))
  const width = Number(kept(widthKey))
  if (width >= narrow && width <= wide) root.style.setProperty('--tree-own', `${width}px`)
  const now = edge()?.parentElement?.getBoundingClientRect().width
  if (now) edge()?.setAttribute('aria-valuenow', String(Math.round(now)))
}

function setFolded(folded: boolean): void {
  const only = single()
  if (phone.matches) shownOnPhone = folded ? undefined : location.pathname
  else if (only === undefined) keep(foldedKey, String(folded))
  else shown = folded ? undefined : only
  draw()
  if (folded && (document.activeElement === document.body || document.activeElement === null))
    button()?.focus()
}

/** Shows the tree if it is folded. */
export function showTree(): void {
  if (root.hasAttribute('data-folded')) setFolded(false)
}

/** @returns whether there is a tree */
export function toggleTree(): boolean {
  if (!isThere()) return false
  setFolded(!root.hasAttribute('data-folded'))
  return true
}

function widen(to: number): void {
  keep(widthKey, String(Math.round(Math.min(wide, Math.max(narrow, to)))))
  draw()
}

function onPointer(event: PointerEvent): void {
  const { target } = event
  const at = edge()
  if (!at || target !== at) return
  event.preventDefault()
  at.setPointerCapture(event.pointerId)
  at.dataset.dragged = ''
  const from = Number(at.getAttribute('aria-valuenow')) - along(event.clientX)
  const onMove = ({ clientX }: PointerEvent) => widen(from + along(clientX))
  at.addEventListener('pointermove', onMove)
  at.addEventListener(
    'lostpointercapture',
    () => {
      delete at.dataset.dragged
      at.removeEventListener('pointermove', onMove)
    },
    { once: true },
  )
}

function onKey(event: KeyboardEvent): void {
  const at = edge()
  if (!at || event.target !== at || event.ctrlKey || event.metaKey || event.altKey) return
  const now = Number(at.getAttribute('aria-valuenow'))
  const to = { ArrowLeft: now - step, ArrowRight: now + step, Home: narrow, End: wide }[keyAlong(event.key)]
  if (to === undefined) return
  event.preventDefault()
  widen(to)
}

function onClick({ target }: MouseEvent): void {
  if (!(target instanceof Element)) return
  if (target.closest('[data-fold]')) toggleTree()
  if (target.closest('[data-show-filters]')) {
    root.toggleAttribute('data-filters')
    draw()
  }
}

/**
 * Restores the width of the tree and whether it is folded, as this browser has stored them. On a phone the tree and the
 * filters are folded until somebody asks for them.
 */
export function startPanes(): void {
  draw()
  document.addEventListener('pointerdown', onPointer)
  document.addEventListener('keydown', onKey)
  document.addEventListener('click', onClick)
  document.addEventListener('htmx:after:swap', draw)
  phone.addEventListener('change', draw)
}
