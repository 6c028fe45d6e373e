import { DOMParser as ModelParser, type Node } from 'prosemirror-model'
import { TableMap } from 'prosemirror-tables'
import { asGiven, isActive, parsed } from './document.js'
import { isSame } from './normal-form.js'
import { quieted } from './paste.js'
import { save } from './save.js'
import { schema } from './schema.js'

const parser = ModelParser.fromSchema(schema)

function groupsOf(body: HTMLElement): ChildNode[][] {
  const groups: ChildNode[][] = []
  let loose: ChildNode[] | undefined
  for (const node of body.childNodes) {
    const isInline =
      node.nodeType === 3 || (node instanceof Element && inlineTags.has(node.tagName.toLowerCase()))
    if (!isInline) {
      loose = undefined
      groups.push([node])
    } else if (loose) loose.push(node)
    else if (node.nodeType !== 3 || /[^ \t\r\n\f]/.test(node.nodeValue ?? '')) {
      loose = [node]
      groups.push(loose)
    }
  }
  return groups
}

const inlineTags = new Set('a b br code del em i img ins s span strike strong sub sup u'.split(' '))

function hasWholeTables(doc: Node): boolean {
  let whole = true
  doc.descendants(node => {
    if (node.type.name === 'table' && TableMap.get(node).problems) whole = false
    return whole
  })
  return whole
}

/** How often a text is parsed again until it no longer changes; blanks between blocks need a second time. */
const maxReadings = 4

/** Returns a part as nodes of the schema; undefined if saving would change it. */
function understood(body: HTMLElement): Node | undefined {
  try {
    let [doc, html] = [parser.parse(body), '']
    for (let i = 0; i < maxReadings; i++) {
      const before = html
      html = save(doc)
      if (html === before) break
      doc = parser.parse(parsed(html))
    }
    return hasWholeTables(doc) && isSame(body, parsed(html)) ? doc : undefined
  } catch {
    return undefined
  }
}

const bodyWith = (body: HTMLElement, nodes: readonly ChildNode[]): HTMLElement => {
  const made = body.ownerDocument.createElement('body')
  made.append(...nodes.map(node => node.cloneNode(true)))
  return made
}

const opaque = (html: string) => schema.node('opaque', { html })

/** Returns HTML as a document. Parts that the schema does not know, or would change, are kept unchanged. */
export function open(html: string): Node {
  if (isActive(html)) return schema.node('doc', null, [opaque(html)])
  const body = parsed(html)
  const whole = understood(body)
  if (whole) return whole
  const blocks = groupsOf(body).flatMap(group => {
    const part = bodyWith(body, group)
    const doc = understood(part)
    return doc ? [...doc.children] : [opaque(asGiven(part.innerHTML))]
  })
  return schema.node('doc', null, blocks.length > 0 ? blocks : [schema.node('paragraph')])
}

/** Returns HTML as far as the schema knows it, for a person who wants to edit it. */
export const openRoughly = (html: string): Node => parser.parse(parsed(quieted(html)))
