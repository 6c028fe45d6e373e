import { z } from 'zod'
import { callerInMemory } from '../../middleware/authenticate.js'
import { actorOf, type Ctx, type RequestInfo } from '../../middleware/context.js'
import { localeCode } from '../../services/content/locales.js'
import { type Audience, audienceCached, deliveryAudience } from '../../services/delivery/audience.js'
import { formatNames } from '../../services/delivery/formats/index.js'
import { Page } from '../../services/delivery/formats/shapes.js'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'
import { deliveries, globalsSource, movedPageSource, pageSource } from '../page-answer.js'
import { addressOf, expandIn, isOpen, type PageRequests, pageRequests } from '../page-requests.js'

const query = z.object({
  // Generators of clients make two types of one name if the answer has a second content type here.
  format: z
    .enum(formatNames, `must be one of ${formatNames.join(', ')}`)
    .optional()
    .meta({ description: 'The form of the answer. `markdown` answers `text/markdown`, all others JSON.' }),
  locale: localeCode.optional().meta({ description: 'Values of this locale, or of its fallbacks.' }),
  expand: z.string().optional().meta({
    description:
      'With `format=native`: relations to show with the fields of the related entries, such as `author,author.photo`.',
  }),
  status: z.enum(['published']).optional().meta({ description: 'Only what the public sees.' }),
})
/** The parameters and responses of delivery. */
export const delivered = { query, anyQuery: true, answers: { shape: Page } } as const
const globalTrees = { ...delivered, answers: { shape: z.array(Page) } }
const prefix = '/api/v1/page'
const access = 'content:read'

/** The meaning of addresses under `/page` for each audience. */
export type PagesByAudience = Readonly<Record<Audience, PageRequests>>

/** The endpoint and its fast path share them. */
export const pagesByAudience = ({ config }: ApiContext): PagesByAudience => ({
  public: pageRequests(prefix, 'public', config),
  working: pageRequests(prefix, 'working', config),
})

/** Content trees for callers with an account or key: the working state for those who work on it. */
export function deliveryRoutes(context: ApiContext, requests: PagesByAudience) {
  const {
    services: {
      access: rights,
      redirects,
      space: { pages },
    },
    config,
    authentication,
  } = context
  const api = endpoints('delivery', authentication)
  const deliver = deliveries('private', movedPageSource(pages, redirects, prefix))
  const deliverGlobals = deliveries('private', globalsSource(pages))

  api.get(
    '/page/*',
    access,
    { summary: 'Get the content tree of a page by its slug', mayHaveMoved: true, ...delivered },
    async c => {
      const audience = await deliveryAudience(rights, actorOf(c))
      return deliver(c.req.raw, c.env, requests[audience].of(addressOf(c.req.url)))
    },
  )
  const globals = async (
    c: Ctx,
    { format: named, status, locale = '', expand = '' }: z.output<typeof query>,
    datatype?: string,
  ) => {
    const format = named ?? config().output_format
    const paths = expandIn(expand, format)
    return deliverGlobals(c.req.raw, c.env, {
      format,
      isOpen: isOpen(named, format, locale, paths),
      audience: status ? 'public' : await deliveryAudience(rights, actorOf(c)),
      locale,
      expand: paths,
      datatype,
    })
  }
  api.get(
    '/globals',
    access,
    { name: 'listGlobals', summary: 'List global content trees', ...globalTrees },
    (c, { query }) => globals(c, query),
  )
  api.get(
    '/globals/:datatype_name',
    access,
    { name: 'listGlobalsOfDatatype', summary: 'List the global content trees of a datatype', ...globalTrees },
    (c, { query }) => globals(c, query, c.req.param('datatype_name')),
  )
  return api
}

/**
 * Answers `/page/…` without the router when the meaning of the address, the caller and the caller's rights are in
 * memory; with the page there too, without waiting. Whatever is missing or fails is left to the endpoint above.
 * @param endpoint answers the request when reading the page has failed
 */
export function pageFastPath(context: ApiContext, requests: PagesByAudience) {
  const {
    services: {
      space: { pages },
      access: rights,
    },
    authentication,
  } = context
  const deliver = deliveries('private', pageSource(pages))
  return (
    request: Request,
    info: RequestInfo,
    endpoint: () => Response | Promise<Response>,
  ): Response | Promise<Response> | undefined => {
    const address = addressOf(request.url)
    if (request.method !== 'GET' || !address.startsWith(prefix)) return undefined
    const identity = callerInMemory(authentication, request)
    if (!identity || !rights.canCached(identity, access)) return undefined
    const audience = audienceCached(rights, identity)
    const known = audience && requests[audience].known(address)
    if (!known) return undefined
    info.identity = identity
    info.route = '/page/*'
    return deliver(request, info, known, endpoint)
  }
}
