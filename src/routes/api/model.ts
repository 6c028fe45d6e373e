import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { ModelFile, ModelPlan, ModelStep } from '../../services/model/file.js'
import type { ApiContext } from '../context.js'
import { flag } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

const ModelAfter = ModelFile.extend({
  steps: z.array(ModelStep).meta({ description: 'What was changed, in order.' }),
})

/** The content model, roles and webhooks as one file. */
export function modelRoutes({ services: { model }, recordResponses, authentication }: ApiContext) {
  const api = endpoints('model', authentication)
  api.get(
    '/model',
    'datatypes:read',
    {
      summary: 'Get the content model, roles and webhooks as one file',
      description: 'It names records in place of ids, and holds no secret.',
      answers: { shape: ModelFile },
    },
    async c => recordResponses.answer(c, await model.get(actorOf(c))),
  )
  api.put(
    '/model',
    'datatypes:update',
    {
      name: 'applyModel',
      summary: 'Update the content model, roles and webhooks from one file',
      description:
        'All changes are one transaction. What the file leaves out stays. `dry_run=true` only answers with the steps. A step that breaks something is refused unless `accept_broken=true`.',
      ifMatch: true,
      query: z.object({ dry_run: flag, accept_broken: flag }),
      body: ModelFile,
      fails: [409],
      answers: { shape: ModelAfter },
      dryRun: ModelPlan,
    },
    async (c, { body, query: { dry_run, accept_broken = false } }) => {
      const actor = actorOf(c)
      const check = recordResponses.ifMatch(c)
      if (dry_run) return c.json({ steps: await model.plan(actor, body, { check }) })
      const steps = await model.apply(actor, body, { accept: accept_broken, check })
      return recordResponses.answer(c, await model.get(actor), 200, { steps })
    },
  )
  return api
}
