import { invalid } from '../../../errors.js'
import type { CompatSite, Written } from '../../../services/delivery/compat/compat.js'
import { type GroqText, readQuery } from '../groq/query.js'
import { SanityDocuments } from '../write/documents.js'
import type { SanityPlace } from '../write/media.js'
import { SanityDataset } from './dataset.js'

export interface SanityRequest extends SanityPlace {
  readonly query: GroqText
  readonly echoes: boolean
}

/** True if the answer may depend on the time; also for some that do not, because a text may contain the word. */
export const usesNow = (query: string): boolean => /\bnow\s*\(/.test(query)

/**
 * The tag by which front ends that listen for changes cache answers. All share one, because a change may show in any
 * answer: a change of an author shows in the posts.
 */
export const syncTag = 's1:content'

/** `data/query`. @throws 400 with the place in the query */
export async function sanityQuery(site: CompatSite, request: SanityRequest): Promise<Written> {
  const { query, echoes } = request
  const tree = await readQuery(site.sandbox, query)
  const result = await new SanityDataset(site, request, query, tree).answer()
  // The time is left out, so that the same content gives the same bytes.
  const echoed = echoes ? `"query":${JSON.stringify(query.text)},` : ''
  return { text: `{${echoed}"result":${result},"syncTags":${JSON.stringify([syncTag])},"ms":0}` }
}

const maxDocuments = 100

/** `data/doc`, in the order of the ids; missing documents are left out. */
export async function sanityDocuments(
  site: CompatSite,
  ids: readonly string[],
  place: SanityPlace,
): Promise<Written> {
  if (ids.length > maxDocuments) throw invalid('ids', `must be at most ${maxDocuments} documents`)
  const documents = new SanityDocuments(site, place, '', undefined)
  await documents.load(ids)
  const found = [...new Set(ids)].flatMap(id => documents.known.get(id) ?? [])
  return { text: `{"documents":[${found.join()}],"omitted":[]}` }
}
