import type { EntryRow } from '../../../db/tables.js'
import type { Schema } from '../../../services/delivery/content-model.js'
import { all, type Documents } from '../../../services/delivery/documents.js'
import { queryLimits } from '../../../services/delivery/query/query-request.js'
import { fieldsOf } from '../../documents.js'
import type { TypeMapping } from '../../mapping.js'

type Datatype = TypeMapping['datatype']

const slugFieldOf = (schema: Schema, datatype: Datatype) =>
  fieldsOf(schema, datatype).find(({ field_type }) => field_type === 'slug')

const looked = 50

const lastOf = (slug: string): string => slug.split('/').at(-1) || 'home'

async function pathsAbove(documents: Documents, datatype: Datatype): Promise<Set<string>> {
  const newest = [{ name: 'published_at', descending: true }]
  const asked = { datatype, filter: all([]), sort: newest, locale: '', count: false }
  const { ids } = await documents.find({ ...asked, limit: looked, offset: 0 })
  const slugs = await documents.slugsOf(await documents.records(ids))
  return new Set([...slugs.values()].map(slug => slug.slice(0, slug.lastIndexOf('/'))))
}

/** Entries on routes by the last parts of their paths: first where most of the datatype are, then everywhere. */
async function byRoute(
  documents: Documents,
  datatype: Datatype,
  slugs: readonly string[],
): Promise<string[]> {
  const above = await pathsAbove(documents, datatype)
  if (above.size === 0) return []
  const paths = slugs.flatMap(slug => [
    ...(slug === 'home' ? ['/'] : []),
    ...(slug.includes('/') ? [`/${slug.replace(/^\/+/, '')}`] : [...above].map(path => `${path}/${slug}`)),
  ])
  const ofDatatype = (row: EntryRow) => row.datatype_id === datatype.datatype_id
  const at = [...(await documents.atSlugs(paths)).values()].filter(ofDatatype)
  if (at.length > 0) return at.map(({ content_data_id }) => content_data_id)
  const ids: string[] = []
  for (const slug of slugs.slice(0, 3)) ids.push(...(await anywhere(documents, datatype, slug)))
  return ids
}

async function anywhere(documents: Documents, datatype: Datatype, slug: string): Promise<string[]> {
  const value = `/${slug}`.slice(0, queryLimits.searchCharacters)
  const filter = all([{ parameter: 'slug', path: ['slug'], operator: 'contains', values: [value] }])
  const asked = { datatype, filter, sort: [], locale: '', count: false }
  const { ids } = await documents.find({ ...asked, limit: queryLimits.limit, offset: 0 })
  const found = await documents.slugsOf(await documents.records(ids))
  return ids.filter(id => lastOf(found.get(id) ?? '') === slug)
}

/** The ids of entries that WordPress would know by these slugs. */
export async function idsBySlug(
  documents: Documents,
  datatype: Datatype,
  slugs: readonly string[],
): Promise<string[]> {
  const field = slugFieldOf(documents.schema, datatype)?.name
  const wanted = slugs.filter(slug => slug !== '' && !slug.includes(','))
  if (wanted.length === 0) return []
  const ids = field === 'slug' ? [] : await byRoute(documents, datatype, wanted)
  if (field === undefined) return ids
  const parameter = 'slug'
  const filter = all([{ parameter, path: [field], operator: 'in', values: wanted }])
  const asked = { datatype, filter, sort: [], locale: '', count: false }
  const own = await documents.find({ ...asked, limit: queryLimits.values, offset: 0 })
  return [...new Set([...ids, ...own.ids])]
}
