import { invalid, notFound } from '../../../errors.js'
import { isUlid } from '../../../ids.js'
import type { MediaRecord } from '../../media/record.js'
import { all, any, nobody } from '../documents.js'
import type { Paths } from '../expand.js'
import { everyLocale } from '../format-context.js'
import { assetOf, entryOf } from '../formats/contentful.js'
import type { FormatContext } from '../formats/format.js'
import { readCursor, writeCursor } from '../query/query-cursor.js'
import { fieldNamed } from '../query/query-plan.js'
import type { FilterCondition, FilterGroup, QueryRequest } from '../query/query-request.js'
import { contentfulOf } from '../rich-text/index.js'
import { type ContentTree, walk } from '../tree.js'
import type { CompatSite, Written } from './compat.js'
import type { TypeMapping } from './mapping.js'
import { searchedIds } from './wordpress-finding.js'

type Datatype = TypeMapping['datatype']

/** A condition as it was asked for. */
export interface ContentfulCondition {
  readonly parameter: string
  /** `fields.<name>`, `fields.<name>.fields.<name>`, or of `sys` the word behind it. */
  readonly path: readonly [string] | readonly [string, string]
  readonly operator: FilterCondition['operator'] | 'nin'
  readonly value: string
}

export interface ContentfulRequest {
  readonly contentType: string | undefined
  readonly ids: readonly string[] | undefined
  readonly conditions: readonly ContentfulCondition[]
  readonly query: string
  readonly linksTo: string | undefined
  readonly order: QueryRequest['sort']
  readonly skip: number
  readonly limit: number
  /** Whether pages are by cursors, and where this one begins. */
  readonly cursor: { readonly after: string | undefined } | undefined
  readonly include: number
  readonly select: ReadonlySet<string> | undefined
  readonly locale: string
  /** What the addresses of pictures begin with. */
  readonly images: string
}

/** Relations are followed so far; children to the depth that is asked for. */
const relationLevels = 3

interface ArrayAnswer {
  readonly items: readonly unknown[]
  readonly total: number
  /** Where the next page begins, where pages are by cursors; they have no total then. */
  readonly pages?: { readonly next?: string } | undefined
  readonly includes?: Readonly<Record<string, readonly unknown[]>>
}

/** Without locales there is the one that they would begin with. */
export const onlyLocale = 'en'

/** The locale that is asked for. Without locales the only one is `en`, for whatever region, and all at once are that one. */
function localeIn({ documents }: CompatSite, asked: string): string {
  if (documents.isLocalized) return asked
  return asked === everyLocale || new RegExp(`^${onlyLocale}(?:-|$)`, 'i').test(asked) ? '' : asked
}

/** With all locales at once. */
export const inAllLocales = (context: FormatContext): FormatContext =>
  context.all ? context : { ...context, all: { codes: new Set<string>(), standard: onlyLocale } }

/** The answer with a list. */
export const arrayOf = (
  { total, items, pages, includes = {} }: ArrayAnswer,
  skip: number,
  limit: number,
): Written => {
  const found = Object.entries(includes).filter(([, list]) => list.length > 0)
  return {
    text: JSON.stringify({
      sys: { type: 'Array' },
      ...(pages ? { limit, pages, items } : { total, skip, limit, items }),
      ...(found.length > 0 ? { includes: Object.fromEntries(found) } : {}),
    }),
  }
}

/** Paths of routes are shown without their first slash. */
const rooted = (value: string): string => (value.startsWith('/') ? value : `/${value}`)

/** @param hasSlug whether the slug is a field, and not that of the route */
function conditionOf(
  { parameter, path, operator, value: given }: ContentfulCondition,
  hasSlug: boolean,
): FilterCondition | FilterGroup {
  const isPath = path.length === 1 && path[0] === 'slug' && !hasSlug && operator !== 'exists'
  const value = isPath ? given.split(',').map(rooted).join() : given
  if (operator !== 'nin') return { parameter, path, operator, value }
  return { all: true, not: true, parts: [{ parameter, path, operator: 'in', value }] }
}

/** That some relation or picture of the entry names this id. */
function linking({ documents: { schema } }: CompatSite, datatype: Datatype, id: string): FilterGroup {
  const fields = [...schema.fields.values()].filter(
    ({ parent_id, field_type }) =>
      parent_id === datatype.datatype_id && (field_type === 'relation' || field_type === 'media'),
  )
  const named = fields.map(
    ({ name }): FilterCondition => ({ parameter: 'links_to', path: [name], operator: 'eq', value: id }),
  )
  return any(
    named.length > 0 ? named : [{ parameter: 'links_to', path: ['id'], operator: 'eq', value: nobody }],
  )
}

