import { t } from '../../texts/terminal.js'
import { graphemes, widthOf } from './clusters.js'
import type { Area } from './grid.js'
import { drawLine } from './line.js'
import {
  type Cell,
  type Column,
  canTick,
  cellOf,
  type ListSpec,
  type ListState,
  shownOf,
} from './list-spec.js'
import { bold, dim, inverse, plain, underline } from './style.js'
import type { Hint } from './view.js'

const widest = 48
/** The width of a list from which it has all columns. */
const wideFrom = 84
/** A list beside which a record is shown, in columns; one with several columns gets more of the window. */
const widestBeside = 100
const share = (besideFrom: number) => (besideFrom > 100 ? 0.47 : 0.46)

/** The room of the marks before a row. */
const tickWidth = 2
const [goodFirst, leastFirst, goodOther, leastOther] = [26, 16, 12, 6]

/**
 * Returns the widths of columns by their content. If there is too little room, the first column shrinks and then the last
 * one, both to a good width at first; a column of states keeps its width, and the one before it shrinks in its place.
 */
function widthsOf<R>(
  columns: readonly Column<R>[],
  rows: readonly (readonly Cell[])[],
  width: number,
): number[] {
  const natural = columns.map(({ label }, i) =>
    Math.min(
      widest,
      rows.reduce(
        (most, cells) => Math.max(most, widthOf(cells[i]?.text.slice(0, 200) ?? '')),
        widthOf(label),
      ),
    ),
  )
  const total = natural.reduce((sum, one) => sum + one + 2, 0)
  const keeps = columns.map((_, i) => rows.some(cells => cells[i]?.isState))
  const widths = [...natural]
  let over = total - width
  const shrink = (at: number, least: number) => {
    const own = widths[at] ?? 0
    const given = Math.max(0, Math.min(over, own - least))
    widths[at] = own - given
    over -= given
  }
  const others = columns.map((_, at) => at).slice(1)
  for (const [first, other] of [
    [goodFirst, goodOther],
    [leastFirst, leastOther],
  ] as const) {
    shrink(0, first)
    for (const at of others.filter(i => !keeps[i]).slice(-1)) shrink(at, other)
  }
  if (keeps.includes(true)) shrink(0, leastOther)
  return widths
}

/** Returns the columns that are shown. The label of the one in whose order the list is has its direction. */
function columnsIn<R>({ columns }: ListSpec<R>, { order }: ListState<R>, width: number): Column<R>[] {
  return columns.flatMap(column => {
    const { by, wide, isOnlyOrdered, label } = column
    if (order !== undefined && by === order.by)
      return { ...column, label: `${label} ${order.descending ? '↓' : '↑'}` }
    return isOnlyOrdered || (wide && width < wideFrom) ? [] : column
  })
}

/** Draws a list, and the selected record beside it. */
export function drawList<R>(spec: ListSpec<R>, whole: Area, state: ListState<R>): void {
  const shown = shownOf(spec, state)
  const { beside: drawBeside, besideFrom = 72 } = spec
  const isBeside = drawBeside !== undefined && whole.width >= besideFrom
  spec.seen?.(isBeside)
  const width = isBeside ? Math.min(widestBeside, Math.floor(whole.width * share(besideFrom))) : whole.width
  const area = whole.part(0, 0, width, whole.height)
  drawHead(spec, area, state, shown.length)
  if (shown.length === 0) {
    area.put(1, 2, whyEmpty(spec, state), dim)
    return
  }
  const rows = Math.max(1, area.height - 2)
  const top = Math.max(0, Math.min(state.at - Math.floor(rows / 2), shown.length - rows))
  const seen = shown.slice(top, top + rows)
  const columns = columnsIn(spec, state, area.width)
  const left = canTick(spec) ? tickWidth : 0
  const cellsOf = seen.map(record => columns.map(column => cellOf(column, record)))
  const widths = widthsOf(columns, cellsOf, area.width - 2 - left)
  drawRow(area, 1, {
    left,
    widths,
    cells: columns.map(({ label }) => ({ text: label, style: dim | underline })),
    style: dim,
  })
  for (const [i, record] of seen.entries()) {
    const isAt = top + i === state.at
    const cells = cellsOf[i] ?? []
    drawRow(area, 2 + i, { left, widths, cells, style: isAt ? inverse : plain })
    if (state.ticks.has(spec.keyOf(record))) area.put(1, 2 + i, '✓', isAt ? inverse | bold : bold)
    area.spot(0, 2 + i, area.width, 1, spec.keyOf(record))
  }
  const marked = shown[state.at]
  if (!isBeside || marked === undefined) return
  drawBeside(whole.part(width, 0, whole.width - width, whole.height), marked)
}

