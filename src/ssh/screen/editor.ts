import { t } from '../../texts/terminal.js'
import { graphemes, widthOf } from './clusters.js'
import type { Area } from './grid.js'
import type { Key } from './keys.js'
import { drawLine, inserted, type Line, lineOf, lineText, typed } from './line.js'
import { bold, dim } from './style.js'
import type { Hint, Shell, View } from './view.js'
import { breaks } from './wrap.js'

/** A text of many lines with a cursor in it. */
export interface Text {
  readonly lines: readonly string[]
  readonly row: number
  readonly line: Line
}

interface EditorState extends Text {
  readonly past: readonly Text[]
  readonly future: readonly Text[]
  readonly size: { width: number; height: number }
  /** The kind of the last edit: edits of one kind in a row are one step back. */
  readonly run: Run | undefined
  readonly asked: Asked | undefined
  /** The last text that was looked for. */
  readonly wanted: string
}

type Run = 'word' | 'blank' | 'erase'

/** A question in the last row: a text to look for, or the number of a line. */
interface Asked {
  readonly what: 'text' | 'line'
  readonly line: Line
}

const maxPast = 200

const textAt = (lines: readonly string[], row: number, at: number): Text => {
  const to = Math.max(0, Math.min(lines.length - 1, row))
  const line = lineOf(lines[to] ?? '')
  return { lines, row: to, line: { ...line, at: Math.max(0, Math.min(line.characters.length, at)) } }
}

export const wholeText = ({ lines }: Text): string => lines.join('\n')

const withLine = (text: Text, line: Line): Text => ({
  lines: text.lines.with(text.row, lineText(line)),
  row: text.row,
  line,
})

function put(text: Text, given: string): Text {
  const [first = '', ...rest] = given.split('\n')
  if (rest.length === 0) return withLine(text, inserted(text.line, first))
  const { characters, at } = text.line
  const last = rest.pop() ?? ''
  const lines = text.lines.toSpliced(
    text.row,
    1,
    characters.slice(0, at).join('') + first,
    ...rest,
    last + characters.slice(at).join(''),
  )
  return textAt(lines, text.row + rest.length + 1, graphemes(last).length)
}

function joined(text: Text, row: number): Text {
  if (row < 1 || row >= text.lines.length) return text
  const before = text.lines[row - 1] ?? ''
  const lines = text.lines.toSpliced(row - 1, 2, before + (text.lines[row] ?? ''))
  return textAt(lines, row - 1, graphemes(before).length)
}

function vertical(text: Text, step: number, width: number): Text {
  const starts = breaks(text.line.characters, width)
  const at = starts.findLastIndex(from => from <= text.line.at)
  const from = starts[at] ?? 0
  const column = text.line.at - from
  const next = at + step
  if (next >= 0 && next < starts.length) return placed(text, text.row, starts, next, column)
  const row = text.row + step
  if (row < 0 || row >= text.lines.length) return text
  const other = textAt(text.lines, row, 0)
  const rows = breaks(other.line.characters, width)
  return placed(other, row, rows, step < 0 ? rows.length - 1 : 0, column)
}

function placed(text: Text, row: number, starts: readonly number[], at: number, column: number): Text {
  const from = starts[at] ?? 0
  const end = (starts[at + 1] ?? Number.POSITIVE_INFINITY) - 1
  return textAt(text.lines, row, Math.min(from + column, end))
}

function moved(text: Text, key: string, { width, height }: EditorState['size']): Text | undefined {
  const steps = (count: number, step: number) => {
    let at = text
    for (let i = 0; i < count; i++) at = vertical(at, step, width)
    return at
  }
  switch (key) {
    case 'up':
      return vertical(text, -1, width)
    case 'down':
      return vertical(text, 1, width)
    case 'pageup':
      return steps(Math.max(1, height - 2), -1)
    case 'pagedown':
      return steps(Math.max(1, height - 2), 1)
    case 'ctrl+home':
      return textAt(text.lines, 0, 0)
    case 'ctrl+end':
      return textAt(text.lines, text.lines.length - 1, Number.POSITIVE_INFINITY)
    case 'left':
      return text.line.at === 0 && text.row > 0
        ? textAt(text.lines, text.row - 1, Number.POSITIVE_INFINITY)
        : undefined
    case 'right':
      return text.line.at === text.line.characters.length && text.row < text.lines.length - 1
        ? textAt(text.lines, text.row + 1, 0)
        : undefined
    default:
      return undefined
  }
}

