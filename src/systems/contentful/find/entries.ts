import { invalid, notFound } from '../../../errors.js'
import { isUlid } from '../../../ids.js'
import type { CompatSite, Written } from '../../../services/delivery/compat/compat.js'
import { all, any } from '../../../services/delivery/documents.js'
import { everyLocale } from '../../../services/delivery/format-context.js'
import { readCursor, writeCursor } from '../../../services/delivery/query/query-cursor.js'
import { fieldNamed } from '../../../services/delivery/query/query-plan.js'
import type { FilterCondition, FilterGroup } from '../../../services/delivery/query/query-request.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { openMedia, openMediaList, referencesOf, searchedIds } from '../../documents.js'
import type { TypeMapping } from '../../mapping.js'
import type { ContentfulCondition, ContentfulRequest } from '../http/request.js'
import { contentfulIds, ownIds, renamed } from '../names.js'
import { contentfulAssetOf, localeIn, plainContext, writtenEntries } from '../write/entries.js'

type Datatype = TypeMapping['datatype']

const missing = 'The resource could not be found.'

interface ArrayAnswer {
  readonly items: readonly string[]
  readonly total: number
  /** Where the next page begins, where pages are by cursors; they have no total then. */
  readonly pages?: { readonly next?: string } | undefined
  readonly includes?: Readonly<Record<string, readonly string[]>>
}

/** The answer with a list. */
export const arrayOf = (
  { total, items, pages, includes = {} }: ArrayAnswer,
  skip: number,
  limit: number,
): Written => {
  const place = pages ? { limit, pages } : { total, skip, limit }
  const head = JSON.stringify({ sys: { type: 'Array' }, ...place }).slice(0, -1)
  const lists = Object.entries(includes).filter(([, list]) => list.length > 0)
  const included = lists.map(([name, list]) => `"${name}":[${list.join()}]`).join()
  return { text: `${head},"items":[${items.join()}]${included && `,"includes":{${included}}`}}` }
}

function conditionOf({
  parameter,
  path,
  operator,
  values,
}: ContentfulCondition): FilterCondition | FilterGroup {
  if (operator === 'all')
    return all(values.map(value => ({ parameter, path, operator: 'eq' as const, values: [value] })))
  if (operator !== 'nin') return { parameter, path, operator, values }
  return { all: true, not: true, parts: [{ parameter, path, operator: 'in', values }] }
}

async function knownIds(
  site: CompatSite,
  ids: readonly string[],
  kind: 'entry' | 'asset' | 'any',
): Promise<string[]> {
  return (await ownIds(site, ids, kind)).flatMap(id => id ?? [])
}

/** A condition on a list of texts, which is JSON here: an element is in it with its quotes. */
function inList({ parameter, path, operator, values }: ContentfulCondition): FilterCondition | FilterGroup {
  const parts = values.map(value => ({
    ...{ parameter, path, operator: 'contains' as const, values: [JSON.stringify(value)] },
  }))
  const isNegated = operator === 'ne' || operator === 'nin'
  return { all: operator === 'all', not: isNegated, parts }
}

async function partOf(
  site: CompatSite,
  datatype: Datatype,
  condition: ContentfulCondition,
): Promise<FilterCondition | FilterGroup> {
  const { path, operator } = condition
  const field = fieldNamed(site.documents.schema, datatype.datatype_id, path[0])
  const isList = field?.field_type === 'json' && path.length === 1
  if (isList && ['eq', 'ne', 'in', 'nin', 'all'].includes(operator)) return inList(condition)
  return conditionOf(await withOwnIds(site, datatype, condition))
}

async function withOwnIds(
  site: CompatSite,
  { datatype_id }: Datatype,
  condition: ContentfulCondition,
): Promise<ContentfulCondition> {
  const { path, operator, values } = condition
  const field = fieldNamed(site.documents.schema, datatype_id, path[0])
  const isOfIds = field ? field.field_type === 'relation' || field.field_type === 'media' : path[0] === 'id'
  if (!isOfIds || path.length > 1 || operator === 'exists') return condition
  const own = await ownIds(site, values, field ? 'any' : 'entry')
  return { ...condition, values: own.map((id, i) => id ?? values[i] ?? '') }
}

const linking = ({ documents: { schema } }: CompatSite, datatype: Datatype, id: string): FilterGroup =>
  any(
    referencesOf(schema, datatype).map(({ name }) => ({
      ...{ parameter: 'links_to', path: [name], operator: 'eq', values: [id] },
    })),
  )

const pageAfter = (list: string, limit: number, cursor: string): string =>
  `/${list}?cursor=true&limit=${limit}&pageNext=${cursor}`

async function byIds(
  site: CompatSite,
  given: readonly string[],
  request: ContentfulRequest,
): Promise<Written> {
  const { skip, limit } = request
  const { documents } = site
  const ids = await knownIds(site, given, 'entry')
  const found = new Map((await documents.records(ids)).map(row => [row.content_data_id, row]))
  for (const { datatype_id } of found.values()) await site.open(documents.schema.datatypes.get(datatype_id))
  const inOrder = [...new Set(ids)].filter(id => found.has(id))
  const window = inOrder.slice(skip, skip + limit)
  // All named entries are on one page.
  const pages = request.cursor && {}
  return arrayOf(
    { total: inOrder.length, pages, ...(await writtenEntries(site, window, request)) },
    skip,
    limit,
  )
}

