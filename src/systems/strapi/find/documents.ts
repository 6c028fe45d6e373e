import { invalid, notFound } from '../../../errors.js'
import type { CompatSite, Written } from '../../../services/delivery/compat/compat.js'
import { all, type DocumentQuery, type Documents } from '../../../services/delivery/documents.js'
import type { EntryText } from '../../../services/delivery/query/entry-texts.js'
import { fieldNamed } from '../../../services/delivery/query/query-plan.js'
import { type FilterGroup, queryLimits } from '../../../services/delivery/query/query-request.js'
import { numbered } from '../../../services/delivery/shown-documents.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { openMedia, searchedIds } from '../../documents.js'
import { type TypeMapping, targetsOf } from '../../mapping.js'
import { namesIn, sourcesIn } from '../../source-names.js'
import type { StrapiPaging, StrapiRequest } from '../http/request.js'
import { strapiBlocksOf } from '../rich-text.js'
import { strapiFile } from '../write/files.js'
import type { StrapiModel } from '../write/model.js'
import { strapiDocument } from '../write/page.js'
import { nothing, type StrapiShown, shapeOf } from '../write/shown.js'
import { Filters, sortOf } from './filters.js'
import { localizationsOf } from './localizations.js'
import { pathsIn } from './paths.js'

type Datatype = TypeMapping['datatype']

const system = 'strapi'

const childLevels = 10

function modelOf({ types }: CompatSite): StrapiModel {
  const inBlocks = new Set(types.flatMap(({ blocks }) => [...blocks]))
  const byId = new Map(types.map(type => [type.datatype.datatype_id, type]))
  const components = new Set(types.flatMap(type => (type.isComponent ? [type.datatype.name] : [])))
  // The types are those of the schema that the entries were read by, so none is missing.
  const of = ({ datatype_id }: Datatype) => byId.get(datatype_id) as TypeMapping
  return {
    zoneOf: datatype => of(datatype).children,
    componentOf: datatype => of(datatype).component,
    fieldsOf: datatype => of(datatype).fields,
    isBlocks: ({ field_id }) => inBlocks.has(field_id),
    isLocalized: ({ datatype }) => of(datatype).isLocalized,
    isLeaf: datatype => of(datatype).isComponent && !of(datatype).namesChildren,
    namesComponents: field => {
      const targets = components.size > 0 ? targetsOf(field) : []
      return targets.length > 0 && targets.every(name => components.has(name))
    },
  }
}

const showsChildren = ({ populate }: StrapiShown, zone: string): boolean =>
  typeof populate === 'object' ? populate.has(zone) : populate !== 'none'

const shownAlways: ReadonlySet<string> = new Set([
  ...['id', 'documentId', 'title', 'slug', 'locale', 'createdAt', 'updatedAt', 'publishedAt'],
])

function refuseFields({ schema }: Documents, { datatype_id }: Datatype, { fields }: StrapiShown): void {
  for (const name of fields ?? [])
    if (!shownAlways.has(name) && !fieldNamed(schema, datatype_id, name))
      throw invalid('fields', `Invalid key ${name.slice(0, 100)}`)
}

async function written(
  site: CompatSite,
  datatype: Datatype,
  ids: readonly string[],
  { shown, locale, wrapped }: StrapiRequest,
): Promise<EntryText[]> {
  const { documents } = site
  const model = modelOf(site)
  const zone = model.zoneOf(datatype)
  refuseFields(documents, datatype, shown)
  const found = await documents.shown(ids, {
    locale,
    children: showsChildren(shown, zone) ? childLevels : 0,
    expand: pathsIn(site, datatype, shown, zone),
    writeRich: site.types.some(({ blocks }) => blocks.size > 0) ? strapiBlocksOf : undefined,
    namesOf: namesIn(site, system),
  })
  const how = { wrapped, model, localizations: await localizationsOf(site, found) }
  return found.trees.map(tree => {
    const { content_data_id: id } = tree.root.entry
    const json = strapiDocument(tree, found.context, shown, how)
    return { id, json, isSmall: found.small.has(id) }
  })
}

/** Documents of a list. What shows more than one relation away may be large, and is written each time. */
async function remembered(
  site: CompatSite,
  datatype: Datatype,
  ids: readonly string[],
  request: StrapiRequest,
): Promise<string[]> {
  const { shown, locale, wrapped } = request
  const write = (some: readonly string[]) => written(site, datatype, some, request)
  const paths = pathsIn(site, datatype, shown, modelOf(site).zoneOf(datatype))
  if (paths?.some(({ length }) => length > 1)) return (await write(ids)).map(({ json }) => json)
  return site.documents.written(ids, JSON.stringify(['strapi', wrapped, locale, shapeOf(shown)]), write)
}

function windowOf(paging: StrapiPaging): Pick<DocumentQuery, 'limit' | 'offset' | 'count'> {
  const offset = paging.by === 'page' ? (paging.page - 1) * paging.size : paging.start
  if (offset > queryLimits.offset)
    throw invalid('pagination', `can skip at most ${queryLimits.offset} documents`)
  return { limit: paging.by === 'page' ? paging.size : paging.limit, offset, count: paging.count }
}