function edited(text: Text, key: Key): Text | undefined {
  if (key.type === 'paste') return put(text, key.text)
  if (key.type !== 'key') return undefined
  const { at, characters } = text.line
  if (key.key === 'enter') return put(text, '\n')
  if (key.key === 'tab') return put(text, '  ')
  if (key.key === 'backspace' && at === 0) return joined(text, text.row)
  if ((key.key === 'delete' || key.key === 'ctrl+k') && at === characters.length)
    return joined(text, text.row + 1)
  const line = typed(text.line, key)
  return line && (line.characters === text.line.characters ? { ...text, line } : withLine(text, line))
}

/** @returns undefined for an edit that is a step of its own */
function runOf(key: Key): Run | undefined {
  if (key.type !== 'key') return undefined
  if (key.key === 'backspace' || key.key === 'delete') return 'erase'
  if (key.text === '') return undefined
  return /^\s*$/.test(key.text) ? 'blank' : 'word'
}

/** A word goes on with the blanks behind it; the next word is the next step. */
const goesOn = (last: Run | undefined, run: Run | undefined): boolean =>
  run !== undefined && (last === run || (last === 'word' && run === 'blank'))

function updated(state: EditorState, key: Key): EditorState {
  if (key.type === 'key' && (key.key === 'ctrl+z' || key.key === 'ctrl+y')) return stepped(state, key.key)
  const move = key.type === 'key' ? moved(state, key.key, state.size) : undefined
  const next = move ?? edited(state, key)
  if (!next || next === state) return state
  if (next.lines === state.lines) return { ...state, ...next, run: undefined }
  const run = runOf(key)
  if (goesOn(state.run, run)) return { ...state, ...next, future: [], run }
  const before = { lines: state.lines, row: state.row, line: state.line }
  return { ...state, ...next, past: [...state.past.slice(1 - maxPast), before], future: [], run }
}

/** In lower case, unless that moves its characters, as that of İ does. */
function inLowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text
}

/** Moves to the next place that has a text in any case, from the top again after the end. */
function found(state: EditorState, wanted: string): EditorState | undefined {
  if (wanted === '') return undefined
  const needle = inLowerCase(wanted)
  const { lines, row, line } = state
  const from = line.characters.slice(0, line.at + 1).join('').length
  for (let i = 0; i <= lines.length; i++) {
    const at = (row + i) % lines.length
    const text = lines[at] ?? ''
    const index = inLowerCase(text).indexOf(needle, i === 0 ? from : 0)
    if (index >= 0) return { ...state, ...textAt(lines, at, graphemes(text.slice(0, index)).length) }
  }
  return undefined
}

function answered(state: EditorState, asked: Asked, shell: Shell<EditorState>): EditorState {
  const text = lineText(asked.line)
  const closed: EditorState = { ...state, asked: undefined, run: undefined }
  if (asked.what === 'line') {
    const number = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : 0
    if (number >= 1) return { ...closed, ...textAt(state.lines, number - 1, 0) }
    shell.complain(t('Type the number of a line, from 1 to {n}.', { n: state.lines.length }))
    return closed
  }
  const at = found(closed, text)
  if (!at && text !== '') shell.complain(t('No results for “{text}”.', { text }))
  return { ...(at ?? closed), wanted: text }
}

