import type { Piece } from '../word-diff.js'
import { parseRichText } from './parse.js'
import { type Child, cells, type Element, endsParagraph } from './rules.js'

/** A format of a text. */
export type Format =
  | { readonly kind: InlineKind | BlockKind }
  | { readonly kind: 'heading'; readonly level: number }
  | { readonly kind: 'link'; readonly to: string }

type InlineKind = 'bold' | 'italic' | 'underline' | 'strikethrough' | 'code' | 'subscript' | 'superscript'
type BlockKind = 'quote' | 'list' | 'numbered list' | 'code block' | 'table' | 'caption'

/** Characters up to `end` that have the same formats. */
interface Run {
  readonly end: number
  readonly formats: ReadonlyMap<string, Format>
}

/** Rich text as it is read: its words, one block a line, and their formats. */
export interface FormattedText {
  readonly text: string
  readonly runs: readonly Run[]
}

const plain: Readonly<Record<string, InlineKind | BlockKind>> = {
  ...{ b: 'bold', strong: 'bold', em: 'italic', i: 'italic', u: 'underline', ins: 'underline' },
  ...{ s: 'strikethrough', strike: 'strikethrough', del: 'strikethrough' },
  ...{ code: 'code', sub: 'subscript', sup: 'superscript' },
  ...{ blockquote: 'quote', ul: 'list', ol: 'numbered list', pre: 'code block' },
  ...{ table: 'table', figcaption: 'caption' },
}

function formatOf({ tagName, properties }: Element): Format | undefined {
  if (tagName === 'a') return properties.href ? { kind: 'link', to: properties.href } : undefined
  const level = /^h([1-6])$/.exec(tagName)?.[1]
  if (level) return { kind: 'heading', level: Number(level) }
  const kind = Object.hasOwn(plain, tagName) ? plain[tagName] : undefined
  return kind && { kind }
}

const formatKey = (format: Format): string => Object.values(format).join(' ')

const noFormats: Run['formats'] = new Map()

class Writer {
  readonly runs: Run[] = []
  private readonly parts: string[] = []
  private length = 0
  private hasEnded = false
  private isMarked = false

  /** Whether nothing is in the line yet. */
  get isAtStart(): boolean {
    return this.length === 0 || this.hasEnded || this.isMarked
  }

  /** Ends the line, unless nothing is in it, or only a mark. */
  line(): void {
    if (!this.isMarked) this.hasEnded = this.length > 0
  }

  /** Ends the line of an item, also of an empty one. */
  endMarked(): void {
    this.isMarked = false
    this.line()
  }

  /** Begins a line with a mark, which the text that follows stays beside. */
  mark(text: string, formats: Run['formats']): void {
    this.line()
    this.write(text, formats)
    this.isMarked = true
  }

  write(text: string, formats: Run['formats']): void {
    if (text === '') return
    if (this.hasEnded) this.push('\n', noFormats)
    this.hasEnded = false
    this.isMarked = false
    this.push(text, formats)
  }

  private push(text: string, formats: Run['formats']): void {
    this.parts.push(text)
    this.length += text.length
    this.runs.push({ end: this.length, formats })
  }

  get text(): string {
    return this.parts.join('')
  }
}

/** Returns the mark of the next item of a list. Undefined for items without a mark. */
type Marks = (() => string) | undefined

/** @param depth of lists around it */
function marksOf({ tagName, properties }: Element, depth: number): Marks {
  const room = '  '.repeat(depth)
  if (tagName === 'ul') return () => `${room}• `
  const start = Number(properties.start ?? 1)
  let n = Number.isSafeInteger(start) ? start : 1
  return () => `${room}${n++}. `
}

/** How lists are written: the marks of the list around, if marks are written, and how many lists there are. */
interface Around {
  readonly hasMarks: boolean
  readonly marks?: Marks
  readonly depth: number
}

