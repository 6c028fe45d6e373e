import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { ConfigUpdate } from '../../services/operation/configuration.js'
import { endpoints } from '../endpoints.js'
import type { ApiContext } from './context.js'

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
  }),
)

/** The configuration. */
export function configRoutes({ services: { configuration }, recordResponses, authentication }: ApiContext) {
  const api = endpoints('configuration', authentication)
  const shape = ConfigUpdate

  api.get(
    '/config',
    'config:read',
    { summary: 'Every field; secrets are masked and variables not expanded', answers: { shape } },
    async c => recordResponses.answer(c, await configuration.read()),
  )
  api.put(
    '/config',
    'config:update',
    {
      ifMatch: true,
      summary: 'Set some fields; what needs no restart applies at once',
      body: ConfigUpdate,
      answers: { shape },
    },
    async (c, { body }) =>
      recordResponses.answer(c, await configuration.update(actorOf(c), body, recordResponses.ifMatch(c))),
  )
  api.get(
    '/config/meta',
    'config:read',
    {
      summary: 'What can be set: type, default, meaning, whether it takes a restart, and who sets it',
      answers: { shape: Meta },
    },
    c => c.json(configuration.describe()),
  )
  return api
}
