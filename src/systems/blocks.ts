import { idsNamed } from '../services/content/references.js'
import {
  blockData,
  type Child,
  type Element,
  markData,
  paragraph,
  players,
} from '../services/content/rich-text/rules.js'
import type { MediaById, MediaRecord } from '../services/media/record.js'
import { type Mark, markOf } from './marks.js'

export const nodeText = (node: Child): string =>
  node.type === 'text' ? node.value : node.children.map(nodeText).join('')

export const isElement = (node: Child): node is Element => node.type === 'element'

/** A run of text with its marks and its link. */
export interface Run {
  readonly text: string
  readonly marks: readonly Mark[]
  readonly href: string | undefined
  /** Marks that only Portable Text has, as JSON, the outermost first. */
  readonly own: readonly string[]
  /** Whether one of these is what the link is there. */
  readonly isOwnLink: boolean
  /** An object in place of a text, as JSON. */
  readonly object?: string
}

const unmarked = { marks: [], href: undefined, own: [], isOwnLink: false } as const

const linkOf = ({ tagName, properties: { href } }: Element, own: string | undefined) =>
  tagName === 'a' && href !== undefined ? { href, isOwnLink: own !== undefined } : {}

/**
 * The text of inline content in order, with what each part is marked as. White space is as HTML shows it.
 * @param objects whether objects in the text are runs without a text
 */
export function runsOf(nodes: readonly Child[], preserved = false, objects = false): Run[] {
  const runs: Run[] = []
  const addText = (value: string, around: Omit<Run, 'text'>): void => {
    // Not U+FEFF, which marks of previews contain (D-703).
    const text = preserved ? value : value.replaceAll(/[^\S\ufeff]+/g, ' ')
    if (text !== '') runs.push({ text, ...around })
  }
  const visit = (node: Child, around: Omit<Run, 'text'>): void => {
    if (node.type === 'text') return void addText(node.value, around)
    if (players.has(node.tagName)) return
    if (node.tagName === 'br') return void runs.push({ text: '\n', ...around })
    const { [markData]: own, [blockData]: object } = node.properties
    if (objects && node.tagName === 'span' && object !== undefined)
      return void runs.push({ text: '', ...unmarked, object })
    const inner = { ...around, ...linkOf(node, own) }
    if (own !== undefined) inner.own = [...around.own, own]
    const mark = markOf(node.tagName)
    if (mark && !around.marks.includes(mark)) inner.marks = [...around.marks, mark]
    for (const child of node.children) visit(child, inner)
  }
  for (const node of nodes) visit(node, unmarked)
  if (preserved) return runs
  const [first, last] = [runs[0], runs.at(-1)]
  if (first) runs[0] = { ...first, text: first.text.trimStart() }
  if (last) runs[runs.length - 1] = { ...(runs.at(-1) as Run), text: (runs.at(-1) as Run).text.trimEnd() }
  return runs.filter(({ text, object }) => text !== '' || object !== undefined)
}

const isAlike = (one: Run, other: Run): boolean =>
  one.href === other.href && one.marks.join() === other.marks.join()

/** Runs that are alike as one: a line break ends no text where it is a character of it. */
export function joined(runs: readonly Run[]): Run[] {
  const found: Run[] = []
  for (const run of runs) {
    const last = found.at(-1)
    if (last && isAlike(last, run)) found[found.length - 1] = { ...last, text: last.text + run.text }
    else found.push(run)
  }
  return found
}

const blockTags = new Set([
  'blockquote',
  'dd',
  'details',
  'div',
  'dl',
  'dt',
  'figure',
  'figcaption',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'li',
  'ol',
  'p',
  'pre',
  'summary',
  'table',
  'ul',
])
const isBlock = (node: Child): node is Element => isElement(node) && blockTags.has(node.tagName)

/** Block elements as they are, and what stands between them as paragraphs. */
export function blocksOf(nodes: readonly Child[]): Element[] {
  const blocks: Element[] = []
  let loose: Child[] = []
  const close = () => {
    const isText = loose.some(
      node => nodeText(node).trim() !== '' || (isElement(node) && node.tagName === 'img'),
    )
    if (isText) blocks.push({ type: 'element', tagName: 'p', properties: {}, children: loose })
    loose = []
  }
  for (const node of nodes)
    if (isBlock(node)) {
      close()
      blocks.push(node)
    } else loose.push(node)
  close()
  return blocks
}

export const wrapsBlocks = (element: Element) => element.children.some(isBlock)

export const paragraphOf = paragraph

/** A picture of ours in a text. */
export interface Picture {
  readonly media: MediaRecord
  readonly alt: string
  /** Further members in Portable Text, as JSON. */
  readonly own: string | undefined
}

/** The pictures in inline content that are media of ours; what others there are has no place beside texts. */
export function picturesIn({ children }: Element, media: MediaById): Picture[] {
  return children.filter(isElement).flatMap(child => {
    if (child.tagName !== 'img') return picturesIn(child, media)
    const { src = '', alt = '', [blockData]: own } = child.properties
    const found = idsNamed(src).flatMap(id => media.get(id) ?? [])[0]
    return found?.mimetype.startsWith('image/') ? [{ media: found, alt, own }] : []
  })
}

/** True if the element has no text to read. */
export const isBlank = (element: Element): boolean => nodeText(element).trim() === ''

/** The cells of a table, row by row. */
export function cellsOf(table: Element): Element[][] {
  const rows: Element[][] = []
  const visit = (element: Element) => {
    if (element.tagName === 'tr') rows.push(element.children.filter(isElement))
    else for (const child of element.children) if (isElement(child)) visit(child)
  }
  visit(table)
  return rows
}
