import { importAddress, isObject, type Json, memberOf, memberText, objectsIn } from '../../imports.js'
import { escapeHtml, marksOf, within } from '../../marks.js'

const marks = marksOf('strapi')

const maxDepth = 40

const textIn = (block: Json, name: string): string => memberText(block, name) ?? ''
const childrenOf = (block: Json): readonly Json[] => objectsIn(block, 'children')

function textHtml(block: Json, lineBreak: string): string {
  const text = escapeHtml(textIn(block, 'text')).replaceAll('\n', lineBreak)
  const tags = [...marks].flatMap(([name, tag]) => (memberOf(block, String(name)) === true ? [tag] : []))
  return text && within(tags.reverse(), text)
}

const languageOf = (block: Json): string => {
  const language = memberText(block, 'language') ?? ''
  return /^[a-z0-9+#.-]{1,40}$/i.test(language) ? ` class="language-${language}"` : ''
}

/** The value of an editor of blocks as HTML. Pictures that are files of the export are named by `import:file:`. */
export class BlocksHtml {
  /** @param fileOf the key of the file that has the address or, without an extension, the stored name */
  constructor(private readonly fileOf: (addressOrHash: string) => string | undefined) {}

  of(blocks: readonly unknown[]): string {
    return blocks.map(block => (isObject(block) ? this.block(block, 0) : '')).join('')
  }

  private inside(block: Json, depth: number, lineBreak = '<br>'): string {
    if (depth > maxDepth) return ''
    return childrenOf(block)
      .map(child => {
        if (memberOf(child, 'type') === 'text') return textHtml(child, lineBreak)
        return this.block(child, depth + 1)
      })
      .join('')
  }

  private block(block: Json, depth: number): string {
    const inside = () => this.inside(block, depth)
    switch (memberOf(block, 'type')) {
      case 'paragraph':
        return `<p>${inside()}</p>`
      case 'heading': {
        const level = Number(memberOf(block, 'level'))
        const tag = Number.isInteger(level) && level >= 1 && level <= 6 ? `h${level}` : 'h2'
        return `<${tag}>${inside()}</${tag}>`
      }
      case 'quote':
        return `<blockquote><p>${inside()}</p></blockquote>`
      case 'code':
        return `<pre><code${languageOf(block)}>${this.inside(block, depth, '\n')}</code></pre>`
      case 'list':
        return this.list(block, depth)
      case 'link':
        return `<a href="${escapeHtml(textIn(block, 'url'))}">${inside()}</a>`
      case 'image':
        return this.image(block)
      default:
        return inside()
    }
  }

  private list(block: Json, depth: number): string {
    if (depth > maxDepth) return ''
    const tag = memberOf(block, 'format') === 'ordered' ? 'ol' : 'ul'
    const items: string[] = []
    for (const child of childrenOf(block)) {
      const isList = memberOf(child, 'type') === 'list'
      const html = isList ? this.block(child, depth + 1) : this.inside(child, depth + 1)
      const last = items.length - 1
      if (isList && last >= 0) items[last] += html
      else items.push(html)
    }
    return `<${tag}>${items.map(item => `<li>${item}</li>`).join('')}</${tag}>`
  }

  private image(block: Json): string {
    const image = memberOf(block, 'image')
    if (!isObject(image)) return ''
    const url = textIn(image, 'url')
    const key = this.fileOf(textIn(image, 'hash')) ?? this.fileOf(url)
    const src = key === undefined ? url : importAddress('file', key)
    return `<img src="${escapeHtml(src)}" alt="${escapeHtml(textIn(image, 'alternativeText'))}">`
  }
}
