import { badRequest } from '../../../errors.js'
import { type Lists, type Records, recordAt, recordsOf } from '../../../services/import/records.js'
import type { ExportFiles } from '../../../services/import/site.js'
import type { UnreadRecord } from '../../../services/import/unread.js'
import { uriDecoded } from '../../../services/text.js'
import type { ZonedTime } from '../zone.js'
import { parseXml, type XmlElement } from './xml.js'

/** An export of WordPress (WXR), in its own terms. */
export interface WordpressExport {
  readonly base: URL
  readonly authors: readonly WordpressAuthor[]
  readonly terms: readonly WordpressTerm[]
  /** By their ids, and read anew whenever they are asked for: there are many. */
  readonly items: WordpressItems
  /** Records that cannot be read, or that another one comes before. */
  readonly unread: readonly UnreadRecord[]
}

interface WordpressAuthor {
  readonly id: number
  readonly login: string
  readonly name: string
}

/** All values of each name, in their order. */
export type Metas = ReadonlyMap<string, readonly string[]>

export interface WordpressTerm {
  /** None for a term that only posts name. */
  readonly id: number | undefined
  readonly taxonomy: string
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly parent: string
  readonly metas: Metas
}

/** A post of any type, attachments and settings too. */
export interface WordpressItem {
  readonly id: number
  readonly type: string
  readonly status: string
  readonly title: string
  readonly link: string
  readonly author: string
  readonly date: string | undefined
  /** As far as is known: the earlier of the date and the last change. */
  readonly createdAt: string | undefined
  /** When it was changed last; its date, where the export does not say. */
  readonly changedAt: string | undefined
  readonly zoned: ZonedTime | undefined
  readonly slug: string
  readonly parent: number
  readonly menuOrder: number
  readonly isProtected: boolean
  readonly isSticky: boolean
  readonly url: string
  readonly terms: readonly Pick<WordpressTerm, 'taxonomy' | 'slug' | 'name'>[]
  readonly comments: number
  /** Reads the long parts, which are not in memory. */
  readonly texts: () => WordpressTexts
}

export interface WordpressTexts {
  readonly content: string
  readonly excerpt: string
  readonly metas: Metas
}

type WholeItem = Omit<WordpressItem, 'texts'> & WordpressTexts

interface WordpressItems extends Records<WordpressItem> {
  /** Where the items of each type are among all, in the order in which a type occurs first. */
  readonly types: ReadonlyMap<string, readonly number[]>
  of(type: string): Records<WordpressItem>
  withId(id: number): WordpressItem | undefined
}

const childText = ({ children }: XmlElement, name: string): string =>
  children.find(child => child.name === name)?.text ?? ''
const numberOf = (element: XmlElement, name: string): number => {
  const text = childText(element, name).trim()
  return /^-?\d{1,15}$/.test(text) ? Number(text) : 0
}
const allOf = ({ children }: XmlElement, name: string): XmlElement[] =>
  children.filter(child => child.name === name)

function metasOf(element: XmlElement, name: string): Metas {
  const metas = new Map<string, string[]>()
  for (const meta of allOf(element, name)) {
    const key = childText(meta, 'wp:meta_key')
    const value = childText(meta, 'wp:meta_value')
    const known = metas.get(key)
    if (known) known.push(value)
    else metas.set(key, [value])
  }
  return metas
}

const dateText = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** A date of a draft is `0000-00-00 00:00:00` in UTC. */
function dateOf(item: XmlElement, what: 'date' | 'modified'): string | undefined {
  for (const name of [`wp:post_${what}_gmt`, `wp:post_${what}`]) {
    const text = childText(item, name).trim()
    const date = dateText.test(text) ? new Date(`${text.replace(' ', 'T')}Z`) : undefined
    if (date && !Number.isNaN(date.getTime()) && !text.startsWith('0000')) return date.toISOString()
  }
  return undefined
}

const itemTerms = (item: XmlElement): WordpressItem['terms'] =>
  allOf(item, 'category').flatMap(({ attributes, text }) => {
    const [domain = '', nicename = ''] = [attributes.get('domain'), attributes.get('nicename')]
    if (domain === '' || nicename === '') return []
    // The first exports called it so.
    const taxonomy = domain === 'tag' ? 'post_tag' : domain
    return [{ taxonomy, slug: uriDecoded(nicename), name: text }]
  })

function zonedDate(item: XmlElement): ZonedTime | undefined {
  const [utc = Number.NaN, local = Number.NaN] = ['wp:post_date_gmt', 'wp:post_date'].map(name => {
    const text = childText(item, name).trim()
    return dateText.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : Number.NaN
  })
  const minutes = (local - utc) / 60_000
  return Math.abs(minutes) <= 14 * 60 ? { utc, minutes } : undefined
}

