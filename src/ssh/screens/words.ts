import type { StateKind } from '../../resources/resource.js'
import type { Cell } from '../screen/list.js'
import { dim, green, magenta, red } from '../screen/style.js'

/** Returns a stored time as text, in UTC. */
export const timeWord = (time: string | null): string =>
  time === null ? '–' : time.slice(0, 16).replace('T', ' ')

const looks = {
  live: { sign: '●', style: green },
  draft: { sign: '○', style: dim },
  changed: { sign: '◐', style: magenta },
  due: { sign: '◷', style: magenta },
  off: { sign: '⊘', style: dim },
  bad: { sign: '✗', style: red },
} as const satisfies Readonly<Record<StateKind, object>>

/** Returns the cell of a state: its sign and its word; the colour adds no information. */
export const stateCell = (kind: StateKind, word: string): Cell => ({
  text: `${looks[kind].sign} ${word}`,
  style: looks[kind].style,
})
