import { t } from '../../texts/terminal.js'
import { graphemes, widthOf } from './clusters.js'
import type { Area } from './grid.js'
import { downKey, enterKey, type Key } from './keys.js'
import { drawLine, type Line, lineOf, lineText, typed } from './line.js'
import { bold, dim, inverse, plain, underline } from './style.js'
import { stillTicked, type Ticks, tickedBy } from './ticks.js'
import type { Hint, Shell, View } from './view.js'

/** A text with its style. */
export interface Cell {
  readonly text: string
  readonly style: number
  /** Whether it is cut in the middle if there is no room, because its end tells it apart. */
  readonly isPath?: true
  /** Whether it says the state of a record: it keeps its room when others lose theirs. */
  readonly isState?: true
}

export interface Column<R> {
  readonly label: string
  of(record: R): string | Cell
  readonly wide?: true
}

/** An action with a key. */
export interface ListKey<R> extends Hint {
  readonly access?: string
  /** Whether it is about the whole list, and works in an empty one too. */
  readonly ofList?: true
  run(shell: Shell<ListState<R>>, record: R): void
  /** Acts on the marked records instead, if there are any. A list with such a key can mark records. */
  several?(shell: Shell<ListState<R>>, records: readonly R[]): void
}

interface Slice {
  readonly limit: number
  readonly after?: string
}

interface Found<R> {
  readonly records: readonly R[]
  readonly isMore: boolean
}

export interface ListSpec<R> {
  readonly title: string
  readonly access: string
  load(slice: Slice): Promise<{ records: readonly R[]; total: number }>
  find?(text: string): Promise<Found<R>>
  keyOf(record: R): string
  /** Whether a record can be marked (default: all can). */
  mayTick?(record: R): boolean
  readonly columns: readonly Column<R>[]
  readonly empty: string
  readonly keys: readonly ListKey<R>[]
  readonly everyMs?: number
  readonly marked?: (record: R, shell: Shell<ListState<R>>) => void
  readonly beside?: (area: Area, record: R) => void
  /** The width from which the marked record is shown beside the list (default: 72). */
  readonly besideFrom?: number
  /** Called with each frame: whether it is shown. */
  readonly seen?: (isBeside: boolean) => void
}

export interface ListState<R> {
  readonly records: readonly R[]
  readonly total: number
  readonly at: number
  readonly filter: string
  readonly found: Found<R> | undefined
  readonly line: Line | undefined
  readonly isLoaded: boolean
  readonly ticks: Ticks<R>
}

const pageSize = 200
const maxFiltered = 2000
const widest = 48
/** A list beside which a record is shown, in columns; one with several columns gets more of the window. */
const widestBeside = 100
const share = (besideFrom: number) => (besideFrom > 100 ? 0.56 : 0.46)

/** The room of the marks before a row. */
const tickWidth = 2
const canTick = <R>({ keys }: ListSpec<R>): boolean => keys.some(({ several }) => several !== undefined)

const cellOf = <R>({ of }: Column<R>, record: R): Cell => {
  const cell = of(record)
  return typeof cell === 'string' ? { text: cell, style: plain } : cell
}

function shownOf<R>({ columns, keyOf }: ListSpec<R>, { records, filter, found }: ListState<R>): readonly R[] {
  if (filter === '') return records
  const words = filter.toLowerCase().split(/\s+/)
  const read = records.filter(record => {
    const row = columns
      .map(column => cellOf(column, record).text)
      .join(' ')
      .toLowerCase()
    return words.every(word => row.includes(word))
  })
  const known = new Set(read.map(keyOf))
  return [...read, ...(found?.records ?? []).filter(record => !known.has(keyOf(record)))]
}

const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  up: at => at - 1,
  k: at => at - 1,
  down: at => at + 1,
  j: at => at + 1,
  pageup: at => at - 15,
  'ctrl+u': at => at - 10,
  pagedown: at => at + 15,
  'ctrl+d': at => at + 10,
  home: () => 0,
  end: (_at, count) => count - 1,
  G: (_at, count) => count - 1,
}

const clamp = (at: number, count: number) => Math.max(0, Math.min(count - 1, at))

