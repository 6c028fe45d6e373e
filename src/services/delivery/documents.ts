import type { AllowanceOf } from '../../db/allowance.js'
import { publishedMediaReferences } from '../../db/queries/published.js'
import type { LeanValue } from '../../db/queries/trees.js'
import type { Reader, Slice } from '../../db/reader.js'
import type { ContentSpace, DatatypeRow, EntryRow } from '../../db/tables.js'
import { notFound } from '../../errors.js'
import type { Log } from '../../ports.js'
import { mayList, type Reach } from '../content/visibility.js'
import { type MediaById, type MediaRecord, mediaRecord } from '../media/record.js'
import type { Audience } from './audience.js'
import type { Schema } from './content-model.js'
import type { PageContext } from './format-context.js'
import { mediaById } from './page-media.js'
import { type EntrySource, type IndexedEntry, sourceFor } from './query/entry-source.js'
import type { EntryText, EntryTexts, EntryValue } from './query/entry-texts.js'
import type { Position } from './query/query-cursor.js'
import { EntryFinder, type Totals } from './query/query-entries.js'
import { looksFurther, type Names, sortsOf, testsOf } from './query/query-plan.js'
import { type FilterGroup, type QueryRequest, refuseLargeFilter } from './query/query-request.js'
import type { Test } from './query/query-test.js'
import { WorkingEntries } from './query/working-entries.js'
import { type HowShown, type ShownDocuments, shownDocuments } from './shown-documents.js'
import type { Moment } from './versioned-answers.js'

/** Which entries of a datatype are wanted. */
const isRoot: Test = { at: 'column', column: 'root', op: 'exists', operands: [] }

export interface DocumentQuery extends Pick<QueryRequest, 'filter' | 'sort' | 'limit' | 'offset'> {
  readonly datatype: DatatypeRow
  readonly locale: string
  readonly count: boolean
  /** Where the page begins, of what the public sees; without an offset. */
  readonly after?: Position | undefined
  readonly isWanted?: (entry: EntryRow) => boolean
  /** Whether entries in other entries are left out. */
  readonly areRoots?: boolean
}

interface FoundDocuments {
  readonly ids: readonly string[]
  /** How many pass in all; undefined unless it was asked for. */
  readonly count: number | undefined
  /** Where the next page begins; undefined on the last page, and for the working state. */
  readonly next?: Position | undefined
}

interface DocumentParts {
  readonly space: ContentSpace
  readonly context: PageContext
  readonly mediaUrl: (key: string) => string
  readonly log: Log
  readonly origin: string
  readonly totals: Totals
  readonly texts: EntryTexts
  /** Stands for the settings that texts depend on. */
  readonly settings?: string | undefined
  readonly allowanceOf?: AllowanceOf | undefined
}

/** An id that no entry has. */
export const unknownId = '00000000000000000000000000'

/** Longer lists may be more than one answer holds, however small their entries are. */
const maxRememberedIds = 200

/** All conditions together. */
export const all = (parts: FilterGroup['parts']): FilterGroup => ({ all: true, parts })
export const any = (parts: FilterGroup['parts']): FilterGroup => ({ all: false, parts })

/**
 * Finds entries as queries do and reads them as formats write them: each a tree with its children, and what its
 * relations and media name. Everything is read by one reader, at one moment.
 */
export class Documents {
  private readonly source: EntrySource
  private readonly found = new Map<string, IndexedEntry>()

  constructor(
    private readonly moment: Moment,
    private readonly audience: Audience,
    private readonly parts: DocumentParts,
    /** Whether the caller may read what is not listed for everybody; asked where that decides what is found. */
    private readonly readsAll: () => Promise<boolean>,
  ) {
    this.source = sourceFor(audience, moment.read, parts.space)
  }

  get read(): Reader {
    return this.moment.read
  }

  get schema(): Schema {
    return this.moment.schema
  }

  get origin(): string {
    return this.parts.origin
  }

  /** @throws 400 that names what the datatype does not have */
  async find(query: DocumentQuery): Promise<FoundDocuments> {
    const { read, schema, parts } = this
    const { datatype, limit, offset, isWanted } = query
    const { chain } = parts.context.localesFor(schema, query.locale)
    refuseLargeFilter(query.filter)
    const localesOf: Names['localesOf'] = field => (field.translatable ? [...chain, ''] : [''])
    const names: Names = { schema, reach: await this.reachOf(query), localesOf }
    const selection = {
      datatypeId: datatype.datatype_id,
      tests: [...testsOf(names, datatype, query), ...(query.areRoots ? [isRoot] : [])],
      sorts: sortsOf(names, datatype, query),
      ...{ limit, offset, after: query.after },
    }
    if (this.audience === 'working')
      return new WorkingEntries(read, parts.space, isWanted ?? (() => true)).find(selection)
    const finder = new EntryFinder(read, parts.space, parts.totals, this.moment.versions, parts.allowanceOf)
    const { ids, next, entries = [] } = await finder.find(selection)
    for (const entry of entries) this.found.set(entry.content_data_id, entry)
    return { ids, next, count: query.count ? await finder.count(selection) : undefined }
  }

  private async reachOf({ datatype, filter }: DocumentQuery): Promise<Reach> {
    if (this.audience === 'working') return 'working'
    const isForReaders = looksFurther(this.schema, datatype, filter) && (await this.readsAll())
    return isForReaders ? 'readers' : 'anybody'
  }