/** All relations behind each other, so many levels of them. */
function pathsOf({ documents: { schema } }: CompatSite, levels: number): Paths {
  const relations = [...schema.fields.values()].filter(({ field_type }) => field_type === 'relation')
  const names = [...new Set(relations.map(({ name }) => name))]
  let paths: string[][] = names.map(name => [name])
  // What one path leads to another may too: with many names they would be more than anybody can follow.
  for (let level = 1; level < levels && paths.length * names.length <= 400; level++)
    paths = paths.flatMap(path => names.map(name => [...path, name]))
  return paths
}

/** An entry with title and slug of its route, where it has no such fields. */
export function withRoute(
  { route, root }: Pick<ContentTree, 'route' | 'root'>,
  context: FormatContext,
  ids: ReadonlySet<string>,
) {
  const entry = entryOf(root, undefined, context, ids)
  if (!route) return entry
  const own = { title: route.title, slug: route.slug.slice(1) || '/' }
  const { all: locales } = context
  const texts = locales
    ? Object.fromEntries(Object.entries(own).map(([name, text]) => [name, { [locales.standard]: text }]))
    : own
  return { ...entry, fields: { ...texts, ...entry.fields } }
}

function selected<T extends { fields: Record<string, unknown> }>(entry: T, { select }: ContentfulRequest): T {
  if (!select || select.has('fields')) return entry
  const fields = Object.entries(entry.fields).filter(([name]) => select.has(`fields.${name}`))
  return { ...entry, fields: Object.fromEntries(fields) }
}

async function writtenOf(site: CompatSite, ids: readonly string[], request: ContentfulRequest) {
  const { include, locale } = request
  const shown = await site.documents.shown(ids, {
    ...{ locale: localeIn(site, locale), writeRich: contentfulOf },
    children: Math.max(1, include),
    expand: pathsOf(site, Math.min(Math.max(1, include), relationLevels)),
  })
  const { trees } = shown
  const named = { ...shown.context, childrenNames: site.childrenNames }
  const context = locale === everyLocale ? inAllLocales(named) : named
  const roots = new Set(trees.map(({ root }) => root.entry.content_data_id))
  const below = trees.flatMap(({ root }) => [...walk(root)].filter(node => node !== root))
  const linked = [...context.linked].filter(([id]) => !roots.has(id))
  const every = new Set([
    ...roots,
    ...below.map(({ entry }) => entry.content_data_id),
    ...context.linked.keys(),
  ])
  const items = trees.map(tree => selected(withRoute(tree, context, every), request))
  if (include === 0) return { items, includes: {} }
  const others = new Map([
    ...below.map(root => [root.entry.content_data_id, { route: undefined, root }] as const),
    ...linked.map(([id, { node, route }]) => [id, { route, root: node }] as const),
  ])
  return {
    items,
    includes: {
      Entry: [...others].flatMap(([id, one]) => (roots.has(id) ? [] : [withRoute(one, context, every)])),
      Asset: [...context.media.values()].map(media => contentfulAssetOf(media, context, request.images)),
    },
  }
}

/** A picture that has variants is under an address that chooses among them, by the parameters of Contentful. */
export function contentfulAssetOf(media: MediaRecord, context: FormatContext, images: string) {
  const url = `${images}/${media.media_id}/${encodeURIComponent(media.name)}`
  return assetOf(media.variants.length > 0 ? { ...media, url } : media, context)
}

/** The address of a page, of which clients take the cursor. */
const pageAfter = (list: string, limit: number, cursor: string): string =>
  `/${list}?cursor=true&limit=${limit}&pageNext=${cursor}`

/** Entries by their ids, of whatever type. */
async function byIds(site: CompatSite, ids: readonly string[], request: ContentfulRequest): Promise<Written> {
  const { skip, limit } = request
  const { documents } = site
  const found = new Map((await documents.records(ids.filter(isUlid))).map(row => [row.content_data_id, row]))
  for (const { datatype_id } of found.values()) await site.open(documents.schema.datatypes.get(datatype_id))
  const inOrder = [...new Set(ids)].filter(id => found.has(id))
  const window = inOrder.slice(skip, skip + limit)
  // What was named is all on one page.
  const pages = request.cursor && {}
  return arrayOf({ total: inOrder.length, pages, ...(await writtenOf(site, window, request)) }, skip, limit)
}

