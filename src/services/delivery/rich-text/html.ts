import { atOnce, type Pieces } from '../../../turns.js'
import { parseRichText } from '../../content/rich-text/parse.js'
import { type Child, type Root, voids } from '../../content/rich-text/rules.js'

const references: Readonly<Record<string, string>> = {
  '&': '&#x26;',
  '<': '&#x3C;',
  '"': '&#x22;',
  '`': '&#x60;',
}
const reference = (mark: string) => references[mark] ?? mark

function* write(nodes: readonly Child[], pieces: string[]): Pieces<void> {
  for (const node of nodes) {
    yield
    if (node.type === 'text') {
      pieces.push(node.value.replaceAll(/[&<]/g, reference))
      continue
    }
    const { tagName, properties, children } = node
    pieces.push('<', tagName)
    for (const [name, value] of Object.entries(properties))
      pieces.push(' ', name, '="', value.replaceAll(/["&`]/g, reference), '"')
    pieces.push('>')
    if (children.length > 0) yield* write(children, pieces)
    if (!voids.has(tagName)) pieces.push('</', tagName, '>')
  }
}

/**
 * Returns the HTML without anything that is not allowed. It is written anew from the parsed tree, so a browser can find
 * nothing else in it.
 */
export function* htmlOf({ children }: Root): Pieces<string> {
  const pieces: string[] = []
  yield* write(children, pieces)
  return pieces.join('')
}
export const safeHtml = (html: string): string => atOnce(htmlOf(parseRichText(html).root))
