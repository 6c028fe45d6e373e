import { wordsIn } from '../../resources/views/conflict.js'
import { t } from '../../texts/terminal.js'
import type { FormField } from './form-state.js'
import type { Area } from './grid.js'
import { bold, dim, inverse, magenta, plain } from './style.js'
import type { View } from './view.js'
import { wrapped } from './wrap.js'

type Value = string | readonly string[]

/** A field that two people have changed. */
export interface Difference {
  readonly field: FormField
  readonly mine: Value
  readonly theirs: Value
}

interface ConflictState {
  readonly at: number
  readonly theirs: ReadonlySet<string>
}

const shown = (field: FormField, value: Value): string => wordsIn(field, value).join(', ') || '–'

/** Shows both values of each field, to choose one. Leaving the view keeps the typed values. */
export function conflictView(
  differences: readonly Difference[],
  choose: (chosen: ReadonlyMap<string, Value>) => void,
): View<ConflictState> {
  const chosenIn = ({ theirs }: ConflictState) =>
    new Map(differences.map(one => [one.field.name, theirs.has(one.field.name) ? one.theirs : one.mine]))
  const toggled = (state: ConflictState): ConflictState => {
    const theirs = new Set(state.theirs)
    const name = differences[state.at]?.field.name ?? ''
    if (!theirs.delete(name)) theirs.add(name)
    return { ...state, theirs }
  }
  return {
    title: () => t('Somebody else saved first'),
    start: { at: 0, theirs: new Set() },
    update(state, key, shell) {
      const at = key.type === 'click' ? differences.findIndex(({ field }) => field.name === key.spot) : -1
      if (at >= 0) return at === state.at ? toggled(state) : { ...state, at }
      if (key.type !== 'key') return state
      const step = { up: -1, k: -1, down: 1, j: 1 }[key.key]
      if (step !== undefined)
        return { ...state, at: Math.max(0, Math.min(differences.length - 1, state.at + step)) }
      if ([' ', 'tab', 'left', 'right', 'h', 'l'].includes(key.key)) return toggled(state)
      if (key.key === 'm') return { ...state, theirs: new Set() }
      if (key.key === 't') return { ...state, theirs: new Set(differences.map(({ field }) => field.name)) }
      if (key.key === 'enter') {
        shell.back()
        choose(chosenIn(state))
        shell.say(t('Accepted. Save to store your choice.'))
      }
      return state
    },
    draw(area, state) {
      area.put(1, 0, t('Somebody else changed these fields while you were editing.'), bold)
      area.put(1, 1, t('For each field, choose the value to keep. Nothing is stored until you save.'), dim)
      let y = 3
      for (const [i, one] of differences.entries()) {
        const { name, label } = one.field
        area.put(1, y, label, i === state.at ? inverse : bold)
        const height = 2 + drawBoth(area, y + 1, one, state.theirs.has(name))
        area.spot(0, y, area.width, height - 1, name)
        y += height
      }
    },
    hints: () => [
      { key: 'Space', does: t('switch the value') },
      { key: 'm', does: t('all yours') },
      { key: 't', does: t('all theirs') },
      { key: 'Enter', does: t('accept') },
      { key: 'Esc', does: t('back') },
    ],
  }
}

/** Draws both values beside each other. @returns the number of rows */
function drawBoth(area: Area, y: number, { field, mine, theirs }: Difference, isTheirs: boolean): number {
  const width = Math.floor((area.width - 4) / 2)
  const sides = [
    { x: 1, word: t('yours'), value: mine, isTaken: !isTheirs },
    { x: 2 + width, word: t('theirs'), value: theirs, isTaken: isTheirs },
  ]
  const heights = sides.map(({ x, word, value, isTaken }) => {
    area.put(x, y, `${isTaken ? '[x]' : '[ ]'} ${word}`, isTaken ? plain : dim)
    const rows = wrapped(shown(field, value), width - 2, 4)
    for (const [i, row] of rows.entries()) area.put(x, y + 1 + i, row, isTaken ? magenta : dim)
    return rows.length
  })
  return 1 + Math.max(...heights)
}
