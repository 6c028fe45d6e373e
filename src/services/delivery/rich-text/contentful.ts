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

/** A Contentful rich text document (1.5 of the foreign formats). */
export function toContentful(html: string): RichNode {
  const node = (nodeType: string, content: RichNode[], data = {}): RichNode => ({ nodeType, data, content })
  const text = ({ text, marks }: Run): RichNode => ({
    nodeType: 'text',
    value: text,
    marks: marks.map(type => ({ type })),
    data: {},
  })
  const inline = (nodes: readonly RootContent[], preserved: boolean): RichNode[] => {
    const content = runsOf(nodes, 'contentful', preserved).map(run =>
      run.href === undefined ? text(run) : node('hyperlink', [text(run)], { uri: run.href }),
    )
    return content.length > 0 ? content : [text({ text: '', marks: [], href: undefined })]
  }
  const paragraph = (element: Element) =>
    node('paragraph', inline(element.children, element.tagName === 'pre'))
  const inner = (element: Element) => {
    const content = blocksOf(element.children).flatMap(block)
    return content.length > 0 ? content : [paragraph(element)]
  }
  /** Where only paragraphs may be, everything else is told as text. */
  const paragraphs = (element: Element) => {
    const blocks = blocksOf(element.children)
    return blocks.length > 0
      ? blocks.map(one => (wrapsBlocks(one) ? paragraph(paragraphOf(textOf(one))) : paragraph(one)))
      : [paragraph(element)]
  }
  function block(element: Element): RichNode[] {
    const { tagName } = element
    if (/^h[1-6]$/.test(tagName)) return [node(`heading-${tagName[1]}`, inline(element.children, false))]
    if (tagName === 'hr') return [node('hr', [])]
    if (tagName === 'blockquote') return [node('blockquote', paragraphs(element))]
    if (tagName === 'ul' || tagName === 'ol') {
      const items = element.children.filter(isElement).map(item => node('list-item', inner(item)))
      return items.length > 0 ? [node(tagName === 'ul' ? 'unordered-list' : 'ordered-list', items)] : []
    }
    if (tagName === 'table') {
      const rows = cellsOf(element).map(cells =>
        node(
          'table-row',
          cells.map(cell =>
            node(cell.tagName === 'th' ? 'table-header-cell' : 'table-cell', paragraphs(cell)),
          ),
        ),
      )
      return rows.length > 0 ? [node('table', rows)] : []
    }
    return wrapsBlocks(element) ? inner(element) : [paragraph(element)]
  }
  return node('document', blocksOf(parse(html).children).flatMap(block))
}
