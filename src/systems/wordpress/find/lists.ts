import { invalid, notFound } from '../../../errors.js'
import { isUlid } from '../../../ids.js'
import { anyIds } from '../../../services/content/field-values.js'
import { mayList } from '../../../services/content/visibility.js'
import type { CompatSite, Written } from '../../../services/delivery/compat/compat.js'
import { all, any } from '../../../services/delivery/documents.js'
import { fieldNamed } from '../../../services/delivery/query/query-plan.js'
import type { FilterGroup } from '../../../services/delivery/query/query-request.js'
import { htmlOf } from '../../../services/delivery/rich-text/html.js'
import { openMedia, openMediaList, titleFieldOf } from '../../documents.js'
import { type TypeMapping, targetsOf } from '../../mapping.js'
import type { WordpressRequest } from '../http/request.js'
import { shownOf } from '../write/chosen.js'
import {
  parentField,
  type TaxonomyPart,
  taxonomies,
  type WordpressWriting,
  wordpressMedia,
  wordpressTerm,
  wordpressUser,
} from '../write/objects.js'
import { minutesIn } from '../zone.js'
import { mediaByNumber, numberedMedia, wordpressNames } from './numbers.js'
import {
  among,
  entryByNumber,
  idsOf,
  invalidPost,
  naming,
  pagingHeaders,
  where,
  windowOf,
  withOrigin,
} from './posts.js'

/** The parts whose entries have lists of their own. */
export type FiledPart = TaxonomyPart | 'author'

export const invalidTerm = 'Term does not exist.'
export const invalidUser = 'Invalid user ID.'

const typeWith = ({ types }: CompatSite, part: FiledPart): TypeMapping | undefined => {
  const having = types.filter(({ parts }) => parts[part])
  return having.find(({ wordpress }) => wordpress === 'posts') ?? having[0]
}

function targetOf(site: CompatSite, part: FiledPart): TypeMapping | undefined {
  const field = typeWith(site, part)?.parts[part]
  const [name] = field ? targetsOf(field) : []
  return site.types.find(({ datatype }) => datatype.name === name)
}

async function namedBy(site: CompatSite, part: FiledPart, number: number): Promise<string[]> {
  const field = typeWith(site, part)?.parts[part]
  const { trees } = await site.documents.shown(await idsOf(site, [number]), {
    locale: '',
    children: 0,
    expand: [],
  })
  const values = trees
    .flatMap(({ root }) => root.values)
    .filter(value => value.field.field_id === field?.field_id)
  return values.flatMap(({ value }) => anyIds(value.field_value)).filter(isUlid)
}

const capitals = (text: string): string => text.replaceAll(/(?<!\S)\p{Ll}/gu, letter => letter.toUpperCase())

/** How a name may be written that is searched for: parts are compared as they are written, in a query at most three. */
function spellingsOf(text: string): string[] {
  const small = text.toLowerCase()
  const first = small.replace(/^\p{Ll}/u, letter => letter.toUpperCase())
  return [...new Set([text, first, small, capitals(small)])].slice(0, 3)
}

async function filterOf(site: CompatSite, part: FiledPart, target: TypeMapping, request: WordpressRequest) {
  const { post, search } = request
  const parts = await naming(site, target.datatype, request)
  if (post !== undefined) parts.push(among('post', await namedBy(site, part, post)))
  if (request.parents.length > 0) parts.push(await under(site, target, request.parents))
  const title = titleFieldOf(site.documents.schema, target.datatype)?.name
  if (search !== '')
    parts.push(any(spellingsOf(search).map(text => where('search', title ?? 'title', 'contains', text))))
  return all(parts)
}

/** Terms right under one of these; 0 stands for the top. Terms without a field for it have nothing above them. */
async function under(
  site: CompatSite,
  { datatype }: TypeMapping,
  numbers: readonly number[],
): Promise<FilterGroup> {
  const isTop = numbers.includes(0)
  const field = fieldNamed(site.documents.schema, datatype.datatype_id, parentField)
  if (field?.field_type !== 'relation') return isTop ? all([]) : any([])
  const parts = [among('parent', await idsOf(site, numbers), parentField)]
  return any(isTop ? [...parts, where('parent', parentField, 'exists', 'false')] : parts)
}

function orderOf(
  { documents: { schema } }: CompatSite,
  { datatype }: TypeMapping,
  request: WordpressRequest,
) {
  const { orderby = 'name', order } = request
  const descending = order === 'desc'
  if (orderby === 'id' || orderby === 'include' || orderby === 'count') return [{ name: 'id', descending }]
  if (orderby === 'slug') return [{ name: 'slug', descending }]
  if (orderby !== 'name') throw invalid('orderby', `${orderby.slice(0, 40)} is not supported`)
  return [{ name: titleFieldOf(schema, datatype)?.name ?? 'title', descending }]
}

