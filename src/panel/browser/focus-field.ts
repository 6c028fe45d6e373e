import { focusRich } from './rich.js'

const isSeen = (element: Element) => element.checkVisibility()

/**
 * Focuses the control of a field, or the editor that replaces it.
 * @param hash `#f-` or `#e-` with the name of the field, as links have it
 */
export function focusField(hash: string): boolean {
  const at = document.getElementById(decodeURIComponent(hash.slice(1)))
  if (!at) return false
  for (let folded = at.closest('details'); folded; folded = folded.parentElement?.closest('details') ?? null)
    folded.open = true
  const drawer = at.closest<HTMLElement>('[popover]')
  if (drawer && !isSeen(drawer)) drawer.showPopover()
  const field = at.closest('.field')
  field?.scrollIntoView({ block: 'center' })
  if (focusRich(at)) return true
  const controls =
    field?.querySelectorAll<HTMLElement>('input:not([type=hidden]), select, textarea, button') ?? []
  const control =
    at instanceof HTMLElement && at.matches('input, select, textarea') && isSeen(at)
      ? at
      : [...controls].find(isSeen)
  control?.focus({ preventScroll: true })
  return control !== undefined
}
