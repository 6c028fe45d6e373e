import { HttpError, notFound } from '../../errors.js'
import { type Entry, nameOf, type SpaceParts } from '../entries.js'

/** The entries that a publication would make public, or hide. */
export interface Publication {
  readonly title: string
  /** The entry and those under it. */
  readonly entries: number
  /** Those of them that are drafts now. */
  readonly drafts: number
}

/** The trees of several publications or deletions together. */
export interface Publications extends Omit<Publication, 'title'> {
  /** The entries at their tops. */
  readonly ids: readonly string[]
}

const entriesWord = (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'}`
const topsOf = (reach: Publication | Publications) => ('title' in reach ? 1 : reach.ids.length)
const nameIn = (reach: Publication | Publications) =>
  'title' in reach ? `“${reach.title}”` : entriesWord(reach.ids.length)
function underWords(reach: Publication | Publications): string {
  const tops = topsOf(reach)
  const under = reach.entries - tops
  return under > 0 ? ` with ${entriesWord(under)} under ${tops === 1 ? 'it' : 'them'}` : ''
}

/** Counts what is under an entry. @throws 404 */
export async function publicationOf(id: string, parts: SpaceParts): Promise<Publication> {
  const { space } = parts.services
  const all = await space.content.subtree(id)
  const [entry] = all
  return { title: entry ? await nameOf(entry, parts) : '', ...countsOf(new Map(statusesOf(all))) }
}

/** Leaves out entries that are under another one of them, and counts what is under the rest. @throws 404 that names one */
export async function publicationsOf(
  ids: readonly string[],
  { services: { space } }: SpaceParts,
): Promise<Publications> {
  const under = new Set<string>()
  const all = new Map<string, string>()
  for (const id of ids) {
    if (under.has(id)) continue
    for (const [entry, status] of statusesOf(await space.content.subtree(id).catch(named(id)))) {
      all.set(entry, status)
      if (entry !== id) under.add(entry)
    }
  }
  return { ids: ids.filter(id => !under.has(id)), ...countsOf(all) }
}

const statusesOf = (entries: readonly Entry[]) =>
  entries.map(({ content_data_id, status }): [string, string] => [content_data_id, status])

const countsOf = (statuses: ReadonlyMap<string, string>) => ({
  entries: statuses.size,
  drafts: [...statuses.values()].filter(status => status === 'draft').length,
})

const named = (id: string) => (error: unknown) => {
  throw error instanceof HttpError && error.status === 404 ? notFound(`not found: ${id}`) : error
}

/** Asks for a publication, and says how many entries become public for the first time. */
export function publishQuestion(reach: Publication | Publications): string {
  const { drafts } = reach
  const first =
    drafts === 0
      ? 'No draft becomes public by this.'
      : `${entriesWord(drafts)} will be public. ${drafts === 1 ? 'It is a draft' : 'They are drafts'} now.`
  return `Publish ${nameIn(reach)}${underWords(reach)}?\n${first}`
}

export const unpublishQuestion = (reach: Publication | Publications): string =>
  `Unpublish ${nameIn(reach)}${underWords(reach)}?\nThe public can no longer read ${topsOf(reach) === 1 ? 'it' : 'them'}.`
