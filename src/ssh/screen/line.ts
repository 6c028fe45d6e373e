import { graphemes, widthOf } from './clusters.js'
import type { Area } from './grid.js'
import type { Key } from './keys.js'
import { inverse, plain } from './style.js'

/** One line of text with a cursor between its characters. */
export interface Line {
  readonly characters: readonly string[]
  readonly at: number
}

export const lineOf = (text: string): Line => {
  const characters = graphemes(text)
  return { characters, at: characters.length }
}

export const lineText = ({ characters }: Line): string => characters.join('')

const isWord = (character: string) => /[\p{L}\p{N}_]/u.test(character)

function wordLeft({ characters, at }: Line): number {
  let to = at
  while (to > 0 && !isWord(characters[to - 1] ?? '')) to--
  while (to > 0 && isWord(characters[to - 1] ?? '')) to--
  return to
}

function wordRight({ characters, at }: Line): number {
  let to = at
  while (to < characters.length && !isWord(characters[to] ?? '')) to++
  while (to < characters.length && isWord(characters[to] ?? '')) to++
  return to
}

function without(line: Line, from: number, to: number): Line {
  if (from >= to) return line
  const characters = [...line.characters.slice(0, from), ...line.characters.slice(to)]
  return { characters, at: Math.min(from, characters.length) }
}

/** Inserts text at the cursor. It may join the character before it, as an accent does. */
export function inserted({ characters, at }: Line, text: string): Line {
  const before = graphemes(characters.slice(0, at).join('') + text)
  return { characters: [...before, ...characters.slice(at)], at: before.length }
}

const moves: Readonly<Record<string, (line: Line) => number>> = {
  left: ({ at }) => Math.max(0, at - 1),
  right: ({ at, characters }) => Math.min(characters.length, at + 1),
  home: () => 0,
  'ctrl+a': () => 0,
  end: ({ characters }) => characters.length,
  'ctrl+e': ({ characters }) => characters.length,
  'ctrl+left': wordLeft,
  'alt+b': wordLeft,
  'ctrl+right': wordRight,
  'alt+f': wordRight,
}

const cuts: Readonly<Record<string, (line: Line) => Line>> = {
  backspace: line => without(line, line.at - 1, line.at),
  delete: line => without(line, line.at, line.at + 1),
  'ctrl+d': line => without(line, line.at, line.at + 1),
  'ctrl+w': line => without(line, wordLeft(line), line.at),
  'alt+backspace': line => without(line, wordLeft(line), line.at),
  'ctrl+u': line => without(line, 0, line.at),
  'ctrl+k': line => without(line, line.at, line.characters.length),
}

/** @returns undefined if the key does not edit text */
export function typed(line: Line, key: Key): Line | undefined {
  if (key.type === 'paste') return inserted(line, key.text.replaceAll(/\n+/g, ' '))
  if (key.type !== 'key') return undefined
  const move = moves[key.key]
  if (move) return { ...line, at: move(line) }
  const cut = cuts[key.key]
  if (cut) return line.at === 0 && key.key === 'backspace' ? line : cut(line)
  return key.text === '' ? undefined : inserted(line, key.text)
}

/** Draws a line with its cursor visible. */
export function drawLine(
  area: Area,
  { x, y, width }: { x: number; y: number; width: number },
  line: Line,
): void {
  const { characters, at } = line
  let from = 0
  const before = () => widthOf(characters.slice(from, at).join(''))
  while (before() >= width && from < at) from += Math.max(1, Math.floor((before() - width) / 4))
  area.fill(x, y, width, 1, inverse)
  area.put(x, y, characters.slice(from).join(''), inverse | plain, width)
  area.cursor(x + before(), y)
}