function addElement(element: Element, formats: Run['formats'], to: Writer, around: Around): void {
  const { tagName, properties, children } = element
  const format = formatOf(element)
  const own = format ? new Map([...formats, [formatKey(format), format]]) : formats
  const isList = around.hasMarks && (tagName === 'ul' || tagName === 'ol')
  const inside = isList
    ? { ...around, marks: marksOf(element, around.depth), depth: around.depth + 1 }
    : around
  if (isBlock(tagName)) to.line()
  if (tagName === 'li' && around.marks) to.mark(around.marks(), formats)
  if (tagName === 'hr') to.write('———', own)
  else if (tagName === 'img') to.write(`[${properties.alt || properties.src || ''}]`, own)
  else add(children, own, to, inside)
  if (cells.has(tagName)) to.write(' | ', formats)
  if (tagName === 'li') to.endMarked()
  else if (isBlock(tagName)) to.line()
}

const isBlock = (tagName: string): boolean =>
  endsParagraph.has(tagName) || tagName === 'tr' || tagName === 'br'

function add(nodes: readonly Child[], formats: Run['formats'], to: Writer, around: Around): void {
  for (const node of nodes)
    if (node.type === 'element') addElement(node, formats, to, around)
    else to.write(formats.has('code block') ? node.value : flowing(node.value, to.isAtStart), formats)
}

/** Blanks and line breaks are seen as one blank, and not at all where a line begins. */
function flowing(text: string, isAtStart: boolean): string {
  const one = text.replaceAll(/\s+/g, ' ')
  return isAtStart ? one.trimStart() : one
}

/**
 * Reads rich text; undefined for a text that is too long to read.
 * @param hasMarks whether the items of lists begin with `•` or their number
 */
export function formattedText(html: string, hasMarks = false): FormattedText | undefined {
  const { root, problem } = parseRichText(html)
  if (problem !== undefined) return undefined
  const to = new Writer()
  add(root.children, new Map(), to, { hasMarks, depth: 0 })
  return { text: to.text, runs: to.runs }
}

/** A piece of two texts. Of a text in both, the formats that only one of them has. */
export interface FormattedPiece extends Piece {
  readonly lost: readonly Format[]
  readonly gained: readonly Format[]
}

const without = (one: Run['formats'], other: Run['formats']): Format[] =>
  [...one].flatMap(([key, format]) => (other.has(key) ? [] : [format]))

/** Goes through the runs of a text from its beginning. */
function reader({ runs }: FormattedText) {
  let [run, at] = [0, 0]
  return {
    get left() {
      return (runs[run]?.end ?? Number.POSITIVE_INFINITY) - at
    },
    get formats() {
      return runs[run]?.formats ?? noFormats
    },
    skip(length: number) {
      at += length
      while ((runs[run]?.end ?? Number.POSITIVE_INFINITY) <= at) run++
    },
  }
}

/** Splits what both texts have where their formats differ. @param pieces of the words of the two texts */
export function withFormats(
  pieces: readonly Piece[],
  before: FormattedText,
  after: FormattedText,
): FormattedPiece[] {
  const [was, is] = [reader(before), reader(after)]
  const found: FormattedPiece[] = []
  const add = (piece: FormattedPiece) => {
    const last = found.at(-1)
    const isAlike = last?.kind === piece.kind && keysOf(last) === keysOf(piece)
    if (last && isAlike) found[found.length - 1] = { ...last, text: last.text + piece.text }
    else found.push(piece)
  }
  for (const { kind, text } of pieces) {
    if (kind !== 'same') {
      ;(kind === 'removed' ? was : is).skip(text.length)
      add({ kind, text, lost: [], gained: [] })
      continue
    }
    for (let at = 0; at < text.length; ) {
      const length = Math.min(was.left, is.left, text.length - at)
      const [lost, gained] = [without(was.formats, is.formats), without(is.formats, was.formats)]
      add({ kind, text: text.slice(at, at + length), lost, gained })
      was.skip(length)
      is.skip(length)
      at += length
    }
  }
  return found
}

const keysOf = ({ lost, gained }: FormattedPiece): string =>
  [...lost.map(formatKey), '/', ...gained.map(formatKey)].join()