async function countOf(site: CompatSite, part: FiledPart, id: string): Promise<number> {
  const type = typeWith(site, part)
  const field = type?.parts[part]
  if (!type || !field || !mayList(type.datatype, 'anybody')) return 0
  const filter = all([where(part, field.name, 'eq', id)])
  const asked = { datatype: type.datatype, filter, sort: [], locale: '', count: true }
  return (await site.documents.find({ ...asked, limit: 1, offset: 0 })).count ?? 0
}

const mostCounted = 200

async function counted(
  site: CompatSite,
  part: FiledPart,
  asked: Parameters<CompatSite['documents']['find']>[0],
  { hideEmpty, orderby, order }: WordpressRequest,
): Promise<string[]> {
  const { ids } = await site.documents.find({ ...asked, limit: mostCounted + 1, offset: 0 })
  if (ids.length > mostCounted)
    throw invalid(
      orderby === 'count' ? 'orderby' : 'hide_empty',
      `is supported for at most ${mostCounted} terms`,
    )
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, await countOf(site, part, id))
  const shown = hideEmpty ? ids.filter(id => counts.get(id)) : [...ids]
  if (orderby !== 'count') return shown
  const sign = order === 'desc' ? -1 : 1
  return [...shown].sort((a, b) => sign * ((counts.get(a) ?? 0) - (counts.get(b) ?? 0)))
}

async function written(
  site: CompatSite,
  part: FiledPart,
  ids: readonly string[],
  request: WordpressRequest,
): Promise<string[]> {
  const { trees, context } = await site.documents.shown(ids, {
    ...{ locale: '', children: 0, writeRich: htmlOf },
    namesOf: wordpressNames(site),
  })
  const writing: WordpressWriting = {
    context: withOrigin(context, request),
    types: site.types,
    api: request.api,
  }
  const objects: string[] = []
  for (const { root, route } of trees) {
    const shown = { node: root, route }
    objects.push(
      shownOf(
        part === 'author'
          ? wordpressUser(shown, writing)
          : wordpressTerm(shown, part, writing, await countOf(site, part, root.entry.content_data_id)),
        request,
      ),
    )
  }
  return objects
}

const listOf = (objects: readonly string[]): string => `[${objects.join(',')}]`

/** `wp/v2/categories`, `wp/v2/tags` and `wp/v2/users`; empty where no relation stands for them. */
export async function wordpressFiled(
  site: CompatSite,
  part: FiledPart,
  request: WordpressRequest,
): Promise<Written> {
  const target = targetOf(site, part)
  if (!target) return { text: '[]', headers: pagingHeaders(request, 0) }
  const datatype = await site.open(target.datatype)
  const filter = await filterOf(site, part, target, request)
  const sort = orderOf(site, target, request)
  const asked = { datatype, filter, sort, locale: '', count: true }
  const { limit, offset } = windowOf(request)
  if (request.hideEmpty || request.orderby === 'count') {
    const ids = await counted(site, part, { ...asked, limit, offset }, request)
    const shown = await written(site, part, ids.slice(offset, offset + limit), request)
    return { text: listOf(shown), headers: pagingHeaders(request, ids.length) }
  }
  const { ids, count = 0 } = await site.documents.find({ ...asked, limit, offset })
  const headers = pagingHeaders(request, count)
  return { text: listOf(await written(site, part, ids, request)), headers }
}

export async function wordpressFiledById(
  site: CompatSite,
  part: FiledPart,
  number: number,
  request: WordpressRequest,
): Promise<Written> {
  const target = targetOf(site, part)
  const row = target && (await entryByNumber(site, target.datatype, number))
  if (target) await site.open(target.datatype)
  const [object] = row ? await written(site, part, [row.content_data_id], request) : []
  if (!object) throw notFound(part === 'author' ? invalidUser : invalidTerm)
  return { text: object }
}

const originOf = ({ documents }: CompatSite): string => documents.origin

/** `wp/v2/media`: all media for callers who may read content, named ones for everybody who sees them. */
export async function wordpressMediaList(site: CompatSite, request: WordpressRequest): Promise<Written> {
  const { documents } = site
  const { include } = request
  const all = include.length > 0 ? await mediaByNumber(site, include) : undefined
  await openMediaList(site, all)
  const { limit, offset } = windowOf(request)
  const found = all
    ? all.slice(offset, offset + limit)
    : await numberedMedia(site, await documents.mediaList({}, { limit, offset }))
  const headers = pagingHeaders(request, all ? all.length : await documents.mediaCount())
  const objects = found.map(media =>
    shownOf(
      wordpressMedia(media, withOrigin({ origin: originOf(site) }, request).origin, request.api),
      request,
    ),
  )
  return { text: listOf(objects), headers }
}

