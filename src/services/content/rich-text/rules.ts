import { limits } from '../../../limits.js'

/** The elements, attributes and addresses that rich text may have, and its bounds. */

interface TextNode {
  readonly type: 'text'
  readonly value: string
}
export interface Element {
  readonly type: 'element'
  readonly tagName: string
  readonly properties: Readonly<Record<string, string>>
  readonly children: Child[]
}
export type Child = Element | TextNode
export interface Root {
  readonly type: 'root'
  readonly children: Child[]
}

/**
 * A text within these is read in a few milliseconds. An article of 200 KB has some 5,000 parts and ten levels.
 */
export const bounds = {
  length: limits.content.richTextCharacters,
  /** Elements, texts and comments, and ends that end nothing. */
  parts: 16_000,
  depth: 100,
  /** Characters of addresses, each counted for every text in its link, for a format may repeat it there. */
  links: 1_000_000,
}

/**
 * A block as Portable Text has it, as JSON: an object of its own type where the element is a `div` or `span`, else the
 * members that HTML has nothing for. What the element contains is for those who do not know the type.
 */
export const blockData = 'data-block'
/** A mark of a text as Portable Text has it, as JSON: a name, or an annotation. */
export const markData = 'data-mark'

/** Elements that are kept, with their attributes. Of any other only the content is kept. */
export const kept: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    a: ['href', 'title', markData],
    b: [],
    blockquote: [],
    br: [],
    code: [],
    del: [],
    div: [blockData],
    em: [],
    figcaption: [],
    figure: [],
    h1: [blockData],
    h2: [blockData],
    h3: [blockData],
    h4: [blockData],
    h5: [blockData],
    h6: [blockData],
    hr: [],
    i: [],
    img: ['src', 'alt', 'title', 'width', 'height', blockData],
    ins: [],
    li: [],
    ol: ['start'],
    p: [blockData],
    pre: [blockData],
    s: [],
    span: [blockData, markData],
    strike: [],
    strong: [],
    sub: [],
    sup: [],
    table: [],
    tbody: [],
    td: ['colspan', 'rowspan'],
    tfoot: [],
    th: ['colspan', 'rowspan'],
    thead: [],
    tr: [],
    u: [],
    ul: [],
  }).map(([name, attributes]) => [name, new Set(attributes)]),
)

/** Elements that are dropped with everything in them. In the first ones only their own end is a tag. */
export const rawText: ReadonlySet<string> = new Set(['script', 'style', 'iframe'])
export const dropped: ReadonlySet<string> = new Set(['template', 'object', 'noscript', 'svg', 'math'])

/** Elements of HTML that end a drawing (`svg`), as the standard of HTML says: its own end was forgotten. */
export const endsDrawing: ReadonlySet<string> = new Set(
  'b blockquote br code dd div dl dt em h1 h2 h3 h4 h5 h6 hr i img li ol p pre s small span strike strong sub sup table u ul'.split(
    ' ',
  ),
)

/** Elements without content. */
export const voids: ReadonlySet<string> = new Set(['br', 'hr', 'img'])

export const sections: ReadonlySet<string> = new Set(['tbody', 'thead', 'tfoot'])
export const cells: ReadonlySet<string> = new Set(['td', 'th'])

/** Elements that mark text, which may overlap. */
export const marking: ReadonlySet<string> = new Set(
  'a b code del em i ins s span strike strong sub sup u'.split(' '),
)

/** Elements whose beginning ends a paragraph. */
export const endsParagraph: ReadonlySet<string> = new Set(
  'blockquote div figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre table ul'.split(' '),
)

const schemes: Readonly<Record<string, RegExp>> = {
  href: /^(https?|mailto|tel)$/i,
  src: /^https?$/i,
}

/** Whether an attribute may have the value: an address needs a scheme that runs nothing, or none. */
export function isSafe(attribute: string, value: string): boolean {
  const allowed = schemes[attribute]
  if (!allowed) return true
  const end = value.search(/[:/?#]/)
  return end < 0 || value[end] !== ':' || allowed.test(value.slice(0, end))
}

/** Returns a text without any element as rich text: one paragraph. */
export const paragraph = (value: string): Element => ({
  type: 'element',
  tagName: 'p',
  properties: {},
  children: [{ type: 'text', value }],
})
