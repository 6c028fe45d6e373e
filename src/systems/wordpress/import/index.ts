import { type Lists, type Records, recordAt, recordsOf } from '../../../services/import/records.js'
import {
  type ImportedEntry,
  type ImportedField,
  type ImportedType,
  type ImportedValue,
  type ReadLargeExport,
  readingInMemory,
  type SiteRecords,
} from '../../../services/import/site.js'
import { sizeOfText, sizeOfValues, sumOf } from '../../../services/import/size.js'
import { isSlugText, trimmed } from '../../../services/text.js'
import { byTime } from '../../imports.js'
import { type ZonedTime, zoneOf } from '../zone.js'
import {
  chosenOf,
  type Metas,
  readWordpressExport,
  type WordpressExport,
  type WordpressItem,
  type WordpressTerm,
  type WordpressTexts,
} from './export.js'
import { CustomFields, type FieldReferences, fieldName, labelOf } from './fields.js'
import { fileKey, importedFiles, pictureOf } from './files.js'
import { Bodies, oneLine, plainText, textAboveMore, withPlainCaptions } from './html.js'
import { acfFields, metaValues } from './metas.js'
import { WordpressNotes } from './notes.js'
import { WordpressPlaces } from './places.js'

const isPicture = /\.(?:jpe?g|png|gif|webp|avif|svg|bmp|heic)$/i
const ofTheSite =
  /^(?:revision|nav_menu_item|wp_(?:block|template|template_part|global_styles|navigation|font_family|font_face)|custom_css|customize_changeset|oembed_cache|user_request|acf-.+)$/
const siteTaxonomies: ReadonlySet<string> = new Set(['nav_menu', 'post_format', 'wp_theme', 'link_category'])

const withParent = 'parent'
const entryKey = (id: number): string => `post:${id}`
const termKey = ({ taxonomy, slug }: Pick<WordpressTerm, 'taxonomy' | 'slug'>): string =>
  `${taxonomy}:${slug}`
const idsOf = (kind: string, id: number | undefined): Pick<ImportedEntry, 'ids'> =>
  id !== undefined && id > 0 ? { ids: [{ kind, id: String(id) }] } : {}
const authorKey = (login: string): string => `author:${login}`

const field = (name: string, type: ImportedField['type'], data?: ImportedField['data']): ImportedField => ({
  ...{ name, label: labelOf(name.replaceAll(/(?=[A-Z])/g, ' ').toLowerCase()), type },
  ...(data ? { data } : {}),
})

type Values = Record<string, ImportedValue>
const textValue = (name: string, value: string): Values => (value === '' ? {} : { [name]: { value } })

/** The entries by their times. It is no part of the reader, whose indexes would stay in memory with the list. */
function inOrder(entries: Records<ImportedEntry>, times: readonly string[]): Records<ImportedEntry> {
  const order = [...times.keys()].sort(byTime(at => times[at] ?? ''))
  return recordsOf(order.length, i => recordAt(entries, recordAt(order, i)))
}

/** The records that pass, by their places: there are many. */
function those<T>(all: Records<T>, passes: (one: T) => boolean): Records<T> {
  const places: number[] = []
  let at = 0
  for (const one of all) {
    if (passes(one)) places.push(at)
    at++
  }
  return chosenOf(all, places)
}

function* zonedTimes(items: Iterable<WordpressItem>): Generator<ZonedTime> {
  for (const { zoned } of items) if (zoned) yield zoned
}

function earliestOf(items: Iterable<WordpressItem>): string | undefined {
  let first: string | undefined
  for (const { createdAt } of items)
    if (createdAt !== undefined && (first === undefined || createdAt < first)) first = createdAt
  return first
}

class WordpressReader {
  private readonly notes = new WordpressNotes()
  private readonly types: ImportedType[] = []
  private readonly entries
  /** When each of them was made. */
  private readonly times: string[] = []
  /** The items that become entries. */
  private readonly pages: Records<WordpressItem>
  private readonly attachments: Records<WordpressItem>
  private readonly places: WordpressPlaces
  private readonly bodies: Bodies
  private readonly definitions
  private readonly typeNames = new Map<string, string>()
  private readonly references: FieldReferences
  private readonly shownBlocks = new Set<number>()
  private readonly zone: string | undefined
  private readonly start: string