function itemOf(item: XmlElement): WholeItem | undefined {
  const id = numberOf(item, 'wp:post_id')
  const date = dateOf(item, 'date')
  if (id <= 0) return undefined
  return {
    id,
    type: childText(item, 'wp:post_type').trim() || 'post',
    status: childText(item, 'wp:status').trim(),
    title: childText(item, 'title'),
    zoned: zonedDate(item),
    link: childText(item, 'link').trim(),
    author: childText(item, 'dc:creator').trim(),
    content: childText(item, 'content:encoded'),
    excerpt: childText(item, 'excerpt:encoded'),
    date,
    changedAt: dateOf(item, 'modified') ?? date,
    createdAt: [date, dateOf(item, 'modified')].flatMap(time => time ?? []).sort()[0],
    slug: uriDecoded(childText(item, 'wp:post_name').trim()),
    parent: numberOf(item, 'wp:post_parent'),
    menuOrder: numberOf(item, 'wp:menu_order'),
    isProtected: childText(item, 'wp:post_password') !== '',
    isSticky: numberOf(item, 'wp:is_sticky') === 1,
    url: childText(item, 'wp:attachment_url').trim(),
    terms: itemTerms(item),
    metas: metasOf(item, 'wp:postmeta'),
    comments: allOf(item, 'wp:comment').length,
  }
}

const termElements = [
  { element: 'wp:category', taxonomy: 'category', slug: 'wp:category_nicename', prefix: 'wp:category' },
  { element: 'wp:tag', taxonomy: 'post_tag', slug: 'wp:tag_slug', prefix: 'wp:tag' },
  { element: 'wp:term', taxonomy: '', slug: 'wp:term_slug', prefix: 'wp:term' },
]

function* termsOf(channel: XmlElement): Generator<WordpressTerm> {
  for (const { element, taxonomy, slug, prefix } of termElements)
    for (const term of allOf(channel, element))
      yield {
        id: numberOf(term, 'wp:term_id') || undefined,
        taxonomy: taxonomy || childText(term, 'wp:term_taxonomy').trim(),
        slug: uriDecoded(childText(term, slug).trim()),
        name: childText(term, element === 'wp:category' ? 'wp:cat_name' : `${prefix}_name`),
        description: childText(term, `${prefix}_description`),
        parent: uriDecoded(childText(term, `${prefix}_parent`).trim()),
        metas: metasOf(term, 'wp:termmeta'),
      }
}

const authorOf = (author: XmlElement): WordpressAuthor => ({
  id: numberOf(author, 'wp:author_id'),
  login: childText(author, 'wp:author_login').trim(),
  name: childText(author, 'wp:author_display_name'),
})

/** Such as `old.xml: line 12: Hello`. */
function placeOf(element: XmlElement, file: string): string {
  const name = ['title', 'link', 'wp:author_display_name']
    .map(child => childText(element, child).trim())
    .find(text => text !== '')
  return `${file}: line ${element.line}${name === undefined ? '' : `: ${name.slice(0, 100)}`}`
}

const isSame = (a: WholeItem, b: WholeItem): boolean =>
  a.type === b.type && a.title === b.title && a.content === b.content

/** A copy without the text of which the parts are pieces: the parser's are those of the whole file. */
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** The records at some places of a list. */
export const chosenOf = <T>(all: Records<T>, places: readonly number[]): Records<T> =>
  recordsOf(places.length, i => recordAt(all, recordAt(places, i)))

class Gathered {
  base: URL | undefined
  readonly authors = new Map<string, WordpressAuthor>()
  readonly terms = new Map<string, WordpressTerm>()
  /** The places of items in the list, by their ids. */
  private readonly places = new Map<number, number>()
  private readonly typeNames: string[] = []
  private readonly knownTypes = new Map<string, string>()
  readonly unread: UnreadRecord[] = []

  /** The authors and terms that items of a file name. Exports of a part of a site list neither. */
  private readonly named = {
    authors: new Set<string>(),
    terms: new Map<string, WordpressItem['terms'][number]>(),
  }

  private readonly list

  constructor(lists: Lists) {
    this.list = lists.make<WholeItem>()
  }

  get items(): WordpressItems {
    const { list, places, typeNames } = this
    const ids = [...places.keys()].sort((a, b) => a - b)
    const at = (place: number): WordpressItem => {
      const { content, excerpt, metas, ...others } = recordAt(list, place)
      return { ...others, texts: () => ({ content, excerpt, metas }) }
    }
    const placeOf = (i: number) => places.get(recordAt(ids, i)) ?? -1
    const types = new Map<string, number[]>()
    for (const i of ids.keys()) {
      const type = recordAt(typeNames, placeOf(i))
      const own = types.get(type)
      if (own) own.push(i)
      else types.set(type, [i])
    }
    const all = recordsOf(ids.length, i => at(placeOf(i)))
    return {
      ...{ length: ids.length, at: all.at, [Symbol.iterator]: all[Symbol.iterator], types },
      of: type => chosenOf(all, types.get(type) ?? []),
      withId(id) {
        const place = places.get(id)
        return place === undefined ? undefined : at(place)
      },
    }
  }

