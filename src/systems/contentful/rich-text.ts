import { parseRichText } from '../../services/content/rich-text/parse.js'
import type { Child, Element, Root } from '../../services/content/rich-text/rules.js'
import type { MediaById } from '../../services/media/record.js'
import { atOnce, type Pieces } from '../../turns.js'
import {
  blocksOf,
  cellsOf,
  isBlank,
  isElement,
  joined,
  nodeText,
  paragraphOf,
  picturesIn,
  type Run,
  runsOf,
  wrapsBlocks,
} from '../blocks.js'
import { namesIn } from '../marks.js'
import { entryLinkOf } from './entry-links.js'

type RichNode = {
  nodeType: string
  data: Record<string, unknown>
  content?: RichNode[]
  value?: string
  marks?: { type: string }[]
}

const node = (nodeType: string, content: RichNode[], data = {}): RichNode => ({ nodeType, data, content })

const text = ({ text, marks }: Pick<Run, 'text' | 'marks'>): RichNode => ({
  nodeType: 'text',
  value: text,
  marks: namesIn('contentful', marks).map(type => ({ type })),
  data: {},
})

const targetOf = (linkType: 'Asset' | 'Entry', id: string) => ({
  target: { sys: { type: 'Link', linkType, id } },
})

function linkNode(href: string): RichNode {
  const entry = entryLinkOf(href)
  if (!entry) return node('hyperlink', [], { uri: href })
  return node(entry.shown ? 'embedded-entry-inline' : 'entry-hyperlink', [], targetOf('Entry', entry.id))
}

function inline(nodes: readonly Child[], preserved: boolean): RichNode[] {
  const content: RichNode[] = []
  let open: { readonly href: string; readonly made: RichNode } | undefined
  for (const run of joined(runsOf(nodes, preserved))) {
    const { href } = run
    if (href === undefined) {
      open = undefined
      content.push(text(run))
      continue
    }
    if (open?.href !== href) {
      open = { href, made: linkNode(href) }
      content.push(open.made)
    }
    // An entry that is shown has no text of its own there.
    if (open.made.nodeType !== 'embedded-entry-inline') open.made.content?.push(text(run))
  }
  return content.length > 0 ? content : [text({ text: '', marks: [] })]
}

function shownEntry({ children }: Element): RichNode | undefined {
  const [only, ...others] = children.filter(child => isElement(child) || child.value.trim() !== '')
  if (!only || others.length > 0 || !isElement(only) || only.tagName !== 'a') return undefined
  const entry = entryLinkOf(only.properties.href)
  return entry?.shown === 'block' ? node('embedded-entry-block', [], targetOf('Entry', entry.id)) : undefined
}

const paragraph = (element: Element) => node('paragraph', inline(element.children, element.tagName === 'pre'))

/** A paragraph, and behind it the pictures that stand in it, which have a place of their own there. */
function withPictures(element: Element, media: MediaById): RichNode[] {
  const pictures = picturesIn(element, media).map(picture => {
    return node('embedded-asset-block', [], targetOf('Asset', picture.media.media_id))
  })
  return pictures.length > 0 && isBlank(element) ? pictures : [paragraph(element), ...pictures]
}

function* blocksIn(children: readonly Child[], media: MediaById): Pieces<RichNode[]> {
  const content: RichNode[] = []
  for (const one of blocksOf(children)) for (const made of yield* block(one, media)) content.push(made)
  return content
}

function* inner(element: Element, media: MediaById): Pieces<RichNode[]> {
  const content = yield* blocksIn(element.children, media)
  return content.length > 0 ? content : [paragraph(element)]
}

function paragraphs(element: Element): RichNode[] {
  const blocks = blocksOf(element.children)
  return blocks.length > 0
    ? blocks.map(one => (wrapsBlocks(one) ? paragraph(paragraphOf(nodeText(one))) : paragraph(one)))
    : [paragraph(element)]
}

function* list(nodeType: string, element: Element, media: MediaById): Pieces<RichNode[]> {
  const items: RichNode[] = []
  for (const item of element.children.filter(isElement))
    items.push(node('list-item', yield* inner(item, media)))
  return items.length > 0 ? [node(nodeType, items)] : []
}

const cell = (element: Element) =>
  node(element.tagName === 'th' ? 'table-header-cell' : 'table-cell', paragraphs(element))

function* table(element: Element): Pieces<RichNode[]> {
  const rows: RichNode[] = []
  for (const cells of cellsOf(element)) {
    yield
    rows.push(node('table-row', cells.map(cell)))
  }
  return rows.length > 0 ? [node('table', rows)] : []
}

function* block(element: Element, media: MediaById): Pieces<RichNode[]> {
  yield
  const { tagName } = element
  if (/^h[1-6]$/.test(tagName)) return [node(`heading-${tagName[1]}`, inline(element.children, false))]
  if (tagName === 'hr') return [node('hr', [])]
  if (tagName === 'blockquote') return [node('blockquote', paragraphs(element))]
  if (tagName === 'ul') return yield* list('unordered-list', element, media)
  if (tagName === 'ol') return yield* list('ordered-list', element, media)
  if (tagName === 'table') return yield* table(element)
  if (wrapsBlocks(element)) return yield* inner(element, media)
  const entry = shownEntry(element)
  return entry ? [entry] : withPictures(element, media)
}

/** A Contentful rich text document. */
export function* contentfulOf({ children }: Root, _key: string, media: MediaById): Pieces<RichNode> {
  return node('document', yield* blocksIn(children, media))
}
export const toContentful = (html: string, media: MediaById = new Map()): RichNode =>
  atOnce(contentfulOf(parseRichText(html).root, '', media))
