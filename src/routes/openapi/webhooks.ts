import { type EventName, webhookEvents } from '../../events.js'
import { eventBody } from '../../services/webhooks/events.js'
import type { Examples } from './examples.js'
import { recordName } from './names.js'
import type { Json, Schemas } from './schemas.js'

const deliveryHeaders = {
  'X-CMS-Event': 'The event name.',
  'X-CMS-Delivery': 'The id of the delivery, the same in every attempt.',
  'X-CMS-Timestamp': 'When this attempt was made, in seconds since 1970.',
  'X-CMS-Signature': 'Hex HMAC-SHA256 of the raw body with the webhook secret as the key.',
  'X-CMS-Signature-Previous': 'The signature with the previous secret, for 24 hours after a rotation.',
  'webhook-id': 'As X-CMS-Delivery (Standard Webhooks).',
  'webhook-timestamp': 'As X-CMS-Timestamp (Standard Webhooks).',
  'webhook-signature': 'Signatures of Standard Webhooks, separated by spaces.',
}

/** The requests that receivers of webhooks get, event by event. */
export const webhooksOf = (schemas: Schemas, examples: Examples): Json =>
  Object.fromEntries(
    (Object.keys(webhookEvents) as EventName[]).map(name => {
      const own = `On${recordName(name)}`
      const schema = schemas.of(eventBody(name), 'output', own)
      return [
        name,
        {
          post: {
            tags: ['webhooks'],
            summary: webhookEvents[name].when,
            operationId: `on${recordName(name)}`,
            security: [],
            parameters: Object.entries(deliveryHeaders).map(([header, description]) => ({
              name: header,
              in: 'header',
              required: header !== 'X-CMS-Signature-Previous',
              description,
              schema: { type: 'string' },
            })),
            requestBody: {
              required: true,
              content: { 'application/json': { schema, example: examples.of(schema, true) } },
            },
            responses: {
              '2XX': { description: 'Delivered.' },
              '4XX': { description: 'Failed. The service retries the delivery.' },
            },
          },
        },
      ]
    }),
  )
