import { baseNow } from './base.js'
import { button, element } from './elements.js'
import { showTree } from './panes.js'
import { say } from './say.js'
import { askToDeleteRow } from './selection.js'
import { t } from './text.js'
import { focus, move, post } from './tree.js'
import { entryAt, idOf, isEntry, may, nameOf, rowOf } from './tree-rows.js'

interface Kind {
  readonly value: string
  readonly word: string
  readonly isPage: boolean
}

const pathOf = (row: HTMLElement, what: string) => `${baseNow()}/content/entry/${idOf(row)}/${what}`

/** The last menu of each row: a menu that opens another hears that it is closed only when the other is open. */
const menuOf = new WeakMap<HTMLElement, HTMLElement>()

function float(row: HTMLElement, menu: HTMLElement): void {
  menu.popover = 'auto'
  menu.classList.add('menu-items', 'floating')
  const host = row.closest('section') ?? document.body
  host.append(menu)
  row.dataset.menuOpen = ''
  menuOf.set(row, menu)
  menu.addEventListener('toggle', event => {
    if ((event as ToggleEvent).newState !== 'closed') return
    const isLeft = menu.contains(document.activeElement) || document.activeElement === document.body
    if (menuOf.get(row) === menu) delete row.dataset.menuOpen
    menu.remove()
    if (isLeft && row.isConnected) focus(row)
  })
  menu.showPopover()
  place(row, menu)
}

function place(row: HTMLElement, menu: HTMLElement): void {
  const { right, top, bottom } = row.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = menu
  const isBelow = bottom + offsetHeight < innerHeight - 8 || top < innerHeight / 2
  menu.style.left = `${Math.max(8, Math.min(right - 60, innerWidth - offsetWidth - 8))}px`
  menu.style.top = `${Math.max(8, isBelow ? Math.min(bottom, innerHeight - offsetHeight - 8) : top - offsetHeight)}px`
}

function run(done: Promise<unknown>): void {
  done.catch(() => say(t('The action failed')))
}

function actionsOf(row: HTMLElement): [word: string, act: () => void][] {
  const place = Number(row.getAttribute('aria-posinset'))
  const of = Number(row.getAttribute('aria-setsize'))
  const isRoot = row.getAttribute('aria-level') === '1'
  const all: [boolean, string, () => void][] = [
    [may('create'), t('Add entry below…'), () => addMenu(row)],
    [
      may('create') && !isRoot && row.dataset.fixed === undefined,
      t('Duplicate'),
      () => run(post(pathOf(row, 'duplicate'), {})),
    ],
    [may('move', row) && place > 1, t('Move up'), () => run(move(row, 'up'))],
    [may('move', row) && place < of, t('Move down'), () => run(move(row, 'down'))],
    [may('delete', row), t('Delete…'), () => askToDeleteRow(row)],
  ]
  return all.flatMap(([isThere, word, act]) => (isThere ? [[word, act]] : []))
}

function step(menu: HTMLElement, event: KeyboardEvent): void {
  const items = [...menu.querySelectorAll('button')]
  const at = items.findIndex(item => item.matches(':focus'))
  const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }
  const next = to[event.key]
  if (event.key === 'Tab') menu.hidePopover()
  else if (next === undefined) return
  else items.at(next % items.length)?.focus()
  event.preventDefault()
}

function moreMenu(row: HTMLElement): void {
  const menu = element('div', { role: 'menu', 'aria-label': nameOf(row) })
  for (const [word, act] of actionsOf(row)) {
    const item = button(word, () => {
      menu.hidePopover()
      act()
    })
    item.setAttribute('role', 'menuitem')
    item.tabIndex = -1
    if (word === t('Delete…')) item.classList.add('bad')
    menu.append(item)
  }
  if (menu.childElementCount === 0) return
  menu.addEventListener('keydown', event => step(menu, event))
  float(row, menu)
  menu.querySelector('button')?.focus()
}

/** Filters datatypes by the typed text; without a text, datatypes of pages are left out. */
const matching = (kinds: readonly Kind[], typed: string): Kind[] =>
  kinds.filter(({ word, isPage }) =>
    typed === '' ? !isPage : word.toLowerCase().includes(typed.toLowerCase()),
  )

