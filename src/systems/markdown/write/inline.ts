import type { Child } from '../../../services/content/rich-text/rules.js'
import {
  autolink,
  code,
  escapeStarts,
  escapeText,
  image,
  link,
  type Place,
  withAddresses,
} from '../../../services/delivery/rich-text/markdown.js'
import { markOf } from '../../marks.js'

const delimiters = { strong: '**', em: '_', s: '~~' } as const
type Delimited = keyof typeof delimiters
const order: readonly Delimited[] = ['strong', 'em', 's']

/** A part of a text with the same marks and link: words, a picture, or the end of a line. */
export interface Run {
  readonly text: string
  readonly marks: ReadonlySet<string>
  readonly href?: string | undefined
  readonly picture?: string
  readonly isBreak?: true
}

const noMarks: ReadonlySet<string> = new Set()
export const plainRun = (text: string): Run => ({ text, marks: noMarks })
const lineEnd: Run = { text: '', marks: noMarks, isBreak: true }

/** A text with its own line ends. */
export const runsOfLines = (text: string): Run[] =>
  text.split(/\r\n?|\n/).flatMap((line, n) => (n === 0 ? [plainRun(line)] : [lineEnd, plainRun(line)]))

const isBlock =
  /^(?:p|div|h[1-6]|li|[ou]l|blockquote|figure|figcaption|pre|t[dhr]|table|tbody|thead|tfoot|hr)$/

/** Inline content in order. A block within it, as in a cell of a table, begins a line of its own. */
export function runsOf(nodes: readonly Child[], altOf: (src: string) => string): Run[] {
  const runs: Run[] = []
  const visit = (node: Child, marks: ReadonlySet<string>, href: string | undefined): void => {
    if (node.type === 'text') return void runs.push({ text: node.value, marks, href })
    const { tagName, properties, children } = node
    if (tagName === 'br') return void runs.push(lineEnd)
    if (tagName === 'img') {
      const { src, alt } = properties
      if (src) runs.push({ text: '', marks, href, picture: image(alt ?? altOf(src), src, 'cell') })
      return
    }
    const mark = markOf(tagName)
    const inner = mark && !marks.has(mark) ? new Set([...marks, mark]) : marks
    const link = tagName === 'a' ? properties.href || href : href
    const edge = isBlock.test(tagName) ? [lineEnd] : []
    runs.push(...edge)
    for (const child of children) visit(child, inner, link)
    runs.push(...edge)
  }
  for (const node of nodes) visit(node, noMarks, undefined)
  return runs
}

const isBlank = ({ text, picture }: Run) => picture === undefined && /^ *$/.test(text)

/** White space as HTML shows it: one blank between words, and none where a line begins or ends. */
function flowing(runs: readonly Run[]): Run[] {
  const found: Run[] = []
  let isOpen = true
  for (const run of runs) {
    const one: string = run.text.replaceAll(/[ \t\n\r\f]+/g, ' ')
    const text: string = isOpen ? one.replace(/^ /, '') : one
    if (text === '' && !run.isBreak && run.picture === undefined) continue
    if (run.isBreak) trimEnd(found)
    found.push({ ...run, text })
    isOpen = run.isBreak === true || text.endsWith(' ')
  }
  trimEnd(found)
  return found
}

function trimEnd(runs: Run[]): void {
  const last = runs.at(-1)
  if (!last || last.isBreak || !last.text.endsWith(' ')) return
  runs.pop()
  const text = last.text.slice(0, -1)
  if (text !== '') runs.push({ ...last, text })
}

/** Runs between line ends; several line ends in a row divide paragraphs. */
function paragraphsOf(runs: readonly Run[]): Run[][] {
  const paragraphs: Run[][] = [[]]
  let ends = 0
  for (const run of runs) {
    if (run.isBreak) {
      ends++
      continue
    }
    if (ends > 1) paragraphs.push([])
    const own = paragraphs.at(-1) as Run[]
    if (ends === 1 && own.length > 0) own.push(lineEnd)
    ends = 0
    own.push(run)
  }
  return paragraphs.filter(own => !own.every(isBlank))
}

