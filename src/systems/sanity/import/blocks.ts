import { blockData, isSafe, markData } from '../../../services/content/rich-text/rules.js'
import type { Notes } from '../../../services/import/notes.js'
import { importAddress, isObject, memberOf, memberText } from '../../imports.js'
import { escapeHtml, marksOf, within } from '../../marks.js'
import { contentOf, isBlock, isImage, referenceOf, type SanityObject, typeOf } from './objects.js'

/** The parts of the export that texts refer to. */
export interface TextWorld {
  readonly notes: Notes
  hasEntry(key: string): boolean
  fileIn(image: SanityObject, place: string): string | undefined
  /** The value as JSON, in which `import:entry:` and `import:file:` stand for ids. */
  json(value: unknown, place: string): unknown
}

const markTags = marksOf('sanity')
const otherNames: ReadonlyMap<unknown, string> = new Map([
  ['subscript', 'sub'],
  ['superscript', 'sup'],
  ['strikethrough', 's'],
])
const styles: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote'])
const maxLevel = 20
/** Members of a picture that HTML can express. */
const isPlainMember: ReadonlySet<string> = new Set(['_type', '_key', '_sanityAsset', 'asset', 'alt'])
const isPlainLink = (definition: unknown): boolean =>
  typeOf(definition) === 'link' &&
  memberText(definition, 'href') !== undefined &&
  Object.keys(definition as object).every(name => ['_type', '_key', 'href'].includes(name))

const inText = (text: string): string =>
  escapeHtml(text.replaceAll('\r\n', '\n'), /[&<>]/g).replaceAll('\n', '<br>')
