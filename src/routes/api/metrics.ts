import { z } from 'zod'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'

const Metrics = z.string().meta({ examples: ['slugline_up 1\n'] })

/** Counters of the service, as Prometheus reads them: for administrators, and for a key with the permission. */
export function metricsRoutes({ authentication, exposition }: ApiContext) {
  const api = endpoints('operation', authentication)
  api.get(
    '/metrics',
    'metrics:read',
    {
      name: 'getMetrics',
      summary: 'Get the metrics in the Prometheus text format',
      answers: { shape: Metrics, type: 'text/plain' },
    },
    async c => {
      const { type, text } = await exposition()
      return c.body(text, 200, { 'Content-Type': type })
    },
  )
  return api
}