type Token =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  /** Written already. */
  | { readonly kind: 'made'; readonly text: string; readonly isLink?: boolean }
  | {
      readonly kind: 'mark'
      readonly text: string
      readonly pair: { isValid: boolean }
      readonly opens: boolean
    }

const blank: Token = { kind: 'text', text: ' ' }

/** Blanks at the ends of a mark or link stand outside of it. */
function around(inner: readonly Token[], make: (inner: Token[]) => Token[]): Token[] {
  const tokens = [...inner]
  const before: Token[] = []
  const after: Token[] = []
  const first = tokens[0]
  if (first?.kind === 'text' && first.text.startsWith(' ')) {
    before.push(blank)
    tokens[0] = { kind: 'text', text: first.text.slice(1) }
  }
  const last = tokens.at(-1)
  if (last?.kind === 'text' && last.text.endsWith(' ')) {
    after.push(blank)
    tokens[tokens.length - 1] = { kind: 'text', text: last.text.slice(0, -1) }
  }
  const kept = tokens.filter(token => token.kind !== 'text' || token.text !== '')
  return [...before, ...(kept.length > 0 ? make(kept) : []), ...after]
}

function linked(inner: readonly Token[], href: string, place: Place): Token[] {
  const [only, ...others] = inner
  if (
    only?.kind === 'text' &&
    others.length === 0 &&
    (only.text === href || `mailto:${only.text}` === href)
  ) {
    const text = autolink(only.text, place)
    if (text !== undefined) return [{ kind: 'made', text }]
  }
  return [{ kind: 'made', text: link(assembled(inner, place), href, place), isLink: true }]
}

/** Neighbours of which the same is true, as one. */
function* grouped<T>(runs: readonly Run[], of: (run: Run) => T): Generator<[T, Run[]]> {
  let own: Run[] = []
  let known: T | undefined
  for (const run of runs) {
    const value = of(run)
    if (own.length > 0 && value !== known) {
      yield [known as T, own]
      own = []
    }
    known = value
    own.push(run)
  }
  if (own.length > 0) yield [known as T, own]
}

/** @param isInLink inside a link, where an address stays plain text */
function marksOf(runs: readonly Run[], place: Place, isInLink: boolean, level = 0): Token[] {
  const mark = order[level]
  if (mark)
    return [...grouped(runs, ({ marks }) => marks.has(mark))].flatMap(([has, own]) => {
      const inner = marksOf(own, place, isInLink, level + 1)
      return has ? around(inner, kept => marked(kept, delimiters[mark])) : inner
    })
  return [...grouped(runs, codeKey)].flatMap(([key, own]) =>
    key === 'code' ? codeOf(own) : own.flatMap(run => wordsOf(run, place, isInLink)),
  )
}

const tokensOf = (runs: readonly Run[], place: Place): Token[] =>
  [...grouped(runs, ({ href }) => href)].flatMap(([href, own]) => {
    const inner = marksOf(own, place, href !== undefined)
    return href === undefined ? inner : around(inner, kept => linked(kept, href, place))
  })

/** A line end or a picture is nothing that could be code. */
const codeKey = ({ marks, isBreak, picture }: Run) =>
  marks.has('code') && !isBreak && picture === undefined ? 'code' : 'text'

function wordsOf({ text, isBreak, picture }: Run, place: Place, isInLink: boolean): Token[] {
  if (isBreak) return [{ kind: 'made', text: place === 'block' ? '\\\n' : ' ' }]
  if (picture !== undefined) return [{ kind: 'made', text: picture, isLink: true }]
  const parts = isInLink ? [text] : withAddresses(text, place)
  return parts
    .map((part, n): Token => ({ kind: n % 2 === 0 ? 'text' : 'made', text: part }))
    .filter(part => part.text !== '')
}

function codeOf(runs: readonly Run[]): Token[] {
  const text = runs.map(run => run.text).join('')
  return around([{ kind: 'text', text }], ([inner]) => (inner ? [{ kind: 'code', text: inner.text }] : []))
}

