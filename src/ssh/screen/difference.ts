import {
  changedFormats,
  changedPieces,
  type Difference,
  isUnseen,
  type ShownPiece,
} from '../../resources/views/text-differences.js'
import { count, t } from '../../texts/terminal.js'
import type { Side, Span, TextRow } from './page.js'
import { bold, dim, green, inverse, red } from './style.js'

/** A text before and after a change, with the words that it is shown under. */
export interface Changed extends Difference {
  readonly label: string
}

const around = 2
const aroundWord = 120
const maxLines = 2000

type Line = readonly Span[]
interface Shown {
  readonly kind: Side
  readonly line: Line
}

const isEqual = (line: Line) => line.every(({ style }) => style === undefined)
const shownText = (line: Line) => line.map(({ text }) => text).join('')

class Part {
  readonly before: Span[][] = [[]]
  readonly after: Span[][] = [[]]

  add(side: 'before' | 'after', text: string, style?: number): void {
    const [first = '', ...rest] = text.split('\n')
    const lines = this[side]
    const put = (some: string) => {
      if (some !== '') lines.at(-1)?.push(style === undefined ? { text: some } : { text: some, style })
    }
    put(first)
    for (const line of rest) {
      lines.push([])
      put(line)
    }
  }

  /** Adds a text, with a note behind its last word. */
  addNoted(text: string, note: string): void {
    const words = note === '' ? '' : text.trimEnd()
    this.add('after', words)
    if (words !== '') this.add('after', ` (${note})`, dim)
    this.add('after', text.slice(words.length))
  }

  lines(): Shown[] {
    const [before, after] = [[...this.before], [...this.after]]
    const isShared = (one: Line | undefined, other: Line | undefined) =>
      one !== undefined &&
      other !== undefined &&
      isEqual(one) &&
      isEqual(other) &&
      shownText(one) === shownText(other)
    const ends: Shown[] = []
    while (isShared(before.at(-1), after.at(-1))) {
      ends.unshift({ kind: 'same', line: before.pop() ?? [] })
      after.pop()
    }
    const starts: Shown[] = []
    while (isShared(before[0], after[0])) {
      starts.push({ kind: 'same', line: before.shift() ?? [] })
      after.shift()
    }
    return [
      ...starts,
      ...before.map(line => ({ kind: 'before', line }) as const),
      ...after.map(line => ({ kind: 'after', line }) as const),
      ...ends,
    ]
  }
}

/** Returns the lines of a text in both; the last one has what has changed of the formats behind it. */
function linesWithNote(piece: ShownPiece): { line: string; note: string }[] {
  const note = changedFormats(piece, { t })
  const last = piece.text.trimEnd().split('\n').length - 1
  return piece.text.split('\n').map((line, i) => ({ line, note: i === last ? note : '' }))
}

function linesOf(pieces: readonly ShownPiece[]): Shown[] {
  const found: Shown[] = []
  let part = new Part()
  for (const piece of pieces) {
    if (piece.kind === 'removed') part.add('before', piece.text, red | inverse)
    else if (piece.kind === 'added') part.add('after', piece.text, green | inverse)
    else
      for (const [i, { line, note }] of linesWithNote(piece).entries()) {
        if (i > 0) {
          found.push(...part.lines())
          part = new Part()
        }
        part.add('before', line)
        part.addNoted(line, note)
      }
  }
  found.push(...part.lines())
  return found
}

const shortened = (text: string, isFirst: boolean, isLast: boolean): string => {
  const most = (isFirst || isLast ? 1 : 2) * aroundWord
  if (text.length <= most + 3) return text
  return `${isFirst ? '' : text.slice(0, aroundWord)} … ${isLast ? '' : text.slice(-aroundWord)}`
}

function rowOf({ kind, line }: Shown): TextRow {
  const sign = { same: ' ', before: '-', after: '+' }[kind]
  const style = { same: dim, before: red, after: green }[kind]
  const spans = line.map((span, i) =>
    span.style === undefined
      ? { text: kind === 'same' ? span.text : shortened(span.text, i === 0, i === line.length - 1), style }
      : span,
  )
  return {
    text: `${sign} ${shownText(line)}`,
    spans: [{ text: `${sign} `, style }, ...spans],
    indent: 2,
    side: kind,
  }
}

function withoutFar(lines: readonly Shown[]): TextRow[] {
  const near = new Set<number>()
  for (const [i, { kind }] of lines.entries())
    if (kind !== 'same') for (let at = i - around; at <= i + around; at++) near.add(at)
  const rows: TextRow[] = []
  let left = 0
  const tell = () => {
    if (left > 0)
      rows.push({ text: count(left, '… {n} equal line', '… {n} equal lines'), style: dim, indent: 2 })
    left = 0
  }
  for (const [i, line] of lines.entries()) {
    if (!near.has(i)) {
      left++
      continue
    }
    tell()
    rows.push(rowOf(line))
  }
  tell()
  return rows
}

/** Returns the lines that differ with their neighbours, word by word, for each of several changes. */
export async function changedRows(changes: readonly Difference[]): Promise<TextRow[][]> {
  const pieces = await changedPieces(changes)
  return changes.map((change, i): TextRow[] => {
    const { before, after } = change
    if (isUnseen(change, pieces[i]))
      return [{ text: t('Only invisible markup has changed.'), style: dim, indent: 2 }]
    // An empty text has no line.
    const shown = linesOf(pieces[i] ?? []).filter(
      ({ kind }) => !((kind === 'before' && !before) || (kind === 'after' && !after)),
    )
    return withoutFar(shown)
  })
}

/** Shows changes word by word, each under the name of its field. */
export async function differenceRows(changes: readonly Changed[]): Promise<TextRow[]> {
  const shown = await changedRows(changes)
  return changes.flatMap(({ label }, i): TextRow[] => {
    const rows = shown[i] ?? []
    const n = rows.length - maxLines
    const more = n > 0 ? [{ text: t('… {n} more lines', { n }), style: dim }] : []
    return [{ text: label, style: bold, isStart: true }, ...rows.slice(0, maxLines), ...more, { text: '' }]
  })
}
