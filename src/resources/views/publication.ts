import { nameOf, type SpaceParts } from '../entries.js'

/** The entries that a publication would make public, or hide. */
export interface Publication {
  readonly title: string
  /** The entry and those under it. */
  readonly entries: number
  /** Those of them that are drafts now. */
  readonly drafts: number
}

const entriesWord = (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'}`
const underWords = ({ entries }: Publication) =>
  entries > 1 ? ` with ${entriesWord(entries - 1)} under it` : ''

/** Counts what is under an entry. @throws 404 */
export async function publicationOf(id: string, parts: SpaceParts): Promise<Publication> {
  const [entry, ...under] = await parts.services.space.content.subtree(id)
  const all = entry ? [entry, ...under] : []
  const ids = new Set(all.map(one => one.content_data_id))
  const drafts = new Set(all.filter(({ status }) => status === 'draft').map(one => one.content_data_id))
  return { title: entry ? await nameOf(entry, parts) : '', entries: ids.size, drafts: drafts.size }
}

/** Asks for a publication, and says how many entries become public for the first time. */
export function publishQuestion(reach: Publication): string {
  const { title, drafts } = reach
  const first =
    drafts === 0
      ? 'No draft becomes public by this.'
      : `${entriesWord(drafts)} will be public. ${drafts === 1 ? 'It is a draft' : 'They are drafts'} now.`
  return `Publish “${title}”${underWords(reach)}?\n${first}`
}

export const unpublishQuestion = (reach: Publication): string =>
  `Unpublish “${reach.title}”${underWords(reach)}?\nThe public can no longer read it.`
