import { z } from 'zod'
import { endpoints } from '../endpoints.js'
import type { ApiContext } from './context.js'

const Health = z.object({
  status: z.enum(['ok', 'unavailable']),
  environment: z.string(),
  checks: z.object({ database: z.boolean(), storage: z.boolean().nullable() }),
})

/** Whether the service can do its work: 200, or 503 when the database does not answer. */
export function healthRoutes({ services, authentication }: ApiContext) {
  const api = endpoints('operation', authentication)
  api.get(
    '/health',
    'public',
    { summary: 'Whether the service is ready', answers: { shape: Health } },
    async c => {
      const { environment, checks } = await services.health()
      const status = checks.database ? 'ok' : 'unavailable'
      return c.json({ status, environment, checks }, checks.database ? 200 : 503)
    },
  )
  return api
}
