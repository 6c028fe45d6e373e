import { badRequest } from '../../errors.js'
import { Notes } from '../../services/import/notes.js'
import type {
  ImportedEntry,
  ImportedField,
  ImportedSite,
  ImportedType,
  ImportedValue,
  ImportedValues,
  ReadExport,
} from '../../services/import/site.js'
import { noSize, type Size, sizeOfValues, sumOf } from '../../services/import/size.js'
import { UnreadRecords } from '../../services/import/unread.js'
import { Columns, type NamedValues, nameOf } from '../columns.js'
import { byTime, ignoringCase, importAddress, PageAddresses } from '../imports.js'
import { labelOf } from '../text-types.js'
import { joined } from './addresses.js'
import { bodyOf, headingOf } from './body.js'
import { PageFiles } from './files.js'
import { type Languages, languagesOf } from './languages.js'
import { type Page, type Pages, readPages } from './pages.js'
import { Terms } from './terms.js'

/** Members of the front matter that are no fields: the page, its state or its relations have them. */
const consumed: ReadonlySet<string> = new Set([
  ...['title', 'slug', 'url', 'permalink', 'aliases', 'redirect_from', 'draft'],
  ...['tags', 'tag', 'categories', 'category'],
])
const withoutSection = 'page'
const translatable: ReadonlySet<ImportedField['type']> = new Set(['text', 'textarea', 'richtext'])

/** A page in all its languages. */
interface PageGroup {
  readonly own: Page
  readonly others: readonly { readonly language: string; readonly page: Page }[]
}

const rowOf = ({ members }: Page): NamedValues =>
  new Map(
    [...members].filter(
      ([name, value]) => !consumed.has(name) && !(name === 'published' && typeof value === 'boolean'),
    ),
  )

const titleOf = ({ members, text, place }: Page): string => {
  const title = members.get('title')
  const given =
    typeof title === 'string' || typeof title === 'number' ? String(title).replaceAll(/\s+/g, ' ').trim() : ''
  return (given || headingOf(text) || labelOf(place.parts.at(-1) ?? '') || 'Home').slice(0, 255)
}

class MarkdownReader {
  private readonly files: PageFiles
  private readonly languages: Languages
  private readonly terms = new Terms()
  private readonly addresses = new PageAddresses()
  private readonly entries: ImportedEntry[] = []
  private readonly types: ImportedType[] = []
  private readonly used = new Set(['tag', 'category', withoutSection].map(ignoringCase))
  /** Pages by their addresses and by the names of their files. */
  private readonly known = new Map<string, string>()
  private readonly start: string

  constructor(
    private readonly site: Pages,
    names: readonly string[],
    private readonly notes: Notes,
    private readonly unread: UnreadRecords,
  ) {
    const { roots, settings, pages } = site
    this.files = new PageFiles(names, roots.project, roots.content, settings.base)
    this.languages = languagesOf(pages, settings.language)
    this.start = pages.flatMap(({ publishedAt }) => publishedAt ?? []).sort()[0] ?? new Date(0).toISOString()
  }

  read(): ImportedSite {
    for (const name of this.site.others) this.notes.add('Markdown outside of the content is left out', name)
    const sections = new Map<string, PageGroup[]>()
    for (const group of this.groups()) {
      const { section } = group.own.place
      const known = sections.get(section) ?? []
      known.push(group)
      sections.set(section, known)
      for (const { place, address } of [group.own, ...group.others.map(({ page }) => page)]) {
        this.known.set(place.name, group.own.place.name)
        if (!this.known.has(address.path)) this.known.set(address.path, group.own.place.name)
      }
    }
    for (const [section, groups] of sections) this.addSection(section, groups)
    const terms = this.terms.made(this.start)
    return {
      locales: this.languages.locales,
      types: [...terms.types, ...this.types],
      entries: [...terms.entries, ...this.entries].sort(byTime(({ createdAt }) => createdAt)),
      files: this.files.files,
      notes: this.notes.sentences,
      unread: this.unread.found,
    }
  }

  private groups(): PageGroup[] {
    const byPage = new Map<string, Page[]>()
    for (const page of this.site.pages)
      byPage.set(page.place.page, [...(byPage.get(page.place.page) ?? []), page])
    return [...byPage.values()].flatMap(pages => {
      const own = pages.find(page => this.languages.of(page) === this.languages.standard) ?? pages[0]
      if (!own) return []
      if (this.languages.of(own) !== this.languages.standard)
        this.notes.add(
          'Pages that are missing in the default language are shown in all languages',
          own.place.name,
        )
      const others = pages.flatMap(page => {
        const language = this.languages.of(page)
        return page === own || language === undefined ? [] : [{ language, page }]
      })
      return [{ own, others }]
    })
  }

  private addSection(section: string, groups: readonly PageGroup[]): void {
    const name = section === '' ? withoutSection : nameOf(section, this.used)
    const pages = groups.flatMap(({ own, others }) => [own, ...others.map(({ page }) => page)])
    const world = {
      notes: this.notes,
      fileOf: (text: string, row: number) => {
        const of = pages[row]?.place.name ?? ''
        return this.files.use(text, of) ?? this.files.useAddress(text)
      },
    }
    const columns = new Columns(name, pages.map(rowOf), world, ['title', 'body', 'tags', 'categories'])
    const rows = new Map(pages.map((page, i) => [page, columns.valuesOf(rowOf(page), i)]))
    const isTranslated = this.languages.locales.length > 1
    const fields: ImportedField[] = [
      { name: 'title', label: 'Title', type: 'text' },
      ...columns.fields,
      { name: 'body', label: 'Body', type: 'richtext' },
      ...this.terms.fieldsOf(pages.map(({ members }) => members)),
    ]
    this.types.push({
      ...{ name, label: labelOf(section) || 'Page', hasPages: true },
      fields: fields.map(field =>
        isTranslated && translatable.has(field.type) ? { ...field, translatable: true } : field,
      ),
    })
    const inOthers = new Set(fields.filter(({ type }) => translatable.has(type)).map(one => one.name))
    for (const group of groups) this.addPage(name, group, rows, inOthers)
  }

