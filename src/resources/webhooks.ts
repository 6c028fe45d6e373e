import { webhookEvents } from '../events.js'
import { mask } from '../services/secrets.js'
import { WebhookCreate, WebhookUpdate } from '../services/webhooks/schemas.js'
import type { PlainText } from '../texts/text.js'
import type { Wording } from '../texts/wording.js'
import { eventGroup, eventWords } from './event-words.js'
import { accessTo, type ResourceParts, resource, type StateKind } from './resource.js'
import { withoutEmpty } from './times.js'

const eventChoices = (wording: Wording) => [
  { value: '*', word: wording.t('All'), hint: wording.t('including events of later versions') },
  ...Object.keys(webhookEvents).map(value => ({
    value,
    word: eventWords(value, wording),
    hint: value,
    group: eventGroup(value, wording),
  })),
]

/** The look of each state of a delivery. */
export const deliveryStates: Readonly<Record<string, StateKind>> = {
  success: 'live',
  failed: 'bad',
  pending: 'due',
  retrying: 'due',
}

const deliveryTexts: Readonly<Record<string, PlainText>> = {
  success: 'Delivered',
  failed: 'Failed',
  pending: 'Waiting',
  retrying: 'Retrying',
}

/** Shows a state of a delivery in a list. */
export const deliveryCell = (status: string) => ({
  state: deliveryStates[status] ?? 'off',
  word: deliveryTexts[status] ?? ('Waiting' as const),
})

/** Returns the words for a state of a delivery. */
export function deliveryWords(status: string, { t }: Wording): string {
  const text = deliveryTexts[status]
  return text ? t(text) : status
}

/** Returns the number of attempts and the last response, such as `2 attempts · HTTP 500`. */
export function attemptWords(
  delivery: {
    attempts: number
    last_status_code: number | null
    last_error: string | null
  },
  { count }: Wording,
): string {
  const { attempts, last_status_code, last_error } = delivery
  return [
    count(attempts, '{n} attempt', '{n} attempts'),
    last_status_code === null ? last_error : `HTTP ${last_status_code}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The result of a test delivery, in words. */
export function testWords(
  { status, status_code, duration }: { status: string; status_code: number; duration: string },
  { t }: Wording,
) {
  return {
    outcome: status === 'success' ? t('Delivered') : t('Not delivered'),
    answer:
      status_code === 0
        ? t('No response, after {duration}', { duration })
        : t('HTTP {status}, after {duration}', { status: status_code, duration }),
  }
}

/** Webhooks, which are subscriptions to events. */
export const webhookResource = ({ services: { webhooks } }: ResourceParts) =>
  resource({
    title: 'Webhooks',
    one: 'webhook',
    words: { new: 'New webhook', add: 'Add a webhook', delete: 'Delete webhook' },
    about: 'The service calls these addresses when content or records change.',
    access: accessTo('webhook'),
    service: webhooks,
    key: 'webhook_id',
    nameOf: ({ name }) => name,
    empty: 'No webhooks yet.',
    columns: [
      { label: 'Name', of: ({ name }) => name },
      {
        label: 'State',
        of: ({ is_active }) =>
          is_active ? { state: 'live', word: 'Active' } : { state: 'off', word: 'Off' },
      },
      { label: 'Address', of: ({ url }) => ({ code: url }), room: 'some' },
    ],
    create: WebhookCreate,
    update: WebhookUpdate,
    // A form keeps the stored secret unless another one is typed: a secret that the service makes is in no form.
    prepare: (texts, record) =>
      record ? { ...texts, secret: texts.secret || mask } : withoutEmpty('secret')(texts),
    refuse: async ({ url }) => (url ? webhooks.refuseTarget(String(url)) : undefined),
    deletes: (_record, { t }) => t('This also deletes its deliveries, sent or not. It cannot be undone.'),
    fields: (record, viewer) => {
      const { t } = viewer
      return [
        { name: 'name', label: t('Name'), required: true },
        { name: 'url', label: t('Address'), kind: 'url', required: true, mono: true },
        {
          name: 'is_active',
          label: t('State'),
          kind: 'switch',
          words: [t('Off'), t('Active')],
          ...(record ? {} : { value: 'true' }),
        },
        { name: 'events', label: t('Events'), kind: 'choices', choices: eventChoices(viewer) },
        {
          name: 'secret',
          label: t('Secret'),
          mono: true,
          hint: record
            ? t(
                '******** keeps the stored secret. If you change the server in the address, enter the secret and the header values again',
              )
            : t('leave empty to generate one'),
        },
        {
          name: 'headers',
          label: t('Headers'),
          kind: 'json',
          hint: record
            ? t('******** keeps the stored value')
            : t('such as {example}; values are not shown again', { example: '{"Authorization": "…"}' }),
          ...(record ? {} : { value: '{}' }),
        },
        {
          name: 'filter',
          label: t('Event filter'),
          kind: 'json',
          hint: t('empty for all events, or such as {example}', {
            example: '{"datatypes": ["post"], "slugs": ["/blog"], "locales": ["de"]}',
          }),
        },
        {
          name: 'body_template',
          label: t('Body template'),
          kind: 'lines',
          mono: true,
          hint: t('empty to send the event itself, or a Mustache template such as {example}', {
            example: '{"text": "{{event}} {{data.slug}}"}',
          }),
        },
      ]
    },
  })
