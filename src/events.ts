import { z } from 'zod'

const id = (meaning: string) => z.string().meta({ description: `A ULID: ${meaning}` })
const user = z
  .string()
  .nullable()
  .meta({ description: 'The ULID of who did it; null for the service itself, as by a plan.' })
const locale = z.string().meta({ description: 'Empty when not locale-specific.' })
const entry = {
  content_data_id: id('the entry.'),
  locale,
  slug: z.string().nullable().meta({ description: 'Of the page that the entry is on; null without one.' }),
  slugs: z.array(z.string()).meta({
    description: 'Of every public page whose answer is another now, sorted: what a cache has to forget.',
  }),
}
const version = { content_version_id: id('the version that was kept.'), version_number: z.int() }
const plannedTime = z.iso.datetime().nullable()

const published = z.object({ ...entry, ...version, published_by: user })
const unpublished = z.object({ ...entry, unpublished_by: user })
const updated = z.object({ ...entry, updated_by: user })
const deleted = z.object({ ...entry, deleted_by: user })

/** Every event with when it fires and its data members. */
export const webhookEvents = {
  'content.published': { when: 'Content goes from draft to published.', data: published },
  'content.unpublished': { when: 'Content goes from published back to draft.', data: unpublished },
  'content.updated': { when: 'Something of published content is changed.', data: updated },
  'content.scheduled': {
    when: 'Content is scheduled for future publication, or its end is.',
    data: z.object({ ...entry, publish_at: plannedTime, unpublish_at: plannedTime, scheduled_by: user }),
  },
  'content.deleted': { when: 'Content is deleted.', data: deleted },
  'locale.published': { when: 'Locale-specific content is published.', data: published },
  'version.created': {
    when: 'A new version snapshot is created.',
    data: z.object({
      ...entry,
      ...version,
      trigger: z.enum(['publish', 'manual', 'restore', 'schedule']),
    }),
  },
  'admin.content.published': { when: 'Admin content is published.', data: published },
  'admin.content.unpublished': { when: 'Admin content is unpublished.', data: unpublished },
  'admin.content.updated': { when: 'Something of published admin content is changed.', data: updated },
  'admin.content.deleted': { when: 'Admin content is deleted.', data: deleted },
  'webhook.test': {
    when: 'A synthetic event sent by the test endpoint.',
    data: z.object({ webhook_id: id('the webhook.'), message: z.string() }),
  },
} as const satisfies Record<string, { when: string; data: z.ZodObject }>

export type EventName = keyof typeof webhookEvents
/** What an event says. */
export type EventData<E extends EventName> = z.output<(typeof webhookEvents)[E]['data']>

export const isEvent = (name: string): name is EventName => Object.hasOwn(webhookEvents, name)