  private addPage(
    type: string,
    { own, others }: PageGroup,
    rows: ReadonlyMap<Page, ImportedValues>,
    inOthers: ReadonlySet<string>,
  ): void {
    const { place, members, isDraft, publishedAt, changedAt } = own
    const read = this.valuesOf(own, rows)
    if (!read) return
    const translations = others.flatMap(({ language, page }) => {
      const other = this.valuesOf(page, rows)
      const values = Object.entries(other?.values ?? {}).filter(([name]) => inOthers.has(name))
      return other ? [{ language, size: other.size, values: Object.fromEntries(values) }] : []
    })
    const path = this.addresses.take(own.address.path)
    if (path !== own.address.path)
      this.notes.add('Pages whose address is taken get a number at the end of it', own.address.path)
    this.entries.push({
      ...{ key: place.name, ids: [{ kind: 'document', id: this.idOf(own) }], type },
      page: { path, title: titleOf(own) },
      isPublished: !isDraft,
      // The file is the record, whatever date it has.
      ...{ createdAt: publishedAt ?? this.start, isUndated: true },
      ...(changedAt === undefined ? {} : { changedAt }),
      ...(publishedAt === undefined ? {} : { publishedAt }),
      ...(isDraft || publishedAt === undefined ? {} : { publishAt: publishedAt }),
      values: { ...read.values, ...this.terms.valuesOf(members) },
      ...(translations.length > 0
        ? { translations: Object.fromEntries(translations.map(({ language, values }) => [language, values])) }
        : {}),
      source: this.sourceOf(own, path, sumOf([read.size, ...translations.map(({ size }) => size)])),
    })
  }

  /** Its place in the project, which is the same in a folder and in an archive. */
  private idOf({ place }: Page): string {
    return place.name.slice(this.site.roots.project.length)
  }

  private sourceOf({ address, isDraft }: Page, path: string, size: Size): ImportedEntry['source'] {
    const { base } = this.site.settings
    const formerly = address.formerly.filter(old => old !== path)
    return {
      size,
      ...(base && !isDraft
        ? { address: `${base.origin}${base.pathname.replace(/\/$/, '')}${address.path}` }
        : {}),
      ...(formerly.length > 0 && !isDraft ? { formerly } : {}),
    }
  }

  /** @returns undefined for a page that cannot be read */
  private valuesOf(
    page: Page,
    rows: ReadonlyMap<Page, ImportedValues>,
  ): { readonly values: ImportedValues; readonly size: Size } | undefined {
    const { text, place } = page
    try {
      const { html, size } = bodyOf(text, place.name, {
        notes: this.notes,
        addressOf: (address, of, alt) => this.addressFrom(page, address, of, alt),
      })
      const title: ImportedValue = { value: titleOf(page) }
      const values = { title, ...rows.get(page) }
      return {
        values: { ...values, ...(html === '' ? {} : { body: { html } }) },
        size: sumOf([size, sizeOfValues(values), noSize]),
      }
    } catch (error) {
      this.unread.add(place.name, error instanceof Error ? error.message : String(error))
      return undefined
    }
  }

  private addressFrom(page: Page, address: string, of: 'link' | 'picture', alt: string): string | undefined {
    if (address.startsWith('#')) return undefined
    const entry = of === 'link' ? this.pageAt(page, address) : undefined
    if (entry !== undefined) return importAddress('entry', entry)
    const file = this.files.use(address, page.place.name, alt)
    return file && importAddress('file', file)
  }

  /** The page that a link leads to: by the name of its file, or by its address. */
  private pageAt({ place, address: own }: Page, address: string): string | undefined {
    const { base } = this.site.settings
    const isWhole = /^https?:/i.test(address)
    const url = isWhole && URL.canParse(address) ? new URL(address) : undefined
    if ((isWhole && url?.host !== base?.host) || /^(?!https?:)[a-z][a-z0-9+.-]*:|^\/\//i.test(address))
      return undefined
    const [path = ''] = (url?.pathname ?? address).split(/[?#]/)
    if (path === '') return undefined
    const { project, content } = this.site.roots
    const folder = place.name.slice(0, place.name.lastIndexOf('/') + 1)
    const shown = path.replace(/(?:\/index)?\.html?$/i, '')
    const names = path.startsWith('/')
      ? [`${content}${path.slice(1)}`, joined(project, path)]
      : [joined(folder, path), joined(content, path)]
    const candidates = [
      ...names.flatMap(name => [name, `${name}.md`, joined(name, 'index.md'), joined(name, '_index.md')]),
      `/${joined(path.startsWith('/') ? '' : own.path, shown)}`,
      `/${joined(path.startsWith('/') ? '' : own.path.slice(0, own.path.lastIndexOf('/')), shown)}`,
    ]
    return candidates.flatMap(one => this.known.get(one) ?? [])[0]
  }
}

/** Reads a folder of Markdown with front matter, as Hugo, Jekyll, Astro, Eleventy and Next have it. */
export const readMarkdown: ReadExport = async files => {
  const notes = new Notes()
  const unread = new UnreadRecords(notes)
  const site = await readPages(files, unread)
  if (site.pages.length === 0) {
    const [first] = unread.found?.named ?? []
    throw badRequest(
      first ? `${first.place}: ${first.reason}` : 'the export has no Markdown files (.md, .mdx)',
    )
  }
  return new MarkdownReader(site, files.names, notes, unread).read()
}