function asking(state: EditorState, asked: Asked, key: Key, shell: Shell<EditorState>): EditorState {
  if (key.type === 'key' && key.key === 'escape') return { ...state, asked: undefined }
  if (key.type === 'key' && key.key === 'enter') return answered(state, asked, shell)
  const line = typed(asked.line, key)
  return line ? { ...state, asked: { ...asked, line } } : state
}

function stepped(state: EditorState, key: string): EditorState {
  const { past, future, lines, row, line } = state
  const to = key === 'ctrl+z' ? past.at(-1) : future.at(-1)
  if (!to) return state
  const now = { lines, row, line }
  return key === 'ctrl+z'
    ? { ...state, ...to, past: past.slice(0, -1), future: [...future, now], run: undefined }
    : { ...state, ...to, past: [...past, now], future: future.slice(0, -1), run: undefined }
}

function draw(whole: Area, state: EditorState): void {
  if (!state.asked) {
    drawText(whole, state)
    return
  }
  const y = whole.height - 1
  drawText(whole.part(0, 0, whole.width, y), state)
  const x = 1 + whole.put(0, y, state.asked.what === 'text' ? t('Search') : t('Line'), bold)
  drawLine(whole, { x, y, width: Math.max(4, whole.width - x - 1) }, state.asked.line)
}

function drawText(area: Area, state: EditorState): void {
  const width = area.width - 1
  // The cursor moves by the rows of this size.
  state.size.width = width
  state.size.height = area.height
  const rowsOf = (row: number) => {
    const characters = row === state.row ? state.line.characters : graphemes(state.lines[row] ?? '')
    return { characters, starts: breaks(characters, width) }
  }
  const own = rowsOf(state.row).starts.findLastIndex(from => from <= state.line.at)
  let top = state.row
  let above = own
  while (top > 0 && above < area.height / 2) above += rowsOf(--top).starts.length
  // The first of these rows to draw.
  let y = -Math.max(0, above - Math.floor(area.height / 2))
  if (top === 0 && above < area.height) y = 0
  for (let row = top; row < state.lines.length && y < area.height; row++) {
    const { characters, starts } = rowsOf(row)
    for (const [i, from] of starts.entries()) {
      area.put(0, y, characters.slice(from, starts[i + 1]).join(''))
      if (row === state.row && i === own)
        area.cursor(widthOf(characters.slice(from, state.line.at).join('')), y)
      y++
    }
  }
  for (; y < area.height; y++) area.put(0, y, '~', dim)
}

/** A whole screen for one text. Leaving it keeps the text: the form that opened it saves it. */
export function editorView(title: string, text: string, keep: (text: string) => void): View<EditorState> {
  const lines = text.split('\n')
  return {
    title: () => title,
    start: {
      ...textAt(lines, 0, 0),
      ...{ past: [], future: [], size: { width: 79, height: 20 } },
      ...{ run: undefined, asked: undefined, wanted: '' },
    },
    update(state, key, shell) {
      if (state.asked) return asking(state, state.asked, key, shell)
      if (key.type === 'key' && key.key === 'ctrl+f')
        return { ...state, asked: { what: 'text', line: lineOf(state.wanted) } }
      if (key.type === 'key' && key.key === 'ctrl+g')
        return { ...state, asked: { what: 'line', line: lineOf('') } }
      if (key.type === 'key' && (key.key === 'escape' || key.key === 'ctrl+s')) {
        keep(wholeText(state))
        shell.back()
        return state
      }
      return updated(state, key)
    },
    draw,
    hints: state =>
      state.asked
        ? [
            { key: 'Enter', does: state.asked.what === 'text' ? t('find the next') : t('go there') },
            { key: 'Esc', does: t('cancel') },
          ]
        : editorHints,
  }
}

const editorHints: readonly Hint[] = [
  { key: 'Esc', does: t('back to the form, keeping the text') },
  { key: '^Z', does: t('undo') },
  { key: '^Y', does: t('redo') },
  { key: '^F', does: t('find') },
  { key: '^G', does: t('go to a line') },
  { key: '^K', does: t('cut to the end of the line') },
]
