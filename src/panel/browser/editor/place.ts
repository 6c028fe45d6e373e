import type { EditorView } from 'prosemirror-view'

const gap = 6

/** Returns the upper edge of the visible part of a text: the fixed toolbar above covers the rest. */
function topOf(view: EditorView): number {
  const bar = view.dom.parentElement?.previousElementSibling?.getBoundingClientRect()
  return Math.max(0, bar?.bottom ?? 0)
}

/**
 * Places a floating element above or below a range of the text, and never over it.
 * @returns whether there was room
 */
export function besideText(
  view: EditorView,
  floating: HTMLElement,
  from: number,
  to: number,
  first: 'above' | 'below',
): boolean {
  const page = view.dom.parentElement?.getBoundingClientRect()
  if (!page) return false
  const [start, end] = [view.coordsAtPos(from), view.coordsAtPos(to, -1)]
  const [top, bottom] = [Math.min(start.top, end.top), Math.max(start.bottom, end.bottom)]
  const { offsetWidth, offsetHeight } = floating
  const above = top - gap - offsetHeight
  const below = bottom + gap
  const fits = { above: above >= topOf(view), below: below + offsetHeight <= innerHeight - gap }
  const other = first === 'above' ? 'below' : 'above'
  const side = !fits[first] && fits[other] ? other : first
  const isLine = start.top < end.bottom && end.top < start.bottom
  const middle = isLine && first === 'above' ? (start.left + end.left - offsetWidth) / 2 : start.left
  const left = Math.min(Math.max(0, middle - page.left), page.width - offsetWidth)
  floating.style.left = `${Math.max(0, left)}px`
  floating.style.top = `${(side === 'above' ? above : below) - page.top}px`
  return fits[side]
}