  constructor(
    private readonly site: WordpressExport,
    private readonly names: readonly string[],
    lists: Lists,
  ) {
    this.entries = lists.make<ImportedEntry>()
    const { items, terms, authors } = site
    this.definitions = acfFields(items.of('acf-field'))
    for (const { place, reason } of site.unread) this.notes.unread.add(place, reason)
    this.zone = zoneOf(zonedTimes(items))
    this.start = earliestOf(items) ?? new Date(0).toISOString()
    this.attachments = those(items.of('attachment'), item => this.isFile(item))
    this.pages = those(items, item => this.isTaken(item))
    this.places = new WordpressPlaces(site, this.pages, this.attachments, this.notes)
    this.nameTypes()
    const shared = new Map(Array.from(items.of('wp_block'), item => [item.id, item.texts().content]))
    const keys = { entry: entryKey, file: fileKey }
    const files = new Set<number>()
    const attached = new Map<number, number[]>()
    for (const { id, parent, url } of this.attachments) {
      files.add(id)
      if (parent === 0 || !isPicture.test(url)) continue
      const known = attached.get(parent)
      if (known) known.push(id)
      else attached.set(parent, [id])
    }
    this.bodies = new Bodies(
      {
        addressOf: address => this.places.addressOf(address, keys),
        sharedBlock: id => {
          this.shownBlocks.add(id)
          return shared.get(id)
        },
        attachedTo: post => attached.get(post) ?? [],
        picture: id => maybe(files.has(id) ? items.withId(id) : undefined, pictureOf),
      },
      this.notes,
    )
    const taken = terms.filter(({ taxonomy }) => !siteTaxonomies.has(taxonomy))
    const termsById = new Map(taken.map(term => [term.id, term]))
    const authorsById = new Map(authors.filter(({ id }) => id > 0).map(author => [author.id, author]))
    this.references = {
      file: id => (files.has(id) ? fileKey(id) : undefined),
      entry: id =>
        maybe(this.places.hasPage(id) ? items.withId(id) : undefined, ({ type }) => ({
          key: entryKey(id),
          type: this.typeOf(type),
        })),
      term: id =>
        maybe(termsById.get(id), term => ({ key: termKey(term), type: this.typeOf(term.taxonomy) })),
      author: id => maybe(authorsById.get(id), ({ login }) => ({ key: authorKey(login), type: 'author' })),
      html: html => this.bodies.html(html),
    }
  }

  read(): SiteRecords {
    this.addAuthors()
    for (const taxonomy of this.taxonomies()) this.addTerms(taxonomy)
    for (const type of this.postTypes()) this.addPosts(type)
    const files = importedFiles(this.attachments, this.names)
    for (const type of this.site.items.types.keys())
      if (ofTheSite.test(type) && !type.startsWith('acf-'))
        for (const { id } of this.site.items.of(type))
          if (!this.shownBlocks.has(id)) this.notes.count('notTaken', type)
    const entries = inOrder(this.entries, this.times)
    const { sentences: notes, unread } = this.notes
    return { locales: [], types: this.types, entries, files, notes, unread: unread.found }
  }

  private add(entry: ImportedEntry): void {
    this.times.push(entry.createdAt)
    this.entries.push(entry)
  }

  private isFile({ url }: WordpressItem): boolean {
    const isThere = /^https?:/i.test(url) && URL.canParse(url)
    if (!isThere) this.notes.count('filesWithoutUrl')
    return isThere
  }

  private isTaken({ type, status, comments }: WordpressItem): boolean {
    if (type === 'attachment' || ofTheSite.test(type)) return false
    if (status === 'trash') this.notes.count('trash')
    if (status === 'trash' || status === 'auto-draft') return false
    this.notes.count('comments', undefined, comments)
    return true
  }

  private postTypes(): string[] {
    const found = new Set(['post', 'page'])
    for (const { type } of this.pages) found.add(type)
    return [...found]
  }

  private taxonomies(): string[] {
    const found = this.site.terms.map(({ taxonomy }) => taxonomy).filter(name => !siteTaxonomies.has(name))
    return [...new Set(['category', 'post_tag', ...found])]
  }

