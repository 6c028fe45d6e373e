import { refusingWithout } from '../../middleware/authenticate.js'
import { withoutChildren } from '../../services/content/entry-tree.js'
import { PageCreate } from '../../services/content/routes.js'
import type { SpaceContext } from '../context.js'
import { endpoints } from '../endpoints.js'

/** A route and the tree on it, together. */
export function pageRoutes(context: SpaceContext) {
  const { space, prefix, permission, tag, recordResponses, authentication } = context
  const api = endpoints(tag('pages'), authentication)
  const refuseWithout = refusingWithout(authentication)
  api.post(
    `${prefix}/pages`,
    `${permission('content')}:create`,
    {
      summary: 'Create a page: a route with its content tree',
      description: 'The caller must also have the permission to create routes.',
      body: PageCreate,
      answers: {
        status: 201,
        shape: {
          parts: { route: { table: space.routes.table }, entry: { table: space.content.table, tree: true } },
        },
      },
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
