import { z } from 'zod'
import { auditEventKeys } from '../../../db/queries/audit.js'
import { changesAfter, changesAtOnce } from '../../../db/queries/content-changes.js'
import { internalTables } from '../../../db/tables.js'
import { versionsOf } from '../../../db/versions.js'
import { invalid } from '../../../errors.js'
import { isUlid, leastUlid } from '../../../ids.js'
import { mayShow } from '../../../services/content/visibility.js'
import type { CompatSite, Written } from '../../../services/delivery/compat/compat.js'
import type { Documents } from '../../../services/delivery/documents.js'
import { everyLocale } from '../../../services/delivery/format-context.js'
import { idsIn } from '../../../services/delivery/query/query-rows.js'
import { walk } from '../../../services/delivery/tree.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { trimmedEnd } from '../../../services/text.js'
import { contentfulIds, renamed } from '../names.js'
import { contentfulOf } from '../rich-text.js'
import { contentfulAssetOf, inAllLocales, plainContext, withRoute } from '../write/entries.js'
import { link } from '../write/page.js'

const { auditEvents, contentChanges } = internalTables

/** Up to this number of changed trees, entries are sent one by one; beyond it everything is sent again. */
const mostTrees = 500
const mostDeletions = 5000
/** Entries that are deleted and shown until their tree is published; a token names them. */
const mostWaiting = 100
/** Changes that another instance was still writing may be sent twice, but are never missed. */
const slackMs = 60_000

export const syncTypes = ['all', 'Entry', 'Asset', 'Deletion', 'DeletedEntry', 'DeletedAsset'] as const
type SyncType = (typeof syncTypes)[number]

/** Content versions and times that are numbers in every engine, and moments that an id can have. */
const count = z
  .int()
  .min(0)
  .max(2 ** 48 - 1)

const SyncState = z.strictObject({
  /** The content version up to which the client knows everything; null at the beginning. */
  from: count.nullable(),
  since: count,
  /** The content version and time at which this run began; null before. */
  to: count.nullable(),
  until: count,
  phase: z.enum(['entries', 'assets']),
  after: z.string().refine(isUlid).nullable(),
  waiting: z.array(z.string().refine(isUlid)).max(mostWaiting),
  type: z.enum(syncTypes),
  contentType: z.string().max(255).nullable(),
  limit: z.int().min(1).max(200),
})
export type SyncState = z.output<typeof SyncState>

/** A beginning. */
export const initialSync = (type: SyncType, contentType: string | null, limit: number): SyncState => ({
  ...{ from: null, since: 0, to: null, until: 0, phase: 'entries', after: null, waiting: [] },
  ...{ type, contentType, limit },
})

const writeToken = (state: SyncState): string =>
  trimmedEnd(btoa(JSON.stringify(state)).replaceAll('+', '-').replaceAll('/', '_'), '=')

/** @throws 400 for a token that this service did not make */
export function readSyncToken(token: string): SyncState {
  try {
    return SyncState.parse(JSON.parse(atob(token.replaceAll('-', '+').replaceAll('_', '/'))))
  } catch {
    throw invalid('sync_token', 'is not valid')
  }
}

interface Changed {
  /** Roots of the trees; undefined where everything may have. */
  readonly roots: ReadonlySet<string> | undefined
}

async function changedIn({ read }: Documents, from: number, to: number): Promise<Changed> {
  const isKnown = from >= to || (await read.exists(contentChanges, { change_id: from + 1 }))
  if (!isKnown) throw invalid('sync_token', 'is too old: start with initial=true')
  const roots = new Set<string>()
  for (let at = from; at < to; ) {
    const rows = await read.query(changesAfter, { after: at })
    for (const { change_id, all_pages, public_trees } of rows) {
      if (change_id > to) continue
      if (all_pages) return { roots: undefined }
      for (const root of public_trees) roots.add(root)
    }
    if (roots.size > mostTrees) return { roots: undefined }
    if (rows.length < changesAtOnce) break
    at = rows.at(-1)?.change_id ?? to
  }
  return { roots }
}

