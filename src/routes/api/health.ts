import { z } from 'zod'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'

const status = z.enum(['ok', 'unavailable'])
const storage = z
  .boolean()
  .nullable()
  .meta({ description: 'Whether the media storage responds; null if none is configured.' })
const Health = z.object({
  status,
  environment: z.string(),
  checks: z.object({
    database: z.boolean(),
    storage,
    certificate: z
      .enum(['ok', 'expiring', 'expired', 'pending'])
      .optional()
      .meta({ description: 'Only if the service itself serves HTTPS.' }),
  }),
})
const Readiness = z.object({
  status,
  checks: z.object({
    database: z.boolean(),
    migrations: z.boolean().meta({ description: 'Whether the database has the schema of this version.' }),
    stopping: z.boolean(),
    storage,
    clock: z.boolean().meta({
      description:
        'Whether the clock of the machine differs from that of the database server by at most five seconds.',
    }),
  }),
})
const Liveness = z.object({ status: z.literal('ok') })
const Pages = z.object({ status })

/**
 * Tells if the service can do its work. Without its storage it is still healthy and ready: everything except uploads
 * goes on.
 */
export function healthRoutes({ services: { health }, authentication }: ApiContext) {
  const api = endpoints('operation', authentication)
  api.get(
    '/health',
    'public',
    { summary: 'Check the health of the service', answers: { shape: Health } },
    async c => {
      const { environment, checks } = await health.checks()
      const status = checks.database ? 'ok' : 'unavailable'
      return c.json({ status, environment, checks }, checks.database ? 200 : 503)
    },
  )
  api.get(
    '/health/live',
    'public',
    {
      name: 'getLiveness',
      summary: 'Check that the process responds',
      description: 'Does not check the database or the storage.',
      answers: { shape: Liveness },
    },
    c => c.json({ status: 'ok' }),
  )
  api.get(
    '/health/pages',
    'public',
    {
      name: 'getPagesReadiness',
      summary: 'Check that this instance can serve public pages, even without its database',
      answers: { shape: Pages },
    },
    c => {
      const isServing = health.servesPages()
      return c.json({ status: isServing ? 'ok' : 'unavailable' }, isServing ? 200 : 503)
    },
  )
  api.get(
    '/health/ready',
    'public',
    {
      name: 'getReadiness',
      summary: 'Check that this instance can serve requests',
      description: 'For load balancers: 503 while the instance starts, stops or has no database.',
      answers: { shape: Readiness },
    },
    async c => {
      const checks = await health.readiness()
      const ready = checks.database && checks.migrations && !checks.stopping
      return c.json({ status: ready ? 'ok' : 'unavailable', checks }, ready ? 200 : 503)
    },
  )
  return api
}
