import type { Element } from 'hast'
import { blocksOf, cellsOf, isElement, paragraphOf, runsOf, textOf, wrapsBlocks } from './blocks.js'
import { parse } from './html.js'

/** Portable Text (2.3 of the foreign formats): an array of blocks whose keys are the same on every read. */
export function toPortableText(html: string, key: string): unknown[] {
  const blocks: unknown[] = []
  const add = (element: Element, more: Record<string, unknown>) => {
    const _key = `${key}-${blocks.length}`
    const runs = runsOf(element.children, 'portable', element.tagName === 'pre')
    const links = [...new Set(runs.flatMap(({ href }) => href ?? []))]
    const linkKey = (href: string) => `${_key}-l${links.indexOf(href)}`
    const spans = runs.map(({ text, marks, href }, i) => ({
      _type: 'span',
      _key: `${_key}-${i}`,
      text,
      marks: href === undefined ? marks : [...marks, linkKey(href)],
    }))
    blocks.push({
      _type: 'block',
      _key,
      style: 'normal',
      ...more,
      markDefs: links.map(href => ({ _type: 'link', _key: linkKey(href), href })),
      children: spans.length > 0 ? spans : [{ _type: 'span', _key: `${_key}-0`, text: '', marks: [] }],
    })
  }
  const visit = (element: Element, more: Record<string, unknown>): void => {
    const { tagName } = element
    if (tagName === 'ul' || tagName === 'ol') {
      const level = Number(more.level ?? 0) + 1
      for (const item of element.children.filter(isElement)) {
        const list = { ...more, listItem: tagName === 'ul' ? 'bullet' : 'number', level }
        const inner = blocksOf(item.children)
        for (const block of inner)
          if (block.tagName === 'p') add(block, list)
          else visit(block, list)
      }
    } else if (tagName === 'blockquote')
      for (const block of blocksOf(element.children)) {
        if (block.tagName === 'p') add(block, { ...more, style: 'blockquote' })
        else visit(block, { ...more, style: 'blockquote' })
      }
    else if (/^h[1-6]$/.test(tagName)) add(element, { ...more, style: tagName })
    else if (tagName === 'table')
      for (const row of cellsOf(element)) add(paragraphOf(row.map(textOf).join(' | ')), more)
    else if (tagName === 'hr') return
    else if (wrapsBlocks(element)) for (const block of blocksOf(element.children)) visit(block, more)
    else add(element, more)
  }
  for (const block of blocksOf(parse(html).children)) visit(block, {})
  return blocks
}
