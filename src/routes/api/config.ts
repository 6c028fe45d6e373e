import { z } from 'zod'
import { actorOf, type Ctx } from '../../middleware/context.js'
import { anyJson } from '../../services/body-parts.js'
import { ConfigUpdate } from '../../services/operation/configuration.js'
import type { ApiContext } from '../context.js'
import { endpoints } from '../endpoints.js'

const Meta = z.array(
  z.object({
    name: z.string(),
    type: z.record(z.string(), z.json()),
    default: z.json(),
    meaning: z.string(),
    secret: z.boolean(),
    restart: z.boolean(),
    file_only: z.boolean(),
    administrator_only: z.boolean(),
    per_instance: z.boolean(),
  }),
)

/** The settings, and the names of those that need a restart. These names are ignored in a body. */
const Shown = z
  .object({
    restart_required: z
      .array(z.string())
      .meta({ description: 'Changed fields that take effect at the next start.' }),
    set_by_file: z.array(z.string()).meta({
      description: 'Shared fields that the configuration file of this instance overrides.',
    }),
  })
  .catchall(anyJson)

/** The configuration. */
export function configRoutes({ services: { configuration }, recordResponses, authentication }: ApiContext) {
  const api = endpoints('configuration', authentication)
  const shape = Shown
  const answer = async (c: Ctx, settings: object) =>
    recordResponses.answer(c, settings, 200, {
      restart_required: await configuration.restartRequired(),
      set_by_file: await configuration.setByFile(),
    })

  api.get(
    '/config',
    'config:read',
    {
      summary: 'Get the configuration',
      description: 'Secrets are masked. Variables such as `$DB_URL` are not expanded.',
      answers: { shape },
    },
    async c => answer(c, await configuration.read()),
  )
  api.put(
    '/config',
    'config:update',
    {
      ifMatch: true,
      summary: 'Update the configuration',
      description:
        'Most fields apply at once. `restart_required` lists the others, which apply after the next start.',
      body: ConfigUpdate,
      answers: { shape },
    },
    async (c, { body }) =>
      answer(c, await configuration.update(actorOf(c), body, recordResponses.ifMatch(c))),
  )
  api.get(
    '/config/meta',
    'config:read',
    {
      summary: 'List the configuration fields with type, default and meaning',
      answers: { shape: Meta },
    },
    c => c.json(configuration.describe()),
  )
  return api
}
