import { z } from 'zod'
import { HttpError } from '../../errors.js'
import { requireAccess } from '../../middleware/authenticate.js'
import type { Ctx } from '../../middleware/context.js'
import { localeCode } from '../../services/content/locales.js'
import { surrogateKeys } from '../../services/content/surrogate-keys.js'
import { bodyOf } from '../../services/delivery/rendered-page.js'
import type { Searcher } from '../../services/delivery/search/search.js'
import { searchRequestLimits as limits } from '../../services/delivery/search/search-request.js'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'
import { answerWith } from '../page-answer.js'
import { splitAddress } from '../page-requests.js'
import { searchRequest, searchText } from '../search-text.js'

const access = 'content:read'

const result = z.object({
  id: z.string(),
  type: z.string().meta({ description: 'The name of the datatype.' }),
  published_at: z.string().nullable(),
  page: z
    .object({ id: z.string(), slug: z.string(), title: z.string() })
    .nullable()
    .meta({ description: 'The page that the entry is on, or null.' }),
  highlights: z.array(
    z.object({
      field: z.string(),
      html: z.string().meta({
        description: 'A piece of the text, with the words in `<mark>` and everything else escaped.',
      }),
    }),
  ),
})
const found = z.object({
  data: z.array(result),
  meta: z.object({ next: z.int().nullable(), count: z.int().optional() }),
})

const parameters = z.object({
  q: z
    .string()
    .max(limits.characters)
    .meta({
      description: `Words that must all occur, at most ${limits.words}. The last word can be the beginning of one.`,
    }),
  type: z.string().optional().meta({ description: 'Only these datatypes, such as `post,page`.' }),
  locale: localeCode.optional().meta({ description: 'Values of this locale and of its fallbacks.' }),
  limit: z
    .int()
    .min(1)
    .max(limits.limit)
    .optional()
    .meta({ description: `Maximum number of entries; ${limits.standardLimit} by default.` }),
  offset: z
    .int()
    .min(0)
    .max(limits.ranked)
    .optional()
    .meta({ description: '`meta.next` of the previous page.' }),
  count: z
    .boolean()
    .optional()
    .meta({
      description: `With \`true\`, \`meta.count\` is the number of matching entries, up to ${limits.counted.toLocaleString('en')}.`,
    }),
})

/** Words in what the public sees. Without credentials only public datatypes are searched; see docs/search.md. */
export function searchRoutes({ services, authentication, hashing }: ApiContext) {
  const { search } = services.space
  const api = endpoints('search', authentication)

  const searcherOf = (c: Ctx): Promise<Searcher> =>
    requireAccess(c, access, authentication).then(
      () => 'reader',
      refusal => {
        if (refusal instanceof HttpError && refusal.status === 403) return { refusal }
        throw refusal
      },
    )

  api.get(
    '/search',
    'public',
    {
      name: 'search',
      summary: 'Search the published entries by words',
      anyQuery: true,
      parameters,
      fails: [403],
      answers: { shape: found },
    },
    async c => {
      const searcher = await searcherOf(c)
      const [, query] = splitAddress(c.req.url)
      const text = searchText(await search.find(searcher, searchRequest(query)))
      const answer = { ...bodyOf(hashing, text), tags: `search ${surrogateKeys.content}` }
      const response = answerWith(c.req.raw, c.env, answer, searcher === 'reader' ? 'private' : 'public')
      // Callers who may read more get more results at the same address.
      response.headers.append('Vary', 'Authorization, Cookie')
      return response
    },
  )
  return api
}
