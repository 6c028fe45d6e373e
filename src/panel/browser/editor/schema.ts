import {
  type AttributeSpec,
  type Attrs,
  type DOMOutputSpec,
  type MarkSpec,
  type NodeSpec,
  Schema,
} from 'prosemirror-model'
import { tableNodes } from 'prosemirror-tables'
import { blockData, isSafe, markData } from '../../../services/content/rich-text/rules.js'

const optional = (...names: string[]): Record<string, AttributeSpec> =>
  Object.fromEntries(names.map(name => [name, { default: null }]))

const read =
  (...names: string[]) =>
  (dom: HTMLElement): Attrs =>
    Object.fromEntries(names.map(name => [name, dom.getAttribute(name)]))

const given = (attrs: Attrs) =>
  Object.fromEntries(Object.entries(attrs).filter(([, value]) => value !== null && value !== ''))

/** Reads attributes, and rejects an element whose address runs something, such as `javascript:`. */
const safely =
  (address: 'href' | 'src', ...names: string[]) =>
  (dom: HTMLElement): Attrs | false =>
    isSafe(address, dom.getAttribute(address) ?? '') && read(address, ...names)(dom)

/** The type of an object of another system, or the name of a mark. */
export function typeNamed(json: string): string {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'string') return value
    return String((value as { _type?: unknown } | null)?._type ?? '')
  } catch {
    return ''
  }
}

const holder = (tag: string, more: Partial<NodeSpec> = {}): NodeSpec => ({
  group: 'block part',
  content: 'block+',
  parseDOM: [{ tag }],
  toDOM: (): DOMOutputSpec => [tag, 0],
  ...more,
})

const list = (tag: string, ...attributes: string[]): NodeSpec => ({
  group: 'block part',
  content: 'list_item+',
  attrs: optional(...attributes),
  parseDOM: [{ tag, getAttrs: read(...attributes) }],
  toDOM: node => [tag, given(node.attrs), 0],
})

const table = tableNodes({ tableGroup: 'block part', cellContent: 'block+', cellAttributes: {} })
const picture = ['alt', 'title', 'width', 'height', blockData]

const showsParagraphs = new Set(['BODY', 'BLOCKQUOTE'])

const nodes: Record<string, NodeSpec> = {
  doc: { content: 'block+' },
  paragraph: {
    group: 'block part',
    content: 'inline*',
    attrs: { kept: { default: false }, ...optional(blockData) },
    parseDOM: [
      {
        tag: 'p',
        getAttrs: dom => ({
          kept: !showsParagraphs.has(dom.parentNode?.nodeName ?? 'BODY'),
          ...read(blockData)(dom),
        }),
      },
    ],
    toDOM: () => ['p', 0],
  },
  heading: {
    group: 'block part',
    content: 'inline*',
    attrs: { level: { default: 2 }, ...optional(blockData) },
    defining: true,
    parseDOM: [1, 2, 3, 4, 5, 6].map(level => ({
      tag: `h${level}`,
      getAttrs: dom => ({ level, ...read(blockData)(dom) }),
    })),
    toDOM: node => [`h${node.attrs.level}`, 0],
  },
  blockquote: holder('blockquote', { defining: true }),
  div: holder('div'),
  figure: holder('figure', { content: 'part+', isolating: true }),
  figcaption: holder('figcaption', { group: 'part', defining: true }),
  horizontal_rule: { group: 'block part', parseDOM: [{ tag: 'hr' }], toDOM: () => ['hr'] },
  code_block: {
    group: 'block part',
    content: 'text*',
    marks: '',
    code: true,
    defining: true,
    attrs: { code: { default: true }, ...optional(blockData) },
    parseDOM: [
      {
        tag: 'pre',
        preserveWhitespace: 'full',
        getAttrs: dom => ({ code: dom.firstElementChild?.tagName === 'CODE', ...read(blockData)(dom) }),
      },
    ],
    toDOM: () => ['pre', ['code', 0]],
  },
  bullet_list: list('ul'),
  ordered_list: list('ol', 'start'),
  list_item: { content: 'block+', defining: true, parseDOM: [{ tag: 'li' }], toDOM: () => ['li', 0] },
  /** HTML that this schema does not know, kept unchanged. */
  opaque: {
    group: 'block part',
    atom: true,
    selectable: true,
    attrs: { html: {} },
    toDOM: node => ['pre', { class: 'opaque' }, String(node.attrs.html)],
  },
  image: {
    inline: true,
    group: 'inline',
    draggable: true,
    attrs: optional('src', ...picture),
    parseDOM: [{ tag: 'img', getAttrs: safely('src', ...picture) }],
    toDOM: node => ['img', given(node.attrs)],
  },
  /** An object of its own type in a text, kept unchanged. */
  object: {
    inline: true,
    group: 'inline',
    atom: true,
    draggable: true,
    attrs: { [blockData]: {} },
    parseDOM: [{ tag: `span[${blockData}]`, getAttrs: dom => !dom.textContent && read(blockData)(dom) }],
    toDOM: node => ['span', { class: 'object' }, typeNamed(node.attrs[blockData])],
  },
  upload: {
    inline: true,
    group: 'inline',
    draggable: true,
    attrs: { id: {} },
    toDOM: () => ['span', { class: 'upload' }],
  },
  hard_break: {
    inline: true,
    group: 'inline',
    selectable: false,
    parseDOM: [{ tag: 'br' }],
    toDOM: () => ['br'],
  },
  text: { group: 'inline' },
  ...table,
  table_row: {
    ...table.table_row,
    /** `thead`, `tbody` or `tfoot`; null means the section of the row above. */
    attrs: optional('section'),
    parseDOM: [
      { tag: 'tr', getAttrs: dom => ({ section: dom.parentNode?.nodeName.toLowerCase() ?? 'tbody' }) },
    ],
  },
}

const mark = (tag: string, ...others: string[]): MarkSpec => ({
  parseDOM: [tag, ...others].map(name => ({ tag: name })),
  toDOM: () => [tag, 0],
})

const marks: Record<string, MarkSpec> = {
  link: {
    attrs: optional('href', 'title', markData),
    inclusive: false,
    parseDOM: [
      { tag: 'a[href]', getAttrs: safely('href', 'title', markData) },
      { tag: 'a[title]', getAttrs: read('title', markData) },
    ],
    toDOM: one => ['a', given(one.attrs), 0],
  },
  /** A mark that this schema does not know, kept unchanged. */
  own: {
    attrs: { [markData]: {} },
    excludes: '',
    parseDOM: [{ tag: `span[${markData}]`, getAttrs: read(markData) }],
    toDOM: one => ['span', { class: 'own', title: typeNamed(one.attrs[markData]) }, 0],
  },
  strong: mark('strong', 'b'),
  em: mark('em', 'i'),
  underline: mark('u', 'ins'),
  strike: mark('s', 'del', 'strike'),
  sub: mark('sub'),
  sup: mark('sup'),
  code: mark('code'),
}

/** The schema of the editor: everything that `rules.ts` allows, and unknown parts kept unchanged. */
export const schema = new Schema({ nodes, marks })
