import { notFound } from '../errors.js'
import type { CompatSite } from '../services/delivery/compat/compat.js'
import type { Schema } from '../services/delivery/content-model.js'
import { titleNames } from '../services/delivery/formats/native.js'
import type { MediaRecord } from '../services/media/record.js'
import type { TypeMapping } from './mapping.js'

type Datatype = TypeMapping['datatype']
type Field = TypeMapping['fields'][number]

export const fieldsOf = ({ fields }: Schema, { datatype_id }: Datatype): Field[] =>
  [...fields.values()].filter(({ parent_id }) => parent_id === datatype_id)

/** The field by which entries without a route are called. */
export function titleFieldOf(schema: Schema, datatype: Datatype): Field | undefined {
  const texts = fieldsOf(schema, datatype).filter(({ field_type }) => field_type === 'text')
  for (const name of titleNames) {
    const found = texts.find(field => field.name === name)
    if (found) return found
  }
  return texts[0]
}

/** The fields by which entries of a datatype name other records. */
export const referencesOf = (schema: Schema, datatype: Datatype): Field[] =>
  fieldsOf(schema, datatype).filter(({ field_type }) => field_type === 'relation' || field_type === 'media')

const searched = 100

/** Entries of the datatype, which the caller may see, that have all words, the best first. */
export async function searchedIds(
  { search }: CompatSite,
  { name }: Datatype,
  words: string,
  locale = '',
): Promise<string[]> {
  const { results } = await search.find('reader', { words, types: [name], locale, limit: searched })
  return results.map(({ id }) => id)
}

/**
 * A media item for whoever sees it.
 * @throws as `allow` of the caller unless everybody sees it, 404 with the text `missing` if it is missing
 */
export async function openMedia(
  site: CompatSite,
  media: MediaRecord | undefined,
  missing: string,
): Promise<MediaRecord> {
  if (!media || !(await site.documents.showsMedia(media.media_id))) await site.allow()
  if (!media) throw notFound(missing)
  return media
}

/**
 * Allows lists of media that everybody sees, and any list for callers who may read content.
 * @param named undefined for all
 */
export async function openMediaList(
  site: CompatSite,
  named: readonly MediaRecord[] | undefined,
): Promise<void> {
  const shown = named && (await Promise.all(named.map(({ media_id }) => site.documents.showsMedia(media_id))))
  if (!shown?.every(isShown => isShown)) await site.allow()
}
