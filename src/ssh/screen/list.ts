import { downKey, enterKey, type Key } from './keys.js'
import { type Line, lineOf, lineText, typed } from './line.js'
import { drawList, hintsOf } from './list-draw.js'
import { type Copied, canTick, type ListSpec, type ListState, type Order, shownOf } from './list-spec.js'
import { stillTicked, tickedBy } from './ticks.js'
import type { Hint, Shell, View } from './view.js'

const pageSize = 200
const maxFiltered = 2000
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

/** The part of a list that is loaded: its beginning, or what comes after the last record. */
interface Part<R> {
  readonly limit?: number
  readonly behind?: readonly R[]
  readonly order: Order | undefined
  /** Whether the list was in another order. */
  readonly isNew?: true
}

/** Returns where the selected record is after a list was read; a selection of the newest record stays on the newest one. */
function placeIn<R>(spec: ListSpec<R>, state: ListState<R>, next: ListState<R>): number {
  if (spec.everyMs !== undefined && state.at === 0) return 0
  const marked = shownOf(spec, state)[state.at]
  const shown = shownOf(spec, next)
  const found = marked ? shown.findIndex(one => spec.keyOf(one) === spec.keyOf(marked)) : state.at
  return clamp(found < 0 ? state.at : found, shown.length)
}

const withoutFound = <R>(state: ListState<R>): ListState<R> => ({ ...state, found: undefined })

/** Adds records behind others, without those that have moved in the order meanwhile. */
function together<R>({ keyOf }: ListSpec<R>, before: readonly R[], more: readonly R[]): R[] {
  const known = new Set(before.map(keyOf))
  return [...before, ...more.filter(record => !known.has(keyOf(record)))]
}

function load<R>(
  spec: ListSpec<R>,
  shell: Shell<ListState<R>>,
  { limit = pageSize, behind = [], order, isNew }: Part<R>,
): void {
  shell.work(spec.access, async () => {
    const last = behind.at(-1)
    const after = last === undefined ? {} : { after: spec.keyOf(last) }
    const { records, total } = await spec.load({ limit, ...after, offset: behind.length, order })
    return state => {
      const all = last === undefined ? records : together(spec, state.records, records)
      const ticks = stillTicked(spec, state.ticks, all, all.length >= total)
      const read = { records: all, total, order, isLoaded: true, ticks }
      const next = { ...(isNew ? withoutFound(state) : state), ...read }
      const at = isNew ? 0 : placeIn(spec, state, next)
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

function find<R>(
  spec: ListSpec<R>,
  { records, total, filter, order }: ListState<R>,
  shell: Shell<ListState<R>>,
) {
  const isWhole = order === undefined && records.length >= total
  if (!spec.find || filter.trim() === '' || isWhole) return
  shell.work(spec.access, async () => {
    const found = await spec.find?.(filter, order)
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
    load(spec, shell, { limit: Math.max(pageSize, state.records.length), order: state.order })
    return state
  }
  const ordered = orderedBy(spec, state, key.key)
  if (ordered) {
    load(spec, shell, { ...ordered, isNew: true })
    find(spec, { ...state, ...ordered }, shell)
    return state
  }
  if (move) {
    const at = clamp(move(state.at, shown.length), shown.length)
    const { records, order } = state
    const isLast = at === shown.length - 1 && records.length > 0
    if (isLast && records.length < state.total && state.filter === '')
      load(spec, shell, { behind: records, order })
    return { ...state, at }
  }
  if (key.key === '/') return toFilter(spec, state, shell)
  const ticked = withTicks(spec, state, key.key, shell)
  if (ticked) return key.key === ' ' ? update(spec, ticked, downKey, shell) : ticked
  if (key.key === 'escape' && state.filter !== '') return { ...state, ...unfiltered }
  act(spec, state, key.key, shell)
  return state
}

/** Returns the order after a key: the next or the previous one, with the list's own among them, or the reverse. */
function orderedBy<R>(
  { orders = [] }: ListSpec<R>,
  { order }: ListState<R>,
  key: string,
): { readonly order: Order | undefined } | undefined {
  if (orders.length === 0) return undefined
  if (key === '-') return order && { order: { ...order, descending: !order.descending } }
  const step = { '<': -1, '>': 1 }[key]
  if (step === undefined) return undefined
  const all = [undefined, ...orders]
  const at = all.findIndex(one => one?.by === order?.by)
  return { order: all[(at + step + all.length) % all.length] }
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
  if (!own && record !== undefined && (key === 'y' || key === 'Y')) {
    const { id, address } = copiedOf(spec, record)
    shell.copy(key === 'y' && address ? address : id)
  }
  if (own?.several && state.ticks.size > 0) own.several(shell, [...state.ticks.values()])
  else if (own && (own.ofList || record !== undefined)) own.run(shell, record as R)
}

const copiedOf = <R>({ copied, keyOf }: ListSpec<R>, record: R): Copied =>
  copied?.(record) ?? { id: keyOf(record) }

function toFilter<R>(spec: ListSpec<R>, state: ListState<R>, shell: Shell<ListState<R>>): ListState<R> {
  const { records, order } = state
  if (!spec.find && records.length > 0 && records.length < Math.min(state.total, maxFiltered))
    load(spec, shell, { behind: records, limit: maxFiltered - records.length, order })
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

/** A list of records, with a filter and actions. */
export function listView<R>(spec: ListSpec<R>): View<ListState<R>> {
  return {
    title: () => spec.title,
    start: { records: [], total: 0, isLoaded: false, ticks: new Map(), order: undefined, ...unfiltered },
    ...(spec.everyMs === undefined ? {} : { everyMs: spec.everyMs }),
    shown: (shell, { records, order }) =>
      load(spec, shell, { limit: Math.max(pageSize, records.length), order }),
    update(state, key, shell) {
      const next = update(spec, state, key, shell)
      const marked = shownOf(spec, next)[next.at]
      if (spec.marked && marked !== undefined && marked !== shownOf(spec, state)[state.at])
        spec.marked(marked, shell)
      return next
    },
    draw: (area, state) => drawList(spec, area, state),
    hints: state => hintsOf(spec, state),
  }
}