function load<R>(
  spec: ListSpec<R>,
  shell: Shell<ListState<R>>,
  { limit = pageSize, after }: Partial<Slice> = {},
): void {
  shell.work(spec.access, async () => {
    const slice = after === undefined ? { limit } : { limit, after }
    const { records, total } = await spec.load(slice)
    return state => {
      const all = after === undefined ? records : [...state.records, ...records]
      const marked = shownOf(spec, state)[state.at]
      const ticks = stillTicked(spec, state.ticks, all, all.length >= total)
      const next = { ...state, records: all, total, isLoaded: true, ticks }
      const found = marked
        ? shownOf(spec, next).findIndex(one => spec.keyOf(one) === spec.keyOf(marked))
        : state.at
      // A mark on the newest record stays on the newest one.
      const isFollowing = spec.everyMs !== undefined && state.at === 0
      const at = isFollowing ? 0 : clamp(found < 0 ? state.at : found, shownOf(spec, next).length)
      const now = shownOf(spec, next)[at]
      if (now !== undefined) spec.marked?.(now, shell)
      return { ...next, at }
    }
  })
}

const unfiltered = { line: undefined, filter: '', found: undefined, at: 0 }

function filtered<R>(
  spec: ListSpec<R>,
  state: ListState<R>,
  { line, key, shell }: { line: Line; key: Key; shell: Shell<ListState<R>> },
): ListState<R> {
  if (key.type === 'key' && key.key === 'enter') {
    find(spec, state, shell)
    return { ...state, line: undefined }
  }
  if (key.type === 'key' && key.key === 'escape') return { ...state, ...unfiltered }
  const next = typed(line, key)
  return next ? { ...state, line: next, filter: lineText(next), found: undefined, at: 0 } : state
}

function find<R>(spec: ListSpec<R>, { records, total, filter }: ListState<R>, shell: Shell<ListState<R>>) {
  if (!spec.find || filter.trim() === '' || records.length >= total) return
  shell.work(spec.access, async () => {
    const found = await spec.find?.(filter)
    return state => (state.filter === filter ? { ...state, found } : state)
  })
}

function update<R>(
  spec: ListSpec<R>,
  state: ListState<R>,
  key: Key,
  shell: Shell<ListState<R>>,
): ListState<R> {
  const shown = shownOf(spec, state)
  const move = key.type === 'key' ? moves[key.key] : undefined
  const isStep = key.type === 'key' && key.text === ''
  if (key.type === 'click') return clicked(spec, state, key.spot, shell)
  if (state.line && !(move && isStep)) return filtered(spec, state, { line: state.line, key, shell })
  if (key.type !== 'key') return state
  if (key.key === 'ctrl+r') {
    load(spec, shell, { limit: Math.max(pageSize, state.records.length) })
    return state
  }
  if (move) {
    const at = clamp(move(state.at, shown.length), shown.length)
    const last = state.records.at(-1)
    if (at === shown.length - 1 && last && state.records.length < state.total && state.filter === '')
      load(spec, shell, { after: spec.keyOf(last) })
    return { ...state, at }
  }
  if (key.key === '/') return toFilter(spec, state, shell)
  const ticked = withTicks(spec, state, key.key, shell)
  if (ticked) return key.key === ' ' ? update(spec, ticked, downKey, shell) : ticked
  if (key.key === 'escape' && state.filter !== '') return { ...state, ...unfiltered }
  act(spec, state, key.key, shell)
  return state
}

function withTicks<R>(
  spec: ListSpec<R>,
  state: ListState<R>,
  key: string,
  shell: Shell<ListState<R>>,
): ListState<R> | undefined {
  if (!canTick(spec)) return undefined
  const ticked = { ...state, shown: shownOf(spec, state) }
  const ticks = tickedBy(spec, ticked, key, words => shell.complain(words))
  return ticks && { ...state, ticks }
}

function act<R>(spec: ListSpec<R>, state: ListState<R>, key: string, shell: Shell<ListState<R>>): void {
  const record = shownOf(spec, state)[state.at]
  const own = spec.keys.find(one => namesOf(one).includes(key))
  if (own?.several && state.ticks.size > 0) own.several(shell, [...state.ticks.values()])
  else if (own && (own.ofList || record !== undefined)) own.run(shell, record as R)
}

function toFilter<R>(spec: ListSpec<R>, state: ListState<R>, shell: Shell<ListState<R>>): ListState<R> {
  const last = state.records.at(-1)
  if (!spec.find && last && state.records.length < Math.min(state.total, maxFiltered))
    load(spec, shell, { after: spec.keyOf(last), limit: maxFiltered - state.records.length })
  return { ...state, line: lineOf(state.filter) }
}

function clicked<R>(
  spec: ListSpec<R>,
  state: ListState<R>,
  spot: string,
  shell: Shell<ListState<R>>,
): ListState<R> {
  const at = shownOf(spec, state).findIndex(record => spec.keyOf(record) === spot)
  if (at < 0) return state
  if (at !== state.at) return { ...state, at, line: undefined }
  return update(spec, { ...state, line: undefined }, enterKey, shell)
}

const namesOf = ({ key }: Hint) =>
  key.split(' ').map(name => ({ Enter: 'enter', Space: ' ', Del: 'delete' })[name] ?? name)