export async function wordpressMediaById(
  site: CompatSite,
  number: number,
  request: WordpressRequest,
): Promise<Written> {
  const [found] = await mediaByNumber(site, [number])
  const media = await openMedia(site, found, invalidPost)
  return {
    text: shownOf(
      wordpressMedia(media, withOrigin({ origin: originOf(site) }, request).origin, request.api),
      request,
    ),
  }
}

const typeOf = ({ datatype, wordpress, parts }: TypeMapping, api: string) => ({
  description: '',
  hierarchical: wordpress === 'pages',
  has_archive: false,
  name: datatype.label,
  slug: datatype.name,
  icon: null,
  taxonomies: Object.entries(taxonomies).flatMap(([part, name]) =>
    parts[part as TaxonomyPart] ? [name] : [],
  ),
  rest_base: wordpress,
  rest_namespace: 'wp/v2',
  _links: { collection: [{ href: `${api}/types` }], 'wp:items': [{ href: `${api}/${wordpress}` }] },
})

const publicTypes = ({ types }: CompatSite) => types.filter(({ datatype }) => mayList(datatype, 'anybody'))

/** `wp/v2/types`: the datatypes that anybody may read. */
export function wordpressTypes(site: CompatSite, api: string): Written {
  const shown = publicTypes(site).map(type => [type.datatype.name, typeOf(type, api)] as const)
  return { text: JSON.stringify(Object.fromEntries(shown)) }
}

export function wordpressType(site: CompatSite, name: string, api: string): Written {
  const type = publicTypes(site).find(({ datatype }) => datatype.name === name)
  if (!type) throw notFound('Invalid post type.')
  return { text: JSON.stringify(typeOf(type, api)) }
}

/** `wp/v2/taxonomies`. */
export const wordpressTaxonomies = (site: CompatSite, api: string): Written => ({
  text: JSON.stringify(taxonomiesOf(site, api)),
})

/** `wp/v2/taxonomies/category`. */
export function wordpressTaxonomy(site: CompatSite, name: string, api: string): Written {
  const all = taxonomiesOf(site, api)
  if (!Object.hasOwn(all, name)) throw notFound('Invalid taxonomy.')
  return { text: JSON.stringify(all[name]) }
}

/** `wp/v2/comments`: always an empty list. */
export const wordpressComments = (_: CompatSite, request: WordpressRequest): Written => ({
  ...{ text: '[]', headers: pagingHeaders(request, 0) },
})

function taxonomiesOf(site: CompatSite, api: string): Record<string, unknown> {
  const shown = (Object.keys(taxonomies) as TaxonomyPart[]).map(part => {
    const types = publicTypes(site).filter(({ parts }) => parts[part])
    const slug = taxonomies[part]
    return [
      slug,
      {
        name: part === 'tags' ? 'Tags' : 'Categories',
        ...{ slug, description: '', types: types.map(({ datatype }) => datatype.name) },
        ...{ hierarchical: part === 'categories', rest_base: part, rest_namespace: 'wp/v2' },
        _links: { collection: [{ href: `${api}/taxonomies` }], 'wp:items': [{ href: `${api}/${part}` }] },
      },
    ] as const
  })
  return Object.fromEntries(shown)
}

const fixedRoutes = ['comments', 'media', 'types', 'taxonomies', 'categories', 'tags', 'users']

/** The root document, by which clients discover the API. */
export function wordpressIndex(site: CompatSite, root: string): Written {
  const bases = [...new Set([...publicTypes(site).map(({ wordpress }) => wordpress), ...fixedRoutes])]
  const route = (path: string) => ({
    namespace: path === '/' ? '' : 'wp/v2',
    methods: ['GET'],
    endpoints: [{ methods: ['GET'], args: {} }],
    _links: { self: [{ href: `${root}${path}` }] },
  })
  const paths = ['/', '/wp/v2', ...bases.flatMap(base => [`/wp/v2/${base}`, `/wp/v2/${base}/(?P<id>[\\d]+)`])]
  const home = originOf(site)
  const zone = site.types.find(({ wordpress }) => wordpress === 'posts')?.zone
  return {
    text: JSON.stringify({
      ...{ name: home.replace(/^.*:\/\//, '') || 'Slugline', description: '', url: home, home },
      ...{
        gmt_offset: zone ? minutesIn(zone, Date.parse(site.now)) / 60 : 0,
        timezone_string: zone ?? 'UTC',
      },
      ...{ namespaces: ['wp/v2'], authentication: {} },
      routes: Object.fromEntries(paths.map(path => [path, route(path)])),
    }),
  }
}
