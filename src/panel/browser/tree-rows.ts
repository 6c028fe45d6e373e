/** The rows of the tree, which are sibling links. The rows under one are in a group behind it; see `../tree.tsx`. */

export const tree = (): HTMLElement | null => document.querySelector('[data-tree]')

/** Whether the user may do an action in the tree, on a row of it: `create` is under the row. */
export const may = (what: string, row?: HTMLElement): boolean =>
  (tree()?.dataset.may?.split(' ').includes(what) ?? false) &&
  (what === 'create' || row?.dataset.fixed === undefined)

/** All rows, hidden ones too. */
export const rows = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('[data-tree] [role=treeitem]'),
]

/** Returns the row of an event if it is an entry. */
export const entryAt = ({ target }: Event): HTMLElement | null =>
  target instanceof Element
    ? target.closest<HTMLElement>('[data-tree] [role=treeitem]:not([data-more])')
    : null

/** Whether a row is an entry, and not one that loads more. */
export const isEntry = (row: HTMLElement): boolean => row.dataset.more === undefined
export const idOf = (row: HTMLElement) => row.id.slice(2)
export const rowOf = (id: string) => document.getElementById(`n-${id}`)
export const nameOf = (row: HTMLElement | undefined) => row?.querySelector('.label')?.textContent ?? ''
export const levelOf = (row: HTMLElement) => Number(row.getAttribute('aria-level'))

const isGroup = (at: Element): boolean => at.getAttribute('role') === 'group'
const asRow = (at: Element | null | undefined) => (at as HTMLElement | null) ?? undefined

/** Returns the group under a row; undefined if it has no children, or is too deep to be closed. */
export function groupOf(row: HTMLElement): HTMLElement | undefined {
  const next = asRow(row.nextElementSibling)
  return next && isGroup(next) ? next : undefined
}

function groupAround(row: Element): HTMLElement | undefined {
  const host = asRow(row.parentElement)
  return host && isGroup(host) ? host : undefined
}

/** Visible rows in their order. */
export function shown(host: Element | null = tree(), found: HTMLElement[] = []): HTMLElement[] {
  for (let at = asRow(host?.firstElementChild); at; at = asRow(at.nextElementSibling)) {
    if (!isGroup(at)) found.push(at)
    else if (!at.hidden) shown(at, found)
  }
  return found
}

/** The next visible row. */
export function nextTo(row: HTMLElement): HTMLElement | undefined {
  const group = groupOf(row)
  if (group && !group.hidden && group.firstElementChild) return asRow(group.firstElementChild)
  let at: HTMLElement | undefined = group ?? row
  while (at && !at.nextElementSibling) at = groupAround(at)
  return asRow(at?.nextElementSibling)
}

/** The last visible row of a group, or of the tree. */
export function lastIn(host: Element | null): HTMLElement | undefined {
  const last = asRow(host?.lastElementChild)
  if (!last || !isGroup(last)) return last
  return last.hidden ? asRow(last.previousElementSibling) : lastIn(last)
}

/** The previous visible row. */
export function before(row: HTMLElement): HTMLElement | undefined {
  const at = asRow(row.previousElementSibling)
  if (!at) return asRow(groupAround(row)?.previousElementSibling)
  if (!isGroup(at)) return at
  return at.hidden ? asRow(at.previousElementSibling) : lastIn(at)
}

/** The parent of a row. */
export function parentOf(row: HTMLElement): HTMLElement | undefined {
  const level = levelOf(row)
  const above = asRow(groupAround(row)?.previousElementSibling)
  if (above && levelOf(above) === level - 1) return above
  // Rows of deep levels are siblings of their parents.
  for (let at = asRow(row.previousElementSibling); at; at = asRow(at.previousElementSibling))
    if (!isGroup(at) && levelOf(at) < level) return at
  return above
}

/** Sets an attribute if it differs: each change costs the browser a style computation and a new accessibility tree. */
export function put(row: HTMLElement, name: string, value: string): void {
  if (row.getAttribute(name) !== value) row.setAttribute(name, value)
}