/** Audit events of a table since a time, the newest first, with the values before each change. */
async function eventsOf(
  { read }: Documents,
  { name: table_name }: { name: string },
  since: number,
  operation?: 'DELETE',
) {
  const filter = { table_name, from: leastUlid(since - slackMs), ...(operation ? { operation } : {}) }
  const query = auditEventKeys(Object.keys(filter) as (keyof typeof filter)[], mostDeletions + 1)
  const keys = (await read.query(query, filter as never)).map(({ key }) => key)
  if (keys.length > mostDeletions) throw invalid('sync_token', 'is too old: start with initial=true')
  return read.findIn(auditEvents, 'audit_event_id', keys)
}

const wants = ({ type }: SyncState, ...types: readonly SyncType[]): boolean =>
  type === 'all' || types.includes(type)

const deleted = (type: 'DeletedEntry' | 'DeletedAsset', id: string, at: string) => ({
  sys: { type, id, ...plainLinks, revision: 1, createdAt: at, updatedAt: at, deletedAt: at },
})
const plainLinks = { space: link('Space', 'slugline'), environment: link('Environment', 'master') }

class SyncPage {
  private waiting: ReadonlySet<string>

  constructor(
    private readonly site: CompatSite,
    private readonly state: SyncState,
    private readonly to: number,
    private readonly images: string,
  ) {
    this.waiting = new Set(state.waiting)
  }

  async entries(changed: Changed | undefined): Promise<{ items: unknown[]; last: string | undefined }> {
    const { state, site } = this
    const none = { items: [], last: undefined }
    const { read, space } = site.documents
    const roots = changed?.roots
    if (!wants(state, 'Entry') || roots?.size === 0) return none
    const datatype = site.types.find(({ name }) => name === state.contentType)?.datatype
    if (state.contentType !== null && !datatype) return none
    const where = {
      ...(datatype ? { datatype_id: datatype.datatype_id } : {}),
      ...(roots ? { root_id: [...roots] } : {}),
    }
    const slice = { limit: state.limit + 1, after: state.after ?? undefined }
    const rows = await read.findAll(space.publicEntries, where, slice)
    const ids = rows.slice(0, state.limit).map(({ content_data_id }) => content_data_id)
    const there = await read.findIn(space.contentData, 'content_data_id', ids)
    const known = new Set(there.map(({ content_data_id }) => content_data_id))
    this.waiting = new Set([...this.waiting, ...ids.filter(id => !known.has(id))])
    return {
      items: await this.written(ids),
      last: rows.length > state.limit ? ids.at(-1) : undefined,
    }
  }

  /** Always with all locales. */
  private async written(ids: readonly string[]): Promise<unknown[]> {
    const { documents } = this.site
    const { trees, context } = await documents.shown(ids, {
      locale: documents.isLocalized ? everyLocale : '',
      ...{ children: 1, expand: [], writeRich: contentfulOf },
    })
    const nodes = trees.flatMap(({ root }) => [...walk(root)])
    const below = nodes.map(({ entry }) => entry.content_data_id)
    const seen = new Set([...below, ...(await documents.seen(idsIn(nodes)))])
    const { childrenNames, typeNames } = this.site
    const named = { ...inAllLocales(context), childrenNames, typeNames }
    const own = await contentfulIds(this.site, { entries: [...below, ...seen], media: context.media.keys() })
    return trees.map(tree => renamed(withRoute(tree, named, seen), own))
  }

  async deletions(changed: Changed): Promise<unknown[]> {
    const { state, site } = this
    const { documents, now } = site
    const found: unknown[] = []
    if (wants(state, 'Deletion', 'DeletedEntry')) {
      const gone = new Map<string, string>()
      for (const event of await eventsOf(documents, documents.space.contentData, state.since, 'DELETE'))
        if (wasPublic(event.old_values) && this.isTold(event.old_values.datatype_id))
          gone.set(event.record_id, event.occurred_at)
      for (const id of [...this.waiting, ...(await this.hidden(changed))]) gone.set(id, now)
      const seen = await documents.seen([...gone.keys()])
      for (const id of seen) gone.delete(id)
      this.waiting = seen
      const own = await contentfulIds(site, { entries: gone.keys() })
      for (const [id, at] of gone) found.push(deleted('DeletedEntry', own.get(id) ?? id, at))
    }
    if (wants(state, 'Deletion', 'DeletedAsset')) {
      const events = await eventsOf(documents, documents.space.media, state.since, 'DELETE')
      const own = await contentfulIds(site, { media: events.map(({ record_id }) => record_id) })
      for (const { record_id: id, occurred_at } of events)
        found.push(deleted('DeletedAsset', own.get(id) ?? id, occurred_at))
    }
    return found
  }

