import type { Actor } from '../../actor.js'
import type { Services } from '../../services/index.js'
import type { ServicesOfSpace } from '../admin-space.js'
import { all, type Entry } from '../entries.js'
import { type FoundEntry, foundEntries, foundTrees, mediaName } from './search.js'

type RecordOf<R extends { get(id: string): Promise<unknown> }> = Awaited<ReturnType<R['get']>>
type Route = RecordOf<Services['space']['routes']>
type Media = RecordOf<Services['media']['items']>
type User = RecordOf<Services['users']>

/** The user who looks for something, and the services to look in. */
export interface Finder {
  readonly services: ServicesOfSpace
  readonly actor: Actor
  can(access: string): boolean
}

interface Found<R> {
  readonly items: readonly R[]
  readonly isMore: boolean
}

const none = { items: [], isMore: false }

/** The longest text that media are searched for. */
const [mostMediaText, mostSearchText] = [255, 200]

/** Finds pages by title and slug, drafts too, as far as the user may see them. */
export async function foundPages({ services, actor, can }: Finder, text: string): Promise<Found<Route>> {
  if (!can('routes:read')) return none
  const { space } = services
  const { keys, isMore } = await space.matchingRoutes(text)
  if (keys.length === 0) return none
  // A user who may only read must not learn of pages that are not public.
  const seen = await space.records.routes(actor)
  const found = await Promise.all(keys.map(id => seen.get(id).catch(() => undefined)))
  return { items: found.flatMap(route => route ?? []), isMore }
}

/**
 * Finds entries by their words: first public ones, then trees with drafts that have the words.
 * @param known the pages that were found by their titles
 */
export async function foundTexts(
  { services, can }: Finder,
  text: string,
  most: number,
  known: readonly Pick<Entry, 'route_id'>[],
): Promise<FoundEntry[]> {
  if (!can('content:update') || !can('content:read')) return []
  const pages = new Set(known.map(({ route_id }) => route_id))
  const words = text.slice(0, mostSearchText)
  const isOther = ({ route_id }: FoundEntry) => route_id === null || !pages.has(route_id)
  const found = (await foundEntries(words, most, { services })).filter(isOther)
  if (found.length >= most) return found
  const shown = new Set(found.map(({ root_id }) => root_id))
  const trees = await foundTrees(words, most, { services })
  return [...found, ...trees.filter(tree => !shown.has(tree.id) && isOther(tree))]
}

/** Finds media by their names and texts. */
export async function foundMedia({ services, can }: Finder, text: string, limit: number): Promise<Media[]> {
  if (!can('media:read') || text.length > mostMediaText) return []
  return all(services.media.items.list({ text }, { limit }))
}

/** Finds people by name and e-mail address. */
export async function foundPeople({ services, can }: Finder, text: string): Promise<Found<User>> {
  if (!can('users:read')) return none
  const { matchingUsers, users } = services
  const { keys, isMore } = await matchingUsers(text)
  return { items: await Promise.all(keys.map(id => users.get(id))), isMore }
}

/** A page, entry, datatype, file or person that was found. */
export interface Finding {
  readonly kind: 'page' | 'entry' | 'datatype' | 'file' | 'person'
  /** Of the route for a page. */
  readonly id: string
  readonly name: string
  /** Its slug, name, media type or e-mail address; of an entry its datatype and slug. */
  readonly about: string
}

const [mostOfKind, mostDatatypes] = [8, 500]

async function foundDatatypes({ services, can }: Finder, words: readonly string[]): Promise<Finding[]> {
  if (!can('datatypes:read')) return []
  const known = await all(services.space.datatypes.list({}, { limit: mostDatatypes }))
  return known
    .filter(({ label, name }) => hasWords(`${label} ${name}`, words))
    .slice(0, mostOfKind)
    .map(({ datatype_id, label, name }) => ({ kind: 'datatype', id: datatype_id, name: label, about: name }))
}

/** The words of a text, in lower case. */
export const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

/** Whether a text has all words, which are in lower case. */
export const hasWords = (text: string, words: readonly string[]): boolean =>
  words.every(word => text.toLowerCase().includes(word))

/**
 * Finds the first pages, entries, datatypes, files and people with the words of a text, as far as the user may see them.
 * People who may change content find drafts too.
 */
export async function foundAnything(finder: Finder, text: string): Promise<Finding[]> {
  const { items } = await foundPages(finder, text)
  const texts = await foundTexts(finder, text, mostOfKind, items)
  const files = await foundMedia(finder, text, mostOfKind)
  const people = await foundPeople(finder, text)
  return [
    ...items
      .slice(0, mostOfKind)
      .map(
        ({ route_id, title, slug }): Finding => ({ kind: 'page', id: route_id, name: title, about: slug }),
      ),
    ...texts.map(
      ({ id, title, type, slug }): Finding => ({
        ...{ kind: 'entry', id, name: title },
        about: [type, slug].filter(Boolean).join(' '),
      }),
    ),
    ...(await foundDatatypes(finder, wordsOf(text))),
    ...files.map(
      (file): Finding => ({ kind: 'file', id: file.media_id, name: mediaName(file), about: file.mimetype }),
    ),
    ...people.items.slice(0, mostOfKind).map(
      ({ user_id, name, username, email }): Finding => ({
        ...{ kind: 'person', id: user_id },
        name: name || username,
        about: email,
      }),
    ),
  ]
}
