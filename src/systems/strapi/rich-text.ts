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
import { attributesOfFile } from './write/files.js'

interface Block {
  readonly type: string
  readonly children: readonly unknown[]
  readonly [member: string]: unknown
}

const textNode = ({ text, marks }: Pick<Run, 'text' | 'marks'>) => ({
  type: 'text',
  text,
  ...Object.fromEntries(namesIn('strapi', marks).map(name => [name, true])),
})
const nothing = textNode({ text: '', marks: [] })

function inline(nodes: readonly Child[]): unknown[] {
  const content: unknown[] = []
  let open: { href: string; children: unknown[] } | undefined
  for (const run of joined(runsOf(nodes))) {
    if (run.href === undefined) {
      open = undefined
      content.push(textNode(run))
    } else if (open?.href === run.href) open.children.push(textNode(run))
    else {
      open = { href: run.href, children: [textNode(run)] }
      // A link has a text before it and behind it, as the editor stores it.
      if (content.length === 0) content.push(nothing)
      content.push({ type: 'link', url: run.href, children: open.children })
    }
  }
  if (content.length === 0 || open) content.push(nothing)
  return content
}

const codeOf = (element: Element) => [
  textNode({
    text: runsOf(element.children, true)
      .map(({ text }) => text)
      .join(''),
    marks: [],
  }),
]

/** The language of a code block, as `code` has it as its class. */
function languageOf({ children }: Element): { language?: string } {
  const code = children.find(isElement)
  const language = /(?:^|\s)language-(\S+)/.exec(code?.properties.class ?? '')?.[1]
  return language === undefined ? {} : { language }
}

class StrapiBlocks {
  readonly blocks: Block[] = []

  constructor(private readonly media: MediaById) {}

  *visit(element: Element): Pieces<void> {
    yield
    const { tagName } = element
    if (tagName === 'ul' || tagName === 'ol') this.blocks.push(yield* this.list(element, 0))
    else if (tagName === 'blockquote') this.blocks.push({ type: 'quote', children: this.quoted(element) })
    else if (tagName === 'pre')
      this.blocks.push({ type: 'code', ...languageOf(element), children: codeOf(element) })
    else if (tagName === 'table')
      for (const row of cellsOf(element)) this.add(paragraphOf(row.map(nodeText).join(' | ')), 'paragraph')
    else if (/^h[1-6]$/.test(tagName)) this.add(element, 'heading', { level: Number(tagName[1]) })
    else if (tagName === 'hr') return
    else if (wrapsBlocks(element)) for (const block of blocksOf(element.children)) yield* this.visit(block)
    else this.add(element, 'paragraph')
  }

  private add(element: Element, type: string, more: Record<string, unknown> = {}): void {
    const pictures = picturesIn(element, this.media)
    if (pictures.length === 0 || !isBlank(element))
      this.blocks.push({ type, ...more, children: inline(element.children) })
    for (const { media, alt } of pictures) {
      const image = attributesOfFile(media)
      this.blocks.push({
        type: 'image',
        image: alt === '' ? image : { ...image, alternativeText: alt },
        children: [nothing],
      })
    }
  }

  private *list(element: Element, indentLevel: number): Pieces<Block> {
    const children: Block[] = []
    for (const item of element.children.filter(isElement)) {
      yield
      const isList = (node: Child) => isElement(node) && (node.tagName === 'ul' || node.tagName === 'ol')
      const own = item.children.filter(node => !isList(node))
      children.push({ type: 'list-item', children: this.lines(own) })
      for (const node of item.children)
        if (isElement(node) && isList(node)) children.push(yield* this.list(node, indentLevel + 1))
    }
    const format = element.tagName === 'ol' ? 'ordered' : 'unordered'
    return { type: 'list', format, ...(indentLevel > 0 ? { indentLevel } : {}), children }
  }

  private quoted(element: Element): unknown[] {
    return this.lines(element.children)
  }

  /** The texts of several blocks, each on a line of its own: the result has no blocks inside. */
  private lines(nodes: readonly Child[]): unknown[] {
    const blocks = blocksOf(nodes).filter(block => !isBlank(block))
    const lines = blocks.map(block =>
      inline(wrapsBlocks(block) ? paragraphOf(nodeText(block)).children : block.children),
    )
    return lines.length === 0
      ? [nothing]
      : lines.flatMap((line, i) => (i === 0 ? line : [textNode({ text: '\n', marks: [] }), ...line]))
  }
}

/** The blocks of Strapi 5, as its editor of blocks stores them and `@strapi/blocks-react-renderer` reads them. */
export function* strapiBlocksOf({ children }: Root, _key: string, media: MediaById): Pieces<unknown[]> {
  const made = new StrapiBlocks(media)
  for (const block of blocksOf(children)) yield* made.visit(block)
  return made.blocks
}
export const toStrapiBlocks = (html: string, media: MediaById = new Map()): unknown[] =>
  atOnce(strapiBlocksOf(parseRichText(html).root, '', media))
