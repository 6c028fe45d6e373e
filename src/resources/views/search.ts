import { HttpError } from '../../errors.js'
import type { Services } from '../../services/index.js'
import type { Wording } from '../../texts/wording.js'
import type { ServicesOfSpace } from '../admin-space.js'
import { all, type Entry, type Model, modelOf, namesOf, type SpaceParts } from '../entries.js'
import { datatypesOf } from '../entry-fields.js'
import type { Choice } from '../form-field.js'
import { stateOf } from '../trees.js'

interface MediaParts {
  readonly services: Pick<ServicesOfSpace, 'media'>
}
type Media = Awaited<ReturnType<Services['media']['items']['get']>>

const maxIds = 200

/** The entries to offer: by their ids, or of these datatypes. */
export type Filter = { readonly ids: readonly string[] } | { readonly of: readonly string[] }

const stateHints = { live: 'published', due: 'scheduled', draft: 'draft' } as const

/** Returns entries as choices, each with its name, datatype, state and address. */
async function asChoices(
  entries: readonly Entry[],
  model: Model,
  parts: SpaceParts,
  { t }: Wording,
): Promise<Choice[]> {
  const names = await namesOf(entries, model, parts)
  const route_id = entries.flatMap(entry => entry.route_id ?? [])
  const routes = route_id.length === 0 ? [] : await all(parts.services.space.routes.list({ route_id }, {}))
  const slugs = new Map(routes.map(route => [route.route_id, route.slug]))
  return entries.map(entry => {
    const { content_data_id, datatype_id } = entry
    const type = model.datatypes.get(datatype_id)?.label
    const state = stateHints[stateOf(entry, false).kind as keyof typeof stateHints]
    const hints = [type, t(state), slugs.get(entry.route_id ?? '')]
    return {
      value: content_data_id,
      word: names.get(content_data_id) ?? content_data_id,
      hint: hints.filter(Boolean).join(' · '),
    }
  })
}

/** Returns entries to choose from. */
export async function entryChoices(
  filter: Filter,
  limit: number,
  model: Model,
  parts: SpaceParts,
  wording: Wording,
): Promise<Choice[]> {
  if ('ids' in filter && filter.ids.length === 0) return []
  const where =
    'ids' in filter
      ? { content_data_id: filter.ids.slice(0, maxIds) }
      : { datatype_id: datatypesOf(model, filter.of).slice(0, maxIds) }
  return asChoices(await all(parts.services.space.content.list(where, { limit })), model, parts, wording)
}

/** Returns the files with these ids, as far as they exist. */
export async function mediaById(
  ids: readonly string[],
  { services: { media } }: MediaParts,
): Promise<Media[]> {
  const found = new Map((await media.items.some(ids)).map(one => [one.media_id, one]))
  return ids.flatMap(id => found.get(id) ?? [])
}

export const mediaName = ({ display_name, name }: Pick<Media, 'display_name' | 'name'>): string =>
  display_name || name

/** An entry that a search has found. */
export interface FoundEntry {
  readonly id: string
  readonly root_id: string
  readonly route_id: string | null
  readonly title: string
  readonly type: string
  readonly slug: string | undefined
}

/** Returns nothing for words that a search refuses, such as more than it takes or a search that takes too long. */
const unlessRefused =
  <T>(nothing: T) =>
  (error: unknown): T => {
    if (error instanceof HttpError && error.status < 500) return nothing
    throw error
  }

const rowsOf = async (ids: readonly string[], { services: { space } }: SpaceParts): Promise<Entry[]> =>
  ids.length === 0 ? [] : all(space.content.list({ content_data_id: ids }, {}))

/** Returns entries in the order of their ids, by the names that authors know. */
async function described(
  ids: readonly string[],
  rows: readonly Entry[],
  slugOf: (row: Entry) => string | undefined,
  parts: SpaceParts,
): Promise<FoundEntry[]> {
  if (rows.length === 0) return []
  const model = await modelOf(parts)
  const names = await namesOf(rows, model, parts)
  const byId = new Map(rows.map(row => [row.content_data_id, row]))
  return ids.flatMap(id => {
    const row = byId.get(id)
    if (!row) return []
    const type = model.datatypes.get(row.datatype_id)?.label ?? ''
    const { root_id, route_id } = row
    return [{ id, root_id, route_id, title: names.get(id) ?? '', type, slug: slugOf(row) }]
  })
}

/** Returns public entries, the best first. */
export async function foundEntries(words: string, limit: number, parts: SpaceParts): Promise<FoundEntry[]> {
  const { search } = parts.services.space
  const { results } = await search.find('reader', { words, limit }).catch(unlessRefused({ results: [] }))
  const slugs = new Map(results.map(({ id, page }) => [id, page?.slug]))
  const ids = [...slugs.keys()]
  return described(ids, await rowsOf(ids, parts), row => slugs.get(row.content_data_id), parts)
}

/** Returns trees with all words in one value, drafts too. Only for users who may see drafts. */
export async function foundTrees(words: string, limit: number, parts: SpaceParts): Promise<FoundEntry[]> {
  const { routes, workList } = parts.services.space
  const ids = await workList.withWords(words, limit).catch(unlessRefused([]))
  const roots = await rowsOf(ids, parts)
  const route_id = roots.flatMap(root => root.route_id ?? [])
  const pages = route_id.length === 0 ? [] : await all(routes.list({ route_id }, {}))
  const slugs = new Map(pages.map(page => [page.route_id, page.slug]))
  return described(ids, roots, root => slugs.get(root.route_id ?? ''), parts)
}