  async shown(ids: readonly string[], how: HowShown): Promise<ShownDocuments> {
    const { read, schema, source, origin, parts } = this
    const { context, space, log } = parts
    const choice = context.localesFor(schema, how.locale)
    const isSeen = (value: LeanValue) => this.audience === 'working' || context.isPublic(schema, value.locale)
    const media = (some: readonly string[]) => this.media(some)
    const found = ids.flatMap(id => this.found.get(id) ?? [])
    const all = found.length === ids.length ? found : undefined
    return shownDocuments(ids, how, { read, space, schema, source, choice, origin, log, isSeen, media }, all)
  }

  /**
   * Entries with these ids as `write` writes them, or cached texts of what the public sees (D-775). Lists of more than
   * `maxRememberedIds` entries are not cached.
   * @param shape what their texts depend on beside the content
   */
  async written(
    ids: readonly string[],
    shape: string,
    write: (ids: readonly string[]) => Promise<readonly EntryText[]>,
  ): Promise<string[]> {
    if (!this.remembers(ids)) return (await write(ids)).map(({ json }) => json)
    return this.parts.texts.written(this.moment.versions, this.keyOf(shape), ids, write)
  }

  async made<T>(
    ids: readonly string[],
    shape: string,
    make: (ids: readonly string[]) => Promise<readonly EntryValue<T>[]>,
  ): Promise<T[]> {
    if (!this.remembers(ids)) return (await make(ids)).map(({ value }) => value)
    return this.parts.texts.made(this.moment.versions, this.keyOf(shape), ids, make)
  }

  private keyOf(shape: string): string {
    return `${this.parts.settings ?? ''} ${shape}`
  }

  private remembers({ length }: readonly string[]): boolean {
    return this.audience === 'public' && this.moment.isChecked && length <= maxRememberedIds
  }

  async byNumber(numbers: readonly number[]): Promise<Map<number, EntryRow>> {
    const { read, parts, source } = this
    const rows = await read.findAll(parts.space.contentData, { numeric_id: [...new Set(numbers)] })
    const seen = await source.records(rows.map(row => row.content_data_id))
    return new Map(seen.map(row => [row.numeric_id, row]))
  }

  async atSlugs(slugs: readonly string[]): Promise<Map<string, EntryRow>> {
    const { read, parts, audience, source } = this
    const { space } = parts
    const routes = await read.findIn(space.routes, 'slug', [...new Set(slugs)])
    const slugOf = new Map(routes.map(({ route_id, slug }) => [route_id, slug]))
    const table = audience === 'working' ? space.contentData : space.publicEntries
    const roots = await read.findIn(table, 'route_id', [...slugOf.keys()])
    const rows = await source.records(roots.map(({ content_data_id }) => content_data_id))
    return new Map(rows.map(row => [slugOf.get(row.route_id ?? '') ?? '', row]))
  }

  async slugsOf(
    entries: readonly Pick<EntryRow, 'content_data_id' | 'route_id'>[],
  ): Promise<Map<string, string>> {
    const ids = entries.flatMap(({ route_id }) => route_id ?? [])
    const routes = await this.read.findIn(this.parts.space.routes, 'route_id', ids)
    const slugOf = new Map(routes.map(({ route_id, slug }) => [route_id, slug]))
    return new Map(
      entries.flatMap(({ content_data_id, route_id }) => {
        const slug = slugOf.get(route_id ?? '')
        return slug === undefined ? [] : [[content_data_id, slug]]
      }),
    )
  }

  records(ids: readonly string[]): Promise<EntryRow[]> {
    return this.source.records(ids)
  }

  async seen(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.source.entries(ids)).map(({ content_data_id }) => content_data_id))
  }

  get space(): ContentSpace {
    return this.parts.space
  }

  get isLocalized(): boolean {
    return this.parts.context.localesFor(this.schema, '').chain.length > 0
  }

  /** Returns the code of the enabled locale with this name, in any case; `''` if no locale has it. */
  localeNamed(name: string): string {
    if (!this.isLocalized) return ''
    return [...this.schema.locales.keys()].find(code => code.toLowerCase() === name.toLowerCase()) ?? ''
  }

  media(ids: readonly string[]): Promise<MediaById> {
    return mediaById(this.read, this.parts.space, ids, this.parts.mediaUrl)
  }

  async mediaList(where: { numeric_id?: number[] }, slice: Slice = {}): Promise<MediaRecord[]> {
    const rows = await this.read.findAll(this.parts.space.media, where, slice)
    return rows.map(row => mediaRecord(row, this.parts.mediaUrl))
  }

  mediaCount(): Promise<number> {
    return this.read.count(this.parts.space.media, {})
  }

  async showsMedia(mediaId: string): Promise<boolean> {
    const { read, parts, schema, isLocalized } = this
    const named = await read.query(publishedMediaReferences(parts.space, isLocalized), { media: mediaId })
    const ids = named.map(({ content_data_id }) => content_data_id)
    const entries = await read.findIn(parts.space.publicEntries, 'content_data_id', ids)
    return entries.some(({ datatype_id }) => {
      const datatype = schema.datatypes.get(datatype_id)
      return datatype !== undefined && mayList(datatype, 'anybody')
    })
  }

  /** @throws 404 without such a datatype */
  datatype(name: string): DatatypeRow {
    const found = [...this.schema.datatypes.values()].find(one => one.name === name)
    if (!found) throw notFound('unknown datatype')
    return found
  }
}
