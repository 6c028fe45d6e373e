import { isSafe } from '../../../services/content/rich-text/rules.js'
import { importAddress, isObject, type Json, memberOf, memberText, objectsIn } from '../../imports.js'
import { escapeHtml, marksOf, within } from '../../marks.js'

/** Looks up the targets of a rich text. */
export interface RichTextTargets {
  entryTitle(id: string): string | undefined
  file(id: string): { readonly title: string; readonly alt: string; readonly isPicture: boolean } | undefined
  /** @param sentence what becomes less than it was */
  lose(sentence: string): void
}

const blocks: ReadonlyMap<string, string> = new Map([
  ['paragraph', 'p'],
  ...[1, 2, 3, 4, 5, 6].map(level => [`heading-${level}`, `h${level}`] as const),
  ['blockquote', 'blockquote'],
  ['unordered-list', 'ul'],
  ['ordered-list', 'ol'],
  ['list-item', 'li'],
  ['table', 'table'],
  ['table-row', 'tr'],
  ['table-cell', 'td'],
  ['table-header-cell', 'th'],
])

const marks = marksOf('contentful')

const notes = {
  fileLink: 'Links to files in rich text become plain links',
  file: 'Files in rich text that are not images become links',
  missing: 'Entries and files in rich text that the export does not have are left out',
  other: 'Unsupported parts of rich text become plain text',
}

const escaped = (text: string): string => escapeHtml(text, /[&<>"]/g)

const contentOf = (node: Json): readonly Json[] => objectsIn(node, 'content')
const textIn = (node: Json): string =>
  node.nodeType === 'text' && typeof node.value === 'string'
    ? node.value
    : contentOf(node).map(textIn).join('')
const marksIn = (node: Json): unknown[] => objectsIn(node, 'marks').map(({ type }) => type)

const targetOf = ({ data }: Json): string => memberText(memberOf(memberOf(data, 'target'), 'sys'), 'id') ?? ''

const anchor = (address: string, html: string): string =>
  isSafe('href', address) || /^import:(?:entry|file):/.test(address)
    ? `<a href="${escaped(address)}">${html}</a>`
    : html

/** A paragraph that is code, with lines and blanks that mean something. */
const isCode = (node: Json): boolean => {
  const texts = contentOf(node)
  return (
    texts.every(one => one.nodeType === 'text' && (textIn(one) === '' || marksIn(one).includes('code'))) &&
    /\n|^\s| {2}/.test(textIn(node))
  )
}

class Writer {
  constructor(private readonly targets: RichTextTargets) {}

  all(nodes: readonly Json[]): string {
    return nodes.map(node => this.node(node)).join('')
  }

  private node(node: Json): string {
    const { nodeType } = node
    if (nodeType === 'text') return this.text(node)
    if (nodeType === 'hr') return '<hr>'
    if (nodeType === 'paragraph' && isCode(node)) return this.code(node)
    const tag = typeof nodeType === 'string' ? blocks.get(nodeType) : undefined
    if (tag === 'table') return `<table><tbody>${this.all(contentOf(node))}</tbody></table>`
    if (tag) return `<${tag}>${this.all(contentOf(node))}</${tag}>`
    return this.reference(node)
  }

  private text(node: Json, lineBreak = '<br>'): string {
    const tags = marksIn(node).flatMap(mark => marks.get(mark) ?? [])
    const html = escaped(textIn(node)).replaceAll('\n', lineBreak)
    return html && within(tags, html)
  }

  private code(node: Json): string {
    const html = contentOf(node).map(one => this.text(one, '\n'))
    // HTML leaves out a line break behind the tag.
    return `<pre>${textIn(node).startsWith('\n') ? '\n' : ''}${html.join('')}</pre>`
  }

  private reference(node: Json): string {
    const id = targetOf(node)
    switch (node.nodeType) {
      case 'hyperlink':
        return anchor(memberText(node.data, 'uri') ?? '', this.all(contentOf(node)))
      case 'entry-hyperlink':
        return this.link(node, this.targets.entryTitle(id) !== undefined && `#${importAddress('entry', id)}`)
      case 'asset-hyperlink':
        if (this.targets.file(id)) this.targets.lose(notes.fileLink)
        return this.link(node, this.targets.file(id) !== undefined && importAddress('file', id))
      case 'embedded-entry-inline':
        return this.entry(id, '#inline-')
      case 'embedded-entry-block': {
        const html = this.entry(id, '#block-')
        return html && `<p>${html}</p>`
      }
      case 'embedded-asset-block':
        return this.file(id)
      default:
        this.targets.lose(notes.other)
        return this.all(contentOf(node))
    }
  }

  private link(node: Json, address: string | false): string {
    if (address === false) this.targets.lose(notes.missing)
    const html = this.all(contentOf(node))
    return address === false ? html : anchor(address, html)
  }

  private entry(id: string, mark: string): string {
    const title = this.targets.entryTitle(id)
    if (title === undefined) this.targets.lose(notes.missing)
    return title === undefined ? '' : anchor(`${mark}${importAddress('entry', id)}`, escaped(title))
  }

  private file(id: string): string {
    const file = this.targets.file(id)
    if (!file?.isPicture) this.targets.lose(file ? notes.file : notes.missing)
    if (!file) return ''
    const address = importAddress('file', id)
    return file.isPicture
      ? `<p><img src="${escaped(address)}" alt="${escaped(file.alt)}"></p>`
      : `<p>${anchor(address, escaped(file.title))}</p>`
  }
}

/**
 * A rich text document as HTML that the rules of rich text keep, and that delivery makes the same document of.
 * @param document nested so deep at most that it can be walked by calls
 * @returns undefined for a value that is not a document
 */
export function htmlOfDocument(document: unknown, targets: RichTextTargets): string | undefined {
  if (!isObject(document) || document.nodeType !== 'document') return undefined
  return new Writer(targets).all(contentOf(document))
}