  addItem(element: XmlElement, file: string): void {
    const unread = (reason: string) => this.unread.push({ place: placeOf(element, file), reason })
    const item = itemOf(element)
    if (!item) {
      unread('it has no id (wp:post_id)')
      return
    }
    const known = this.places.get(item.id)
    // Exports of parts of a site have some items twice.
    if (known !== undefined && !isSame(recordAt(this.list, known), item))
      unread(`another item has its id ${item.id} (wp:post_id)`)
    if (known === undefined) {
      this.places.set(item.id, this.list.length)
      this.typeNames.push(this.typeNamed(item.type))
      this.list.push(item)
    }
    for (const term of item.terms) {
      const key = `${term.taxonomy}:${term.slug}`
      if (!this.named.terms.has(key)) this.named.terms.set(key, copyOf(term))
    }
    if (!this.named.authors.has(item.author)) this.named.authors.add(copyOf(item.author))
  }

  /** Only one text of each name stays in memory. */
  private typeNamed(type: string): string {
    const known = this.knownTypes.get(type) ?? copyOf(type)
    this.knownTypes.set(known, known)
    return known
  }

  /** Adds the rest of a file, when its items are there. */
  add(channel: XmlElement, file: string): void {
    this.setBase(childText(channel, 'wp:base_blog_url').trim() || childText(channel, 'link').trim(), file)
    for (const element of allOf(channel, 'wp:author')) {
      const author = authorOf(element)
      if (author.login !== '') this.addAuthor(author)
      else this.unread.push({ place: placeOf(element, file), reason: 'it has no login (wp:author_login)' })
    }
    for (const term of termsOf(channel)) this.addTerm(term)
    for (const term of this.named.terms.values())
      this.addTerm({ ...term, id: undefined, description: '', parent: '', metas: new Map() })
    for (const login of this.named.authors) this.addAuthor({ id: 0, login, name: login })
  }

  private setBase(address: string, file: string): void {
    if (!/^https?:/i.test(address) || !URL.canParse(address))
      throw badRequest(`${file}: the URL of the site (wp:base_blog_url) is missing`)
    const base = new URL(address)
    if (this.base && (this.base.host !== base.host || this.base.pathname !== base.pathname))
      throw badRequest(`${file}: the site is ${base.host}, but the previous file has ${this.base.host}`)
    this.base = base
  }

  private addAuthor(author: WordpressAuthor): void {
    const known = this.authors.get(author.login)
    if (author.login !== '' && (!known || (known.id === 0 && author.id > 0)))
      this.authors.set(author.login, author)
  }

  private addTerm(term: WordpressTerm): void {
    const key = `${term.taxonomy}:${term.slug}`
    if (term.slug === '' || term.taxonomy === '') return
    const known = this.terms.get(key)
    if (!known || (known.id === undefined && term.id !== undefined)) this.terms.set(key, term)
  }
}

/**
 * Reads exports of one site: the files whose names end in `.xml` or `.wxr`, or the only file.
 * @throws HttpError 400 that names the file and the place
 */
export async function readWordpressExport(files: ExportFiles, lists: Lists): Promise<WordpressExport> {
  const { names } = files
  const isExport = (name: string) => /\.(?:xml|wxr)$/i.test(name) && !/(?:^|\/)(?:\.|__MACOSX\/)/.test(name)
  const chosen = names.length === 1 ? names : names.filter(isExport).sort()
  if (chosen.length === 0)
    throw badRequest('the export has no .xml file: create one in WordPress under Tools > Export')
  const gathered = new Gathered(lists)
  for (const name of chosen) {
    const rss = await parseXml(files.lines(name), name, element => {
      const isItem = element.name === 'item'
      if (isItem) gathered.addItem(element, name)
      return isItem
    })
    const channel = rss.children.find(child => child.name === 'channel')
    if (rss.name !== 'rss' || !channel?.children.some(child => child.name === 'wp:wxr_version'))
      throw badRequest(`${name}: it is not an export of WordPress (RSS with wp:wxr_version)`)
    gathered.add(channel, name)
  }
  const { base, authors, terms, items, unread } = gathered
  if (!base) throw badRequest('there is no export')
  return { base, authors: [...authors.values()], terms: [...terms.values()], items, unread }
}