async function partsOf(
  site: CompatSite,
  datatype: Datatype,
  { conditions, ids, linksTo, query }: ContentfulRequest,
): Promise<(FilterCondition | FilterGroup)[]> {
  const parts: (FilterCondition | FilterGroup)[] = []
  for (const condition of conditions) parts.push(await partOf(site, datatype, condition))
  if (ids) {
    const values = await knownIds(site, ids, 'entry')
    parts.push({ parameter: 'sys.id', path: ['id'], operator: 'in', values })
  }
  if (linksTo !== undefined) {
    const [id = ''] = await knownIds(site, [linksTo], 'any')
    parts.push(linking(site, datatype, id))
  }
  const words = query.trim()
  if (words !== '') {
    const best = await searchedIds(site, datatype, words)
    parts.push({ parameter: 'query', path: ['id'], operator: 'in', values: best })
  }
  return parts
}

async function ofAllTypes(site: CompatSite, request: ContentfulRequest): Promise<Written> {
  const { skip, limit, conditions, order, cursor } = request
  const onFields = conditions.find(({ parameter }) => parameter.startsWith('fields.'))
  if (onFields) throw invalid(onFields.parameter, 'needs a content_type')
  if (order.length > 0) throw invalid('order', 'needs a content_type')
  if (cursor) throw invalid('cursor', 'needs a content_type')
  const locale = request.locale === everyLocale ? '' : localeIn(site, request.locale)
  const found: string[] = []
  let total = 0
  for (const { datatype } of site.types) {
    if (!(await site.sees(datatype))) continue
    const filter = all(await partsOf(site, datatype, request))
    const window = { offset: Math.max(0, skip - total), limit: Math.max(1, limit - found.length) }
    const { ids, count = 0 } = await site.documents.find({
      ...{ datatype, filter, sort: [], locale, count: true },
      ...window,
    })
    if (found.length < limit) found.push(...ids)
    total += count
  }
  return arrayOf({ total, ...(await writtenEntries(site, found, request)) }, skip, limit)
}

/** `entries`, of a content type, by their ids, or all. */
export async function contentfulEntries(site: CompatSite, request: ContentfulRequest): Promise<Written> {
  const { contentType, ids, skip, limit, conditions } = request
  if (contentType === undefined)
    return ids && conditions.length === 0 ? byIds(site, ids, request) : ofAllTypes(site, request)
  const { documents } = site
  const datatype = await site.open(site.types.find(one => one.name === contentType)?.datatype)
  const parts = await partsOf(site, datatype, request)
  const sort = request.order.map(({ name, descending }) => ({ name, descending }))
  const locale = request.locale === everyLocale ? '' : localeIn(site, request.locale)
  const asked = { datatype, filter: all(parts), sort, locale, count: true }
  const { cursor } = request
  if (!cursor) {
    const found = await documents.find({ ...asked, limit, offset: skip })
    return arrayOf(
      { total: found.count ?? 0, ...(await writtenEntries(site, found.ids, request)) },
      skip,
      limit,
    )
  }
  const order = JSON.stringify([contentType, sort])
  const after = cursor.after === undefined ? undefined : readCursor(cursor.after, order)
  const found = await documents.find({ ...asked, count: false, limit, offset: 0, after })
  const next = found.next && { next: pageAfter('entries', limit, writeCursor(found.next, order)) }
  return arrayOf(
    { total: 0, pages: next ?? {}, ...(await writtenEntries(site, found.ids, request)) },
    0,
    limit,
  )
}

/** `entries/<id>`, which clients in other languages than JavaScript ask for. */
export async function contentfulEntry(
  site: CompatSite,
  given: string,
  request: ContentfulRequest,
): Promise<Written> {
  const ids = await knownIds(site, [given], 'entry')
  const [row] = await site.documents.records(ids)
  await site.open(site.documents.schema.datatypes.get(row?.datatype_id ?? ''))
  const { items } = await writtenEntries(site, row ? ids : [], { ...request, include: 0 })
  if (items[0] === undefined) throw notFound(missing)
  return { text: items[0] }
}

/** `assets`: all of them for callers who may read content, one by its id for everybody who sees it. */
export async function contentfulAssets(
  site: CompatSite,
  { ids, skip, limit, cursor, images }: ContentfulRequest,
): Promise<Written> {
  const { documents } = site
  const written = (media: readonly MediaRecord[]) => writtenAssets(site, media, images)
  const named = ids && [...(await documents.media(await knownIds(site, ids, 'asset'))).values()]
  await openMediaList(site, named)
  if (cursor && !named) {
    const from = cursor.after
    if (from !== undefined && !isUlid(from)) throw invalid('pageNext', 'is not a cursor')
    const page = await documents.mediaList({}, { limit: limit + 1, after: from })
    const last = page.length > limit ? page[limit - 1] : undefined
    const pages = last ? { next: pageAfter('assets', limit, last.media_id) } : {}
    const items = await written(page.slice(0, limit))
    return arrayOf({ total: 0, pages, items }, 0, limit)
  }
  const media = named
    ? named.slice(skip, skip + limit)
    : await documents.mediaList({}, { limit, offset: skip })
  const total = named ? named.length : await documents.mediaCount()
  return arrayOf({ total, items: await written(media) }, skip, limit)
}

export async function contentfulAsset(site: CompatSite, given: string, images: string): Promise<Written> {
  const [found] = (await site.documents.media(await knownIds(site, [given], 'asset'))).values()
  const media = await openMedia(site, found, missing)
  const [text = ''] = await writtenAssets(site, [media], images)
  return { text }
}

async function writtenAssets(
  site: CompatSite,
  media: readonly MediaRecord[],
  images: string,
): Promise<string[]> {
  const ids = await contentfulIds(site, { media: media.map(({ media_id }) => media_id) })
  const context = plainContext(site)
  return media.map(one => JSON.stringify(renamed(contentfulAssetOf(one, context, images), ids)))
}