const [leastFirst, leastOther] = [16, 6]

/**
 * Returns the widths of columns by their content. If there is too little room, the first column shrinks, then the last
 * one; a column of states keeps its width, and the one before it shrinks in its place.
 */
function widthsOf<R>(columns: readonly Column<R>[], shown: readonly R[], width: number): number[] {
  const natural = columns.map(column =>
    Math.min(
      widest,
      shown.reduce(
        (most, record) => Math.max(most, widthOf(cellOf(column, record).text.slice(0, 200))),
        column.label.length,
      ),
    ),
  )
  const total = natural.reduce((sum, one) => sum + one + 2, 0)
  const keeps = columns.map(column => shown.some(record => cellOf(column, record).isState))
  const widths = [...natural]
  let over = total - width
  const shrink = (at: number, least: number) => {
    const own = widths[at] ?? 0
    const given = Math.max(0, Math.min(over, own - least))
    widths[at] = own - given
    over -= given
  }
  shrink(0, leastFirst)
  const others = columns.map((_, at) => at).slice(1)
  for (const at of others.filter(i => !keeps[i]).slice(-1)) shrink(at, leastOther)
  if (keeps.includes(true)) shrink(0, leastOther)
  return widths
}

function draw<R>(spec: ListSpec<R>, whole: Area, state: ListState<R>): void {
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
  const columns = spec.columns.filter(({ wide }) => !wide || area.width >= 96)
  const left = canTick(spec) ? tickWidth : 0
  const widths = widthsOf(columns, seen, area.width - 2 - left)
  drawRow(area, 1, {
    left,
    widths,
    cells: columns.map(({ label }) => ({ text: label, style: dim | underline })),
    style: dim,
  })
  for (const [i, record] of seen.entries()) {
    const isAt = top + i === state.at
    const cells = columns.map(column => cellOf(column, record))
    drawRow(area, 2 + i, { left, widths, cells, style: isAt ? inverse : plain })
    if (state.ticks.has(spec.keyOf(record))) area.put(1, 2 + i, '✓', isAt ? inverse | bold : bold)
    area.spot(0, 2 + i, area.width, 1, spec.keyOf(record))
  }
  const marked = shown[state.at]
  if (!isBeside || marked === undefined) return
  const beside = whole.part(width, 0, whole.width - width, whole.height)
  beside.box(0, 0, beside.width, beside.height)
  drawBeside(beside.part(2, 1, beside.width - 4, beside.height - 2), marked)
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
    area.put(x, y, text, style & inverse ? style | (cell.style & bold) : cell.style, width)
    x += width + 2
  }
}

function cutInside(text: string, width: number): string {
  if (widthOf(text) <= width || width < 8) return text
  const characters = graphemes(text)
  const start = Math.floor((width - 1) / 3)
  return [...characters.slice(0, start), '…', ...characters.slice(start + 1 - width)].join('')
}

/** A list of records, with a filter and actions. */
export function listView<R>(spec: ListSpec<R>): View<ListState<R>> {
  return {
    title: () => spec.title,
    start: { records: [], total: 0, isLoaded: false, ticks: new Map(), ...unfiltered },
    ...(spec.everyMs === undefined ? {} : { everyMs: spec.everyMs }),
    shown: (shell, { records }) => load(spec, shell, { limit: Math.max(pageSize, records.length) }),
    update(state, key, shell) {
      const next = update(spec, state, key, shell)
      const marked = shownOf(spec, next)[next.at]
      if (spec.marked && marked !== undefined && marked !== shownOf(spec, state)[state.at])
        spec.marked(marked, shell)
      return next
    },
    draw: (area, state) => draw(spec, area, state),
    hints: state => hintsOf(spec, state),
  }
}

function hintsOf<R>(spec: ListSpec<R>, { line, ticks }: ListState<R>): readonly Hint[] {
  if (line)
    return [
      { key: 'Enter', does: t('keep the filter') },
      { key: 'Esc', does: t('show all') },
    ]
  const filter = { key: '/', does: t('filter') }
  if (!canTick(spec)) return [...spec.keys, filter]
  const ofOne = spec.keys.filter(({ several }) => several === undefined)
  const ofSeveral = spec.keys.filter(({ several }) => several !== undefined)
  const tick = { key: 'Space', does: t('mark') }
  const tickAll = { key: '*', does: t('mark all that are shown') }
  return ticks.size > 0
    ? [...ofSeveral, { key: 'Esc', does: t('clear the marks') }, tick, tickAll, ...ofOne, filter]
    : [...ofOne, tick, filter, ...ofSeveral, tickAll]
}
