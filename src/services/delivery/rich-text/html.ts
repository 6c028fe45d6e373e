import type { Nodes, Root } from 'hast'
import { fromHtml } from 'hast-util-from-html'
import { defaultSchema, sanitize } from 'hast-util-sanitize'
import { toHtml } from 'hast-util-to-html'

/**
 * What rich text may consist of. Front ends insert it as HTML, so nothing that runs, frames or styles gets through, and
 * ids cannot take the place of the page's own.
 */
const allowed = {
  ...defaultSchema,
  tagNames: [
    'a',
    'b',
    'blockquote',
    'br',
    'code',
    'del',
    'div',
    'em',
    'figcaption',
    'figure',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'hr',
    'i',
    'img',
    'ins',
    'li',
    'ol',
    'p',
    'pre',
    's',
    'span',
    'strike',
    'strong',
    'sub',
    'sup',
    'table',
    'tbody',
    'td',
    'tfoot',
    'th',
    'thead',
    'tr',
    'u',
    'ul',
  ],
  attributes: {
    a: ['href', 'title'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    ol: ['start'],
    td: ['colSpan', 'rowSpan'],
    th: ['colSpan', 'rowSpan'],
  },
  protocols: { href: ['http', 'https', 'mailto', 'tel'], src: ['http', 'https'] },
  strip: ['script', 'style', 'template', 'iframe', 'object', 'noscript', 'svg', 'math'],
}

/** Deeper nesting is nobody's text: its reading would take too deep a recursion. */
const maxDepth = 200

/** Elements that have no end, or that the next one ends. */
const unnested = /^(area|br|col|dd|dt|hr|img|input|li|option|p|source|tbody|td|tfoot|th|thead|tr|wbr)$/i

/**
 * Looked at before parsing, which takes longer for each open element. An end counts only where its element is open, so
 * that ends which belong to nothing hide no depth.
 */
function isTooDeep(html: string): boolean {
  // There everything nests.
  const hasForeignElements = /<(svg|math)/i.test(html)
  const open = new Map<string, number>()
  let depth = 0
  for (const [, end, given = ''] of html.matchAll(/<(\/?)([a-z][^\s/>]*)/gi)) {
    const name = given.toLowerCase()
    if (!hasForeignElements && unnested.test(name)) continue
    const others = open.get(name) ?? 0
    if (end !== '') {
      if (others === 0) continue
      open.set(name, others - 1)
      depth--
    } else {
      open.set(name, others + 1)
      if (++depth > maxDepth) return true
    }
  }
  return false
}

function depthOf(root: Root): number {
  let deep = 0
  const stack: [Nodes, number][] = [[root, 0]]
  for (let item = stack.pop(); item; item = stack.pop()) {
    const [node, depth] = item
    if (depth > deep) deep = depth
    if ('children' in node) for (const child of node.children) stack.push([child, depth + 1])
  }
  return deep
}

export const plain = (text: string): Root => ({
  type: 'root',
  children: [{ type: 'element', tagName: 'p', properties: {}, children: [{ type: 'text', value: text }] }],
})

/** HTML as a tree, of which only what is allowed is left. Text that is no sane HTML becomes one paragraph. */
export function parse(html: string): Root {
  if (isTooDeep(html)) return plain(html)
  const tree = fromHtml(html, { fragment: true })
  if (depthOf(tree) > maxDepth) return plain(html)
  return sanitize(tree, allowed) as Root
}

/** The same HTML without anything that is not allowed. */
export const safeHtml = (html: string): string => toHtml(parse(html))
