import { isSafe } from '../../../services/content/rich-text/rules.js'
import type { Notes } from '../../../services/import/notes.js'
import { importAddress, isObject, memberOf, memberText } from '../../imports.js'
import { escapeHtml, marksOf, within } from '../../marks.js'
import { contentOf, isBlock, isImage, referenceOf, type SanityObject, typeOf } from './objects.js'

/** The parts of the export that texts refer to. */
export interface TextWorld {
  readonly notes: Notes
  hasEntry(key: string): boolean
  fileIn(image: SanityObject, place: string): string | undefined
}

const markTags = marksOf('sanity')
const otherNames: ReadonlyMap<unknown, string> = new Map([
  ['subscript', 'sub'],
  ['superscript', 'sup'],
  ['strikethrough', 's'],
])
const styles: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote'])
const maxLevel = 20
const kept: ReadonlySet<string> = new Set(['asset', 'alt'])

const inText = (text: string): string =>
  escapeHtml(text.replaceAll('\r\n', '\n'), /[&<>]/g).replaceAll('\n', '<br>')
const inAttribute = (text: string): string => escapeHtml(text, /[&<>"]/g)

const nameOf = (mark: unknown): string => (typeof mark === 'string' ? mark : typeof mark)

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
    if (code === undefined) this.note('Unsupported objects in rich text are left out', typeOf(value))
    else {
      this.note('Code in rich text loses its language, and is returned as plain blocks')
      this.pieces.push(`<pre>\n${escapeHtml(code, /[&<>]/g)}</pre>`)
    }
  }

  private image(value: unknown, around: (tag: string) => string): string {
    const key = isObject(value) ? this.world.fileIn(value, this.place) : undefined
    if (key === undefined) return ''
    if (typeOf(value) !== 'image')
      this.note('Images in rich text are returned as blocks of the type image', typeOf(value))
    for (const [name] of isObject(value) ? contentOf(value) : [])
      if (!kept.has(name)) this.note('Images in rich text keep only their alt text', name)
    const alt = inAttribute(memberText(value, 'alt') ?? '')
    return around(`<img src="${importAddress('file', key)}" alt="${alt}">`)
  }

  private block(block: SanityObject): void {
    const style = memberText(block, 'style') ?? 'normal'
    if (style !== 'normal' && !styles.has(style))
      this.note('Styles that rich text does not support are left out', style)
    const inner = this.inline(block)
    const listItem = memberText(block, 'listItem')
    if (listItem === undefined) {
      this.closeLists(0)
      this.pieces.push(this.paragraph(style, inner))
      return
    }
    if (listItem !== 'bullet' && listItem !== 'number')
      this.note('Lists of other types become bullet lists', listItem)
    const level = memberOf(block, 'level')
    this.openList(
      listItem === 'number' ? 'ol' : 'ul',
      typeof level === 'number' ? Math.min(Math.max(Math.trunc(level), 1), maxLevel) : 1,
    )
    this.pieces.push(styles.has(style) || inner.trim() === '' ? this.paragraph(style, inner) : inner)
  }

  private paragraph(style: string, inner: string): string {
    if (style === 'blockquote') return `<blockquote><p>${inner}</p></blockquote>`
    const tag = styles.has(style) ? style : 'p'
    return `<${tag}>${inner}</${tag}>`
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
        this.note('Unsupported objects in rich text are left out', typeOf(child))
        return ''
      })
      .join('')
  }

  private span(span: unknown, definitions: ReadonlyMap<string | undefined, unknown>): string {
    let href: string | undefined
    const tags = [...new Set(listIn(span, 'marks'))].flatMap(mark => {
      const definition = typeof mark === 'string' ? definitions.get(mark) : undefined
      if (definition !== undefined) {
        href ??= this.linkOf(definition)
        return []
      }
      const other = otherNames.get(mark)
      if (other !== undefined) this.note('Marks are returned under their new names', nameOf(mark))
      const tag = markTags.get(mark) ?? other
      if (tag === undefined) this.note('Marks that rich text does not support are left out', nameOf(mark))
      return tag ?? []
    })
    const inner = within(tags, inText(memberText(span, 'text') ?? ''))
    return href === undefined ? inner : `<a href="${inAttribute(href)}">${inner}</a>`
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
    if ((key ?? address) !== undefined && typeOf(definition) !== 'link')
      this.note('Links in rich text are returned as annotations of the type link', typeOf(definition))
    if (key !== undefined) return this.toEntry(key)
    if (address === undefined) {
      this.note('Annotations of text other than links are left out', typeOf(definition))
      return undefined
    }
    if (members.some(([name, value]) => !/^(?:href|url|linkType|type)$/.test(name) && value !== false))
      this.note('Links in rich text keep only their address, not whether they open in a new window')
    if (isSafe('href', address)) return address
    this.note('Links with addresses that rich text does not allow are left out')
    return undefined
  }

  private toEntry(key: string): string | undefined {
    if (!this.world.hasEntry(key)) {
      this.note('References to documents that the export does not have are left out')
      return undefined
    }
    this.note('Links to documents in rich text become links to their addresses')
    return importAddress('entry', key)
  }
}

/**
 * Portable Text as HTML, in which `import:entry:` and `import:file:` stand for addresses.
 * @param place what notes call it, such as `post.body`
 */
export const htmlOfBlocks = (blocks: readonly unknown[], world: TextWorld, place: string): string =>
  new BlockWriter(world, place).write(blocks)
