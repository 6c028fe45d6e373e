import type { AnyTable, RowOf } from '../../db/columns.js'
import { type ContentSpace, type EntryRow, type RouteRow, tables, type ValueRow } from '../../db/tables.js'
import type { RecordChange } from '../../db/touched.js'
import type { Writer } from '../../db/writer.js'
import { type EntryPart, type Limited, LimitedParts, type Part, type Trashed } from './parts.js'
import { LimitedSpace, type Side, sidesOf } from './space.js'

type Redirect = RowOf<typeof tables.redirects>
/** The members that values and versions share. */
type OfEntry = Pick<ValueRow, 'content_data_id' | 'locale'>
type Change<R> = RecordChange & { readonly before: R | undefined; readonly after: R | undefined }

/** A change that limits leave out. */
export interface Outside {
  readonly part: Part
  /** The record that it is about, in words. */
  readonly what: string
}

const automatic: ReadonlySet<string> = new Set(['revision', 'date_modified'])
const order = 'sort_order'

const entryIn = (id: string) => `the entry ${id}`
const addressIn = (slug: string) => `the address ${slug}`

/** The changes of one transaction in one content space, against the limits of a role or a key. */
export class LimitedChanges {
  private readonly rows: LimitedSpace
  private readonly parts: LimitedParts

  constructor(
    private readonly tx: Writer,
    private readonly space: ContentSpace,
    private readonly by: Limited,
  ) {
    this.rows = new LimitedSpace(tx, tx.touched, space)
    this.parts = new LimitedParts(this.rows, by)
  }

  /** Returns the first change that is outside; undefined where all are inside. */
  async find(): Promise<Outside | undefined> {
    const { contentData, contentFields, contentVersions, routes, trash } = this.space
    const isPublic = contentData === tables.contentData
    const entries = this.in<EntryRow>(contentData)
    const values = [...this.in<OfEntry>(contentFields), ...this.in<OfEntry>(contentVersions)]
    const requests = isPublic ? this.in<OfEntry>(tables.reviewRequests) : []
    const redirects = isPublic ? this.in<Redirect>(tables.redirects) : []
    const addresses = this.in<RouteRow>(routes)
    const purged = this.in<Trashed>(trash).filter(({ after }) => !after)
    const ids = [...values, ...requests].flatMap(
      ({ before, after }) => (after ?? before)?.content_data_id ?? [],
    )
    const parents = purged.flatMap(({ before }) => before?.parent_id ?? [])
    const targets = redirects.flatMap(({ before, after }) =>
      [before, after].flatMap(row => row?.route_id ?? []),
    )
    await this.rows.load(
      [...entries.map(({ key }) => key), ...ids, ...parents],
      [...addresses.map(({ key }) => key), ...targets],
    )
    await this.parts.loadZone()
    for (const found of this.ofOthers({ addresses, redirects, purged, values, requests })) return found
    return this.ofEntries(entries)
  }

  private *ofOthers(changes: {
    addresses: readonly Change<RouteRow>[]
    redirects: readonly Change<Redirect>[]
    purged: readonly Change<Trashed>[]
    values: readonly Change<OfEntry>[]
    requests: readonly Change<OfEntry>[]
  }): Generator<Outside> {
    for (const change of changes.addresses) yield* this.ofRoute(change)
    for (const change of changes.redirects) yield* this.ofRedirect(change)
    for (const change of changes.purged) yield* this.ofTrashed(change)
    for (const change of changes.values) yield* this.ofValue(change)
    for (const { after, before } of changes.requests) {
      const id = (after ?? before)?.content_data_id ?? ''
      yield* this.ofEntryAt(this.rows.entry('after', id) ? 'after' : 'before', id)
    }
  }

  private in<R>(table: AnyTable): Change<R>[] {
    // The rows of a table are rows of that table.
    return this.tx.touched.recordsIn(table) as Change<R>[]
  }

  private *ofEntryAt(side: Side, id: string): Generator<Outside> {
    for (const part of this.parts.entryParts)
      if (!this.parts.hasEntry(part, side, id)) yield { part, what: entryIn(id) }
  }

  private *ofValue(change: Change<OfEntry>): Generator<Outside> {
    for (const side of sidesOf(change)) {
      const { content_data_id: id = '', locale = '' } = change[side] ?? {}
      yield* this.ofEntryAt(side, id)
      const where = locale === '' ? 'for all locales' : `in ${locale}`
      if (!this.parts.hasLocale(locale)) yield { part: 'locales', what: `a value ${where} of ${entryIn(id)}` }
    }
  }

