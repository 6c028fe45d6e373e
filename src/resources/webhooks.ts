import { webhookEvents } from '../events.js'
import { mask } from '../services/secrets.js'
import { WebhookCreate, WebhookUpdate } from '../services/webhooks/schemas.js'
import { accessTo, type ResourceParts, resource, type StateKind } from './resource.js'
import { withoutEmpty } from './times.js'

const groupNames: Readonly<Record<string, string>> = { admin: 'Admin content', webhook: 'Test' }

/** Returns the group of an event, which is its first word: `media.created` and `media.deleted`. */
function groupOf(event: string): string {
  const [first = ''] = event.split('.')
  return groupNames[first] ?? `${first.slice(0, 1).toUpperCase()}${first.slice(1)}`
}

const events = [
  { value: '*', word: 'All', hint: 'including events of later versions' },
  ...Object.entries(webhookEvents).map(([value, { when }]) => ({
    value,
    word: value,
    hint: when,
    group: groupOf(value),
  })),
]

/** The look of each state of a delivery. */
export const deliveryStates: Readonly<Record<string, StateKind>> = {
  success: 'live',
  failed: 'bad',
  pending: 'due',
  retrying: 'due',
}

/** The words for each state of a delivery. */
export const deliveryWords: Readonly<Record<string, string>> = {
  success: 'Delivered',
  failed: 'Failed',
  pending: 'Waiting',
  retrying: 'Retrying',
}

/** Returns the number of attempts and the last response, such as `2 attempts · HTTP 500`. */
export function attemptWords(delivery: {
  attempts: number
  last_status_code: number | null
  last_error: string | null
}): string {
  const { attempts, last_status_code, last_error } = delivery
  return [
    attempts === 1 ? '1 attempt' : `${attempts} attempts`,
    last_status_code === null ? last_error : `HTTP ${last_status_code}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The result of a test delivery, in words. */
export const testWords = (test: { status: string; status_code: number; duration: string }) => ({
  outcome: test.status === 'success' ? 'Delivered' : 'Not delivered',
  answer: `${test.status_code === 0 ? 'No response' : `HTTP ${test.status_code}`}, after ${test.duration}`,
})

/** Webhooks, which are subscriptions to events. */
export const webhookResource = ({ services: { webhooks } }: ResourceParts) =>
  resource({
    title: 'Webhooks',
    one: 'webhook',
    about: 'Calls to other services when content or records change.',
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
    deletes: () => 'This also deletes its deliveries, sent or not. It cannot be undone.',
    fields: record => [
      { name: 'name', label: 'Name', required: true },
      { name: 'url', label: 'Address', kind: 'url', required: true, mono: true },
      {
        name: 'is_active',
        label: 'State',
        kind: 'switch',
        words: ['Off', 'Active'],
        ...(record ? {} : { value: 'true' }),
      },
      { name: 'events', label: 'Events', kind: 'choices', choices: events },
      {
        name: 'secret',
        label: 'Secret',
        mono: true,
        hint: record
          ? '******** keeps the stored one. For an address on another server, enter it and the header values again'
          : 'empty: generated',
      },
      {
        name: 'headers',
        label: 'Headers',
        kind: 'json',
        hint: record
          ? 'a value of ******** stays as it is'
          : 'such as {"Authorization": "…"}; values are not shown again',
        ...(record ? {} : { value: '{}' }),
      },
    ],
  })
