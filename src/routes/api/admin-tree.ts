import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'
import { deliveries, pageSource } from '../page-answer.js'
import { addressOf, pageRequests } from '../page-requests.js'
import { delivered } from './delivery.js'

const prefix = '/api/v1/admin/tree'

/** Content trees of the admin space by slug: what `/page` is for the public one. */
export function adminTreeRoutes({ services: { adminSpace }, config, authentication }: ApiContext) {
  const api = endpoints('admin delivery', authentication)
  const requests = pageRequests(prefix, 'working', config)
  const deliver = deliveries('private', pageSource(adminSpace.pages))
  api.get(
    '/admin/tree/*',
    'admin_tree:read',
    { summary: 'Get the content tree of an admin route by its slug', ...delivered },
    c => deliver(c.req.raw, c.env, requests.of(addressOf(c.req.url))),
  )
  return api
}
