import { z } from 'zod'
import { bearerOf, cookieIn } from '../../middleware/authenticate.js'
import type { RequestInfo } from '../../middleware/context.js'
import { formatNames } from '../../services/content-formats/index.js'
import { endpoints } from '../endpoints.js'
import { answerPage } from '../page-answer.js'
import { addressOf, type PageRequests, pageRequests } from '../page-requests.js'
import type { ApiKit } from './kit.js'

const query = z.object({
  format: z.enum(formatNames, `must be one of ${formatNames.join(', ')}`).optional(),
  status: z.enum(['published']).optional().meta({ description: 'Only what the public sees.' }),
})
const prefix = '/api/v1/page'
const access = 'content:read'

/** What addresses under `/page` mean; the endpoint and its shortcut share it. */
export const workingPages = ({ config }: ApiKit): PageRequests => pageRequests(prefix, 'working', config)

/** Content trees for callers with an account or key (4.10): the working state, drafts included. */
export function deliveryRoutes(kit: ApiKit, requests: PageRequests) {
  const {
    services: { pages },
    config,
    authentication,
  } = kit
  const api = endpoints('delivery', authentication)
  const described = { query, answers: { shape: z.json() } }

  api.get(
    '/page/*',
    access,
    { summary: 'The content tree of the route with this slug', ...described },
    async c => answerPage(c.req.raw, c.env, await pages.page(requests.of(addressOf(c.req.url))), 'private'),
  )
  api.get(
    '/globals',
    access,
    { summary: 'Trees that exist independently of routes', ...described },
    async (c, { query }) => {
      const audience = query.status ? 'public' : 'working'
      const answer = await pages.globals(query.format ?? config().output_format, audience)
      return answerPage(c.req.raw, c.env, answer, 'private')
    },
  )
  return api
}

/**
 * Answers `/page/…` at once when everything that it takes is in memory: the meaning of the address, the caller, the
 * caller's rights and the page. Whatever is missing makes it undefined, and the endpoint above does the work.
 */
export function pageShortcut(kit: ApiKit, requests: PageRequests) {
  const {
    services: { pages, auth, access: rights },
    authentication: { cookieName },
  } = kit
  return (request: Request, info: RequestInfo): Response | undefined => {
    const address = addressOf(request.url)
    if (request.method !== 'GET' || !address.startsWith(prefix)) return undefined
    const wanted = requests.known(address)
    const ready = wanted && pages.inMemory(wanted)
    if (!ready) return undefined
    const { headers } = request
    const cookie = cookieIn(headers.get('cookie'), cookieName())
    const identity = auth.identifyAtOnce({ cookie, bearer: bearerOf(headers.get('authorization')) })
    if (!identity || !rights.mayAtOnce(identity, access)) return undefined
    info.identity = identity
    return answerPage(request, info, ready, 'private')
  }
}
