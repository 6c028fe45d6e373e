import { parseRichText } from '../services/content/rich-text/parse.js'
import type { Child } from '../services/content/rich-text/rules.js'
import { htmlOf } from '../services/delivery/rich-text/html.js'
import type { Notes } from '../services/import/notes.js'
import { atOnce } from '../turns.js'
import { lostElements, lostFrames } from './lost-elements.js'

/**
 * Returns HTML as rich text has it.
 * @param addressOf the address to store for one of a link or picture; undefined where it stays
 * @param place what notes call it
 */
export function linkedHtml(
  html: string,
  addressOf: (address: string, of: 'link' | 'picture', alt: string) => string | undefined,
  { notes, place }: { readonly notes: Notes; readonly place: string },
): string {
  for (const name of lostElements(html))
    notes.add('Elements that rich text does not support are left out', name)
  for (const host of lostFrames(html))
    notes.add('Frames of sites that rich text does not allow are left out', host)
  const { root, problem } = parseRichText(html)
  if (problem !== undefined) notes.add('Texts exceed the limits of rich text, and must be shortened', place)
  const linked = (node: Child): Child => {
    if (node.type === 'text') return node
    const isPicture = node.tagName === 'img'
    const name = isPicture ? 'src' : 'href'
    const address = node.properties[name] ?? ''
    const known =
      address === ''
        ? undefined
        : addressOf(address, isPicture ? 'picture' : 'link', node.properties.alt ?? '')
    return {
      ...node,
      properties: known === undefined ? node.properties : { ...node.properties, [name]: known },
      children: node.children.map(linked),
    }
  }
  return atOnce(htmlOf({ type: 'root', children: root.children.map(linked) })).trim()
}
