import { isObject, type Json, memberOf, memberText } from '../imports.js'
import { escapeHtml } from '../marks.js'

/** Mobiledoc 0.3: sections of markers, which open and close marks by their numbers. */

type Card = (name: string, payload: Json) => string

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const listIn = (value: unknown, name: string): readonly unknown[] => listOf(memberOf(value, name))

const markTag = /^(?:a|strong|b|em|i|s|u|code|sub|sup)$/i
const sectionTag = /^(?:p|h[1-6]|blockquote)$/

class Writer {
  constructor(
    private readonly document: unknown,
    private readonly card: Card,
  ) {}

  section = (given: unknown): string => {
    const [kind, first, second] = listOf(given)
    if (kind === 10) return this.cardAt(Number(first))
    if (kind === 3) {
      const tag = first === 'ol' ? 'ol' : 'ul'
      const items = listOf(second).map(item => `<li>${this.markers(item)}</li>`)
      return `<${tag}>${items.join('')}</${tag}>`
    }
    if (kind !== 1) return ''
    const isAside = first === 'aside' || first === 'pull-quote'
    const tag = isAside ? 'blockquote' : (sectionTag.exec(String(first))?.[0] ?? 'p')
    return `<${tag}>${this.markers(second)}</${tag}>`
  }

  private cardAt(at: number): string {
    const [name, payload] = listOf(listIn(this.document, 'cards')[at])
    const own = isObject(payload) ? payload : {}
    const markdown = memberText(own, 'markdown')
    return markdown === undefined
      ? this.card(String(name), own)
      : `<pre>${escapeHtml(markdown, /[&<>]/g)}</pre>`
  }

  private markers(given: unknown): string {
    const open: string[] = []
    const pieces: string[] = []
    for (const marker of listOf(given)) {
      const [kind, opened, closed, value] = listOf(marker)
      for (const at of listOf(opened)) {
        const [tag, start] = this.markAt(Number(at))
        open.push(tag)
        pieces.push(start)
      }
      pieces.push(kind === 0 ? escapeHtml(String(value ?? ''), /[&<>]/g) : this.atomAt(Number(value)))
      for (let i = 0; i < Number(closed) && open.length > 0; i++) pieces.push(`</${open.pop()}>`)
    }
    while (open.length > 0) pieces.push(`</${open.pop()}>`)
    return pieces.join('')
  }

  private markAt(at: number): readonly [tag: string, start: string] {
    const [name, attributes] = listOf(listIn(this.document, 'markups')[at])
    const tag = markTag.exec(String(name))?.[0].toLowerCase() ?? 'span'
    const own = listOf(attributes)
    const href = tag === 'a' ? own[own.indexOf('href') + 1] : undefined
    return [tag, typeof href === 'string' ? `<a href="${escapeHtml(href)}">` : `<${tag}>`]
  }

  private atomAt(at: number): string {
    const [name] = listOf(listIn(this.document, 'atoms')[at])
    return name === 'soft-return' ? '<br>' : ''
  }
}

/** @param card writes what the editor has as a card */
export function ofMobiledoc(document: unknown, card: Card): string {
  const writer = new Writer(document, card)
  return listIn(document, 'sections').map(writer.section).join('')
}