function whyEmpty<R>(spec: ListSpec<R>, { isLoaded, filter, found, records, total }: ListState<R>): string {
  if (!isLoaded) return t('Reading…')
  if (filter === '') return spec.empty
  if (found !== undefined || records.length >= total) return t('No results for “{text}”.', { text: filter })
  const n = records.length
  const none = Number.isFinite(total)
    ? t('No results for “{text}” in the first {n} of {total}.', { text: filter, n, total })
    : t('No results for “{text}” in the first {n}.', { text: filter, n })
  return spec.find ? `${none} ${t('Enter searches all.')}` : none
}

function drawHead<R>(spec: ListSpec<R>, area: Area, state: ListState<R>, count: number): void {
  const { records, total, found } = state
  // Without a total, more records load as the mark moves down.
  const n = records.length
  const more = Number.isFinite(total) ? t('{n} of {total} read', { n, total }) : t('the first {n}', { n })
  const all = n < total ? more : t('{total} in all', { total })
  const some = found?.isMore ? t('the first {count} found', { count }) : t('{count} found', { count })
  const marked = state.ticks.size > 0 ? [t('{n} marked', { n: state.ticks.size })] : []
  const words = [...marked, ...(state.filter === '' ? [] : [some]), all].join(', ')
  const room = Math.max(0, area.width - widthOf(words) - 2)
  if (state.isLoaded) area.put(room, 0, words, dim)
  if (state.line) {
    area.put(1, 0, '/', bold)
    drawLine(area, { x: 3, y: 0, width: Math.max(4, Math.min(40, room - 4)) }, state.line)
  } else if (state.filter !== '') area.put(1, 0, `/ ${state.filter}`, bold, room - 2)
  else area.put(1, 0, spec.title, bold, room - 2)
}

function drawRow(
  area: Area,
  y: number,
  row: { left: number; widths: readonly number[]; cells: readonly Cell[]; style: number },
): void {
  const { left, widths, cells, style } = row
  if (style & inverse) area.fill(0, y, area.width, 1, style)
  let x = 1 + left
  for (const [i, cell] of cells.entries()) {
    const width = widths[i] ?? 0
    // On a marked row colours would be backgrounds.
    const text = cell.isPath ? cutInside(cell.text, Math.min(width, area.width - x)) : cell.text
    const n = area.put(x, y, text, style & inverse ? style | (cell.style & bold) : cell.style, width)
    if (cell.link !== undefined) area.link(x, y, n, cell.link)
    x += width + 2
  }
}

function cutInside(text: string, width: number): string {
  if (widthOf(text) <= width || width < 8) return text
  const characters = graphemes(text)
  const start = Math.floor((width - 1) / 3)
  return [...characters.slice(0, start), '…', ...characters.slice(start + 1 - width)].join('')
}

/** Returns the keys of a list; while records are marked, first those for several. */
export function hintsOf<R>(spec: ListSpec<R>, { line, ticks }: ListState<R>): readonly Hint[] {
  if (line)
    return [
      { key: 'Enter', does: t('keep the filter') },
      { key: 'Esc', does: t('show all') },
    ]
  const filter = { key: '/', does: t('filter') }
  const sort = spec.orders
    ? [
        { key: '< >', does: t('sort') },
        { key: '-', does: t('reverse the order') },
      ]
    : []
  if (!canTick(spec)) return [...spec.keys, filter, ...sort]
  const ofOne = spec.keys.filter(({ several }) => several === undefined)
  // In a tree these keys matter more than those of one entry.
  const isFirst = spec.keys[1]?.several !== undefined
  const ofSeveral = spec.keys.filter(({ several }) => several !== undefined)
  const tick = { key: 'Space', does: t('mark') }
  const tickAll = { key: '*', does: t('mark all that are shown') }
  return ticks.size > 0
    ? [...ofSeveral, { key: 'Esc', does: t('clear the marks') }, tick, tickAll, ...ofOne, filter, ...sort]
    : isFirst
      ? [...spec.keys.slice(0, 1), tick, ...spec.keys.slice(1), filter, tickAll]
      : [...ofOne, tick, filter, ...ofSeveral, ...sort, tickAll]
}
