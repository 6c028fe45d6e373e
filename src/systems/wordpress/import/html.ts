import { decodeHTML } from 'entities/decode'
import { parseRichText } from '../../../services/content/rich-text/parse.js'
import type { Child, Element } from '../../../services/content/rich-text/rules.js'
import { htmlOf } from '../../../services/delivery/rich-text/html.js'
import { atOnce } from '../../../turns.js'
import { lostElements, lostFrames } from '../../lost-elements.js'
import type { WordpressNotes } from './notes.js'
import { withParagraphs } from './paragraphs.js'
import { type LibraryPicture, withMedia, withPlayers } from './shortcodes.js'

/** The text of HTML. */
export const plainText = (html: string): string => decodeHTML(html.replaceAll(/<[a-z/!][^<>]*>/gi, '')).trim()

/** The text of HTML in one line. */
export const oneLine = (html: string): string => plainText(html).replaceAll(/\s+/g, ' ')

const excerptWords = 55

/** The excerpt of a post without its own, as lists of posts show it: the text above the "more" mark, or nothing. */
export function textAboveMore(content: string): string {
  const end = content.search(/<!--more(?:\s[^<>]{0,400})?-->/)
  if (end < 0) return ''
  const text = plainText(content.slice(0, end).replaceAll(/\[[^[\]]{0,2000}\]/g, ' '))
  const words = text.split(/\s+/, excerptWords + 1)
  return words.length > excerptWords ? `${words.slice(0, excerptWords).join(' ')} […]` : words.join(' ')
}

/** Looks up the targets that bodies refer to. */
export interface BodyReferences {
  /** The address to store for one that a body has; undefined where it stays. */
  addressOf(address: string): string | undefined
  sharedBlock(id: number): string | undefined
  picture(id: number): LibraryPicture | undefined
  /** The pictures that were uploaded to a post. */
  attachedTo(post: number): readonly number[]
}

const blockStart = '<!-- wp:'
const emptyBlock = /<!--\s+wp:([a-z][a-z0-9/-]*)\s+(\{[^\n]{0,4000}?\}\s+)?\/-->/g
const shortcode = /\[([a-z][a-z0-9_-]{1,60})(?=[\s\]/])([^[\]<>]{0,2000})\]/gi
/** Shortcodes of WordPress itself; others are recognised by their settings or their end. */
const commonShortcodes: ReadonlySet<string> = new Set(['gallery', 'playlist', 'audio', 'video', 'embed'])

/** The caption of `[caption caption="Seen"]`, as WordPress wrote them before version 3.4. */
const captionIn = (settings: string): string | undefined => {
  const [, double, single] = /\scaption=(?:"([^"]*)"|'([^']*)')/.exec(settings) ?? []
  return double ?? single
}

/** The content without settings of captions, such as their width, which no reader sees. */
export const withPlainCaptions = (content: string): string =>
  content.replaceAll(/\[\/?caption\b[^\][]*\]/g, settings => ` ${captionIn(settings) ?? ''} `)

const imageEnd = /<img\b[^<>]{0,4000}>(?:\s*<\/a>)?/i

/** Attributes that name links, pictures and files. */
const addressed = ['href', 'src', 'poster'] as const

const holdsPartsOnly: ReadonlySet<string> = new Set([
  'ul',
  'ol',
  'table',
  'thead',
  'tbody',
  'tfoot',
  'tr',
  'figure',
])

const withoutBlanks = (tagName: string, children: readonly Child[]): readonly Child[] =>
  holdsPartsOnly.has(tagName)
    ? children.filter(node => node.type === 'element' || node.value.trim() !== '')
    : children

/** The size of a smaller picture, as the name of its file says it, for the file here is the whole one. */
function sizeOf({ src = '', width, height }: Element['properties']): Element['properties'] {
  const found = /-(\d{1,5})x(\d{1,5})\.[a-z]{3,4}$/i.exec(src)
  const [, wide = '', high = ''] = found ?? []
  return found && width === undefined && height === undefined ? { width: wide, height: high } : {}
}

/** Makes HTML of bodies as rich text has it. */
export class Bodies {
  constructor(
    private readonly references: BodyReferences,
    private readonly notes: WordpressNotes,
  ) {}

  /** @param post the id of the post whose body it is */
  html(content: string, post = 0): string {
    const { notes } = this
    for (const name of lostElements(content)) notes.count('elements', name)
    for (const host of lostFrames(content)) notes.count('frames', host)
    const isBlocks = content.includes(blockStart)
    const whole = isBlocks ? this.withSharedBlocks(content) : content
    const captioned = this.captioned(this.shown(whole, post))
    this.countShortcodes(captioned)
    const { root, problem } = parseRichText(captioned)
    if (problem !== undefined) notes.count('bounds')
    const children = isBlocks ? withoutBlanks('ul', root.children) : withParagraphs(root.children)
    return atOnce(htmlOf({ type: 'root', children: children.map(child => this.linked(child)) }))
  }

  /** The content with players and galleries in place of their addresses and shortcodes. */
  shown(content: string, post: number): string {
    const playing = withPlayers(content, content.includes(blockStart))
    const { references } = this
    return withMedia(playing, {
      picture: id => references.picture(id),
      get attached() {
        return references.attachedTo(post)
      },
    })
  }

  private withSharedBlocks(content: string): string {
    return content.replaceAll(emptyBlock, (comment: string, name: string, settings = '') => {
      const id = name === 'block' ? /"ref":(\d{1,15})/.exec(settings)?.[1] : undefined
      const shared = id === undefined ? undefined : this.references.sharedBlock(Number(id))
      if (shared === undefined) this.notes.count('dynamicBlocks', name)
      return shared ?? comment
    })
  }

  private captioned(content: string): string {
    const [start, end] = ['[caption', '[/caption]']
    const pieces: string[] = []
    let at = 0
    for (;;) {
      const from = content.indexOf(start, at)
      const inside = from < 0 ? -1 : content.indexOf(']', from) + 1
      const to = inside <= 0 ? -1 : content.indexOf(end, inside)
      if (to < 0) break
      const inner = content.slice(inside, to)
      const image = imageEnd.exec(inner)
      const setting = captionIn(content.slice(from, inside))
      const split = setting === undefined ? (image ? image.index + image[0].length : 0) : inner.length
      const caption = (setting ?? inner.slice(split)).trim()
      const figure = `<figure>${inner.slice(0, split)}<figcaption>${caption}</figcaption></figure>`
      pieces.push(content.slice(at, from), caption === '' ? inner : figure)
      at = to + end.length
    }
    pieces.push(content.slice(at))
    return pieces.join('')
  }

  private countShortcodes(content: string): void {
    const ends = new Set([...content.matchAll(/\[\/([a-z][a-z0-9_-]{1,60})\]/gi)].map(([, name]) => name))
    for (const [, name = '', settings = ''] of content.matchAll(shortcode))
      if (commonShortcodes.has(name) || ends.has(name) || settings.includes('='))
        this.notes.count('shortcodes', name)
  }

  private linked(node: Child): Child {
    if (node.type === 'text') return node
    const { tagName, properties, children } = node
    const found = addressed.flatMap(name => {
      const known = properties[name] && this.references.addressOf(properties[name])
      return known === undefined || known === '' ? [] : [[name, known]]
    })
    const isSmaller = tagName === 'img' && found.length > 0
    return {
      ...node,
      properties: { ...properties, ...Object.fromEntries(found), ...(isSmaller ? sizeOf(properties) : {}) },
      children: withoutBlanks(tagName, children).map(child => this.linked(child)),
    }
  }
}