function metaOf(paging: StrapiPaging, total: number | undefined) {
  const counted = total === undefined ? {} : { total }
  if (paging.by === 'start') return { start: paging.start, limit: paging.limit, ...counted }
  const { page, size } = paging
  return {
    page,
    pageSize: size,
    ...(total === undefined ? {} : { pageCount: Math.ceil(total / size) }),
    ...counted,
  }
}

/** @throws 400 for words among drafts, which no search looks at */
async function filterOf(site: CompatSite, datatype: Datatype, request: StrapiRequest): Promise<FilterGroup> {
  const filter = await new Filters(site, datatype, request.locale).group(request.filters)
  const { words, locale } = request
  if (words === '') return filter
  if (site.audience === 'working') throw invalid('_q', 'finds only published entries')
  const found = await searchedIds(site, datatype, words, locale)
  return all([filter, { parameter: '_q', path: ['id'], operator: 'in', values: found }])
}

async function list(site: CompatSite, datatype: Datatype, request: StrapiRequest): Promise<Written> {
  const { documents } = site
  const found = await documents.find({
    ...windowOf(request.paging),
    datatype,
    filter: await filterOf(site, datatype, request),
    sort: sortOf(documents, datatype, request.sort),
    locale: request.locale,
  })
  const data = await remembered(site, datatype, found.ids, request)
  const meta = JSON.stringify({
    pagination: metaOf(request.paging, request.paging.count ? found.count : undefined),
  })
  return { text: `{"data":[${data.join(',')}],"meta":${meta}}` }
}

async function one(
  site: CompatSite,
  datatype: Datatype,
  id: string | undefined,
  request: StrapiRequest,
): Promise<Written> {
  const [data] = id === undefined ? [] : await written(site, datatype, [id], request)
  if (data === undefined) throw notFound('Not Found')
  return { text: `{"data":${data.json},"meta":{}}` }
}

/** Where content has no locales it is the same in each. */
const inLocale = ({ documents }: CompatSite, asked: StrapiRequest): StrapiRequest =>
  documents.isLocalized ? asked : { ...asked, locale: '' }

/** `/<plural>` or, of a single type, `/<name>`. */
export async function strapiType(site: CompatSite, name: string, asked: StrapiRequest): Promise<Written> {
  const request = inLocale(site, asked)
  const plural = site.types.find(({ strapi }) => strapi === name)
  const single = plural ? undefined : site.types.find(type => type.single === name)
  const datatype = await site.open((plural ?? single)?.datatype)
  if (plural) return list(site, datatype, request)
  const first = { limit: 1, offset: 0, count: false }
  const sort = [{ name: 'id', descending: false }]
  const { locale } = request
  const { ids: found } = await site.documents.find({ ...first, datatype, filter: all([]), sort, locale })
  return one(site, datatype, found[0], request)
}

/** `/<plural>/<documentId>`, or by the number of version 4. */
export async function strapiEntry(
  site: CompatSite,
  name: string,
  id: string,
  asked: StrapiRequest,
): Promise<Written> {
  const request = inLocale(site, asked)
  const datatype = await site.open(site.types.find(({ strapi }) => strapi === name)?.datatype)
  const { locale } = request
  const filter = await new Filters(site, datatype, locale).group({
    all: true,
    parts: [{ parameter: 'documentId', path: ['documentId'], operator: 'in', values: [id] }],
  })
  const found = await site.documents.find({
    datatype,
    filter,
    sort: [],
    limit: 1,
    offset: 0,
    count: false,
    locale,
  })
  return one(site, datatype, found.ids[0], request)
}

/** `/upload/files`, a list without a wrapping. */
export async function strapiFiles(site: CompatSite, { paging }: StrapiRequest): Promise<Written> {
  await site.allow()
  const { limit, offset } = windowOf(paging)
  const files = await site.documents.mediaList({}, { limit, offset })
  return { text: JSON.stringify(await shownFiles(site, files)) }
}

export async function strapiFileById(site: CompatSite, number: number): Promise<Written> {
  const source = { kind: 'file', id: String(number) }
  const known = (await sourcesIn(site, system).records([source])).get(source)?.media_id
  const [found] = known
    ? (await site.documents.media([known])).values()
    : await site.documents.mediaList({ numeric_id: [number] })
  const [file] = await shownFiles(site, [await openMedia(site, found, 'Not Found')])
  return { text: JSON.stringify(file) }
}

async function shownFiles(site: CompatSite, media: readonly MediaRecord[]) {
  const names = await namesIn(site, system)({ entries: [], media: media.map(({ media_id }) => media_id) })
  const files = numbered(new Map(media.map(item => [item.media_id, item])), names)
  return [...files.values()].map(item => strapiFile(item, nothing, names.ids))
}

/** `/i18n/locales`. */
export function strapiLocales({ documents: { schema } }: CompatSite): Written {
  const locales = [...schema.locales.values()].sort((a, b) => (a.code < b.code ? -1 : 1))
  const shown = locales.map(({ locale_id, code, label, is_default, date_created }, i) => ({
    ...{ id: i + 1, documentId: locale_id, name: label, code, isDefault: is_default },
    ...{ createdAt: date_created, updatedAt: date_created, publishedAt: date_created },
  }))
  return { text: JSON.stringify(shown) }
}