  private nameTypes(): void {
    const used = new Set(['author'])
    for (const name of ['post', 'page', 'category', 'post_tag', ...this.postTypes(), ...this.taxonomies()]) {
      if (this.typeNames.has(name)) continue
      this.typeNames.set(name, name === 'post_tag' ? 'tag' : fieldName(name, used))
      used.add(this.typeOf(name).toLowerCase())
    }
  }

  private typeOf(name: string): string {
    return this.typeNames.get(name) ?? name
  }

  private addAuthors(): void {
    const fields = [field('name', 'text'), field('slug', 'slug'), field('description', 'textarea')]
    this.types.push({ name: 'author', label: 'Author', hasPages: false, fields })
    for (const { id, login, name } of this.site.authors) {
      const slug = trimmed(login.toLowerCase().replaceAll(/[^\p{L}\p{N}_]+/gu, '-'), '-')
      const values = { ...textValue('name', oneLine(name) || login), ...textValue('slug', slug) }
      this.add({
        key: authorKey(login),
        ...idsOf('author', id),
        type: 'author',
        isPublished: true,
        createdAt: this.start,
        isUndated: true,
        values,
      })
    }
  }

  private addTerms(taxonomy: string): void {
    const name = this.typeOf(taxonomy)
    const terms = this.site.terms.filter(term => term.taxonomy === taxonomy)
    const slugs = new Set(terms.map(({ slug }) => slug))
    const hasParents = terms.some(({ parent }) => parent !== '' && slugs.has(parent))
    const fields = [
      ...[field('name', 'text'), field('slug', 'slug'), field('description', 'textarea')],
      ...(hasParents ? [field(withParent, 'relation', { target: name })] : []),
    ]
    const custom = this.customFields(terms, fields)
    this.types.push({
      ...{ name, label: labelOf(taxonomy === 'post_tag' ? 'tag' : taxonomy), hasPages: false },
      fields: [...fields, ...custom.fields],
      ...(taxonomy === 'category' || taxonomy === 'post_tag' ? {} : { compat: { wordpress: taxonomy } }),
    })
    terms.forEach((term, i) => {
      const { slug, parent } = term
      const values = {
        ...textValue('name', oneLine(term.name) || slug),
        ...textValue('slug', isSlugText(slug) ? slug : ''),
        ...textValue('description', plainText(term.description)),
        ...(slugs.has(parent) ? { [withParent]: { entries: [termKey({ taxonomy, slug: parent })] } } : {}),
        ...custom.valuesOf(i),
      }
      this.add({
        ...{ key: termKey(term), ...idsOf('term', term.id), type: name, isPublished: true },
        ...{ createdAt: this.start, isUndated: true, values },
      })
    })
  }

  private customFields(
    of: Iterable<{ readonly metas: Metas } | WordpressItem>,
    fields: readonly ImportedField[],
  ) {
    const metas = new Map<number, ReturnType<typeof metaValues>>()
    let at = 0
    for (const one of of) {
      const own = 'texts' in one ? one.texts().metas : one.metas
      for (const [name, [value]] of own) if (isOfPlugin(name, value)) this.notes.count('privateMetas', name)
      const values = metaValues(own, this.definitions)
      if (values.size > 0) metas.set(at, values)
      at++
    }
    return new CustomFields(metas, new Set(fields.map(({ name }) => name)), this.references, this.notes)
  }

  private addPosts(type: string): void {
    const items = those(this.pages, item => item.type === type)
    for (const { menuOrder } of items) if (menuOrder !== 0) this.notes.count('menuOrder', type)
    const filed = new Map(this.relationsOf(type, items).map(name => [name, this.relationName(name)]))
    const fields = [
      ...[field('body', 'richtext'), field('excerpt', 'textarea')],
      field('featuredImage', 'media', { kinds: ['image'] }),
      field('author', 'relation', { target: 'author' }),
      ...[...filed].map(([taxonomy, name]) =>
        field(name, 'relation', { target: this.typeOf(taxonomy), cardinality: 'many' }),
      ),
    ]
    const custom = this.customFields(items, fields)
    const compat = {
      ...(type !== 'post' && type !== 'page' ? { wordpress: type } : {}),
      ...(this.zone === undefined ? {} : { zone: this.zone }),
    }
    this.types.push({
      ...{
        name: this.typeOf(type),
        label: labelOf(type),
        hasPages: true,
        fields: [...fields, ...custom.fields],
      },
      ...(Object.keys(compat).length > 0 ? { compat } : {}),
    })
    let at = 0
    for (const item of items) {
      const texts = item.texts()
      this.add(this.entry(item, texts, { ...this.ownValues(item, texts, filed), ...custom.valuesOf(at++) }))
    }
  }

