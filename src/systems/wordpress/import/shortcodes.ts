import { escapeHtml } from '../../marks.js'

/** A picture of the media library. */
export interface LibraryPicture {
  readonly address: string
  readonly alt: string
  readonly caption: string
}

/** The pictures that a text can show. */
export interface Library {
  picture(id: number): LibraryPicture | undefined
  /** Ids of the pictures that were uploaded to the post itself, which a gallery without ids shows. */
  readonly attached: readonly number[]
}

const frameOf = (address: string): string =>
  `<iframe src="${escapeHtml(address)}" width="500" height="281" allowfullscreen></iframe>`

const players: readonly (readonly [RegExp, (id: string) => string])[] = [
  [
    /^https?:\/\/(?:www\.|m\.)?youtube\.com\/(?:watch\?(?:[^#]*&)?v=|shorts\/|embed\/)([\w-]{5,20})/i,
    id => `https://www.youtube.com/embed/${id}?feature=oembed`,
  ],
  [/^https?:\/\/youtu\.be\/([\w-]{5,20})/i, id => `https://www.youtube.com/embed/${id}?feature=oembed`],
  [/^https?:\/\/(?:www\.)?vimeo\.com\/(\d{3,15})(?=$|[?#])/i, id => `https://player.vimeo.com/video/${id}`],
]

/** The frame that WordPress shows for an address alone; undefined for a site that is not known here. */
function playerOf(address: string): string | undefined {
  for (const [pattern, made] of players) {
    const id = pattern.exec(address)?.[1]
    if (id !== undefined) return frameOf(made(id))
  }
  return undefined
}

const wrapped = /(<div class="wp-block-embed__wrapper">)\s*(https?:\/\/[^\s<>"]{1,2000})\s*(?=<\/div>)/g
const alone = /^[ \t]*(https?:\/\/[^\s<>"]{1,2000})[ \t]*$/gm
const embed = /\[embed[^[\]<>]{0,200}\]\s*(https?:\/\/[^\s<>"[\]]{1,2000})\s*\[\/embed\]/gi

/** Content with frames in place of the addresses of videos that stand alone. */
export function withPlayers(content: string, isBlocks: boolean): string {
  const found = content
    .replaceAll(wrapped, (whole, start: string, address: string) => {
      const frame = playerOf(address)
      return frame === undefined ? whole : start + frame
    })
    .replaceAll(embed, (whole, address: string) => playerOf(address) ?? whole)
  return isBlocks ? found : found.replaceAll(alone, (whole, address: string) => playerOf(address) ?? whole)
}

const shown = /\[(gallery|audio|video)(?=[\s\]])([^[\]<>]{0,2000})\](?:\s*\[\/(?:audio|video)\])?/gi
const setting = /([a-z0-9_]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/gi

const settingsIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(setting)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      double ?? single ?? bare ?? '',
    ]),
  )

/** `[audio https://…]`, as WordPress took it too. */
const bareAddress = /^\s*(https?:\/\/[^\s"'<>]+)\s*$/

const playable = ['src', 'mp4', 'm4v', 'webm', 'ogv', 'mp3', 'm4a', 'ogg', 'wav', 'flac']

function playing(tag: string, settings: ReadonlyMap<string, string>, given: string): string | undefined {
  const src =
    playable.map(name => settings.get(name)).find(address => address) ?? bareAddress.exec(given)?.[1]
  if (src === undefined) return undefined
  const kept = ['poster', 'width', 'height'].flatMap(name => {
    const value = tag === 'video' ? settings.get(name) : undefined
    return value ? ` ${name}="${escapeHtml(value)}"` : []
  })
  return `<${tag} controls src="${escapeHtml(src)}"${kept.join('')}></${tag}>`
}

function galleryOf(settings: ReadonlyMap<string, string>, library: Library): string | undefined {
  const given = settings.get('ids') ?? settings.get('include')
  const ids = given?.split(',').map(Number) ?? library.attached
  const pictures = ids.flatMap(id => library.picture(id) ?? [])
  if (pictures.length === 0) return undefined
  const columns = /^[1-9]$/.test(settings.get('columns') ?? '') ? settings.get('columns') : '3'
  const figures = pictures.map(({ address, alt, caption }) => {
    const below = caption === '' ? '' : `<figcaption class="wp-element-caption">${caption}</figcaption>`
    return `<figure class="wp-block-image"><img src="${escapeHtml(address)}" alt="${escapeHtml(alt)}">${below}</figure>`
  })
  return `<figure class="wp-block-gallery has-nested-images columns-${columns}">${figures.join('')}</figure>`
}

/** Content with galleries and players in place of their shortcodes. Those without a file that is known stay. */
export const withMedia = (content: string, library: Library): string =>
  content.replaceAll(shown, (whole, name: string, given: string) => {
    const [tag, settings] = [name.toLowerCase(), settingsIn(given)]
    return (tag === 'gallery' ? galleryOf(settings, library) : playing(tag, settings, given)) ?? whole
  })
