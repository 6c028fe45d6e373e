import { z } from 'zod'
import { cursor, wholeNumber } from '../body-parts.js'
import { mask } from '../secrets.js'
import { label } from '../text.js'
import { bodyTemplate } from './body-template.js'
import { eventName, subscribed, subscription } from './events.js'
import { eventFilter } from './filter.js'
import { customHeaders } from './headers.js'
import { statuses } from './states.js'
import { sealedPrefix } from './stored-secrets.js'

const members = {
  name: label(),
  url: z
    .string()
    .max(2048)
    .meta({ examples: ['https://receiver.example/hook'] }),
  secret: z
    .string()
    .min(8, 'must have at least 8 characters')
    .max(512)
    .refine(value => !value.startsWith(sealedPrefix), `must not begin with ${sealedPrefix}`),
  events: subscription,
  is_active: z.boolean(),
  headers: customHeaders,
  filter: eventFilter.meta({
    description: 'Which of these events are sent; null sends all of them.',
    examples: [{ datatypes: ['post'], slugs: ['/blog'], locales: ['de'] }],
  }),
  body_template: bodyTemplate.meta({
    description: 'A Mustache template for the body of the request; null sends the event itself.',
    examples: ['{"text": "{{event}} {{data.slug}}"}'],
  }),
}
export const WebhookCreate = z.object({
  ...members,
  secret: members.secret.optional(),
  is_active: members.is_active.default(false),
  headers: members.headers.default({}),
  filter: members.filter.default(null),
  body_template: members.body_template.default(null),
})
/** The mask stands for the stored secret. */
export const WebhookUpdate = z
  .object({
    ...members,
    url: members.url.meta({
      description:
        'If you change the scheme, host or port, repeat all header values in the same request. Without `secret`, the service generates a new one and shows it in the response.',
    }),
    secret: z.union([z.literal(mask), members.secret]),
  })
  .partial()

export const WebhookRecord = z
  .object({
    webhook_id: z.string(),
    name: z.string(),
    url: z.string(),
    secret: z.string().meta({ description: `Shown only when it is created or rotated, otherwise ${mask}.` }),
    previous_secret_until: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Until then, deliveries are also signed with the previous secret.' }),
    events: subscribed,
    is_active: z.boolean(),
    headers: z.record(z.string(), z.string()).meta({
      description: `Values are shown only when the webhook is created, and later as ${mask}. An update with ${mask} keeps the stored value.`,
    }),
    filter: members.filter,
    body_template: z.string().nullable(),
    author_id: z.string(),
    date_created: z.iso.datetime(),
    date_modified: z.iso.datetime(),
  })
  .meta({ id: 'Webhook' })

export const DeliveryRecord = z
  .object({
    delivery_id: z.string(),
    webhook_id: z.string(),
    event: eventName,
    payload: z
      .json()
      .meta({ description: 'The event. It is the body of the request if the webhook has no template.' }),
    status: z.enum(statuses),
    attempts: z.int(),
    last_status_code: z.int().nullable(),
    last_error: z.string().nullable(),
    last_duration_ms: z
      .int()
      .nullable()
      .meta({ description: 'How long the last attempt took, in milliseconds.' }),
    last_response: z
      .string()
      .nullable()
      .meta({ description: `How the body of the last response began, without the webhook's secrets.` }),
    next_retry_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'WebhookDelivery' })

export const TestResult = z.object({
  status: z.enum(['success', 'failed']),
  status_code: z.int().meta({ description: '0 if no response arrived.' }),
  duration: z.string().meta({ description: 'In milliseconds, such as "38ms".' }),
})

export const DeliveryFilter = z.object({
  status: z.enum(statuses).optional(),
  event: z.string().max(64).optional(),
})
export const DeliverySlice = z.object({
  limit: wholeNumber.optional().meta({ description: 'Maximum number of deliveries.' }),
  offset: wholeNumber.optional().meta({ description: 'Number of deliveries to skip.' }),
  before: cursor.optional().meta({ description: 'Only deliveries older than the one with this id.' }),
})
