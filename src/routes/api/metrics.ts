import { z } from 'zod'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'

const Metrics = z.string().meta({ examples: ['slugline_up 1\n'] })

const Instances = z.array(
  z.object({
    instance_id: z.string(),
    version: z.string(),
    role: z.string().meta({ examples: ['instance'] }),
    host: z.string(),
    pid: z.number().int(),
    started_at: z.string(),
    beat_at: z.string().meta({ description: 'When the instance last reported that it is running.' }),
    clock_ahead_ms: z.number().int().meta({
      description: 'How far the clock of its machine was ahead of the database server at that time.',
    }),
    is_this: z.boolean().meta({ description: 'Whether this instance sent the response.' }),
  }),
)

/** Who runs, and counters as Prometheus reads them: for administrators, and for a key with the permission. */
export function metricsRoutes({ authentication, exposition, services: { instances } }: ApiContext) {
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
  api.get(
    '/instances',
    'metrics:read',
    {
      summary: 'List the running instances',
      description: 'Instances that were killed are listed for 15 seconds.',
      answers: { shape: Instances },
    },
    async c =>
      c.json(
        (await instances.list()).map(({ schema_number: _, clock_ms, ...row }) => ({
          ...row,
          clock_ahead_ms: clock_ms,
          is_this: row.instance_id === instances.id,
        })),
      ),
  )
  return api
}