  private relationsOf(type: string, items: Iterable<WordpressItem>): string[] {
    const all = new Set(type === 'post' ? ['category', 'post_tag'] : [])
    for (const { terms } of items) for (const { taxonomy } of terms) all.add(taxonomy)
    return [...all].filter(name => !siteTaxonomies.has(name))
  }

  private relationName(taxonomy: string): string {
    if (taxonomy === 'category') return 'categories'
    return taxonomy === 'post_tag' ? 'tags' : this.typeOf(taxonomy)
  }

  private ownValues(item: WordpressItem, texts: WordpressTexts, filed: ReadonlyMap<string, string>): Values {
    const html = this.bodies.html(texts.content, item.id)
    const excerpt = plainText(texts.excerpt) || textAboveMore(texts.content)
    if (/<[a-z]/i.test(texts.excerpt)) this.notes.count('excerpts')
    const values: Values = { ...(html === '' ? {} : { body: { html } }), ...textValue('excerpt', excerpt) }
    const [picture = ''] = texts.metas.get('_thumbnail_id') ?? []
    const file = this.references.file(Number(picture))
    if (file !== undefined) values.featuredImage = { files: [file] }
    else if (Number(picture) > 0) this.notes.count('missingFiles')
    if (item.author !== '') values.author = { entries: [authorKey(item.author)] }
    for (const [taxonomy, name] of filed) {
      const keys = item.terms.filter(term => term.taxonomy === taxonomy).map(termKey)
      if (keys.length > 0) values[name] = { entries: [...new Set(keys)] }
    }
    return values
  }

  private entry(item: WordpressItem, { content }: WordpressTexts, values: Values): ImportedEntry {
    const path = this.places.pathOf(item.id)
    const title = oneLine(item.title) || item.slug || `${labelOf(item.type)} ${item.id}`
    if (/<[a-z]/i.test(item.title)) this.notes.count('titles')
    if (item.isSticky) this.notes.count('sticky')
    const isPublished = this.isPublished(item)
    return {
      ...{ key: entryKey(item.id), type: this.typeOf(item.type), page: { path, title }, isPublished },
      ...idsOf('post', item.id),
      createdAt: item.createdAt ?? this.start,
      ...(item.changedAt === undefined ? {} : { changedAt: item.changedAt }),
      ...(isPublished && item.date !== undefined ? { publishedAt: item.date } : {}),
      ...(item.status === 'future' && !item.isProtected ? { publishAt: item.date } : {}),
      source: this.sourceOf(item, content, values),
      values,
    }
  }

  private sourceOf(
    { id, link }: WordpressItem,
    content: string,
    { body: _, ...others }: Values,
  ): ImportedEntry['source'] {
    const size = sumOf([sizeOfText(withPlainCaptions(this.bodies.shown(content, id))), sizeOfValues(others)])
    return { size, ...(/^https?:/i.test(link) ? { address: link } : {}) }
  }

  private isPublished({ status, isProtected }: WordpressItem): boolean {
    if (status === 'private') this.notes.count(status)
    else if (isProtected) this.notes.count('protected')
    else if (status === 'publish') return true
    else if (!['draft', 'pending', 'future'].includes(status)) this.notes.count('statuses', status)
    return false
  }
}

const ownMetas =
  /^_(?:edit_(?:last|lock)|thumbnail_id|wp_.+|pingme|encloseme|menu_item_.+|oembed_.+|customize_.+)$/
const isOfPlugin = (name: string, value = ''): boolean =>
  name.startsWith('_') && value !== '' && !ownMetas.test(name) && !value.startsWith('field_')

const maybe = <T, R>(value: T | undefined, make: (value: T) => R): R | undefined =>
  value === undefined ? undefined : make(value)

/** Reads what "Tools, Export" of WordPress writes: one file, or those of one site in a folder. */
export const readLargeWordpress: ReadLargeExport = async (files, lists) =>
  new WordpressReader(await readWordpressExport(files, lists), files.names, lists).read()

export const readWordpress = readingInMemory(readLargeWordpress)