function marked(inner: readonly Token[], text: string): Token[] {
  const pair = { isValid: true }
  return [{ kind: 'mark', text, pair, opens: true }, ...inner, { kind: 'mark', text, pair, opens: false }]
}

type Side = 'end' | 'mark' | 'word' | 'other' | 'odd'
// Symbols such as emoji are marks in some versions of CommonMark only, and odd characters are blanks in some readers.
const isSpace = /[ \t\n\r\f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/
const isPunctuation = /[!-/:-@[-`{-~]|\p{P}/u
const isWord = /[\p{L}\p{N}\p{M}]/u

function sideOf(token: Token | undefined, isBefore: boolean): Side {
  if (!token) return 'end'
  if (token.kind === 'mark' || token.kind === 'code') return 'mark'
  const points = isBefore ? Array.from(token.text.slice(-2)) : Array.from(token.text.slice(0, 2))
  const one = (isBefore ? points.at(-1) : points[0]) ?? ''
  if (isSpace.test(one)) return 'end'
  if (/\s|\u0085|\u200b/.test(one)) return 'odd'
  return isPunctuation.test(one) ? 'mark' : isWord.test(one) ? 'word' : 'other'
}

/** The neighbours of a mark: the next token, and the next one that stays whatever becomes of the marks between. */
function sidesOf(tokens: readonly Token[], at: number, step: 1 | -1): Side[] {
  let far = at + step
  while (tokens[far]?.kind === 'mark') far += step
  return [sideOf(tokens[at + step], step < 0), sideOf(tokens[far], step < 0)]
}

/** Whether every reader sees a mark here. Where some would show asterisks the mark is left out (D-971). */
function isSeen(tokens: readonly Token[], at: number, { text, opens }: Token & { kind: 'mark' }): boolean {
  const outer = sidesOf(tokens, at, opens ? -1 : 1)
  const inner = sidesOf(tokens, at, opens ? 1 : -1)
  if (inner.includes('end') || inner.includes('odd')) return false
  const isFree = outer.every(side => side === 'end' || side === 'mark')
  return isFree || (text !== '_' && inner.every(side => side === 'word'))
}

/** Marks that are seen, and neighbours of one kind as one: readers would take what stands between them as text. */
function withoutSeams(tokens: readonly Token[]): Token[] {
  const kept: Token[] = []
  for (const token of tokens) {
    const last = kept.at(-1)
    if (token.kind === 'mark') {
      const isSeam = token.opens && last?.kind === 'mark' && !last.opens && last.text === token.text
      if (token.pair.isValid && isSeam) kept.pop()
      else if (token.pair.isValid) kept.push(token)
    } else if (token.kind !== 'made' && last?.kind === token.kind)
      kept[kept.length - 1] = { kind: token.kind, text: last.text + token.text }
    else kept.push(token)
  }
  return kept
}

function assembled(tokens: readonly Token[], place: Place): string {
  for (const [at, token] of tokens.entries())
    if (token.kind === 'mark' && !isSeen(tokens, at, token)) token.pair.isValid = false
  let text = ''
  for (const token of withoutSeams(tokens)) {
    // It would make a picture of a link.
    if (token.kind === 'made' && token.isLink && text.endsWith('!')) text = `${text.slice(0, -1)}\\!`
    if (token.kind === 'text') text += escapeText(token.text, place)
    else text += token.kind === 'code' ? code(token.text, place) : token.text
  }
  return text
}

/** Runs as the text of a paragraph, which may be several, or as one line. */
export function inline(runs: readonly Run[], place: Place): string {
  const flow = flowing(runs)
  if (place !== 'block') return assembled(tokensOf(withoutEnds(flow), place), place)
  return paragraphsOf(flow)
    .map(own => escapeStarts(assembled(tokensOf(own, place), place)))
    .join('\n\n')
}

const withoutEnds = (runs: readonly Run[]): Run[] =>
  flowing(runs.map(run => (run.isBreak ? plainRun(' ') : run)))
