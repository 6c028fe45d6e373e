import type { Element, RootContent } from 'hast'
import { blocksOf, cellsOf, isElement, paragraphOf, type Run, runsOf, textOf, wrapsBlocks } from './blocks.js'
import { parse } from './html.js'

type RichNode = {
  nodeType: string
  data: Record<string, unknown>
  content?: RichNode[]
  value?: string
  marks?: { type: string }[]
}

const node = (nodeType: string, content: RichNode[], data = {}): RichNode => ({ nodeType, data, content })

const text = ({ text, marks }: Run): RichNode => ({
  nodeType: 'text',
  value: text,
  marks: marks.map(type => ({ type })),
  data: {},
})

function inline(nodes: readonly RootContent[], preserved: boolean): RichNode[] {
  const content = runsOf(nodes, 'contentful', preserved).map(run =>
    run.href === undefined ? text(run) : node('hyperlink', [text(run)], { uri: run.href }),
  )
  return content.length > 0 ? content : [text({ text: '', marks: [], href: undefined })]
}

const paragraph = (element: Element) => node('paragraph', inline(element.children, element.tagName === 'pre'))

function inner(element: Element): RichNode[] {
  const content = blocksOf(element.children).flatMap(block)
  return content.length > 0 ? content : [paragraph(element)]
}

/** Where only paragraphs may be, everything else becomes text. */
function paragraphs(element: Element): RichNode[] {
  const blocks = blocksOf(element.children)
  return blocks.length > 0
    ? blocks.map(one => (wrapsBlocks(one) ? paragraph(paragraphOf(textOf(one))) : paragraph(one)))
    : [paragraph(element)]
}

function list(nodeType: string, element: Element): RichNode[] {
  const items = element.children.filter(isElement).map(item => node('list-item', inner(item)))
  return items.length > 0 ? [node(nodeType, items)] : []
}

const cell = (element: Element) =>
  node(element.tagName === 'th' ? 'table-header-cell' : 'table-cell', paragraphs(element))

function table(element: Element): RichNode[] {
  const rows = cellsOf(element).map(cells => node('table-row', cells.map(cell)))
  return rows.length > 0 ? [node('table', rows)] : []
}

function block(element: Element): RichNode[] {
  const { tagName } = element
  if (/^h[1-6]$/.test(tagName)) return [node(`heading-${tagName[1]}`, inline(element.children, false))]
  if (tagName === 'hr') return [node('hr', [])]
  if (tagName === 'blockquote') return [node('blockquote', paragraphs(element))]
  if (tagName === 'ul') return list('unordered-list', element)
  if (tagName === 'ol') return list('ordered-list', element)
  if (tagName === 'table') return table(element)
  return wrapsBlocks(element) ? inner(element) : [paragraph(element)]
}

/** A Contentful rich text document. */
export const toContentful = (html: string): RichNode =>
  node('document', blocksOf(parse(html).children).flatMap(block))
