import { parseRichText } from '../../services/content/rich-text/parse.js'
import type { Element, Root } from '../../services/content/rich-text/rules.js'
import type { MediaById } from '../../services/media/record.js'
import { atOnce, type Pieces } from '../../turns.js'
import {
  blocksOf,
  cellsOf,
  isBlank,
  isElement,
  nodeText,
  paragraphOf,
  picturesIn,
  runsOf,
  wrapsBlocks,
} from '../blocks.js'
import { namesIn } from '../marks.js'
import { assetOf } from './write/media.js'

interface BlockKind {
  readonly style?: string
  readonly listItem?: 'bullet' | 'number'
  readonly level?: number
}

class PortableBlocks {
  readonly blocks: unknown[] = []

  constructor(
    private readonly key: string,
    private readonly media: MediaById,
  ) {}

  *visit(element: Element, kind: BlockKind): Pieces<void> {
    yield
    const { tagName } = element
    if (tagName === 'ul' || tagName === 'ol') yield* this.list(element, kind)
    else if (tagName === 'blockquote') yield* this.inside(element, { ...kind, style: 'blockquote' })
    else if (/^h[1-6]$/.test(tagName)) this.add(element, { ...kind, style: tagName })
    else if (tagName === 'table') yield* this.table(element, kind)
    else if (tagName === 'hr') return
    else if (wrapsBlocks(element))
      for (const block of blocksOf(element.children)) yield* this.visit(block, kind)
    else this.add(element, kind)
  }

  private *list(element: Element, kind: BlockKind): Pieces<void> {
    const level = (kind.level ?? 0) + 1
    const listItem = element.tagName === 'ul' ? 'bullet' : 'number'
    for (const item of element.children.filter(isElement))
      yield* this.inside(item, { ...kind, listItem, level })
  }

  private *inside(element: Element, kind: BlockKind): Pieces<void> {
    for (const block of blocksOf(element.children)) {
      yield
      if (block.tagName === 'p') this.add(block, kind)
      else yield* this.visit(block, kind)
    }
  }

  private *table(element: Element, kind: BlockKind): Pieces<void> {
    for (const row of cellsOf(element)) {
      yield
      this.add(paragraphOf(row.map(nodeText).join(' | ')), kind)
    }
  }

  /** A block, and behind it the pictures that stand in it. */
  private add(element: Element, kind: BlockKind): void {
    const pictures = picturesIn(element, this.media)
    if (pictures.length === 0 || !isBlank(element)) this.addText(element, kind)
    for (const { media, alt } of pictures)
      this.blocks.push({
        _key: `${this.key}-${this.blocks.length}`,
        ...assetOf(media),
        ...(alt === '' ? {} : { alt }),
      })
  }

  private addText(element: Element, kind: BlockKind): void {
    const _key = `${this.key}-${this.blocks.length}`
    const runs = runsOf(element.children, element.tagName === 'pre')
    const links = [...new Set(runs.flatMap(({ href }) => href ?? []))]
    const keys = new Map(links.map((href, i) => [href, `${_key}-l${i}`]))
    const linkKey = (href: string) => keys.get(href) ?? ''
    const spans = runs.map(({ text, marks, href }, i) => ({
      _type: 'span',
      _key: `${_key}-${i}`,
      text,
      marks: [...namesIn('sanity', marks), ...(href === undefined ? [] : [linkKey(href)])],
    }))
    this.blocks.push({
      _type: 'block',
      _key,
      style: 'normal',
      ...kind,
      markDefs: links.map(href => ({ _type: 'link', _key: linkKey(href), href })),
      children: spans.length > 0 ? spans : [{ _type: 'span', _key: `${_key}-0`, text: '', marks: [] }],
    })
  }
}

/** Portable Text: an array of blocks whose keys are the same on every read. */
export function* portableTextOf({ children }: Root, key: string, media: MediaById): Pieces<unknown[]> {
  const portable = new PortableBlocks(key, media)
  for (const block of blocksOf(children)) yield* portable.visit(block, {})
  return portable.blocks
}
export const toPortableText = (html: string, key: string, media: MediaById = new Map()): unknown[] =>
  atOnce(portableTextOf(parseRichText(html).root, key, media))
