import { t } from '../../texts/terminal.js'
import { graphemes } from './clusters.js'
import type { Area } from './grid.js'
import { dim, plain } from './style.js'
import type { Hint, Shell, View } from './view.js'
import { breaks, wrapped } from './wrap.js'

/** A part of a row with its own style. */
export interface Span {
  readonly text: string
  readonly style?: number
  /** The address that the text is a hyperlink to. */
  readonly link?: string | undefined
}

export type Side = 'before' | 'after' | 'same'

/** A row of a text to read. */
export interface TextRow {
  readonly text: string
  readonly spans?: readonly Span[]
  readonly isStart?: true
  /** The text that a line of a difference is in: in a wide window those before and after are beside each other. */
  readonly side?: Side
  readonly style?: number
  readonly indent?: number
}

/** The longest part of a row that is drawn: it has more characters than a screen. */
const maxSpan = 20_000

interface PageState {
  readonly top: number
  readonly rows: readonly TextRow[]
}

const pageSteps: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -15,
  pagedown: 15,
  ' ': 15,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
  G: Number.POSITIVE_INFINITY,
}

/** An action on a page of text. */
export interface PageKey extends Hint {
  run(shell: Shell<PageState>): void
}

type Pair = readonly [before: TextRow | undefined, after: TextRow | undefined]

/** A row of the window: one of the text, or two beside each other. */
interface Shown {
  /** The place of its first row in the text. */
  readonly at: number
  readonly rows: readonly [TextRow] | Pair
}

/** The width from which a difference has two columns. */
const pairedFrom = 120

const oneByOne = (rows: readonly TextRow[]): Shown[] => rows.map((row, at) => ({ at, rows: [row] }))

/** Puts the lines before a change beside those after it. */
function paired(rows: readonly TextRow[]): Shown[] {
  const shown: Shown[] = []
  const endOf = (side: Side, from: number) => {
    let to = from
    while (rows[to]?.side === side) to++
    return to
  }
  for (let at = 0; at < rows.length; ) {
    const row = rows[at]
    const middle = endOf('before', at)
    const end = endOf('after', middle)
    if (row && end === at) shown.push({ at: at++, rows: row.side === 'same' ? [row, row] : [row] })
    const [before, after] = [rows.slice(at, middle), rows.slice(middle, end)]
    for (let i = 0; i < Math.max(before.length, after.length); i++)
      shown.push({ at: i < before.length ? at + i : middle + i, rows: [before[i], after[i]] })
    at = Math.max(at, end)
  }
  return shown
}

function drawRow(area: Area, y: number, { text, spans, style = plain, indent = 0 }: TextRow): number {
  if (spans) return putSpans(area, { x: 1 + indent, y }, spans)
  const lines = wrapped(text, area.width - 2 - indent, 200)
  for (const [i, line] of lines.entries()) area.put(1 + indent, y + i, line, style)
  return lines.length
}

function drawPair(area: Area, y: number, [before, after]: Pair): number {
  const half = Math.floor((area.width - 1) / 2)
  const [left, right] = [area.part(0, 0, half, area.height), area.part(half + 1, 0, half, area.height)]
  const height = Math.max(before ? drawRow(left, y, before) : 1, after ? drawRow(right, y, after) : 1)
  for (let row = y; row < y + height; row++) area.put(half, row, '│', dim)
  return height
}

/** A text to read, which may be longer than the screen. @param keys its actions */
export function pageView(
  title: string,
  rows: readonly TextRow[],
  keys: readonly PageKey[] = [],
): View<PageState> {
  const hasSides = rows.some(({ side }) => side !== undefined)
  let isWide = false
  const shownOf = (all: readonly TextRow[]) => (isWide ? paired(all) : oneByOne(all))
  return {
    title: () => title,
    start: { top: 0, rows },
    update(state, key, shell) {
      if (key.type === 'key' && (key.key === 'n' || key.key === 'N')) {
        const top = otherChange(state, key.key)
        if (top !== undefined) return { ...state, top }
      }
      const step = key.type === 'key' ? pageSteps[key.key] : undefined
      if (step === undefined) {
        keys.find(one => key.type === 'key' && one.key === key.key)?.run(shell)
        return state
      }
      const shown = shownOf(state.rows)
      const now = Math.max(
        0,
        shown.findLastIndex(({ at }) => at <= state.top),
      )
      const top = shown[Math.max(0, Math.min(shown.length - 1, now + step))]?.at ?? 0
      return top === state.top ? state : { ...state, top }
    },
    draw(area, { rows: all, top }) {
      isWide = hasSides && area.width >= pairedFrom
      const shown = shownOf(all)
      const from = Math.max(
        0,
        shown.findLastIndex(({ at }) => at <= top),
      )
      let y = 0
      for (const row of shown.slice(from)) {
        y += row.rows.length === 1 ? drawRow(area, y, row.rows[0]) : drawPair(area, y, row.rows)
        if (y >= area.height) break
      }
    },
    hints: () => [
      { key: '↑↓', does: t('scroll') },
      ...(rows.filter(({ isStart }) => isStart).length > 1
        ? [{ key: 'n N', does: t('next, previous change') }]
        : []),
      ...keys,
      { key: 'q', does: t('back') },
    ],
  }
}

/** Returns the first row of the next or the previous change. */
function otherChange({ top, rows }: PageState, key: string): number | undefined {
  const starts = rows.flatMap(({ isStart }, i) => (isStart ? [i] : []))
  return key === 'n' ? starts.find(i => i > top) : starts.findLast(i => i < top)
}

/** Wraps a row in parts as a whole. */
export function wrappedSpans(spans: readonly Span[], width: number): Span[][] {
  const styled = spans.flatMap(({ text, style = plain, link }) =>
    graphemes(text.slice(0, maxSpan)).map(character => ({ text: character, style, link })),
  )
  const starts = breaks(
    styled.map(({ text }) => text),
    Math.max(1, width),
  )
  return starts.map((from, row) => styled.slice(from, starts[row + 1]))
}

/** Draws a row in parts. */
export function putLine(area: Area, { x, y }: { x: number; y: number }, line: readonly Span[]): void {
  let at = x
  for (const { text, style, link } of line) {
    const width = area.put(at, y, text, style)
    if (link !== undefined) area.link(at, y, width, link)
    at += width
  }
}

/** Draws a row in parts, wrapped as a whole. @returns how many rows it takes */
function putSpans(area: Area, { x, y }: { x: number; y: number }, spans: readonly Span[]): number {
  const lines = wrappedSpans(spans, area.width - 1 - x)
  for (const [row, line] of lines.entries()) {
    if (y + row >= area.height) break
    putLine(area, { x, y: y + row }, line)
  }
  return lines.length
}
