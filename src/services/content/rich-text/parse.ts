import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import {
  bounds,
  dropped,
  endsDrawing,
  isFrame,
  isSafe,
  kept,
  paragraph,
  type Root,
  rawText,
} from './rules.js'
import { TreeBuilder } from './tree-builder.js'

interface Parsed {
  /** The allowed parts, within the bounds: beyond them elements are dropped and their text stays. */
  readonly root: Root
  readonly problem: string | undefined
}

const problems: Readonly<Record<keyof typeof bounds, string>> = {
  length: `is longer than ${bounds.length} characters`,
  parts: `has more than ${bounds.parts} elements and texts`,
  depth: `is nested deeper than ${bounds.depth} elements`,
  links: `has more than ${bounds.links} characters of addresses in its links`,
}

const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13 && code !== 11)
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const [slash, equals, greater, bang, question] = [...'/=>!?'].map(mark => mark.charCodeAt(0))

/** Reads HTML once from the beginning to the end, so in a time that grows with its length and no faster. */
class Parser {
  private readonly tree = new TreeBuilder()
  private at = 0
  /** The element that is left out, and how many of its name are open in it. */
  private leftOut = ''
  private leftOutDepth = 0

  constructor(private readonly html: string) {
    if (html.length > bounds.length) this.tree.exceeded.add('length')
  }

  parse(): Parsed {
    const { html, tree } = this
    while (this.at < html.length && tree.hasRoom()) this.next()
    const rest = html.slice(this.at)
    if (rest !== '') tree.root.children.push(paragraph(decodeHTML(rest.replaceAll(/<[^<>]*>/g, ' '))))
    const [exceeded] = tree.exceeded
    return { root: tree.root, problem: exceeded && problems[exceeded] }
  }

  private next(): void {
    const { html } = this
    let open = html.indexOf('<', this.at)
    while (open >= 0 && !this.isMarkup(open + 1)) open = html.indexOf('<', open + 1)
    this.text(html.slice(this.at, open < 0 ? html.length : open))
    this.at = open < 0 ? html.length : open
    if (open < 0 || !this.tree.hasRoom()) return
    this.at++
    const code = html.charCodeAt(this.at)
    if (isLetter(code)) this.startTag()
    else if (code === slash && isLetter(html.charCodeAt(this.at + 1))) this.endTag()
    else this.skipComment(html.startsWith('!--', this.at) ? '-->' : '>', this.at + 1)
  }

  private isMarkup(at: number): boolean {
    const code = this.html.charCodeAt(at)
    return isLetter(code) || code === slash || code === bang || code === question
  }

  private text(given: string): void {
    if (given === '' || this.leftOut !== '') return
    this.tree.count()
    this.tree.text(decodeHTML(given.replaceAll('\r\n', '\n').replaceAll('\0', '')))
  }

  private skipComment(mark: string, from: number): void {
    this.tree.count()
    this.skipTo(mark, from)
  }

  private startTag(): void {
    this.tree.count()
    const name = this.name()
    const attributes = kept.get(name)
    const tag = this.attributes(attributes)
    if (!tag) return
    if (this.leftOut === 'svg' && endsDrawing.has(name)) this.leftOut = ''
    if (rawText.has(name)) {
      this.skipRawText(name)
      if (this.leftOut === '' && attributes && isFrame(tag.properties.src ?? '')) {
        this.tree.start(name, tag.properties)
        this.tree.end(name)
      }
    } else if (this.leftOut !== '') {
      if (name === this.leftOut && !tag.closed) this.leftOutDepth++
    } else if (dropped.has(name)) {
      if (tag.closed && (name === 'svg' || name === 'math')) return
      this.leftOut = name
      this.leftOutDepth = 1
    } else if (attributes) this.tree.start(name, tag.properties)
  }

  private endTag(): void {
    this.at++
    const name = this.name()
    if (!this.attributes(undefined)) return
    if (this.leftOut === '') this.tree.end(name)
    else if (name === this.leftOut && --this.leftOutDepth === 0) this.leftOut = ''
  }

  private name(): string {
    const from = this.at
    while (this.at < this.html.length && !this.endsName(this.html.charCodeAt(this.at))) this.at++
    return this.html.slice(from, this.at).toLowerCase()
  }

  private endsName = (code: number) => isSpace(code) || code === slash || code === greater

  /**
   * Reads to the end of a tag.
   * @param wanted the attributes that are kept
   * @returns undefined when the text ends in it
   */
  private attributes(wanted: ReadonlySet<string> | undefined) {
    const { html } = this
    const properties: Record<string, string> = {}
    let closed = false
    while (this.at < html.length) {
      const code = html.charCodeAt(this.at)
      if (code === greater) {
        this.at++
        return { properties, closed }
      }
      closed = code === slash
      if (closed || isSpace(code)) {
        this.at++
        continue
      }
      const name = this.attributeName()
      const value = this.attributeValue()
      if (wanted?.has(name) && !Object.hasOwn(properties, name) && isSafe(name, value))
        properties[name] = value
    }
    return undefined
  }

  private attributeName(): string {
    const from = this.at++
    while (this.at < this.html.length) {
      const code = this.html.charCodeAt(this.at)
      if (code === equals || this.endsName(code)) break
      this.at++
    }
    return this.html.slice(from, this.at).toLowerCase()
  }

  private attributeValue(): string {
    const { html } = this
    this.skipSpace()
    if (html.charCodeAt(this.at) !== equals) return ''
    this.at++
    this.skipSpace()
    const quote = html[this.at]
    const from = this.at
    if (quote === '"' || quote === "'") {
      this.skipTo(quote, from + 1)
      return decodeHTMLAttribute(html.slice(from + 1, this.at - 1))
    }
    while (this.at < html.length) {
      const code = html.charCodeAt(this.at)
      if (isSpace(code) || code === greater) break
      this.at++
    }
    return decodeHTMLAttribute(html.slice(from, this.at))
  }

  private skipSpace(): void {
    while (isSpace(this.html.charCodeAt(this.at))) this.at++
  }

  private skipTo(mark: string, from: number): void {
    const found = this.html.indexOf(mark, from)
    this.at = found < 0 ? this.html.length : found + mark.length
  }

  private skipRawText(name: string): void {
    const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
    end.lastIndex = this.at
    const found = end.exec(this.html)
    this.at = found ? found.index : this.html.length
    if (!found) return
    this.at += 2 + name.length
    this.attributes(undefined)
  }
}

/** HTML as a tree. */
export const parseRichText = (html: string): Parsed => new Parser(html).parse()