  private async hidden({ roots }: Changed): Promise<string[]> {
    const { read, space } = this.site.documents
    if (roots?.size === 0) return []
    const where = roots ? { root_id: [...roots] } : {}
    const rows = await read.findAll(space.contentData, where, { limit: mostDeletions + 1 })
    if (rows.length > mostDeletions) throw invalid('sync_token', 'is too old: start with initial=true')
    // After a change of the content model, entries that have become private are reported as deleted.
    const once = rows.flatMap(({ content_data_id, published_at, datatype_id }) =>
      published_at && (!roots || this.isTold(datatype_id)) ? content_data_id : [],
    )
    const seen = await this.site.documents.seen(once)
    return once.filter(id => !seen.has(id))
  }

  private isTold(datatypeId: unknown): boolean {
    const datatype = this.site.documents.schema.datatypes.get(String(datatypeId))
    return datatype === undefined || mayShow(datatype, 'public')
  }

  async allAssets(): Promise<{ items: unknown[]; last: string | undefined }> {
    const { limit, after } = this.state
    const page = await this.site.documents.mediaList({}, { limit: limit + 1, after: after ?? undefined })
    const shown = page.slice(0, limit)
    return {
      items: await this.assets(shown),
      last: page.length > limit ? shown.at(-1)?.media_id : undefined,
    }
  }

  async changedAssets(): Promise<unknown[]> {
    const { state, site } = this
    const { documents } = site
    if (!wants(state, 'Asset')) return []
    const events = await eventsOf(documents, documents.space.media, state.since)
    const media = await documents.media([...new Set(events.map(({ record_id }) => record_id))].filter(isUlid))
    return this.assets([...media.values()])
  }

  private async assets(media: readonly MediaRecord[]) {
    const own = await contentfulIds(this.site, { media: media.map(({ media_id }) => media_id) })
    const context = inAllLocales(plainContext(this.site))
    return media.map(one => renamed(contentfulAssetOf(one, context, this.images), own))
  }

  further(after: string | null, phase: SyncState['phase'] = this.state.phase): SyncState {
    return { ...this.state, to: this.to, phase, after, waiting: this.waitingIds() }
  }

  next(): SyncState {
    const { type, contentType, limit, until } = this.state
    return {
      ...initialSync(type, contentType, limit),
      from: this.to,
      since: until,
      waiting: this.waitingIds(),
    }
  }

  private waitingIds(): string[] {
    if (this.waiting.size > mostWaiting)
      throw invalid(
        'sync_token',
        `has more than ${mostWaiting} deleted entries that are shown until the next publish`,
      )
    return [...this.waiting]
  }
}

const wasPublic = (old: unknown): old is { readonly published_at: unknown; readonly datatype_id?: unknown } =>
  typeof old === 'object' && old !== null && 'published_at' in old && old.published_at !== null

async function synced(page: SyncPage, state: SyncState, documents: Documents, to: number) {
  if (state.phase === 'assets') {
    const { items, last } = await page.allAssets()
    return { items, more: last === undefined ? undefined : page.further(last) }
  }
  const changed = state.from === null ? undefined : await changedIn(documents, state.from, to)
  const { items, last } = await page.entries(changed)
  if (last !== undefined) return { items, more: page.further(last) }
  if (!changed) return { items, more: wants(state, 'Asset') ? page.further(null, 'assets') : undefined }
  return { items: [...items, ...(await page.deletions(changed)), ...(await page.changedAssets())] }
}

/**
 * `sync`: everything at first, and then the changes since a token was given. It takes a key, because it shows all
 * content types.
 * @param addressOf the address under which a token is asked with
 */
export async function contentfulSync(
  site: CompatSite,
  given: SyncState,
  images: string,
  addressOf: (token: string) => string,
): Promise<Written> {
  await site.allow()
  const { documents, now } = site
  const to = given.to ?? (await versionsOf(documents.read)).content
  const state = given.to === null ? { ...given, until: Date.parse(now) } : given
  const page = new SyncPage(site, state, to, images)
  const { items, more } = await synced(page, state, documents, to)
  const address = addressOf(writeToken(more ?? page.next()))
  const next = more ? { nextPageUrl: address } : { nextSyncUrl: address }
  return { text: JSON.stringify({ sys: { type: 'Array' }, items, ...next }) }
}
