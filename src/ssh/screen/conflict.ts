import { bothIn, canKeepBoth, wordsIn } from '../../resources/views/conflict.js'
import { t } from '../../texts/terminal.js'
import { changedRows } from './difference.js'
import { editorView } from './editor.js'
import type { FormField } from './form-state.js'
import type { Area } from './grid.js'
import { putLine, type Span, type TextRow, wrappedSpans } from './page.js'
import { bold, dim, inverse, plain } from './style.js'
import type { Shell, View } from './view.js'
import { wrapped } from './wrap.js'

type Value = string | readonly string[]

/** A field that two people have changed, and its value before both of them. */
export interface Difference {
  readonly field: FormField
  readonly base: Value
  readonly mine: Value
  readonly theirs: Value
}

type Side = 'mine' | 'theirs' | 'both' | 'edited'

/** A field with its differences. */
interface Contested extends Difference {
  /** The changes of each of the two, word by word. */
  readonly rows: Readonly<Record<'mine' | 'theirs', readonly TextRow[]>>
  /** Both texts in one, of a field that can keep both. */
  readonly both: { readonly text: string; readonly isMerged: boolean } | undefined
}

interface ConflictState {
  readonly at: number
  readonly chosen: Readonly<Record<string, Side>>
  readonly edited: Readonly<Record<string, string>>
}

/** The most rows of one value that are shown. */
const maxRows = 8
/** From this width on, both values are beside each other. */
const leastBeside = 72

const shown = (field: FormField, value: Value): string => wordsIn(field, value).join(', ')

/** Compares both values of each field with the one before them, and merges texts. */
export async function contested(differences: readonly Difference[]): Promise<Contested[]> {
  const rows = await changedRows(
    differences.flatMap(({ field, base, mine, theirs }) =>
      [mine, theirs].map(value => ({
        before: shown(field, base),
        after: shown(field, value),
        isRich: field.kind === 'html',
      })),
    ),
  )
  return differences.map((one, i) => ({
    ...one,
    rows: { mine: rows[2 * i] ?? [], theirs: rows[2 * i + 1] ?? [] },
    both: canKeepBoth(one.field)
      ? bothIn(one.field, {
          base: String(one.base),
          mine: String(one.mine),
          theirs: String(one.theirs),
        })
      : undefined,
  }))
}

const sideOf = ({ chosen }: ConflictState, { field }: Contested): Side => chosen[field.name] ?? 'mine'

/** A text field has no line breaks, which an editor for files may add. */
const inOneLine = (text: string): string =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
    .join(' ')

function chosenValue(state: ConflictState, one: Contested): Value {
  const side = sideOf(state, one)
  if (side === 'both') return one.both?.text ?? one.mine
  return side === 'edited' ? (state.edited[one.field.name] ?? one.mine) : one[side]
}

const sidesOf = ({ edited }: ConflictState, { field, both }: Contested): Side[] => [
  'mine',
  'theirs',
  ...(both ? (['both'] as const) : []),
  ...(field.name in edited ? (['edited'] as const) : []),
]

const withSide = (state: ConflictState, { field }: Contested, side: Side): ConflictState => ({
  ...state,
  chosen: { ...state.chosen, [field.name]: side },
})

function turned(state: ConflictState, one: Contested, step: number): ConflictState {
  const sides = sidesOf(state, one)
  const at = sides.indexOf(sideOf(state, one)) + step
  return withSide(state, one, sides.at(at % sides.length) ?? 'mine')
}

const turns: Readonly<Record<string, number>> = { ' ': 1, tab: 1, right: 1, l: 1, left: -1, h: -1 }

/** Moves the mark, or chooses a value of the marked field or of all. */
function chosen(
  fields: readonly Contested[],
  state: ConflictState,
  one: Contested,
  key: string,
): ConflictState {
  const all = (side: Side) => ({
    ...state,
    chosen: Object.fromEntries(fields.map(({ field }) => [field.name, side])),
  })
  const step = { up: -1, k: -1, down: 1, j: 1 }[key]
  if (step !== undefined) return { ...state, at: Math.max(0, Math.min(fields.length - 1, state.at + step)) }
  const turn = turns[key]
  if (turn !== undefined) return turned(state, one, turn)
  if (key === 'm') return all('mine')
  if (key === 't') return all('theirs')
  return key === 'b' && one.both ? withSide(state, one, 'both') : state
}

/** Opens the chosen text in the editor. */
function edit(state: ConflictState, one: Contested, shell: Shell<ConflictState>): void {
  const { name, label, kind = 'text' } = one.field
  const keep = (text: string) =>
    shell.set(next => ({
      ...withSide(next, one, 'edited'),
      edited: { ...next.edited, [name]: kind === 'text' ? inOneLine(text) : text },
    }))
  shell.open(editorView(label, String(chosenValue(state, one)), keep))
}