  private *ofRoute(change: Change<RouteRow>): Generator<Outside> {
    for (const side of sidesOf(change)) {
      const route = change[side]
      if (!route) continue
      for (const part of this.parts.entryParts)
        if (!this.parts.hasRoute(part, side, route)) yield { part, what: addressIn(route.slug) }
    }
    yield* this.ofTranslations(change)
  }

  private *ofTranslations({ before, after, columns }: Change<RouteRow>): Generator<Outside> {
    const { routes, locales } = this.by.limits
    const what = addressIn((before ?? after)?.slug ?? '')
    const isOther = !before || !after || columns.some(name => name !== 'translations' && !automatic.has(name))
    if (locales && isOther) yield { part: 'locales', what }
    const [was, is] = [before?.translations ?? {}, after?.translations ?? {}]
    for (const locale of new Set([...Object.keys(was), ...Object.keys(is)])) {
      const slug = is[locale]?.slug
      if (routes && slug !== undefined && slug !== was[locale]?.slug && !this.parts.hasSlug(slug))
        yield { part: 'routes', what: addressIn(slug) }
      if (JSON.stringify(was[locale]) !== JSON.stringify(is[locale]) && !this.parts.hasLocale(locale))
        yield { part: 'locales', what: `${what} in ${locale}` }
    }
  }

  private *ofRedirect(change: Change<Redirect>): Generator<Outside> {
    for (const side of sidesOf(change)) {
      const row = change[side]
      if (!row) continue
      const what = `the redirect at ${row.slug}`
      // The service leaves it at an address whose change is inside.
      const isLeft = row.is_automatic && !change.before
      for (const part of this.parts.entryParts)
        if (part === 'routes' ? !this.parts.hasSlug(row.slug) : !isLeft && !this.hasTarget(part, side, row))
          yield { part, what }
      if (!this.parts.hasLocale(row.locale)) yield { part: 'locales', what }
    }
  }

  private hasTarget(part: EntryPart, side: Side, row: Redirect): boolean {
    if (part === 'own' && this.parts.isOwn(row.author_id)) return true
    const page = row.route_id === null ? undefined : this.rows.page(side, row.route_id)
    const counts = part === 'datatypes' || row.is_automatic
    if (page) return counts && this.parts.hasEntry(part, side, page.content_data_id)
    return part === 'datatypes' && row.route_id !== null
  }

  /** Checks entries that are deleted for good. Restored ones are checked as new entries. */
  private *ofTrashed({ before: row }: Change<Trashed>): Generator<Outside> {
    if (!row || this.rows.entry('after', row.content_data_id)) return
    const what = `the deleted entry ${row.content_data_id}`
    // Nobody deletes what is outside of their limits.
    for (const part of this.parts.entryParts)
      if (!this.parts.hasTrashedIn(part, row, row.deleted_by)) yield { part, what }
    if (this.by.limits.locales) yield { part: 'locales', what }
  }

  private async ofEntries(entries: readonly Change<EntryRow>[]): Promise<Outside | undefined> {
    const parents = new Map<string, Outside>()
    for (const change of entries) {
      const isTouched = change.before && change.after && change.columns.every(name => automatic.has(name))
      if (this.by.limits.locales && !isTouched) return { part: 'locales', what: entryIn(change.key) }
      const parent = isOrdered(change)
      for (const side of sidesOf(change))
        for (const found of this.ofEntryAt(side, change.key)) {
          if (parent === undefined) return found
          parents.set(parent, found)
        }
    }
    for (const [parent, found] of parents) if (!(await this.keepsOrder(parent))) return found
    return undefined
  }

  /** Whether the children of a parent that are outside keep their order among themselves: they make room for others. */
  private async keepsOrder(parent: string): Promise<boolean> {
    const { contentData } = this.space
    const children = await this.tx.findAll(contentData, { parent_id: parent }, { order })
    await this.rows.load(
      children.map(child => child.content_data_id),
      [],
    )
    const outside = children.filter(
      ({ content_data_id: id }) =>
        this.rows.entry('before', id)?.parent_id === parent &&
        this.parts.entryParts.some(part => !this.parts.hasEntry(part, 'before', id)),
    )
    const [was, is] = (['before', 'after'] as const).map(side =>
      outside
        .flatMap(({ content_data_id }) => this.rows.entry(side, content_data_id) ?? [])
        .toSorted((a, b) => a.sort_order - b.sort_order || (a.content_data_id < b.content_data_id ? -1 : 1))
        .map(({ content_data_id }) => content_data_id)
        .join(),
    )
    return was === is
  }
}

/** The parent of an entry of which only the position among its siblings has changed. */
function isOrdered({ before, after, columns }: Change<EntryRow>): string | undefined {
  const isOnlyOrder = before && after && columns.every(name => name === order || automatic.has(name))
  return isOnlyOrder && columns.includes(order) ? (after.parent_id ?? undefined) : undefined
}
