import { isDeep } from '../../services/delivery/formats/typed-value.js'
import type { Notes } from '../../services/import/notes.js'
import { isObject, type Json, memberOf, memberText, objectsIn } from '../imports.js'
import { escapeHtml, within } from '../marks.js'
import type { GhostPost } from './export.js'
import { ofMobiledoc } from './mobiledoc.js'

/** Texts of posts as HTML. Exports have HTML for most posts, and only the text of the editor for the others. */

const maxDepth = 100

function parsed(text: string): unknown {
  if (text === '' || isDeep(text, maxDepth)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The bits of `format` of a text. */
const formats = [
  [1, 'strong'],
  [2, 'em'],
  [4, 's'],
  [8, 'u'],
  [16, 'code'],
  [32, 'sub'],
  [64, 'sup'],
] as const

const image = (node: Json): string => {
  const src = memberText(node, 'src')
  if (src === undefined) return ''
  const caption = memberText(node, 'caption')
  const tag = `<img src="${escapeHtml(src)}" alt="${escapeHtml(memberText(node, 'alt') ?? '')}">`
  // Captions are HTML.
  return `<figure>${tag}${caption ? `<figcaption>${caption}</figcaption>` : ''}</figure>`
}

const link = (url: string | undefined, text: string): string =>
  url === undefined ? text : `<a href="${escapeHtml(url)}">${text}</a>`

class NodeWriter {
  constructor(
    private readonly notes: Notes,
    private readonly place: string,
  ) {}

  all = (node: unknown): string => objectsIn(node, 'children').map(this.one).join('')

  one = (node: Json): string => {
    const type = memberText(node, 'type') ?? ''
    switch (type.replace(/^extended-/, '')) {
      case 'text': {
        const bits = Number(memberOf(node, 'format') ?? 0)
        const tags = formats.flatMap(([bit, tag]) => (bits & bit ? tag : []))
        return within(tags, escapeHtml(memberText(node, 'text') ?? '', /[&<>]/g))
      }
      case 'linebreak':
        return '<br>'
      case 'link':
      case 'autolink':
        return link(memberText(node, 'url'), this.all(node))
      case 'paragraph':
        return `<p>${this.all(node)}</p>`
      case 'heading': {
        const tag = /^h[1-6]$/.exec(memberText(node, 'tag') ?? '')?.[0] ?? 'h2'
        return `<${tag}>${this.all(node)}</${tag}>`
      }
      case 'quote':
      case 'aside':
        return `<blockquote><p>${this.all(node)}</p></blockquote>`
      case 'list': {
        const tag = memberText(node, 'listType') === 'number' ? 'ol' : 'ul'
        return `<${tag}>${this.all(node)}</${tag}>`
      }
      case 'listitem':
        return `<li>${this.all(node)}</li>`
      case 'root':
        return this.all(node)
      default:
        return this.card(type, node)
    }
  }

  /** Writes a card of the editor, in the names of Lexical or of Mobiledoc. */
  card(type: string, node: Json): string {
    switch (type) {
      case 'horizontalrule':
      case 'hr':
        return '<hr>'
      case 'image':
        return image(node)
      case 'gallery':
        return objectsIn(node, 'images').map(image).join('')
      case 'codeblock':
      case 'code':
        return `<pre><code>${escapeHtml(memberText(node, 'code') ?? '', /[&<>]/g)}</code></pre>`
      case 'html':
        return memberText(node, 'html') ?? ''
      case 'callout':
        return `<blockquote>${memberText(node, 'calloutText') ?? ''}</blockquote>`
      case 'toggle':
        return `<h4>${memberText(node, 'heading') ?? ''}</h4>${memberText(node, 'content') ?? ''}`
      case 'bookmark':
        return `<p>${link(memberText(node, 'url'), escapeHtml(memberText(memberOf(node, 'metadata'), 'title') ?? memberText(node, 'url') ?? ''))}</p>`
      case 'file':
        return `<p>${link(memberText(node, 'src'), escapeHtml(memberText(node, 'fileTitle') ?? memberText(node, 'fileName') ?? ''))}</p>`
      case 'button':
        return `<p>${link(memberText(node, 'buttonUrl'), escapeHtml(memberText(node, 'buttonText') ?? ''))}</p>`
      default:
        this.notes.add('Cards that rich text does not support are left out', type || this.place)
        return ''
    }
  }
}

/** The text of a post as HTML: its own, or else that of the editor. */
export function htmlOfPost({ id, html, lexical, mobiledoc }: GhostPost, notes: Notes): string {
  if (html.trim() !== '') return html
  const writer = new NodeWriter(notes, `post ${id}`)
  const root = memberOf(parsed(lexical), 'root')
  if (isObject(root)) return writer.one(root)
  const document = parsed(mobiledoc)
  if (document !== undefined) return ofMobiledoc(document, (name, payload) => writer.card(name, payload))
  if (lexical !== '' || mobiledoc !== '') notes.add('Texts that cannot be read are left out', `post ${id}`)
  return ''
}