/** Shows what both have made of each field, to choose, to keep both, or to edit. Leaving the view keeps the typed values. */
export function conflictView(
  fields: readonly Contested[],
  choose: (chosen: ReadonlyMap<string, Value>) => void,
): View<ConflictState> {
  return {
    title: () => t('Somebody else saved first'),
    start: {
      at: 0,
      chosen: Object.fromEntries(
        fields.map(({ field, both }) => [field.name, both?.isMerged ? 'both' : 'mine']),
      ),
      edited: {},
    },
    update(state, key, shell) {
      const clicked = key.type === 'click' ? fields.findIndex(({ field }) => field.name === key.spot) : -1
      const one = fields[clicked >= 0 ? clicked : state.at]
      if (!one) return state
      if (clicked >= 0) return clicked === state.at ? turned(state, one, 1) : { ...state, at: clicked }
      if (key.type !== 'key') return state
      if (key.key === 'e' && one.both) edit(state, one, shell)
      if (key.key === 'enter') {
        shell.back()
        choose(new Map(fields.map(own => [own.field.name, chosenValue(state, own)])))
        shell.say(t('Accepted. Save to store your choice.'))
      }
      return chosen(fields, state, one, key.key)
    },
    draw: (area, state) => draw(area, fields, state),
    hints: ({ at }) => [
      { key: 'Space', does: t('next value') },
      ...(fields[at]?.both ? [{ key: 'e', does: t('edit') }] : []),
      { key: 'm', does: t('all yours') },
      { key: 't', does: t('all theirs') },
      { key: 'Enter', does: t('accept') },
      { key: 'Esc', does: t('back') },
    ],
  }
}

type Lines = readonly (readonly Span[])[]

function linesOf(rows: readonly TextRow[], width: number): Lines {
  const lines = rows.flatMap(({ text, spans, style = plain }) =>
    wrappedSpans(spans ?? [{ text, style }], width).slice(0, maxRows),
  )
  return lines.length > maxRows ? [...lines.slice(0, maxRows - 1), [{ text: '…', style: dim }]] : lines
}

const textLines = (text: string, width: number): Lines =>
  wrapped(text || '–', width, maxRows).map(line => [{ text: line }])

/** A value with its box to tick. */
interface Ticked {
  readonly head: string
  readonly isTaken: boolean
  readonly lines: Lines
}

const headWords = (side: Side, one: Contested): string => {
  if (side === 'mine') return t('yours')
  if (side === 'theirs') return t('theirs')
  if (side === 'edited') return t('your own words')
  return one.both?.isMerged ? t('both, merged') : t('both, theirs first')
}

function tickedOf(state: ConflictState, one: Contested, width: number): Ticked[] {
  return sidesOf(state, one).map(side => {
    const isTaken = side === sideOf(state, one)
    const lines = () => {
      if (side === 'mine' || side === 'theirs') return linesOf(one.rows[side], width)
      // A third text is shown only where it is chosen.
      return isTaken ? textLines(String(chosenValue(state, one)), width) : []
    }
    return { head: `${isTaken ? '[x]' : '[ ]'} ${headWords(side, one)}`, isTaken, lines: lines() }
  })
}

function drawTicked(
  area: Area,
  { x, y }: { x: number; y: number },
  { head, isTaken, lines }: Ticked,
): number {
  area.put(x, y, head, isTaken ? bold : dim)
  for (const [i, line] of lines.entries()) putLine(area, { x: x + 2, y: y + 1 + i }, line)
  return 1 + lines.length
}

/** Draws one field. @returns the number of rows */
function drawField(
  area: Area,
  y: number,
  { one, state, isAt }: { one: Contested; state: ConflictState; isAt: boolean },
): number {
  const isBeside = area.width >= leastBeside
  const column = isBeside ? Math.floor((area.width - 4) / 2) : area.width - 2
  area.put(1, y, one.field.label, isAt ? inverse : bold)
  const [mine, theirs] = tickedOf(state, one, column - 3)
  const rest = tickedOf(state, one, area.width - 5).slice(2)
  let at = y + 1
  if (mine && theirs && isBeside) {
    const left = drawTicked(area.part(0, 0, column + 1, area.height), { x: 1, y: at }, mine)
    at += Math.max(left, drawTicked(area, { x: 2 + column, y: at }, theirs))
  } else for (const side of [mine, theirs]) if (side) at += drawTicked(area, { x: 1, y: at }, side)
  for (const side of rest) at += drawTicked(area, { x: 1, y: at }, side)
  return at - y + 1
}

const nowhere: Area = {
  ...{ width: 0, height: 0, put: () => 0, fill: () => undefined, box: () => undefined },
  ...{
    spot: () => undefined,
    link: () => undefined,
    cursor: () => undefined,
    hasPictures: false,
    paint: () => undefined,
    by: () => nowhere,
    part: () => nowhere,
  },
}

function draw(area: Area, fields: readonly Contested[], state: ConflictState): void {
  const isSmall = area.height < 14
  if (!isSmall) {
    area.put(1, 0, t('Somebody else changed these fields while you were editing.'), bold)
    area.put(1, 1, t('For each field, choose the value to keep. Nothing is stored until you save.'), dim)
  }
  const top = isSmall ? 0 : 3
  const body = area.part(0, top, area.width, area.height - top)
  const blind = { ...nowhere, width: area.width, height: area.height }
  const heights = fields.map(one => drawField(blind, 0, { one, state, isAt: false }))
  const starts = heights.map((_, i) => heights.slice(0, i).reduce((sum, height) => sum + height, 0))
  const [start = 0, height = 0] = [starts[state.at], heights[state.at]]
  // The marked field is in view, its beginning in any case.
  const scrolled = Math.min(start, Math.max(0, start + height - body.height))
  for (const [i, one] of fields.entries()) {
    const y = (starts[i] ?? 0) - scrolled
    drawField(body, y, { one, state, isAt: i === state.at })
    const from = Math.max(0, y)
    body.spot(0, from, body.width, Math.max(0, y + (heights[i] ?? 0) - 1 - from), one.field.name)
  }
}
