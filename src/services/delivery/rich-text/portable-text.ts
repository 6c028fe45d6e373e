import type { Element } from 'hast'
import { blocksOf, cellsOf, isElement, paragraphOf, runsOf, textOf, wrapsBlocks } from './blocks.js'
import { parse } from './html.js'

/** What a block is, beside its text. */
interface BlockKind {
  readonly style?: string
  readonly listItem?: 'bullet' | 'number'
  readonly level?: number
}

/** Blocks in the order in which they are added; keys count them. */
class PortableBlocks {
  readonly blocks: unknown[] = []

  constructor(private readonly key: string) {}

  visit(element: Element, kind: BlockKind): void {
    const { tagName } = element
    if (tagName === 'ul' || tagName === 'ol') this.list(element, kind)
    else if (tagName === 'blockquote') this.inside(element, { ...kind, style: 'blockquote' })
    else if (/^h[1-6]$/.test(tagName)) this.add(element, { ...kind, style: tagName })
    else if (tagName === 'table') this.table(element, kind)
    else if (tagName === 'hr') return
    else if (wrapsBlocks(element)) for (const block of blocksOf(element.children)) this.visit(block, kind)
    else this.add(element, kind)
  }

  private list(element: Element, kind: BlockKind): void {
    const level = (kind.level ?? 0) + 1
    const listItem = element.tagName === 'ul' ? 'bullet' : 'number'
    for (const item of element.children.filter(isElement)) this.inside(item, { ...kind, listItem, level })
  }

  private inside(element: Element, kind: BlockKind): void {
    for (const block of blocksOf(element.children))
      if (block.tagName === 'p') this.add(block, kind)
      else this.visit(block, kind)
  }

  private table(element: Element, kind: BlockKind): void {
    for (const row of cellsOf(element)) this.add(paragraphOf(row.map(textOf).join(' | ')), kind)
  }

  private add(element: Element, kind: BlockKind): void {
    const _key = `${this.key}-${this.blocks.length}`
    const runs = runsOf(element.children, 'portable', element.tagName === 'pre')
    const links = [...new Set(runs.flatMap(({ href }) => href ?? []))]
    const linkKey = (href: string) => `${_key}-l${links.indexOf(href)}`
    const spans = runs.map(({ text, marks, href }, i) => ({
      _type: 'span',
      _key: `${_key}-${i}`,
      text,
      marks: href === undefined ? marks : [...marks, linkKey(href)],
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
export function toPortableText(html: string, key: string): unknown[] {
  const portable = new PortableBlocks(key)
  for (const block of blocksOf(parse(html).children)) portable.visit(block, {})
  return portable.blocks
}
