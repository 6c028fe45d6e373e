import type { Nodes, PhrasingContent, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

/** A block that has a text of its own, with the lists and quotes that it is in. */
export interface Leaf {
  readonly path: string
  readonly text: string
  /** Links to other addresses than their own text, and pictures. */
  readonly links: readonly string[]
}

const isOwn = (text: string, url: string) =>
  [url, decoded(url)].some(one => [text, `mailto:${text}`, `http://${text}`].includes(one))
const decoded = (url: string) => (URL.canParse(url) ? decodeURI(url) : url)

function leafOf(path: string, nodes: readonly PhrasingContent[]): Leaf {
  const links: string[] = []
  const textOf = (node: PhrasingContent): string => {
    if (node.type === 'text' || node.type === 'inlineCode') return node.value
    if (node.type === 'break') return '\n'
    if (node.type === 'image') {
      links.push(`!${node.alt}>${node.url}`)
      return '\ufffc'
    }
    if (node.type === 'strong' || node.type === 'emphasis' || node.type === 'delete')
      return node.children.map(textOf).join('')
    if (node.type !== 'link') throw new Error(`${node.type} in ${JSON.stringify(nodes)}`)
    const text = node.children.map(textOf).join('')
    if (!isOwn(text, node.url)) links.push(`${text}>${node.url}`)
    return text
  }
  return { path, text: nodes.map(textOf).join(''), links }
}

const inner = (nodes: readonly RootContent[], path: string): Leaf[] =>
  nodes.flatMap(node => leavesOf(node, path))

function leavesOf(node: Nodes, path: string): Leaf[] {
  switch (node.type) {
    case 'root':
      return inner(node.children, path)
    case 'paragraph':
      return [leafOf(`${path}p`, node.children)]
    case 'heading':
      return [leafOf(`${path}h${node.depth}`, node.children)]
    case 'code':
      return [{ path: `${path}pre`, text: node.value, links: [] }]
    case 'thematicBreak':
      return [{ path: `${path}hr`, text: '', links: [] }]
    case 'blockquote':
      return inner(node.children, `${path}quote>`)
    case 'list':
      return node.children.flatMap((item, n) => {
        if (typeof item.checked === 'boolean') throw new Error('a task')
        const sign = node.ordered ? `${(node.start ?? 1) + n}` : '-'
        const own = inner(item.children, `${path}${sign}>`)
        return own.length > 0 ? own : [{ path: `${path}${sign}>`, text: '', links: [] }]
      })
    case 'table':
      return node.children.flatMap((row, n) =>
        row.children.map((cell, m) => leafOf(`${path}table[${n},${m}]`, cell.children)),
      )
    default:
      throw new Error(`${node.type} in Markdown`)
  }
}

/** Reads CommonMark with GitHub's extensions. @throws Error for HTML, footnotes and definitions */
export const leavesIn = (markdown: string): Leaf[] =>
  leavesOf(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }), '')
