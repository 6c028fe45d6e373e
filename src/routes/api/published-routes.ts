import { z } from 'zod'
import { requireAccess } from '../../middleware/authenticate.js'
import { cursor } from '../../services/body-parts.js'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'
import { answerWith } from '../page-answer.js'

const mostAtOnce = 1000
const usual = 100

const name = { slug: z.string(), title: z.string() }
const page = z.object({
  id: z.string().meta({ description: 'The id of the root entry.' }),
  type: z.string().meta({ description: 'The name of its datatype.' }),
  ...name,
  locales: z
    .record(z.string(), z.object(name))
    .meta({ description: 'Slug and title in each enabled locale into which the route is translated.' }),
  modified: z.iso.datetime(),
})

/** The pages that the public sees, for those who build the site; see docs/site-files.md. */
export function publishedRouteRoutes({ services, config, authentication }: ApiContext) {
  const { publishedPages } = services.space
  const api = endpoints('routes', authentication)
  api.get(
    '/routes/published',
    'public',
    {
      name: 'listPublishedRoutes',
      summary: 'List the published pages with their URLs',
      description: 'Needs the permission `content:read` if the sitemap is turned off.',
      query: z.object({
        limit: z
          .string()
          .regex(/^\d{1,4}$/, 'must be a whole number')
          .transform(Number)
          .pipe(z.int().min(1).max(mostAtOnce))
          .optional()
          .meta({ description: `Maximum number of pages; ${usual} by default.` }),
        cursor: cursor.optional().meta({ description: '`meta.next` of the previous page.' }),
      }),
      fails: [403],
      answers: {
        shape: z.object({ data: z.array(page), meta: z.object({ next: z.string().nullable() }) }),
      },
    },
    async (c, { query }) => {
      const isPublic = config().sitemap_enabled
      if (!isPublic) await requireAccess(c, 'content:read', authentication)
      const { limit = usual, cursor: after = '' } = query
      const answer = await publishedPages.list(after, limit)
      return answerWith(c.req.raw, c.env, answer, isPublic ? 'public' : 'private')
    },
  )
  return api
}
