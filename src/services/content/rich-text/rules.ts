import { limits } from '../../../limits.js'

/** The elements, attributes and addresses that rich text may have, and its bounds. */

interface TextNode {
  readonly type: 'text'
  readonly value: string
}
export interface Element {
  readonly type: 'element'
  readonly tagName: string
  readonly properties: Readonly<Record<string, string>>
  readonly children: Child[]
}
export type Child = Element | TextNode
export interface Root {
  readonly type: 'root'
  readonly children: Child[]
}

/**
 * A text within these is read in a few milliseconds. An article of 200 KB has some 5,000 parts and ten levels.
 */
export const bounds = {
  length: limits.content.richTextCharacters,
  /** Elements, texts and comments, and ends that end nothing. */
  parts: 16_000,
  depth: 100,
  /** Characters of addresses, each counted for every text in its link, for a format may repeat it there. */
  links: 1_000_000,
}

/**
 * A block as Portable Text has it, as JSON: an object of its own type where the element is a `div` or `span`, else the
 * members that HTML has nothing for. What the element contains is for those who do not know the type.
 */
export const blockData = 'data-block'
/** A mark of a text as Portable Text has it, as JSON: a name, or an annotation. */
export const markData = 'data-mark'

/** Elements that are kept, with their attributes. Of any other only the content is kept. */
export const kept: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    a: ['href', 'title', 'target', 'rel', 'class', markData],
    audio: ['src', 'controls', 'loop', 'preload', 'class'],
    b: [],
    blockquote: ['class'],
    br: [],
    code: ['class'],
    dd: ['class'],
    del: [],
    details: ['open', 'class'],
    div: ['class', blockData],
    dl: ['class'],
    dt: ['class'],
    em: [],
    figcaption: ['class'],
    figure: ['class'],
    h1: ['class', blockData],
    h2: ['class', blockData],
    h3: ['class', blockData],
    h4: ['class', blockData],
    h5: ['class', blockData],
    h6: ['class', blockData],
    hr: ['class'],
    i: [],
    iframe: ['src', 'title', 'width', 'height', 'allowfullscreen', 'loading', 'class'],
    img: ['src', 'alt', 'title', 'width', 'height', 'class', blockData],
    ins: [],
    li: ['class'],
    ol: ['start', 'class'],
    p: ['class', blockData],
    pre: ['class', blockData],
    s: [],
    source: ['src', 'type'],
    span: ['class', blockData, markData],
    strike: [],
    strong: [],
    sub: [],
    summary: ['class'],
    sup: [],
    table: ['class'],
    tbody: [],
    td: ['colspan', 'rowspan', 'class'],
    tfoot: [],
    th: ['colspan', 'rowspan', 'class'],
    thead: [],
    tr: [],
    u: [],
    ul: ['class'],
    video: [
      'src',
      'poster',
      'controls',
      'loop',
      'muted',
      'playsinline',
      'preload',
      'width',
      'height',
      'class',
    ],
  }).map(([name, attributes]) => [name, new Set(attributes)]),
)

/** Sites whose players and maps a text may show in a frame. */
const frameHosts: ReadonlySet<string> = new Set([
  ...['www.youtube.com', 'www.youtube-nocookie.com', 'player.vimeo.com', 'videopress.com'],
  ...['www.dailymotion.com', 'embed.ted.com', 'player.twitch.tv', 'open.spotify.com', 'w.soundcloud.com'],
  ...['codepen.io', 'datawrapper.dwcdn.net', 'www.openstreetmap.org', 'www.google.com', 'archive.org'],
])
const framePaths: Readonly<Record<string, RegExp>> = { 'www.google.com': /^\/maps\/embed(?=\?|$)/ }

/** Whether a frame may show an address: by HTTPS, of a site that is named here. */
export function isFrame(address: string): boolean {
  if (!/^(?:https:)?\/\//i.test(address) || !URL.canParse(address, 'https://x')) return false
  const { host, pathname, search, username } = new URL(address, 'https://x')
  const path = Object.hasOwn(framePaths, host) ? framePaths[host] : undefined
  return username === '' && frameHosts.has(host) && (path?.test(pathname + search) ?? true)
}

/** Elements in which only their own end is a tag. They are dropped with everything in them; of a frame only that. */
export const rawText: ReadonlySet<string> = new Set(['script', 'style', 'iframe'])
/** Elements that are dropped with everything in them. */
export const dropped: ReadonlySet<string> = new Set(['template', 'object', 'noscript', 'svg', 'math'])

/** Elements of HTML that end a drawing (`svg`), as the standard of HTML says: its own end was forgotten. */
export const endsDrawing: ReadonlySet<string> = new Set(
  'b blockquote br code dd div dl dt em h1 h2 h3 h4 h5 h6 hr i img li ol p pre s small span strike strong sub sup table u ul'.split(
    ' ',
  ),
)

/** Elements without content. */
export const voids: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'source'])

/** Elements that play something, for which other formats have nothing. */
export const players: ReadonlySet<string> = new Set(['audio', 'iframe', 'video'])

export const sections: ReadonlySet<string> = new Set(['tbody', 'thead', 'tfoot'])
export const cells: ReadonlySet<string> = new Set(['td', 'th'])

/** Elements that mark text, which may overlap. */
export const marking: ReadonlySet<string> = new Set(
  'a b code del em i ins s span strike strong sub sup u'.split(' '),
)

/** Elements whose beginning ends a paragraph. */
export const endsParagraph: ReadonlySet<string> = new Set(
  'blockquote dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre summary table ul'.split(
    ' ',
  ),
)

const schemes: Readonly<Record<string, RegExp>> = {
  href: /^(https?|mailto|tel)$/i,
  src: /^https?$/i,
  poster: /^https?$/i,
}
/** Values of attributes that say how something is shown. */
const words: Readonly<Record<string, RegExp>> = {
  target: /^_blank$/i,
  rel: /^[a-z -]{1,100}$/i,
  class: /^[^\p{Cc}]{1,1000}$/u,
}

/** Whether an attribute may have the value: an address needs a scheme that runs nothing, or none. */
export function isSafe(attribute: string, value: string): boolean {
  if (Object.hasOwn(words, attribute)) return words[attribute]?.test(value) ?? false
  const allowed = schemes[attribute]
  if (!allowed) return true
  const end = value.search(/[:/?#]/)
  return end < 0 || value[end] !== ':' || allowed.test(value.slice(0, end))
}

/** Returns a text without any element as rich text: one paragraph. */
export const paragraph = (value: string): Element => ({
  type: 'element',
  tagName: 'p',
  properties: {},
  children: [{ type: 'text', value }],
})
