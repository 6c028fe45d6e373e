import { invalid } from '../../../errors.js'
import type { CompatSite, Written } from './compat.js'
import { Evaluation } from './groq/evaluate.js'
import { parseGroq } from './groq/parser.js'
import { type GroqQuery, groqLimits, QueryError } from './groq/syntax.js'
import { sizeOf } from './groq/values.js'
import type { SanityPlace } from './sanity-assets.js'
import { SanityDataset } from './sanity-dataset.js'
import { SanityDocuments } from './sanity-documents.js'
import { wantedNames } from './sanity-wanted.js'

export interface SanityRequest extends SanityPlace {
  readonly query: GroqQuery
  /** Whether the answer repeats the query. */
  readonly echoes: boolean
}

/**
 * Reads a query.
 * @param params as JSON, by their names
 * @throws 400 with the place in the query
 */
export const sanityQueryOf = (text: string, params: ReadonlyMap<string, unknown>): GroqQuery =>
  parseGroq(text, params)

/**
 * What answers are kept by in front ends that listen for changes. It is one for all, because a change may be seen in any
 * answer, as that of an author is in those of the posts.
 */
export const syncTag = 's1:content'

/** `data/query`. */
export async function sanityQuery(site: CompatSite, request: SanityRequest): Promise<Written> {
  const { query, echoes } = request
  const dataset = new SanityDataset(site, request, query.text, wantedNames(query.root))
  const result = await new Evaluation(query, dataset, site.now).result()
  if (sizeOf(result) > groqLimits.answer)
    throw new QueryError(
      `the answer would have more than ${groqLimits.answer} characters; ask for less`,
      query.text,
      0,
      query.text.length,
    )
  // No time is told, so that the same content gives the same bytes.
  return {
    text: JSON.stringify({ ...(echoes ? { query: query.text } : {}), result, syncTags: [syncTag], ms: 0 }),
  }
}

const maxDocuments = 100

/** `data/doc`, in the order of the ids; what is not there is left out. */
export async function sanityDocuments(
  site: CompatSite,
  ids: readonly string[],
  place: SanityPlace,
): Promise<Written> {
  if (ids.length > maxDocuments) throw invalid('ids', `are more than ${maxDocuments}`)
  const found = await new SanityDocuments(site, place, '', undefined).load(ids)
  const documents = [...new Set(ids)].flatMap(id => found.get(id) ?? [])
  return { text: JSON.stringify({ documents, omitted: [] }) }
}
