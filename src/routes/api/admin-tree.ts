import { endpoints } from '../endpoints.js'
import { answerPage } from '../page-answer.js'
import { addressOf, inVersion, pageRequests } from '../page-requests.js'
import { delivered } from './delivery.js'
import type { ApiKit } from './kit.js'

const prefix = '/api/v1/admin/tree'

/** Content trees of the admin space by slug: what `/page` is for the public one. */
export function adminTreeRoutes({ services: { adminSpace }, config, authentication }: ApiKit) {
  const api = endpoints('admin delivery', authentication)
  const requests = pageRequests(prefix, 'working', config)
  api.get(
    '/admin/tree/*',
    'admin_tree:read',
    { summary: 'The content tree of the admin route with this slug', ...delivered },
    async c =>
      answerPage(
        c.req.raw,
        c.env,
        await adminSpace.pages.page(inVersion(c.req.raw, requests.of(addressOf(c.req.url)))),
        'private',
      ),
  )
  return api
}
