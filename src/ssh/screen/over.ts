import type { Choice } from '../../resources/form-field.js'
import { t } from '../../texts/terminal.js'
import { widthOf } from './clusters.js'
import type { Area } from './grid.js'
import { drawLine, type Line, lineOf, lineText, typed } from './line.js'
import { bold, dim, inverse, plain } from './style.js'
import type { Shell, View } from './view.js'
import { wrapped } from './wrap.js'

function boxIn(area: Area, width: number, height: number, title: string): Area {
  const [w, h] = [Math.min(area.width, width + 4), Math.min(area.height, height + 2)]
  const [x, y] = [Math.floor((area.width - w) / 2), Math.floor((area.height - h) / 2)]
  area.fill(x, y, w, h)
  area.box(x, y, w, h, title)
  return area.part(x + 2, y + 1, w - 4, h - 2)
}

/** Asks before an action that cannot be undone. */
export function confirmView(
  title: string,
  text: string,
  { word, act }: { word: string; act: (shell: Shell<null>) => void },
): View<null> {
  return {
    title: () => title,
    start: null,
    isOver: true,
    update(state, key, shell) {
      const answer = key.type === 'click' ? key.spot : key.type === 'key' ? key.key.toLowerCase() : ''
      if (answer === 'y') {
        shell.back()
        act(shell)
      }
      if (answer === 'n') shell.back()
      return state
    },
    draw(area) {
      const rows = wrapped(text, Math.min(60, area.width - 4), 12)
      const inside = boxIn(area, 60, rows.length + 2, title)
      for (const [y, row] of rows.entries()) inside.put(0, y, row)
      const y = rows.length + 1
      const yes = inside.put(0, y, `y  ${word}`, bold)
      const no = inside.put(yes + 4, y, `n  ${t('cancel')}`, bold)
      inside.spot(0, y, yes, 1, 'y')
      inside.spot(yes + 4, y, no, 1, 'n')
    },
    hints: () => [
      { key: 'y', does: word },
      { key: 'n', does: t('cancel') },
    ],
  }
}

interface PickState {
  readonly filter: Line
  readonly at: number
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
}

interface Pick {
  readonly title: string
  readonly many?: boolean
  /** Whether the choices are the results for the text, so that none of them is left out. */
  readonly isSearched?: true
  readonly chosen?: readonly string[]
  /** The text to begin with. */
  readonly typed?: string
  readonly choices: readonly Choice[] | ((shell: Shell<PickState>, text: string) => void)
  picked(chosen: readonly string[], choices: readonly Choice[], shell: Shell<PickState>): void
}

const fits = ({ word, hint = '', value }: Choice, text: string) => {
  const all = `${word} ${hint} ${value}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every(part => all.includes(part))
}

const found = ({ isSearched }: Pick, { choices, filter }: PickState) =>
  isSearched ? choices : choices.filter(choice => fits(choice, lineText(filter)))

function pick(own: Pick, state: PickState, shell: Shell<PickState>): void {
  const { many, picked } = own
  const one = found(own, state)[state.at]
  if (!many && !one) return
  shell.back()
  picked(many ? state.chosen : [one?.value ?? ''], state.choices, shell)
}

function toggled(own: Pick, state: PickState): PickState {
  const value = found(own, state)[state.at]?.value
  if (value === undefined) return state
  const { chosen } = state
  return {
    ...state,
    chosen: chosen.includes(value) ? chosen.filter(one => one !== value) : [...chosen, value],
  }
}

/** Ticks the clicked choice if several are allowed; otherwise marks it, and chooses it if it is marked already. */
function clicked(pick_: Pick, state: PickState, spot: string, shell: Shell<PickState>): PickState {
  const at = found(pick_, state).findIndex(({ value }) => value === spot)
  if (at < 0) return state
  if (pick_.many) return toggled(pick_, { ...state, at })
  if (at === state.at) pick(pick_, state, shell)
  return { ...state, at }
}

const steps: Readonly<Record<string, number>> = {
  up: -1,
  down: 1,
  pageup: -8,
  pagedown: 8,
  'ctrl+p': -1,
  'ctrl+n': 1,
}

/** A choice of one or several, with a filter to type. */
export function pickView(pick_: Pick): View<PickState> {
  const { title, many = false, choices, chosen = [], typed: given = '' } = pick_
  const isLooked = typeof choices === 'function'
  return {
    title: () => title,
    start: { filter: lineOf(given), at: 0, choices: isLooked ? [] : choices, chosen },
    isOver: true,
    ...(isLooked ? { shown: (shell: Shell<PickState>) => choices(shell, given) } : {}),
    update(state, key, shell) {
      if (key.type === 'click') return clicked(pick_, state, key.spot, shell)
      if (key.type === 'key') {
        if (key.key === 'enter') {
          pick(pick_, state, shell)
          return state
        }
        if (many && (key.key === 'tab' || key.key === ' ')) return toggled(pick_, state)
        const step = steps[key.key]
        if (step !== undefined)
          return { ...state, at: Math.max(0, Math.min(found(pick_, state).length - 1, state.at + step)) }
      }
      const filter = typed(state.filter, key)
      if (!filter) return state
      if (isLooked) choices(shell, lineText(filter))
      return { ...state, filter, at: 0 }
    },
    draw(area, state) {
      const height = Math.max(3, Math.min(16, area.height - 4))
      const inside = boxIn(area, 64, height, title)
      inside.put(0, 0, t('Search'), dim)
      drawLine(inside, { x: 7, y: 0, width: inside.width - 7 }, state.filter)
      const shown = found(pick_, state)
      const rows = inside.height - 2
      const top = Math.max(0, Math.min(state.at - Math.floor(rows / 2), shown.length - rows))
      if (shown.length === 0) inside.put(0, 2, t('No results.'), dim)
      for (const [i, choice] of shown.slice(top, top + rows).entries()) {
        drawChoice(inside, 2 + i, choice, { isAt: top + i === state.at, many, state })
        inside.spot(0, 2 + i, inside.width, 1, choice.value)
      }
    },
    hints: () => [
      { key: '↑↓', does: t('move') },
      ...(many ? [{ key: 'Space', does: t('tick') }] : []),
      { key: 'Enter', does: t('accept') },
      { key: 'Esc', does: t('cancel') },
    ],
  }
}

function drawChoice(
  area: Area,
  y: number,
  { value, word, hint = '' }: Choice,
  { isAt, many, state }: { isAt: boolean; many: boolean; state: PickState },
): void {
  const style = isAt ? inverse : plain
  area.fill(0, y, area.width, 1, style)
  const isChosen = state.chosen.includes(value)
  const mark = many ? (isChosen ? '[x] ' : '[ ] ') : isChosen ? '* ' : '  '
  const hintWidth = Math.min(widthOf(hint), Math.floor(area.width / 2))
  area.put(0, y, mark + word, style, area.width - hintWidth - 1)
  area.put(area.width - hintWidth, y, hint, isAt ? style : dim, hintWidth)
}
