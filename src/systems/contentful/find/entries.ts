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
import { contentfulAssetOf, localeIn, plainContext, writtenEntries } from '../write/entries.js'

type Datatype = TypeMapping['datatype']

const missing = 'The resource could not be found.'

interface ArrayAnswer {
  /** Each as JSON. */
  readonly items: readonly string[]
  readonly total: number
  /** Where the next page begins, where pages are by cursors; they have no total then. */
  readonly pages?: { readonly next?: string } | undefined
  /** The included entries and assets as JSON, by their type. */
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
  if (operator !== 'nin') return { parameter, path, operator, values }
  return { all: true, not: true, parts: [{ parameter, path, operator: 'in', values }] }
}

/** A condition for entries with a relation or picture that names this id. */
const linking = ({ documents: { schema } }: CompatSite, datatype: Datatype, id: string): FilterGroup =>
  any(
    referencesOf(schema, datatype).map(({ name }) => ({
      ...{ parameter: 'links_to', path: [name], operator: 'eq', values: [id] },
    })),
  )

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
  // All named entries are on one page.
  const pages = request.cursor && {}
  return arrayOf(
    { total: inOrder.length, pages, ...(await writtenEntries(site, window, request)) },
    skip,
    limit,
  )
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
  const parts = conditions.map(conditionOf)
  if (ids)
    parts.push({
      parameter: 'sys.id',
      path: ['id'],
      operator: 'in',
      values: ids.filter(isUlid),
    })
  if (request.linksTo !== undefined) parts.push(linking(site, datatype, request.linksTo))
  const words = request.query.trim()
  if (words !== '') {
    const best = await searchedIds(site, datatype, words)
    parts.push({ parameter: 'query', path: ['id'], operator: 'in', values: best })
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
  id: string,
  request: ContentfulRequest,
): Promise<Written> {
  const [row] = isUlid(id) ? await site.documents.records([id]) : []
  await site.open(site.documents.schema.datatypes.get(row?.datatype_id ?? ''))
  const { items } = await writtenEntries(site, row ? [id] : [], { ...request, include: 0 })
  if (items[0] === undefined) throw notFound(missing)
  return { text: items[0] }
}

/** `assets`: all of them for callers who may read content, one by its id for everybody who sees it. */
export async function contentfulAssets(
  site: CompatSite,
  { ids, skip, limit, cursor, images }: ContentfulRequest,
): Promise<Written> {
  const { documents } = site
  const written = (media: MediaRecord) => JSON.stringify(contentfulAssetOf(media, plainContext(site), images))
  const named = ids && [...(await documents.media(ids.filter(isUlid))).values()]
  await openMediaList(site, named)
  if (cursor && !named) {
    const from = cursor.after
    if (from !== undefined && !isUlid(from)) throw invalid('pageNext', 'is not a cursor')
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
  const found = (await site.documents.media([id].filter(isUlid))).get(id)
  const media = await openMedia(site, found, missing)
  return { text: JSON.stringify(contentfulAssetOf(media, plainContext(site), images)) }
}
