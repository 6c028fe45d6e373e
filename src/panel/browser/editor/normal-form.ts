import { blockData } from '../../../services/content/rich-text/rules.js'

/**
 * Normal form of rich text. Two texts have the same one if a reader and a program see no difference: each mark has one
 * name, marks have a fixed order, white space is as HTML shows it, loose text is a paragraph, and empty marks are
 * dropped.
 */

const names: Readonly<Record<string, string>> = {
  b: 'strong',
  i: 'em',
  ins: 'u',
  del: 's',
  strike: 's',
}
const marking = new Set('a strong em u s sub sup code'.split(' '))
const blockTags = new Set(
  'blockquote div figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
const wraps = new Set(['body', 'blockquote'])

const nameOf = (element: Element) => names[element.localName] ?? element.localName

function attributesOf(element: Element): string {
  const isSpan = (name: string) => name === 'colspan' || name === 'rowspan'
  return [...element.attributes]
    .filter(({ name, value }) => !(isSpan(name) && value === '1'))
    .map(({ name, value }) => `${name}=${JSON.stringify(value)}`)
    .toSorted()
    .join(' ')
}

interface Piece {
  /** The text itself; the tag if the piece is not text. */
  text: string
  isTag: boolean
  marks: string
}

/** White space collapses across marks, and disappears at the ends of a line. */
function asShown(pieces: readonly Piece[]): string {
  let after = true
  const shown: Piece[] = []
  for (const piece of pieces) {
    if (piece.isTag) {
      if (piece.text === 'br') trimEnd(shown)
      shown.push(piece)
      after = piece.text === 'br'
      continue
    }
    let text = piece.text.replaceAll(/[ \t\r\n\f]+/g, ' ')
    if (after) text = text.replace(/^ /, '')
    if (text === '') continue
    after = text.endsWith(' ')
    const last = shown.at(-1)
    if (last && !last.isTag && last.marks === piece.marks) last.text += text
    else shown.push({ ...piece, text })
  }
  trimEnd(shown)
  return shown
    .map(({ text, isTag, marks }) => `${marks}${isTag ? `<${text}>` : JSON.stringify(text)}`)
    .join('')
}

function trimEnd(pieces: Piece[]): void {
  for (let last = pieces.at(-1); last && !last.isTag; last = pieces.at(-1)) {
    last.text = last.text.replace(/ $/, '')
    if (last.text !== '') return
    pieces.pop()
  }
}

class Normal {
  readonly lines: string[] = []
  private pieces: Piece[] = []

  children(element: Element, parent: string, marks: ReadonlySet<string>): void {
    for (const node of element.childNodes)
      if (node instanceof Element) this.element(node, parent, marks)
      else if (node.nodeType === 3) this.text(node.nodeValue ?? '', marks)
      else this.lines.push(`comment ${node.nodeValue}`)
  }

  element(element: Element, parent: string, marks: ReadonlySet<string>): void {
    const name = nameOf(element)
    const attributes = attributesOf(element)
    if (name === 'span' && attributes === '') this.children(element, parent, marks)
    else if (name === 'a' && attributes === '') this.children(element, parent, marks)
    else if (marking.has(name) || (name === 'span' && !element.hasAttribute(blockData)))
      this.children(element, parent, withMark(marks, name, attributes))
    else if (name === 'br' || name === 'img' || (name === 'span' && !element.hasChildNodes()))
      this.pieces.push({
        text: `${name}${attributes && ` ${attributes}`}`,
        isTag: true,
        marks: marksText(marks),
      })
    else this.block(element, name, attributes, parent, marks)
  }

  block(
    element: Element,
    name: string,
    attributes: string,
    parent: string,
    marks: ReadonlySet<string>,
  ): void {
    this.flush(parent)
    this.lines.push(`<${blockTags.has(name) ? name : `?${name}`} ${attributes}`)
    if (name === 'pre') this.lines.push(preformatted(element))
    else if (!blockTags.has(name)) this.lines.push(element.innerHTML)
    else {
      this.children(element, name, marks)
      this.flush(name)
    }
    this.lines.push('>')
  }

  text(text: string, marks: ReadonlySet<string>): void {
    this.pieces.push({ text, isTag: false, marks: marksText(marks) })
  }

  flush(parent: string): void {
    const shown = asShown(this.pieces)
    this.pieces = []
    if (shown === '') return
    if (wraps.has(parent)) this.lines.push('<p ', shown, '>')
    else this.lines.push(shown)
  }
}

function withMark(marks: ReadonlySet<string>, name: string, attributes: string): ReadonlySet<string> {
  const others = name === 'a' ? [...marks].filter(one => !one.startsWith('a ')) : marks
  return new Set([...others, `${name} ${attributes}`])
}
const marksText = (marks: ReadonlySet<string>) => [...marks].toSorted().join(',')

/** The text of a `pre` counts as it is. It may have one element, a `code` around all of it, to be plain code. */
function preformatted(pre: Element): string {
  const [only] = pre.children
  const isCode = only?.localName === 'code' && only.attributes.length === 0 && pre.childNodes.length === 1
  const inner = isCode ? only : pre
  return inner.children.length === 0 && ![...inner.childNodes].some(node => node.nodeType !== 3)
    ? `${isCode ? 'code ' : ''}${JSON.stringify(inner.textContent)}`
    : inner.outerHTML
}

function normalForm(body: HTMLElement): string {
  const normal = new Normal()
  normal.children(body, 'body', new Set())
  normal.flush('body')
  const text = normal.lines.join('\n')
  return text === '<p \n>' ? '' : text
}

export const isSame = (one: HTMLElement, other: HTMLElement): boolean => normalForm(one) === normalForm(other)
