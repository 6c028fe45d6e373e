import type { StateKind } from '../../resources/resource.js'
import { timeInZone } from '../../resources/typed-times.js'
import { t } from '../../texts/terminal.js'
import type { Cell } from '../screen/list-spec.js'
import { dim, green, magenta, red } from '../screen/style.js'

interface InZone {
  readonly zone: string
}

/** Returns a stored time as text, in the zone of the session. */
export const timeWord = (time: string | null, { zone }: InZone): string =>
  time === null ? '–' : timeInZone(time, zone).slice(0, 16)

/** Returns how long ago a time was, or in how long it will be. @param now in milliseconds */
export function sinceWord(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000
  const far = Math.abs(seconds)
  const span =
    far < 60
      ? `${Math.floor(far)} s`
      : far < 3600
        ? `${Math.floor(far / 60)} min`
        : far < 172_800
          ? `${Math.floor(far / 3600)} h`
          : `${Math.floor(far / 86_400)} d`
  return seconds < 0 ? t('in {time}', { time: span }) : t('{time} ago', { time: span })
}

/** Returns a stored time to the second and without its year, for lists that grow while one looks. */
export const secondWord = (time: string, { zone }: InZone): string => timeInZone(time, zone).slice(5)

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
  isState: true,
  text: `${looks[kind].sign} ${word}`,
  style: looks[kind].style,
})
