import type { Mark, Node } from 'prosemirror-model'
import { blockData } from '../../../services/content/rich-text/rules.js'

const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }
const escapedText = (text: string) => text.replaceAll(/[&<]/g, mark => references[mark] ?? mark)
const attributeOf = (text: string) => text.replaceAll(/["&]/g, mark => references[mark] ?? mark)

const tagWith = (name: string, attrs: Readonly<Record<string, unknown>>): string => {
  const written = Object.entries(attrs).filter(([, value]) => value !== null && value !== undefined)
  return `<${name}${written.map(([key, value]) => ` ${key}="${attributeOf(String(value))}"`).join('')}>`
}

const markTags: Readonly<Record<string, string>> = {
  link: 'a',
  strong: 'strong',
  em: 'em',
  underline: 'u',
  strike: 's',
  sub: 'sub',
  sup: 'sup',
  code: 'code',
  own: 'span',
}

function leaf(node: Node): string {
  if (node.type.name === 'image') return tagWith('img', node.attrs)
  return node.type.name === 'object' ? `${tagWith('span', node.attrs)}</span>` : '<br>'
}

const owned = (tag: string, { attrs }: Node): string =>
  tagWith(tag, { class: attrs.class, [blockData]: attrs[blockData] })

/** Returns text with its marks; each mark stays open as long as possible. */
function inline(parent: Node): string {
  let html = ''
  let open: readonly Mark[] = []
  const closeTo = (length: number) => {
    for (const one of open.slice(length).toReversed()) html += `</${markTags[one.type.name]}>`
    open = open.slice(0, length)
  }
  parent.forEach(node => {
    if (node.type.name === 'upload') return
    const same = open.findIndex((one, i) => !node.marks[i]?.eq(one))
    closeTo(same < 0 ? open.length : same)
    for (const one of node.marks.slice(open.length)) html += tagWith(markTags[one.type.name] ?? '', one.attrs)
    open = node.marks
    if (node.isText) html += escapedText(node.text ?? '')
    else html += leaf(node)
  })
  closeTo(0)
  return html
}

const holdsText = new Set(['list_item', 'table_cell', 'table_header', 'figure', 'figcaption', 'div'])

const isPlain = ({ type, attrs }: Node) =>
  type.name === 'paragraph' && attrs.class === null && attrs[blockData] === null

const isBare = (node: Node | null | undefined) => node && isPlain(node) && !node.attrs.kept

function parts(parent: Node): string {
  let html = ''
  parent.forEach((node, _offset, i) => {
    const isAlone =
      holdsText.has(parent.type.name) &&
      isBare(node) &&
      !isBare(parent.maybeChild(i - 1)) &&
      !isBare(parent.maybeChild(i + 1))
    html += isAlone ? inline(node) : block(node)
  })
  return html
}

function rows(table: Node): string {
  let html = ''
  let open = ''
  table.forEach(row => {
    const own = row.attrs.section as string | null
    const section = own ?? (open === 'tfoot' ? 'tfoot' : 'tbody')
    if (section !== open) html += `${open && `</${open}>`}<${section}>`
    open = section
    html += `<tr>${parts(row)}</tr>`
  })
  return `<table>${html}</${open}></table>`
}

function cell(node: Node): string {
  const tag = node.type.name === 'table_header' ? 'th' : 'td'
  const { colspan, rowspan } = node.attrs
  const spans = { colspan: colspan === 1 ? null : colspan, rowspan: rowspan === 1 ? null : rowspan }
  return `${tagWith(tag, spans)}${parts(node)}</${tag}>`
}

function code(node: Node): string {
  const text = escapedText(node.textContent)
  if (node.attrs.code)
    return `${owned('pre', node)}${tagWith('code', { class: node.attrs.language })}${text}</code></pre>`
  // HTML drops the first line break of a `pre`: a text that begins with one needs another in front.
  return `${owned('pre', node)}${text.startsWith('\n') ? '\n' : ''}${text}</pre>`
}

const wrapped = (tag: string) => (node: Node) => `${owned(tag, node)}${parts(node)}</${tag}>`

const writers: Readonly<Record<string, (node: Node) => string>> = {
  paragraph: node => `${owned('p', node)}${inline(node)}</p>`,
  heading: node => `${owned(`h${node.attrs.level}`, node)}${inline(node)}</h${node.attrs.level}>`,
  blockquote: wrapped('blockquote'),
  div: wrapped('div'),
  figure: wrapped('figure'),
  figcaption: wrapped('figcaption'),
  bullet_list: wrapped('ul'),
  ordered_list: node => `${tagWith('ol', node.attrs)}${parts(node)}</ol>`,
  list_item: wrapped('li'),
  horizontal_rule: node => owned('hr', node),
  code_block: code,
  opaque: node => String(node.attrs.html),
  table: rows,
  table_cell: cell,
  table_header: cell,
}

const block = (node: Node): string => writers[node.type.name]?.(node) ?? ''

const isBlank = ({ childCount, firstChild }: Node): boolean =>
  childCount === 1 && firstChild !== null && isPlain(firstChild) && inline(firstChild) === ''

/** The HTML of a document. */
export const save = (doc: Node): string => (isBlank(doc) ? '' : parts(doc))