const inAttribute = (text: string): string => escapeHtml(text, /[&<>"]/g)

const mostLevels = 20
const hasWords = (value: unknown): value is string =>
  typeof value === 'string' && /\S\s+\S/.test(value) && !/^[a-z]+:\S*$/i.test(value)

/** The texts in an object, for those who do not know its type. */
function textsOf(value: unknown, level = 0): string {
  if (hasWords(value)) return `<p>${inText(value)}</p>`
  if (level > mostLevels || typeof value !== 'object' || value === null) return ''
  if (isBlock(value)) {
    const text = listIn(value, 'children').map(child => memberText(child, 'text') ?? '')
    return `<p>${inText(text.join(''))}</p>`
  }
  const parts = Array.isArray(value) ? value : isObject(value) ? contentOf(value).map(([, part]) => part) : []
  return parts.map(part => textsOf(part, level + 1)).join('')
}

const listIn = (value: unknown, name: string): readonly unknown[] => {
  const member = memberOf(value, name)
  return Array.isArray(member) ? member : []
}

/** Writes Portable Text as HTML, so that it is read back from that as nearly the same blocks. */
class BlockWriter {
  private readonly pieces: string[] = []
  private readonly lists: string[] = []

  constructor(
    private readonly world: TextWorld,
    private readonly place: string,
  ) {}

  write(blocks: readonly unknown[]): string {
    for (const block of blocks) {
      if (!isBlock(block)) this.closeLists(0)
      if (isBlock(block)) this.block(block)
      else if (isImage(block)) this.pieces.push(this.image(block, tag => `<p>${tag}</p>`))
      else this.embedded(block)
    }
    this.closeLists(0)
    return this.pieces.join('')
  }

  private note(sentence: string, detail = ''): void {
    this.world.notes.add(sentence, detail ? `${this.place}: ${detail.slice(0, 100)}` : this.place)
  }

  private embedded(value: unknown): void {
    const code = /code/i.test(typeOf(value) ?? '') ? memberText(value, 'code') : undefined
    if (code !== undefined && isObject(value)) {
      const { code: _, ...others } = value
      this.pieces.push(`<pre${this.data(blockData, others)}>\n${escapeHtml(code, /[&<>]/g)}</pre>`)
    } else if (typeOf(value) === undefined) this.note('Values without a type in rich text are left out')
    else {
      this.note('Blocks of own types are kept as they are')
      this.pieces.push(`<div${this.data(blockData, value)}>${textsOf(value)}</div>`)
    }
  }

  private image(value: unknown, around: (tag: string) => string): string {
    const key = isObject(value) ? this.world.fileIn(value, this.place) : undefined
    if (key === undefined) return ''
    const others = Object.entries(isObject(value) ? value : {}).filter(
      ([name, member]) => !isPlainMember.has(name) && member !== null,
    )
    if (typeOf(value) !== 'image') others.unshift(['_type', typeOf(value)])
    const own = others.length > 0 ? this.data(blockData, Object.fromEntries(others)) : ''
    const alt = inAttribute(memberText(value, 'alt') ?? '')
    return around(`<img src="${importAddress('file', key)}" alt="${alt}"${own}>`)
  }

  private block(block: SanityObject): void {
    const style = memberText(block, 'style') ?? 'normal'
    const listItem = memberText(block, 'listItem')
    const isList = listItem === 'bullet' || listItem === 'number'
    const isKnown = new Set([
      '_type',
      '_key',
      'children',
      'markDefs',
      ...(isList ? ['listItem', 'level'] : []),
    ])
    if (style === 'normal' || styles.has(style)) isKnown.add('style')
    const others = Object.entries(block).filter(([name, member]) => !isKnown.has(name) && member !== null)
    const own = others.length > 0 ? this.data(blockData, Object.fromEntries(others)) : ''
    const inner = this.inline(block)
    if (!isList) {
      this.closeLists(0)
      this.pieces.push(this.paragraph(style, inner, own))
      return
    }
    const level = memberOf(block, 'level')
    this.openList(
      listItem === 'number' ? 'ol' : 'ul',
      typeof level === 'number' ? Math.min(Math.max(Math.trunc(level), 1), maxLevel) : 1,
    )
    const isParagraph = styles.has(style) || own !== '' || inner.trim() === ''
    this.pieces.push(isParagraph ? this.paragraph(style, inner, own) : inner)
  }

  private paragraph(style: string, inner: string, own: string): string {
    if (style === 'blockquote') return `<blockquote><p${own}>${inner}</p></blockquote>`
    const tag = styles.has(style) ? style : 'p'
    return `<${tag}${own}>${inner}</${tag}>`
  }

  private data(name: string, value: unknown): string {
    return ` ${name}="${inAttribute(JSON.stringify(this.world.json(value, this.place)))}"`
  }

  private openList(tag: string, level: number): void {
    this.closeLists(level)
    if (this.lists.length === level && this.lists.at(-1) !== tag) this.closeLists(level - 1)
    if (this.lists.length === level) this.pieces.push('</li><li>')
    while (this.lists.length < level) {
      this.lists.push(tag)
      this.pieces.push(`<${tag}><li>`)
    }
  }

  private closeLists(level: number): void {
    while (this.lists.length > level) this.pieces.push(`</li></${this.lists.pop()}>`)
  }

  private inline(block: SanityObject): string {
    const definitions = new Map(listIn(block, 'markDefs').map(one => [memberText(one, '_key'), one]))
    return listIn(block, 'children')
      .map(child => {
        if (typeof memberOf(child, 'text') === 'string') return this.span(child, definitions)
        if (isImage(child)) return this.image(child, tag => tag)
        if (typeOf(child) === undefined) {
          this.note('Values without a type in rich text are left out')
          return ''
        }
        this.note('Blocks of own types are kept as they are')
        return `<span${this.data(blockData, child)}></span>`
      })
      .join('')
  }

  private span(span: unknown, definitions: ReadonlyMap<string | undefined, unknown>): string {
    let html = inText(memberText(span, 'text') ?? '')
    let isLinked = false
    const marks = [...new Set(listIn(span, 'marks'))].filter(mark => typeof mark === 'string')
    const tags = marks.flatMap(mark => {
      const other = definitions.has(mark) ? undefined : otherNames.get(mark)
      if (other !== undefined) this.note('Marks are returned under their new names', mark)
      return definitions.has(mark) ? [] : (markTags.get(mark) ?? other ?? [])
    })
    html = within(tags, html)
    for (const mark of marks) {
      const definition = definitions.get(mark)
      const isPlain = definition === undefined && (markTags.has(mark) || otherNames.has(mark))
      if (isPlain) continue
      const href: string | undefined = isLinked ? undefined : this.linkOf(definition)
      isLinked ||= href !== undefined
      const own = isPlainLink(definition) ? '' : this.data(markData, definition ?? mark)
      if (href === undefined) html = own === '' ? html : `<span${own}>${html}</span>`
      else html = `<a href="${inAttribute(href)}"${own}>${html}</a>`
    }
    return html
  }

  private linkOf(definition: unknown): string | undefined {
    const members = isObject(definition) ? contentOf(definition) : []
    const chosen = memberText(definition, 'linkType') ?? memberText(definition, 'type') ?? ''
    const address = memberText(definition, 'href') ?? memberText(definition, 'url')
    const key =
      referenceOf(memberOf(definition, chosen)) ??
      (address === undefined || /^intern/i.test(chosen)
        ? [definition, ...members.map(([, value]) => value)].flatMap(value => referenceOf(value) ?? [])[0]
        : undefined)
    if (key !== undefined) return this.toEntry(key)
    if (address === undefined) return undefined
    if (isSafe('href', address)) return address
    this.note('Links with addresses that rich text does not allow are left out')
    return undefined
  }

  private toEntry(key: string): string | undefined {
    if (!this.world.hasEntry(key)) {
      this.note('References to documents that the export does not have are left out')
      return undefined
    }
    return importAddress('entry', key)
  }
}

/**
 * Portable Text as HTML, in which `import:entry:` and `import:file:` stand for addresses.
 * @param place what notes call it, such as `post.body`
 */
export const htmlOfBlocks = (blocks: readonly unknown[], world: TextWorld, place: string): string =>
  new BlockWriter(world, place).write(blocks)
