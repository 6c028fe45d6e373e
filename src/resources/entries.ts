import { byOrder } from '../services/content/fields.js'
import type { Services } from '../services/index.js'
import type { Choice } from './form-field.js'

type Space = Services['space']
/** The services that entries are read with. */
export interface SpaceParts {
  readonly services: Pick<Services, 'space'>
}
export type Entry = Awaited<ReturnType<Space['content']['get']>>
export type ModelField = Awaited<ReturnType<Space['fields']['get']>>
/** A datatype. */
export type Kind = Awaited<ReturnType<Space['datatypes']['get']>>
type Value = Awaited<ReturnType<Space['contentFields']['get']>>

const maxModel = 5000
const pieceLength = 200

/** Reads a whole list, which must have a limit. */
export async function all<R>(batches: AsyncGenerator<R[]>): Promise<R[]> {
  const found: R[] = []
  for await (const batch of batches) found.push(...batch)
  return found
}

/** Datatypes by id, and the fields of each in their order. */
export interface Model {
  readonly datatypes: ReadonlyMap<string, Kind>
  readonly fieldsOf: ReadonlyMap<string, readonly ModelField[]>
}

export async function modelOf({ services: { space } }: SpaceParts): Promise<Model> {
  const datatypes = await all(space.datatypes.list({}, { limit: maxModel }))
  const fields = await all(space.fields.list({}, { limit: maxModel }))
  fields.sort(byOrder)
  const fieldsOf = new Map<string, ModelField[]>()
  for (const field of fields) fieldsOf.set(field.parent_id, [...(fieldsOf.get(field.parent_id) ?? []), field])
  return { datatypes: new Map(datatypes.map(row => [row.datatype_id, row])), fieldsOf }
}

/** Returns the datatypes for a new entry under one datatype, or at the root. */
export function startsOf(model: Model, under: string | undefined): Choice[] {
  return [...model.datatypes.values()]
    .toSorted((a, b) => Number(b.parent_id === under) - Number(a.parent_id === under))
    .filter(({ type, parent_id }) =>
      under === undefined
        ? type === 'content' && parent_id === null
        : type === 'content' && (parent_id === null || parent_id === under),
    )
    .map(({ datatype_id, label }) => ({ value: datatype_id, word: label }))
}

export const isTitle = ({ field_type }: ModelField) => field_type === 'text'

/** Returns the titles of entries: the first text of each, else the label of its datatype. */
export async function titlesOf(
  entries: readonly Pick<Entry, 'content_data_id' | 'datatype_id'>[],
  model: Model,
  { services: { space } }: SpaceParts,
): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  const fields = new Set(
    entries.flatMap(({ datatype_id }) => model.fieldsOf.get(datatype_id)?.find(isTitle)?.field_id ?? []),
  )
  const field_id = [...fields].slice(0, pieceLength)
  for (let at = 0; at < entries.length && field_id.length > 0; at += pieceLength) {
    const content_data_id = entries.slice(at, at + pieceLength).map(entry => entry.content_data_id)
    const values = await all(
      space.contentFields.list({ content_data_id, field_id }, { limit: pieceLength * 20 }),
    )
    for (const value of values)
      if (value.field_value !== '' && (value.locale === '' || !titles.has(value.content_data_id)))
        titles.set(value.content_data_id, value.field_value)
  }
  for (const { content_data_id, datatype_id } of entries)
    if (!titles.has(content_data_id))
      titles.set(content_data_id, model.datatypes.get(datatype_id)?.label ?? 'Entry')
  return titles
}

/** Returns the names of entries: a page has the title of its route, any other entry its own title. */
export async function namesOf(
  entries: readonly Entry[],
  model: Model,
  parts: SpaceParts,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map(await titlesOf(entries, model, parts))
  const pages = entries.flatMap(({ content_data_id, route_id }) =>
    route_id ? { content_data_id, route_id } : [],
  )
  if (pages.length === 0) return names
  const route_id = pages.map(page => page.route_id)
  const routes = await all(parts.services.space.routes.list({ route_id }, {}))
  const titles = new Map(routes.map(route => [route.route_id, route.title]))
  for (const page of pages)
    names.set(page.content_data_id, titles.get(page.route_id) || (names.get(page.content_data_id) ?? ''))
  return names
}

/** Returns the name of one entry. */
export const nameOf = async (entry: Entry, parts: SpaceParts): Promise<string> =>
  (await namesOf([entry], await modelOf(parts), parts)).get(entry.content_data_id) ?? ''

/** Returns the names of the entries with these ids. @param ids at most `pieceLength`, for one statement */
export async function titlesById(
  ids: readonly string[],
  parts: SpaceParts,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const found = parts.services.space.content.list({ content_data_id: ids }, { limit: pieceLength })
  return namesOf(await all(found), await modelOf(parts), parts)
}

/** The values of an entry, by field. */
export async function valuesOf(id: string, { services: { space } }: SpaceParts): Promise<readonly Value[]> {
  return all(space.contentFields.list({ content_data_id: id }, { limit: maxModel }))
}