/** `entries`, of a content type or by their ids. */
export async function contentfulEntries(site: CompatSite, request: ContentfulRequest): Promise<Written> {
  const { contentType, ids, skip, limit, conditions } = request
  if (contentType === undefined) {
    if (ids) return byIds(site, ids, request)
    throw invalid('content_type', 'must be named: entries of all types at once are not answered')
  }
  const { documents } = site
  const datatype = await site.open(site.types.find(one => one.datatype.name === contentType)?.datatype)
  const hasSlug = fieldNamed(documents.schema, datatype.datatype_id, 'slug') !== undefined
  const parts = conditions.map(one => conditionOf(one, hasSlug))
  if (ids)
    parts.push({
      parameter: 'sys.id',
      path: ['id'],
      operator: 'in',
      value: ids.filter(isUlid).join() || nobody,
    })
  if (request.linksTo !== undefined) parts.push(linking(site, datatype, request.linksTo))
  const words = request.query.trim()
  if (words !== '') {
    const best = await searchedIds(site, datatype, words)
    parts.push({ parameter: 'query', path: ['id'], operator: 'in', value: best.join() || nobody })
  }
  const sort = request.order.map(({ name, descending }) => ({
    name: name === 'createdAt' && !fieldNamed(documents.schema, datatype.datatype_id, name) ? 'id' : name,
    descending,
  }))
  const locale = request.locale === everyLocale ? '' : localeIn(site, request.locale)
  const asked = { datatype, filter: all(parts), sort, locale, count: true }
  const { cursor } = request
  if (!cursor) {
    const found = await documents.find({ ...asked, limit, offset: skip })
    return arrayOf({ total: found.count ?? 0, ...(await writtenOf(site, found.ids, request)) }, skip, limit)
  }
  const order = JSON.stringify([contentType, sort])
  const after = cursor.after === undefined ? undefined : readCursor(cursor.after, order)
  const found = await documents.find({ ...asked, count: false, limit, offset: 0, after })
  const next = found.next && { next: pageAfter('entries', limit, writeCursor(found.next, order)) }
  return arrayOf({ total: 0, pages: next ?? {}, ...(await writtenOf(site, found.ids, request)) }, 0, limit)
}

/** `entries/<id>`, which clients in other languages than JavaScript ask for. */
export async function contentfulEntry(
  site: CompatSite,
  id: string,
  request: ContentfulRequest,
): Promise<Written> {
  const [row] = isUlid(id) ? await site.documents.records([id]) : []
  await site.open(site.documents.schema.datatypes.get(row?.datatype_id ?? ''))
  const { items } = await writtenOf(site, row ? [id] : [], { ...request, include: 0 })
  if (items.length === 0) throw notFound('The resource could not be found.')
  return { text: JSON.stringify(items[0]) }
}

export const plainContext = ({ documents }: CompatSite): FormatContext => ({
  ...{ locale: '', chain: [], stored: undefined, linked: new Map(), media: new Map() },
  origin: documents.origin,
})

/** `assets`: all of them for who may read content, one by its id for everybody who sees it. */
export async function contentfulAssets(
  site: CompatSite,
  { ids, skip, limit, cursor, images }: ContentfulRequest,
): Promise<Written> {
  const { documents } = site
  const written = (media: MediaRecord) => contentfulAssetOf(media, plainContext(site), images)
  const named = ids && [...(await documents.media(ids.filter(isUlid))).values()]
  const open = named && (await Promise.all(named.map(({ media_id }) => documents.showsMedia(media_id))))
  if (!open?.every(isOpen => isOpen)) await site.allow()
  if (cursor && !named) {
    const from = cursor.after
    if (from !== undefined && !isUlid(from)) throw invalid('pageNext', 'is no cursor')
    const page = await documents.mediaList({}, { limit: limit + 1, after: from })
    const last = page.length > limit ? page[limit - 1] : undefined
    const pages = last ? { next: pageAfter('assets', limit, last.media_id) } : {}
    const items = page.slice(0, limit).map(written)
    return arrayOf({ total: 0, pages, items }, 0, limit)
  }
  const media = named
    ? named.slice(skip, skip + limit)
    : await documents.mediaList({}, { limit, offset: skip })
  const total = named ? named.length : await documents.mediaCount()
  return arrayOf({ total, items: media.map(written) }, skip, limit)
}

export async function contentfulAsset(site: CompatSite, id: string, images: string): Promise<Written> {
  const media = (await site.documents.media([id].filter(isUlid))).get(id)
  if (!media || !(await site.documents.showsMedia(id))) await site.allow()
  if (!media) throw notFound('The resource could not be found.')
  return { text: JSON.stringify(contentfulAssetOf(media, plainContext(site), images)) }
}
