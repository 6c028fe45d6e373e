import { downKey, enterKey, type Key } from './keys.js'
import { type Line, lineOf, lineText, typed } from './line.js'
import { drawList, hintsOf } from './list-draw.js'
import { type Copied, canTick, type ListSpec, type ListState, type Slice, shownOf } from './list-spec.js'
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
    draw: (area, state) => drawList(spec, area, state),
    hints: state => hintsOf(spec, state),
  }
}
