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

/**
 * Attributes that are kept and not edited. A class is shown by no style of the panel: it has another name here, by which
 * what is cut is pasted with it.
 */
const aside = ['class', blockData] as const
const readAside = (dom: HTMLElement): Attrs => ({
  class: dom.getAttribute('class') ?? dom.getAttribute('data-class'),
  [blockData]: dom.getAttribute(blockData),
})
const asideOf = ({ attrs }: { attrs: Attrs }) =>
  given({ 'data-class': attrs.class, [blockData]: attrs[blockData] })

const holder = (tag: string, more: Partial<NodeSpec> = {}): NodeSpec => ({
  group: 'block part',
  content: 'block+',
  attrs: optional('class'),
  parseDOM: [{ tag, getAttrs: readAside }],
  toDOM: (node): DOMOutputSpec => [tag, asideOf(node), 0],
  ...more,
})

const list = (tag: string, ...attributes: string[]): NodeSpec => ({
  group: 'block part',
  content: 'list_item+',
  attrs: optional(...attributes, 'class'),
  parseDOM: [{ tag, getAttrs: dom => ({ ...read(...attributes)(dom), ...readAside(dom) }) }],
  toDOM: node => [tag, { ...given({ start: node.attrs.start ?? null }), ...asideOf(node) }, 0],
})

type Reader = (dom: HTMLElement) => Attrs | false
const withClass =
  (reader: Reader): Reader =>
  dom => {
    const attrs = reader(dom)
    return attrs && { ...attrs, class: readAside(dom).class }
  }
const withoutClass = ({ class: name, ...attrs }: Attrs) => given({ ...attrs, 'data-class': name })
const linked = ['href', 'title', 'target', 'rel', markData]

const table = tableNodes({ tableGroup: 'block part', cellContent: 'block+', cellAttributes: {} })
const picture = ['alt', 'title', 'width', 'height', blockData]

const showsParagraphs = new Set(['BODY', 'BLOCKQUOTE'])

const nodes: Record<string, NodeSpec> = {
  doc: { content: 'block+' },
  paragraph: {
    group: 'block part',
    content: 'inline*',
    attrs: { kept: { default: false }, ...optional(...aside) },
    parseDOM: [
      {
        tag: 'p',
        getAttrs: dom => ({
          kept: !showsParagraphs.has(dom.parentNode?.nodeName ?? 'BODY'),
          ...readAside(dom),
        }),
      },
    ],
    toDOM: node => ['p', asideOf(node), 0],
  },
  heading: {
    group: 'block part',
    content: 'inline*',
    attrs: { level: { default: 2 }, ...optional(...aside) },
    defining: true,
    parseDOM: [1, 2, 3, 4, 5, 6].map(level => ({
      tag: `h${level}`,
      getAttrs: dom => ({ level, ...readAside(dom) }),
    })),
    toDOM: node => [`h${node.attrs.level}`, asideOf(node), 0],
  },
  blockquote: holder('blockquote', { defining: true }),
  div: holder('div'),
  figure: holder('figure', { content: 'part+', isolating: true }),
  figcaption: holder('figcaption', { group: 'part', defining: true }),
  horizontal_rule: {
    group: 'block part',
    attrs: optional('class'),
    parseDOM: [{ tag: 'hr', getAttrs: readAside }],
    toDOM: node => ['hr', asideOf(node)],
  },
  code_block: {
    group: 'block part',
    content: 'text*',
    marks: '',
    code: true,
    defining: true,
    attrs: { code: { default: true }, language: { default: null }, ...optional(...aside) },
    parseDOM: [
      {
        tag: 'pre',
        preserveWhitespace: 'full',
        getAttrs: dom => {
          const first = dom.firstElementChild
          const code = first?.tagName === 'CODE'
          return { code, language: code ? first.getAttribute('class') : null, ...readAside(dom) }
        },
      },
    ],
    toDOM: node => ['pre', asideOf(node), ['code', 0]],
  },
  bullet_list: list('ul'),
  ordered_list: list('ol', 'start'),
  list_item: {
    content: 'block+',
    defining: true,
    attrs: optional('class'),
    parseDOM: [{ tag: 'li', getAttrs: readAside }],
    toDOM: node => ['li', asideOf(node), 0],
  },
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
    attrs: optional('src', ...picture, 'class'),
    parseDOM: [{ tag: 'img', getAttrs: withClass(safely('src', ...picture)) }],
    toDOM: node => ['img', withoutClass(node.attrs)],
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
    attrs: optional(...linked, 'class'),
    inclusive: false,
    parseDOM: [
      {
        tag: 'a',
        getAttrs: withClass(dom => dom.attributes.length > 0 && safely('href', ...linked)(dom)),
      },
    ],
    toDOM: one => ['a', withoutClass(one.attrs), 0],
  },
  /** A mark that this schema does not know, kept unchanged. */
  own: {
    attrs: optional(markData, 'class'),
    excludes: '',
    parseDOM: [markData, 'class', 'data-class'].map(name => ({
      tag: `span[${name}]`,
      getAttrs: withClass(read(markData)),
    })),
    toDOM: one => ['span', { class: 'own', ...withoutClass(one.attrs) }, 0],
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
