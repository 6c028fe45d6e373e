import type { Database } from '../../db/database.js'
import {
  listEnds,
  type PageRange,
  type PublishedPage,
  publishedPages,
  publishedPagesInPieces,
} from '../../db/queries/published-pages.js'
import type { ContentSpace } from '../../db/tables.js'
import { versionsOf } from '../../db/versions.js'
import { limits } from '../../limits.js'
import type { Hashing } from '../../ports.js'
import { surrogateKeys } from '../content/surrogate-keys.js'
import type { Answers } from './answers.js'
import type { Schema, Schemas } from './content-model.js'
import { descriptionsOf } from './descriptions.js'
import { languageKey, type PageContext } from './format-context.js'
import { type ListedPage, type LlmsSection, llmsText } from './llms-text.js'
import { bodyOf, etagOf, type RenderedPage } from './rendered-page.js'
import {
  indexEnd,
  indexStart,
  lengthsFor,
  partOf,
  type SiteLocales,
  urlsetEnd,
  urlsetStart,
  urlsOf,
} from './site-map.js'
import { VersionedAnswers } from './versioned-answers.js'

/** A list that is made while it is sent. */
export interface Pieces {
  /** Strong: it changes with all that the list is made of. */
  readonly etag: string
  readonly tags: string
  pieces(): AsyncGenerator<string>
}

export interface PublishedPageService {
  /** Pages in the order of their routes' ids, as JSON. @param after the cursor of the page before, or `''` */
  list(after: string, limit: number): Promise<RenderedPage>
  /**
   * The sitemap, or one of its parts; an index of the parts if there are several.
   * @param origin in front of the slugs
   */
  sitemap(origin: string, range?: PageRange): Promise<RenderedPage | Pieces>
  /** `/llms.txt`. @param summary `''` for the description of the first page */
  llms(site: { origin: string; name: string; summary: string }): Promise<RenderedPage>
}

interface Settings {
  readonly hashing: Hashing
  readonly languages: () => { enabled: boolean; fallback: string }
  readonly answers: Answers
}

type KeptAnswer = RenderedPage & { readonly isLong?: true }

const everyPage: PageRange = { after: '', until: undefined }

class PublishedPages implements PublishedPageService {
  private readonly answers: VersionedAnswers<KeptAnswer>

  constructor(
    private readonly db: Database,
    private readonly space: ContentSpace,
    private readonly schemas: Schemas,
    private readonly context: PageContext,
    private readonly settings: Settings,
  ) {
    this.answers = new VersionedAnswers(db, schemas, settings.answers, 'list')
  }

  list(after: string, limit: number): Promise<RenderedPage> {
    const key = `${languageKey(this.settings)} list ${limit} ${after}`
    return this.answers.get(key, async ({ read, schema }) => {
      const found = await publishedPages(read, this.space, { ...everyPage, after }, limit + 1)
      const data = found.slice(0, limit).map(page => this.shown(schema, page))
      const next = found.length > limit ? (found[limit - 1]?.routeId ?? null) : null
      return this.rendered(JSON.stringify({ data, meta: { next } }))
    })
  }

  async sitemap(origin: string, range?: PageRange): Promise<RenderedPage | Pieces> {
    const versions = await versionsOf(this.db)
    const locales = this.localesIn(await this.schemas.at(versions.schema))
    const lengths = lengthsFor(locales)
    const key = `${languageKey(this.settings)} ${origin} ${range?.after} ${range?.until}`
    // A small one is one piece, and kept; most sites have no other.
    if (!range) {
      const kept = await this.answers.get(`sitemap ${key}`, async ({ read }) => {
        const pages = await publishedPages(read, this.space, everyPage, lengths.piece + 1)
        if (pages.length > lengths.piece) return { ...this.rendered(''), isLong: true }
        return this.rendered(urlsetStart + urlsIn(pages, locales, origin) + urlsetEnd)
      })
      if (!kept.isLong) return kept
    }
    const etag = etagOf(this.settings.hashing, `${versions.schema} ${versions.shown} ${key}`)
    const isIndex = !range && (await this.isLong(lengths.most))
    const pieces = isIndex
      ? () => this.indexPieces(origin, lengths.most)
      : () => this.urlPieces(origin, locales, range ?? everyPage, lengths)
    return { etag, tags: `sitemap ${surrogateKeys.content}`, pieces }
  }

