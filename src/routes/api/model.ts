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
      description: 'It identifies records by name, not by id, and contains no secrets.',
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
        'All changes are made in one transaction. Records that the file leaves out stay. `dry_run=true` only returns the steps. A step with `breaks` is rejected unless `accept_broken=true`.',
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
