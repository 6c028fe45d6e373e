import { z } from 'zod'

const id = (meaning: string) => z.string().meta({ description: `A ULID: ${meaning}` })
const user = z
  .string()
  .nullable()
  .meta({ description: 'The ULID of the user; null if no user made the change, as with a schedule.' })
const locale = z.string().meta({ description: 'Empty when not locale-specific.' })
const surrogate_keys = z.array(z.string()).meta({
  description: 'The `Surrogate-Key`s of all cached responses that have changed, sorted.',
})
const entry = {
  content_data_id: id('the entry.'),
  locale,
  slug: z
    .string()
    .nullable()
    .meta({ description: 'The slug of the page that contains the entry; null if no page contains it.' }),
  datatypes: z.array(z.string()).meta({ description: 'The name of its datatype.' }),
  slugs: z.array(z.string()).meta({
    description:
      'The slugs of all public pages whose response has changed, sorted. Purge these pages from caches.',
  }),
  surrogate_keys,
}
const version = { content_version_id: id('the stored version.'), version_number: z.int() }
const plannedTime = z.iso.datetime().nullable()

const published = z.object({ ...entry, ...version, published_by: user })
const unpublished = z.object({ ...entry, unpublished_by: user })
const updated = z.object({ ...entry, updated_by: user })
const deleted = z.object({ ...entry, deleted_by: user })

const changed = {
  datatypes: z.array(z.string()).meta({
    description:
      'The names of datatypes whose lists may have changed, sorted, with the old name of a renamed datatype.',
  }),
  slugs: z.array(z.string()).meta({
    description: 'The old and new addresses of pages that may have changed, sorted; empty with `all_pages`.',
  }),
  all_pages: z.boolean().meta({ description: 'Whether any page may have changed.' }),
  surrogate_keys,
}
const resources = {
  media: { what: 'A media item', data: { media_id: id('the media item.'), ...changed } },
  datatype: { what: 'A datatype', data: { datatype_id: id('the datatype.'), name: z.string(), ...changed } },
  field: {
    what: 'A field of a datatype',
    data: { field_id: id('the field.'), name: z.string(), ...changed },
  },
  route: { what: 'A route', data: { route_id: id('the route.'), slug: z.string(), ...changed } },
  locale: { what: 'A locale', data: { locale_id: id('the locale.'), code: z.string(), ...changed } },
  redirect: {
    what: 'A redirect',
    data: {
      redirect_id: id('the redirect.'),
      slug: z.string(),
      target: z.string().nullable(),
      route_id: z.string().nullable(),
      ...changed,
    },
  },
} as const

const pageSlug = z.string().nullable().meta({ description: 'The slug of the page; null without a page.' })
const comment = {
  comment_id: id('the comment.'),
  content_data_id: id('the entry that the comment is about.'),
  field_id: z
    .string()
    .nullable()
    .meta({ description: 'The field that the comment is about; null for the entry as a whole.' }),
  locale,
  slug: pageSlug,
  body: z.string(),
  mentions: z.array(z.string()).meta({ description: 'The ids of the users that it mentions.' }),
  author_id: z.string(),
}
const request = {
  review_request_id: id('the request.'),
  content_data_id: id('the root entry of the tree.'),
  slug: pageSlug,
  note: z.string(),
  requested_by: z.string(),
}
const answer = z.string().meta({ description: 'The note of the reviewer.' })

/** A resource of which records are announced when they are made, changed or deleted. */
export type AnnouncedResource = keyof typeof resources

const changesOf = <R extends AnnouncedResource>(resource: R) => {
  const { what, data } = resources[resource] as (typeof resources)[R]
  return {
    created: { when: `${what} is created.`, data: z.object({ ...data, created_by: user }) },
    updated: { when: `${what} is changed.`, data: z.object({ ...data, updated_by: user }) },
    deleted: { when: `${what} is deleted.`, data: z.object({ ...data, deleted_by: user }) },
  }
}
const [media, datatype, field] = [changesOf('media'), changesOf('datatype'), changesOf('field')]
const [route, localeRecord, redirect] = [changesOf('route'), changesOf('locale'), changesOf('redirect')]

/** Every event with when it fires and its data members. */
export const webhookEvents = {
  'content.published': { when: 'Content goes from draft to published.', data: published },
  'content.unpublished': { when: 'Content goes from published back to draft.', data: unpublished },
  'content.updated': { when: 'Published content is changed.', data: updated },
  'content.scheduled': {
    when: 'A publish or unpublish time is set for content.',
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
  'admin.content.updated': { when: 'Published admin content is changed.', data: updated },
  'admin.content.deleted': { when: 'Admin content is deleted.', data: deleted },
  'media.created': media.created,
  'media.updated': media.updated,
  'media.deleted': media.deleted,
  'datatype.created': datatype.created,
  'datatype.updated': datatype.updated,
  'datatype.deleted': datatype.deleted,
  'field.created': field.created,
  'field.updated': field.updated,
  'field.deleted': field.deleted,
  'route.created': route.created,
  'route.updated': route.updated,
  'route.deleted': route.deleted,
  'locale.created': localeRecord.created,
  'locale.updated': localeRecord.updated,
  'locale.deleted': localeRecord.deleted,
  'redirect.created': redirect.created,
  'redirect.updated': redirect.updated,
  'redirect.deleted': redirect.deleted,
  'comment.created': {
    when: 'A comment is written.',
    data: z.object({ ...comment, created_by: user }),
  },
  'comment.updated': {
    when: 'The text of a comment is changed.',
    data: z.object({ ...comment, updated_by: user }),
  },
  'comment.resolved': {
    when: 'A comment is resolved.',
    data: z.object({ ...comment, resolved_by: user }),
  },
  'comment.reopened': {
    when: 'A resolved comment is reopened.',
    data: z.object({ ...comment, reopened_by: user }),
  },
  'comment.deleted': {
    when: 'A comment is deleted. Deleting its entry does not send this event.',
    data: z.object({ ...comment, deleted_by: user }),
  },
  'review.requested': {
    when: 'Somebody requests a review before a page is published.',
    data: z.object(request),
  },
  'review.approved': {
    when: 'A page with a review request is published.',
    data: z.object({ ...request, answer, approved_by: user }),
  },
  'review.returned': {
    when: 'A request is sent back.',
    data: z.object({ ...request, answer, returned_by: user }),
  },
  'review.withdrawn': {
    when: 'Somebody withdraws their request.',
    data: z.object({ ...request, withdrawn_by: user }),
  },
  'webhook.test': {
    when: 'A synthetic event sent by the test endpoint.',
    data: z.object({ webhook_id: id('the webhook.'), message: z.string() }),
  },
} as const satisfies Record<string, { when: string; data: z.ZodObject }>

export type EventName = keyof typeof webhookEvents
/** The data of an event. */
export type EventData<E extends EventName> = z.output<(typeof webhookEvents)[E]['data']>

export const isEvent = (name: string): name is EventName => Object.hasOwn(webhookEvents, name)