  llms(site: { origin: string; name: string; summary: string }): Promise<RenderedPage> {
    const most = limits.pages.llmsPages
    const key = `llms ${languageKey(this.settings)} ${JSON.stringify(site)}`
    return this.answers.get(key, async ({ read, schema }) => {
      const found = await publishedPages(read, this.space, everyPage, most + 1)
      const pages = found.slice(0, most)
      const localesFor = (code: string) => this.context.localesFor(schema, code)
      const described = await descriptionsOf(read, this.space, schema, pages)
      const describe = ({ id }: PublishedPage, code: string) => described(id, localesFor(code).chain)
      const [first] = pages
      const summary = site.summary || (first ? describe(first, '') : '')
      const listed = (page: PublishedPage, code: string): ListedPage => {
        const { slug, title } = named(page, localesFor(code).chain)
        const isOwn = code === '' || slug !== named(page, localesFor('').chain).slug
        const query = isOwn ? '?format=markdown' : `?format=markdown&locale=${code}`
        return { title, url: site.origin + encodeURI(slug) + query, description: describe(page, code) }
      }
      const sections = sectionsOf(pages, schema, this.localesIn(schema), listed)
      return this.rendered(llmsText({ ...site, summary }, sections, found.length > most))
    })
  }

  private async *urlPieces(
    origin: string,
    locales: SiteLocales,
    range: PageRange,
    lengths: { most: number; piece: number },
  ): AsyncGenerator<string> {
    yield urlsetStart
    for await (const pages of publishedPagesInPieces(this.db, this.space, range, lengths))
      yield urlsIn(pages, locales, origin)
    yield urlsetEnd
  }

  private async *indexPieces(origin: string, most: number): AsyncGenerator<string> {
    yield indexStart
    let after = ''
    for await (const end of listEnds(this.db, this.space, most)) {
      yield partOf(origin, after, end)
      after = end
    }
    yield partOf(origin, after, undefined)
    yield indexEnd
  }

  private async isLong(most: number): Promise<boolean> {
    for await (const end of listEnds(this.db, this.space, most)) return end !== undefined
    return false
  }

  private rendered(text: string): RenderedPage {
    return { ...bodyOf(this.settings.hashing, text), tags: `sitemap ${surrogateKeys.content}` }
  }

  private localesIn(schema: Schema): SiteLocales {
    const { enabled } = this.settings.languages()
    const { locale } = this.context.localesFor(schema, '')
    return { standard: locale, codes: new Set(enabled ? schema.locales.keys() : []) }
  }

  private shown(schema: Schema, page: PublishedPage) {
    const { id, type, modified } = page
    const { codes } = this.localesIn(schema)
    const own = named(page, this.context.localesFor(schema, '').chain)
    const locales = Object.keys(page.translations)
      .filter(code => codes.has(code))
      .map(code => {
        return [code, named(page, this.context.localesFor(schema, code).chain)]
      })
    return { id, type, ...own, locales: Object.fromEntries(locales), modified }
  }
}

function named(page: PublishedPage, chain: readonly string[]): { slug: string; title: string } {
  const best = (member: 'slug' | 'title') =>
    chain.map(locale => page.translations[locale]?.[member]).find(text => text !== undefined) ?? page[member]
  return { slug: best('slug'), title: best('title') }
}

/** The pages by the labels of their datatypes, and behind them those in each other locale. */
function sectionsOf(
  pages: readonly PublishedPage[],
  schema: Schema,
  { codes, standard }: SiteLocales,
  listed: (page: PublishedPage, code: string) => ListedPage,
): LlmsSection[] {
  const labels = new Map([...schema.datatypes.values()].map(({ name, label }) => [name, label]))
  const byType = new Map<string, ListedPage[]>()
  for (const page of pages) {
    const label = labels.get(page.type) ?? page.type
    const own = byType.get(label) ?? []
    own.push(listed(page, ''))
    byType.set(label, own)
  }
  const others = [...codes].filter(code => code !== standard)
  return [
    ...[...byType].map(([title, pages]) => ({ title, pages })),
    ...others.map(code => ({
      title: schema.locales.get(code)?.label ?? code,
      pages: pages.filter(page => page.translations[code] !== undefined).map(page => listed(page, code)),
    })),
  ]
}

const urlsIn = (pages: readonly PublishedPage[], locales: SiteLocales, origin: string): string =>
  pages.map(page => urlsOf(page, locales, origin)).join('')

/** The pages of a site for those who build it and for search engines. */
export const publishedPagesOf = (
  db: Database,
  space: ContentSpace,
  schemas: Schemas,
  context: PageContext,
  settings: Settings,
): PublishedPageService => new PublishedPages(db, space, schemas, context, settings)
