import { z } from 'zod'
import { actorOf, type Ctx, idParam } from '../../middleware/context.js'
import { ReplayRequest, ReplayResult } from '../../services/webhooks/replay.js'
import {
  DeliveryFilter,
  DeliveryRecord,
  DeliverySlice,
  TestResult,
  WebhookCreate,
  WebhookRecord,
  WebhookUpdate,
} from '../../services/webhooks/schemas.js'
import type { ApiContext } from '../context.js'
import { listAnswer, listRoute } from '../crud-routes.js'
import { type Endpoints, endpoints } from '../endpoints.js'

const path = '/admin/webhooks'
const one = `${path}/:webhook_id`
const idOf = (c: Ctx) => idParam(c, 'webhook_id')

/** Webhooks and their deliveries. */
export function webhookRoutes({ services: { webhooks }, recordResponses, authentication }: ApiContext) {
  const api = endpoints('webhooks', authentication)
  const shape = WebhookRecord

  listRoute(
    { api, path, permission: 'webhook', service: webhooks, recordResponses, hasItemPath: true },
    [],
    shape,
  )
  api.post(
    path,
    'webhook:create',
    { summary: 'Create a webhook', secret: true, body: WebhookCreate, answers: { status: 201, shape } },
    async (c, { body }) => c.json(await webhooks.create(actorOf(c), body), 201),
  )
  api.get(one, 'webhook:read', { summary: 'Get a webhook', answers: { shape } }, async c =>
    recordResponses.answer(c, await webhooks.get(idOf(c))),
  )
  api.put(
    one,
    'webhook:update',
    { ifMatch: true, summary: 'Update a webhook', body: WebhookUpdate, answers: { shape } },
    async (c, { body }) =>
      recordResponses.answer(c, await webhooks.update(actorOf(c), idOf(c), body, recordResponses.ifMatch(c))),
  )
  api.delete(
    one,
    'webhook:delete',
    { ifMatch: true, summary: 'Delete a webhook with its deliveries', answers: { status: 204 } },
    async c => {
      await webhooks.remove(actorOf(c), idOf(c), recordResponses.ifMatch(c))
      return c.body(null, 204)
    },
  )
  api.post(
    `${one}/rotate-secret`,
    'webhook:update',
    {
      summary: 'Replace the signing secret of a webhook',
      description: 'For 24 hours deliveries have signatures of both secrets.',
      secret: true,
      answers: { shape },
    },
    async c => c.json(await webhooks.rotate(actorOf(c), idOf(c))),
  )
  api.post(
    `${one}/test`,
    'webhook:update',
    { summary: 'Send a test delivery and return its result', answers: { shape: TestResult } },
    async c => c.json(await webhooks.test(actorOf(c), idOf(c))),
  )
  deliveryRoutes(api, webhooks)
  return api
}

/** The deliveries of a webhook: to read, and to send again. */
function deliveryRoutes(api: Endpoints, webhooks: ApiContext['services']['webhooks']): void {
  api.post(
    `${one}/replay`,
    'webhook:update',
    {
      summary: 'Send the finished deliveries of a time range again',
      description:
        'Each keeps its id, so that a receiver can tell what it has handled. Deliveries that are still tried are left as they are.',
      body: ReplayRequest,
      answers: { shape: ReplayResult },
    },
    async (c, { body }) => c.json(await webhooks.replay(actorOf(c), idOf(c), body)),
  )
  api.get(
    `${one}/deliveries`,
    'webhook:read',
    {
      summary: 'List the deliveries of a webhook, newest first',
      query: DeliveryFilter.extend(DeliverySlice.shape),
      answers: { shape: z.array(DeliveryRecord) },
    },
    async (c, { query: { limit, offset, before, ...filter } }) => {
      const { batches, total } = await webhooks.deliveries(idOf(c), filter, { limit, offset, before })
      return listAnswer(c, batches, total)
    },
  )
  api.post(
    '/admin/webhooks/deliveries/:delivery_id/retry',
    'webhook:update',
    { summary: 'Retry a failed delivery', answers: { shape: DeliveryRecord } },
    async c => c.json(await webhooks.retry(actorOf(c), idParam(c, 'delivery_id'))),
  )
}
