import { z } from 'zod'
import { unauthenticated } from '../../errors.js'
import { callerInMemory, requireAccess } from '../../middleware/authenticate.js'
import type { Ctx, RequestInfo } from '../../middleware/context.js'
import { localeCode } from '../../services/content/locales.js'
import { NativeEntry } from '../../services/delivery/formats/shapes.js'
import type { QueryAnswer } from '../../services/delivery/query/queries.js'
import { queryLimits } from '../../services/delivery/query/query-request.js'
import { addressProblem } from '../../services/text.js'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'
import { answerWith } from '../page-answer.js'
import { addressOf } from '../page-requests.js'

const access = 'content:read'

const list = z.object({
  data: z.array(NativeEntry),
  meta: z.object({ next: z.string().nullable(), count: z.int().optional() }),
})

const text = (description: string) => z.string().optional().meta({ description })
const ofOne = {
  fields: text('Only these fields, such as `title,date`.'),
  expand: text('Relations to show with the fields of the related entries, such as `author,author.photo`.'),
  children: z
    .int()
    .min(0)
    .max(queryLimits.children)
    .optional()
    .meta({ description: 'How many levels of child entries to include.' }),
  locale: localeCode.optional().meta({ description: 'Values of this locale, or of its fallbacks.' }),
}
const ofList = {
  filter: z.record(z.string(), z.unknown()).optional().meta({
    description: 'Conditions that all must hold, such as `filter[price][gte]=10`; see docs/query.md.',
  }),
  sort: text('Names of fields, `-` for descending, such as `-date,title`.'),
  limit: z
    .int()
    .min(1)
    .max(queryLimits.limit)
    .optional()
    .meta({ description: `Maximum number of entries; ${queryLimits.standardLimit} by default.` }),
  cursor: text('`meta.next` of the previous page.'),
  offset: z
    .int()
    .min(0)
    .max(queryLimits.offset)
    .optional()
    .meta({ description: 'Number of entries to skip, instead of a cursor.' }),
  count: z
    .boolean()
    .optional()
    .meta({ description: 'With `true`, `meta.count` is the number of matching entries.' }),
}

const prefix = '/api/v1/query/'
/** Sent for missing datatypes too, so that they look like private ones. */
const withoutKey = 'send an API key as Authorization: Bearer; without one only public datatypes are answered'
const plain = /^([\w-]+)(?:\/([0-9A-Z]{26}))?(?:\?(.*))?$/

/**
 * Answers `/query/…` without the router when the rights of its caller are in memory; with the answer there too, without
 * waiting.
 * @param endpoint answers all other requests: other callers, and refusals
 */
export function queryFastPath({ services, authentication }: ApiContext) {
  const { access: rights, space } = services
  const { queries } = space
  return (
    request: Request,
    info: RequestInfo,
    endpoint: () => Response | Promise<Response>,
  ): Response | Promise<Response> | undefined => {
    const address = addressOf(request.url)
    if (request.method !== 'GET' || !address.startsWith(prefix)) return undefined
    const [matched, datatype = '', id, search = ''] = plain.exec(address.slice(prefix.length)) ?? []
    const caller = matched === undefined ? undefined : callerInMemory(authentication, request)
    const mayRead = caller ? rights.canCached(caller, access) === true : false
    if (caller !== null && !mayRead) return undefined
    const asked = { datatype, id, search }
    const answer = (found: QueryAnswer): Response => {
      if (caller) info.identity = caller
      info.route = id === undefined ? '/query/:datatype_name' : '/query/:datatype_name/:entry'
      return answerWith(request, info, found, found.isPublic ? 'public' : 'private')
    }
    const hasKey = mayRead
    const ready = queries.inMemory(asked, { hasKey })
    if (ready) return mayRead || ready.isPublic ? answer(ready) : undefined
    if (addressProblem(address)) return undefined
    let isForOthers = false
    const allow = async () => {
      isForOthers = !mayRead
      if (isForOthers) throw unauthenticated()
    }
    return queries.answer(asked, { hasKey, allow }).then(answer, (error: unknown) => {
      // An expensive query is not run again only to be refused.
      if (!isForOthers) info.failure = error
      return endpoint()
    })
  }
}

/** Published entries by their values. Public datatypes need no credentials; see docs/query.md. */
export function queryRoutes({ services, authentication }: ApiContext) {
  const { queries } = services.space
  const api = endpoints('query', authentication)

  async function answer(c: Ctx, datatype: string, id?: string): Promise<Response> {
    if (c.env.failure !== undefined) throw c.env.failure
    const address = addressOf(c.req.url)
    const at = address.indexOf('?')
    const search = at < 0 ? '' : address.slice(at + 1)
    const hasKey = callerInMemory(authentication, c.req.raw) !== null
    const allow = async () => {
      if (!hasKey) throw unauthenticated(withoutKey)
      await requireAccess(c, access, authentication)
    }
    const found = await queries.answer({ datatype, id, search }, { hasKey, allow })
    return answerWith(c.req.raw, c.env, found, found.isPublic ? 'public' : 'private')
  }

  api.get(
    '/query/:datatype_name',
    'public',
    {
      name: 'queryEntries',
      summary: 'Query the published entries of a datatype',
      description: 'Filters, sorts and pages through entries. Datatypes that are not public need an API key.',
      anyQuery: true,
      parameters: z.object({ ...ofList, ...ofOne }),
      fails: [403, 404],
      answers: { shape: list },
    },
    c => answer(c, c.req.param('datatype_name') ?? ''),
  )
  api.get(
    '/query/:datatype_name/:entry',
    'public',
    {
      name: 'queryEntry',
      summary: 'Get a published entry of a datatype by its id',
      anyQuery: true,
      parameters: z.object(ofOne),
      fails: [403],
      answers: { shape: z.object({ data: NativeEntry }) },
    },
    c => answer(c, c.req.param('datatype_name') ?? '', c.req.param('entry')),
  )
  return api
}
