import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'

/** Counters of the service, as Prometheus reads them: for administrators, and for a key with the permission. */
export function metricsRoutes({ authentication, exposition }: ApiContext) {
  const api = endpoints('operation', authentication)
  api.get(
    '/metrics',
    'metrics:read',
    { name: 'getMetrics', summary: 'What the service counts of itself, in the text format of Prometheus' },
    async c => {
      const { type, text } = await exposition()
      return c.body(text, 200, { 'Content-Type': type })
    },
  )
  return api
}
