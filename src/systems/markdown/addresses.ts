import { trimmed, trimmedEnd, uriDecoded } from '../../services/text.js'
import type { Place } from './places.js'
import type { SiteSettings } from './settings.js'

/** The address of a page, and others that led to it. */
export interface PageAddress {
  readonly path: string
  readonly formerly: readonly string[]
}

const textIn = (members: ReadonlyMap<string, unknown>, name: string): string | undefined => {
  const value = members.get(name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** One text, or a list of them. Jekyll separates tags in one text by blanks, others by commas. */
export function textsIn(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  return list.flatMap(one =>
    typeof one === 'string' || typeof one === 'number'
      ? String(one).trim() === ''
        ? []
        : [String(one).trim()]
      : [],
  )
}

/** A part of an address without the characters that none can have. */
const cleaned = (part: string): string =>
  uriDecoded(part)
    .normalize('NFC')
    .trim()
    .replaceAll(/[\s\\?#%]+/g, '-')

/** Returns a text as a part of an address: `Sea & Sand` as `sea-sand`. */
export const slugified = (text: string): string =>
  trimmed(
    text
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-'),
    '-',
  )

const withoutDay = (part: string): string => part.replace(/^\d{4}-\d\d-\d\d-(?=.)/, '')

/** @returns undefined for a pattern with words that only the generator knows */
function expanded(pattern: string, words: ReadonlyMap<string, string | undefined>): string | undefined {
  let isWhole = true
  const path = pattern.replaceAll(/:([a-z_]+)/g, (_, word: string) => {
    const value = words.get(word)
    if (value === undefined) isWhole = false
    return value ?? ''
  })
  return isWhole ? path : undefined
}

function wordsFor(
  { parts, section }: Place,
  members: ReadonlyMap<string, unknown>,
  day: string | undefined,
): ReadonlyMap<string, string | undefined> {
  const name = withoutDay(parts.at(-1) ?? '')
  const [year, month, date] = day?.split('-') ?? []
  const slug = textIn(members, 'slug')
  const categories = [...textsIn(members.get('categories')), ...textsIn(members.get('category'))]
  const shown = (text: string | undefined) => text && String(Number(text))
  const title = slugified(textIn(members, 'title') ?? name)
  const isJekyll = parts.some(part => part.startsWith('_'))
  return new Map([
    ...Object.entries({
      year,
      month,
      day: date,
      short_year: year?.slice(2),
      i_month: shown(month),
      i_day: shown(date),
    }),
    ...Object.entries({ slug: slug ?? (isJekyll ? name : title), name, basename: name }),
    ...Object.entries({ slugorfilename: slug ?? parts.at(-1), slugorcontentbasename: slug ?? parts.at(-1) }),
    ...Object.entries({
      filename: parts.at(-1),
      contentbasename: parts.at(-1),
      section,
      collection: section,
    }),
    ...Object.entries({
      sections: parts.slice(0, -1).join('/'),
      path: parts.slice(parts[0]?.startsWith('_') ? 1 : 0).join('/'),
      categories: categories.map(slugified).join('/'),
      // Jekyll means the name of the file by it.
      title: isJekyll ? (slug ?? name) : title,
    }),
  ])
}

function ownPath(
  place: Place,
  members: ReadonlyMap<string, unknown>,
  settings: SiteSettings,
  day: string | undefined,
): string {
  const given = textIn(members, 'url') ?? textIn(members, 'permalink')
  const pattern = given?.includes('{') ? undefined : (given ?? settings.patternFor(place.section))
  const found =
    pattern && !/^https?:/i.test(pattern) ? expanded(pattern, wordsFor(place, members, day)) : undefined
  if (found !== undefined) return found
  const parts = place.parts
    .filter(part => part !== '_posts' && part !== '_drafts')
    .map(part => part.replace(/^_/, ''))
  const slug = textIn(members, 'slug')
  if (slug?.includes('/')) return slug
  const last = parts.pop()
  const isDated = place.section === 'posts' || settings.isEleventy
  const own = slug ?? (last !== undefined && isDated ? withoutDay(last) : last)
  const path = [...parts, ...(own === undefined ? [] : [own])].join('/')
  const isInPosts = place.parts.includes('_posts') || place.parts.includes('_drafts')
  return isInPosts ? `posts/${path}` : settings.isJekyll ? path : path.toLowerCase()
}

/** A path as a slug: with one `/` in front, none behind, and without the name of a file of HTML. */
const rooted = (path: string): string =>
  `/${path
    .replace(/(?:^|\/)index\.html?$/i, '')
    .replace(/\.html?$/i, '')
    .split('/')
    .map(cleaned)
    .filter(part => part !== '' && part !== '.' && part !== '..')
    .join('/')}`

/** @param day when the page was published, as its author wrote it */
export function addressOf(
  place: Place,
  members: ReadonlyMap<string, unknown>,
  settings: SiteSettings,
  day: string | undefined,
): PageAddress {
  const own = ownPath(place, members, settings, day)
  const path = rooted(own)
  const isPretty = own.endsWith('/') || own === ''
  const html = settings.isJekyll && !isPretty && path !== '/' ? [`${path}.html`] : []
  const listed = ['aliases', 'redirect_from'].flatMap(name => textsIn(members.get(name)))
  const parent = path.slice(0, path.lastIndexOf('/') + 1)
  const aliases = listed
    .filter(address => !/^[a-z]+:/i.test(address))
    .map(address => trimmedEnd(address.startsWith('/') ? address : `${parent}${address}`, '/') || '/')
  return { path, formerly: [...new Set([...html, ...aliases])].filter(address => address !== path) }
}

/** The name that an address means in a folder, such as `posts/a.png` for `../a.png` in `posts/b/`. */
export function joined(folder: string, address: string): string {
  const parts: string[] = []
  for (const part of [...folder.split('/'), ...address.split('/')])
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  return parts.join('/')
}
