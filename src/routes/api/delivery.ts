import { z } from 'zod'
import { notFound } from '../../errors.js'
import { formatNames } from '../../services/content-formats/index.js'
import { slugOfPath } from '../../services/text.js'
import { endpoints } from '../endpoints.js'
import { answerPage } from '../page-answer.js'
import { pathOf } from '../public.js'
import type { ApiKit } from './kit.js'

export const formatQuery = z.object({
  format: z.enum(formatNames, `must be one of ${formatNames.join(', ')}`).optional(),
})

const query = z.object({
  ...formatQuery.shape,
  status: z.enum(['published']).optional().meta({ description: 'Only what the public sees.' }),
})

/** Content trees for callers with an account or key (4.10): the working state, drafts included. */
export function deliveryRoutes({ services: { pages }, config, authentication }: ApiKit) {
  const api = endpoints('delivery', authentication)
  const described = { query, answers: { shape: z.json() } }
  const prefix = '/api/v1/page'
  const audience = (status: 'published' | undefined) => (status ? 'public' : 'working')

  api.get(
    '/page/*',
    'content:read',
    { summary: 'The content tree of the route with this slug', ...described },
    async (c, { query }) => {
      const slug = slugOfPath(pathOf(c.req.url).slice(prefix.length))
      if (slug === undefined) throw notFound()
      const format = query.format ?? config().output_format
      return answerPage(
        c,
        await pages.page({ slug, format, audience: audience(query.status), locale: '' }),
        'private',
      )
    },
  )
  api.get(
    '/globals',
    'content:read',
    { summary: 'Trees that exist independently of routes', ...described },
    async (c, { query }) =>
      answerPage(
        c,
        await pages.globals(query.format ?? config().output_format, audience(query.status)),
        'private',
      ),
  )
  return api
}
