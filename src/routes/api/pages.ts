import { z } from 'zod'
import { refusingWithout } from '../../middleware/authenticate.js'
import { withoutChildren } from '../../services/content/entry-tree.js'
import { PageCreate } from '../../services/content/routes.js'
import { endpoints } from '../endpoints.js'
import type { SpaceContext } from './context.js'

const Page = z
  .record(z.string(), z.json())
  .meta({ description: 'The records as `route` and `entry`; the entry has what is under it as `children`.' })

/** A route and the tree on it, together. */
export function pageRoutes({
  space,
  prefix,
  permission,
  tag,
  recordResponses,
  authentication,
}: SpaceContext) {
  const api = endpoints(tag('pages'), authentication)
  const refuseWithout = refusingWithout(authentication)
  api.post(
    `${prefix}/pages`,
    `${permission('content')}:create`,
    {
      summary:
        'Create a route with an entry on it and everything under that; also needs the right to create routes',
      body: PageCreate,
      answers: { status: 201, shape: Page },
    },
    async (c, { body }) => {
      await refuseWithout(c, `${permission('routes')}:create`)
      return recordResponses.written(c, actor => space.content.createPage(actor, body), {
        status: 201,
        tagged: ({ entry }) => withoutChildren(entry),
      })
    },
  )
  return api
}
