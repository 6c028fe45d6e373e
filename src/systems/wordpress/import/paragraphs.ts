import {
  type Child,
  cells,
  type Element,
  endsParagraph,
  sections,
} from '../../../services/content/rich-text/rules.js'

/**
 * Paragraphs of texts that the classic editor has written: it keeps none, only line ends. An empty line is between
 * paragraphs, and any other line end is a `br`.
 */

const isBlock = (name: string): boolean =>
  endsParagraph.has(name) || name === 'tr' || sections.has(name) || cells.has(name)
/** Where every text becomes a paragraph, and where only texts of several paragraphs do. */
const holdsParagraphs: ReadonlySet<string> = new Set(['blockquote'])
const mayHoldParagraphs: ReadonlySet<string> = new Set(['div', 'li', 'td', 'th'])

const elementOf = (tagName: string, children: Child[]): Element => ({
  type: 'element',
  tagName,
  properties: {},
  children,
})
const isBreak = (node: Child | undefined): boolean => node?.type === 'element' && node.tagName === 'br'
const isBlank = (node: Child | undefined): boolean => node?.type === 'text' && node.value.trim() === ''

function broken(value: string, afterBreak: boolean): Child[] {
  const nodes: Child[] = []
  value.split('\n').forEach((line, i) => {
    const isEnded = i === 0 || (afterBreak && nodes.every(isBlank))
    if (!isEnded) nodes.push(elementOf('br', []))
    const text = i === 0 ? line : line.trimStart()
    if (text !== '') nodes.push({ type: 'text', value: text })
  })
  return nodes
}

function inline(children: readonly Child[]): Child[] {
  const nodes: Child[] = []
  for (const child of children) {
    if (child.type === 'text') nodes.push(...broken(child.value, isBreak(nodes.at(-1))))
    else nodes.push(shaped(child))
  }
  return nodes
}

function trimmedRun(run: readonly Child[]): Child[] {
  let [from, to] = [0, run.length]
  while (from < to && (isBlank(run[from]) || isBreak(run[from]))) from++
  while (to > from && (isBlank(run[to - 1]) || isBreak(run[to - 1]))) to--
  const nodes = run.slice(from, to)
  const trim = (at: number, how: (text: string) => string) => {
    const node = nodes.at(at)
    if (node?.type === 'text') nodes.splice(at, 1, { type: 'text', value: how(node.value) })
  }
  trim(0, text => text.trimStart())
  trim(-1, text => text.trimEnd())
  return nodes
}

class Runs {
  readonly parts: (Element | Child[])[] = []
  private run: Child[] = []

  end(): void {
    const run = inline(trimmedRun(this.run))
    if (run.length > 0) this.parts.push(run)
    this.run = []
  }

  block(element: Element): void {
    this.end()
    this.parts.push(element)
  }

  text(value: string): void {
    value.split(/\n\s*\n/).forEach((piece, i) => {
      if (i > 0) this.end()
      if (piece !== '') this.run.push({ type: 'text', value: piece })
    })
  }

  /** Two breaks are an empty line. */
  add(element: Element): void {
    const last = this.run.findLastIndex(node => !isBlank(node))
    if (isBreak(element) && isBreak(this.run[last])) this.end()
    else this.run.push(element)
  }
}

function flow(children: readonly Child[], paragraphs: 'all' | 'several' | 'none'): Child[] {
  const runs = new Runs()
  for (const child of children) {
    if (child.type === 'text') runs.text(child.value)
    else if (isBlock(child.tagName)) runs.block(shaped(child))
    else runs.add(child)
  }
  runs.end()
  const { parts } = runs
  const isWrapped =
    paragraphs === 'all' || (paragraphs === 'several' && parts.filter(Array.isArray).length > 1)
  return parts.flatMap(part => (Array.isArray(part) && isWrapped ? [elementOf('p', part)] : part))
}

function shaped(element: Element): Element {
  const { tagName, children } = element
  if (tagName === 'pre') return element
  if (holdsParagraphs.has(tagName)) return { ...element, children: flow(children, 'all') }
  if (mayHoldParagraphs.has(tagName)) return { ...element, children: flow(children, 'several') }
  const isInline = !isBlock(tagName) || /^(?:p|h[1-6]|figcaption)$/.test(tagName)
  return { ...element, children: isInline ? inline(children) : flow(children, 'none') }
}

/** The content with its paragraphs and breaks as elements. */
export const withParagraphs = (children: readonly Child[]): Child[] => flow(children, 'all')
