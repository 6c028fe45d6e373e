import { idsNamed } from '../../../services/content/references.js'
import type { Child, Element, Root } from '../../../services/content/rich-text/rules.js'
import { fenced } from '../../../services/delivery/rich-text/markdown.js'
import type { MediaById } from '../../../services/media/record.js'
import { trimmedEnd } from '../../../services/text.js'
import type { Pieces } from '../../../turns.js'
import { blocksOf, cellsOf, isElement, wrapsBlocks } from '../../blocks.js'
import { inline, runsOf } from './inline.js'

/** A block of Markdown. A list has the mark of its items, for two lists with the same one would be read as one. */
export interface Block {
  readonly text: string
  readonly mark?: ListMark
}
type ListMark = '-' | '*' | '.' | ')'

const otherMark: Readonly<Record<ListMark, ListMark>> = { '-': '*', '*': '-', '.': ')', ')': '.' }

/** Lines of a list that begin at its margin are its items. */
function withOther({ text, mark = '-' }: Block): Block {
  const other = otherMark[mark]
  const isNumbered = mark === '.' || mark === ')'
  const changed = text
    .split('\n')
    .map(line =>
      isNumbered ? line.replace(/^(\d+)[.)](?= |$)/, `$1${other}`) : line.replace(/^[-*](?= |$)/, other),
    )
  return { text: changed.join('\n'), mark: other }
}

/** Blocks in the order in which they are read. */
export class Flow {
  private readonly texts: string[] = []
  private last: ListMark | undefined

  add(block: Block): void {
    if (block.text === '') return
    const own = block.mark !== undefined && block.mark === this.last ? withOther(block) : block
    this.texts.push(own.text)
    this.last = own.mark
  }

  get text(): string {
    return this.texts.join('\n\n')
  }
}

function joined(blocks: readonly Block[]): string {
  const flow = new Flow()
  for (const block of blocks) flow.add(block)
  return flow.text
}

export const heading = (level: number, text: string): Block => ({
  text: text === '' ? '' : `${'#'.repeat(level)} ${text.replace(/(?<![^ ])#+$/, '\\$&')}`,
})

/** Deeper quotes and lists are written without their frame: each level repeats its indentation in every line. */
const maxDepth = 12

const prefixed = (text: string, first: string, others: string): string => {
  const lines = text
    .split('\n')
    .map((line, n) => (n === 0 ? first : line === '' ? others.trimEnd() : others) + line)
  return trimmedEnd(lines.join('\n'), ' ')
}

/** An item of a list with its blocks. */
export interface Item {
  readonly blocks: readonly Block[]
}

/**
 * Whether a list may follow a text in the next line: one that begins with another number, or with a list, would be read
 * as text.
 */
const mayFollow = ({ text, mark }: Block): boolean =>
  mark !== undefined && /^(?:1[.)]|[-*]) (?![\d*+-])/.test(text)

const isTight = ({ blocks: [first, ...others] }: Item): boolean =>
  (others.length === 0 || first?.mark === undefined) &&
  others.every(mayFollow) &&
  others.length <= 1 &&
  !first?.text.includes('\n\n')

/** @param start the number of the first item; undefined for a list without numbers */
export function list(items: readonly Item[], start?: number): Block {
  const tight = items.every(isTight)
  const lines = items.map(({ blocks }, n) => {
    const sign = start === undefined ? '-' : `${start + n}.`
    const text = tight ? blocks.map(block => block.text).join('\n') : joined(blocks)
    return prefixed(text, `${sign} `, ' '.repeat(sign.length + 1))
  })
  return { text: lines.join(tight ? '\n' : '\n\n'), mark: start === undefined ? '-' : '.' }
}

interface Writing {
  readonly altOf: (src: string) => string
}

function* blocksIn(nodes: readonly Child[], writing: Writing, depth: number): Pieces<Block[]> {
  const found: Block[] = []
  for (const one of blocksOf(nodes)) for (const made of yield* block(one, writing, depth)) found.push(made)
  return found
}

const paragraph = ({ children }: Element, { altOf }: Writing): Block => ({
  text: inline(runsOf(children, altOf), 'block'),
})

function* listOf(element: Element, writing: Writing, depth: number): Pieces<Block[]> {
  const items: Item[] = []
  for (const item of element.children.filter(isElement))
    items.push({ blocks: yield* blocksIn(item.children, writing, depth + 1) })
  if (depth >= maxDepth) return items.flatMap(({ blocks }) => blocks)
  const given = Number(element.properties.start ?? 1)
  const start = Number.isInteger(given) && given >= 0 && given < 900_000_000 ? given : 1
  return items.length === 0 ? [] : [list(items, element.tagName === 'ol' ? start : undefined)]
}

function* quote(element: Element, writing: Writing, depth: number): Pieces<Block[]> {
  const inner = yield* blocksIn(element.children, writing, depth + 1)
  if (depth >= maxDepth || inner.length === 0) return inner
  return [{ text: prefixed(joined(inner), '> ', '> ') }]
}

/** The first row is the head, which each table has there. */
function* table(element: Element, { altOf }: Writing): Pieces<Block[]> {
  const rows: string[][] = []
  for (const cells of cellsOf(element)) {
    yield
    if (cells.length > 0) rows.push(cells.map(({ children }) => inline(runsOf(children, altOf), 'cell')))
  }
  const [head, ...others] = rows
  if (!head) return []
  const columns = rows.reduce((most, { length }) => Math.max(most, length), 0)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const whole = [...head, ...Array.from({ length: columns - head.length }, () => '')]
  return [{ text: [line(whole), line(whole.map(() => '---')), ...others.map(line)].join('\n') }]
}

function* block(element: Element, writing: Writing, depth: number): Pieces<Block[]> {
  yield
  const { tagName, children } = element
  const level = /^h([1-6])$/.exec(tagName)?.[1]
  if (level) return [heading(Number(level), inline(runsOf(children, writing.altOf), 'line'))]
  if (tagName === 'hr') return [{ text: '___' }]
  if (tagName === 'pre') return [{ text: fenced(codeIn(element)) }]
  if (tagName === 'blockquote') return yield* quote(element, writing, depth)
  if (tagName === 'ul' || tagName === 'ol') return yield* listOf(element, writing, depth)
  if (tagName === 'table') return yield* table(element, writing)
  return wrapsBlocks(element)
    ? yield* blocksIn(children, writing, depth)
    : [paragraph(element, writing)].filter(({ text }) => text !== '')
}

const withBreaks = (node: Child): string =>
  node.type === 'element' && node.tagName === 'br'
    ? '\n'
    : node.type === 'text'
      ? node.value
      : node.children.map(withBreaks).join('')
const codeIn = (element: Element): string => withBreaks(element).replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')

/** A rich text as blocks of Markdown, without any HTML. */
export function* markdownOf({ children }: Root, _key: string, media: MediaById): Pieces<Block[]> {
  const altOf = (src: string) => idsNamed(src).flatMap(id => media.get(id)?.alt_text ?? [])[0] ?? ''
  return yield* blocksIn(children, { altOf }, 0)
}