function mark(input: HTMLInputElement, list: HTMLElement, to: number): void {
  const options = [...list.children]
  const chosen = options.at(options.length === 0 ? 0 : to % options.length)
  for (const one of options) one.setAttribute('aria-selected', String(one === chosen))
  input.setAttribute('aria-activedescendant', chosen?.id ?? '')
  chosen?.scrollIntoView({ block: 'nearest' })
}

function drawKinds(list: HTMLElement, kinds: readonly Kind[]): void {
  list.replaceChildren(
    ...kinds.map(({ value, word }) => element('li', { role: 'option', id: `kind-${value}` }, word)),
  )
}

async function kindsUnder(row: HTMLElement): Promise<readonly Kind[]> {
  const answer = await fetch(pathOf(row, 'starts'))
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  return ((await answer.json()) as { kinds: Kind[] }).kinds
}

/** Opens at once, so that what is typed after the key goes into its field; the kinds come a moment later. */
function addMenu(row: HTMLElement): void {
  let kinds: readonly Kind[] = []
  const list = element('ul', { role: 'listbox', id: 'kinds', 'aria-label': t('Kinds') })
  const input = element('input', {
    ...{ class: 'input', type: 'text', autocomplete: 'off', placeholder: t('Search datatypes') },
    ...{ role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'kinds' },
    'aria-label': t('Add under {name}', { name: nameOf(row) }),
  })
  const menu = element('div', {}, input, list)
  const selected = () => [...list.children].findIndex(one => one.getAttribute('aria-selected') === 'true')
  const show = () => {
    drawKinds(list, matching(kinds, input.value.replace(/^\//, '').trim()))
    mark(input, list, 0)
  }
  const take = (option: Element | undefined) => {
    if (!option) return
    menu.hidePopover()
    run(post(pathOf(row, 'add'), { datatype_id: option.id.slice(5) }))
  }
  const loaded = kindsUnder(row).then(
    found => {
      kinds = found
      show()
      if (menu.isConnected) place(row, menu)
    },
    () => {
      if (menu.isConnected) menu.hidePopover()
      say(t('The action failed'))
    },
  )
  for (const type of ['input', 'change']) menu.addEventListener(type, event => event.stopPropagation())
  input.addEventListener('input', show)
  input.addEventListener('keydown', event => {
    if (event.key === 'Enter') void loaded.then(() => menu.isConnected && take(list.children[selected()]))
    else if (event.key === 'ArrowDown') mark(input, list, selected() + 1)
    else if (event.key === 'ArrowUp') mark(input, list, selected() - 1)
    else return
    event.preventDefault()
  })
  list.addEventListener('click', ({ target }) => {
    take(target instanceof Element ? (target.closest('[role=option]') ?? undefined) : undefined)
  })
  float(row, menu)
  input.focus()
}

function onKey(event: KeyboardEvent): void {
  const row = entryAt(event)
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return
  const { key, shiftKey } = event
  const isMore = key === 'ContextMenu' || (key === 'F10' && shiftKey)
  if (!isMore && !((key === '+' || key === 'Insert') && may('create'))) return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (isMore) moreMenu(row)
  else addMenu(row)
}

function onClick(event: MouseEvent): void {
  const { target } = event
  const adder = target instanceof Element ? target.closest<HTMLElement>('[data-add-under]') : null
  const under = adder && rowOf(adder.dataset.addUnder ?? '')
  if (under) {
    showTree()
    addMenu(under)
    return
  }
  const hand = target instanceof Element ? target.closest<HTMLElement>('[data-hand]') : null
  const row = entryAt(event)
  if (!hand || !row || !isEntry(row)) return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (hand.dataset.hand === 'add') addMenu(row)
  else moreMenu(row)
}

/** Suppresses the browser's own menu, which the Menu key opens too, on the floating menu that has the focus by then. */
function onContextMenu(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest('.floating')) event.preventDefault()
}

/** Starts the menus of rows in the tree: new entries under one, and other actions on it. */
export function startTreeMenus(): void {
  document.addEventListener('keydown', onKey)
  document.addEventListener('click', onClick)
  document.addEventListener('contextmenu', onContextMenu)
}
