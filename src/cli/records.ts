import { z } from 'zod'
import type { Actor } from '../actor.js'
import type { AnyTable } from '../db/columns.js'
import { changedMeanwhile, notFound } from '../errors.js'
import { datatypeResource } from '../resources/datatypes.js'
import { type Entry, nameOf } from '../resources/entries.js'
import { fieldResource } from '../resources/fields.js'
import { localeResource } from '../resources/locales.js'
import { mediaResource } from '../resources/media.js'
import { redirectResource } from '../resources/redirects.js'
import { entryRemovalOf } from '../resources/removal.js'
import type { Resource, ResourceParts } from '../resources/resource.js'
import { roleResource } from '../resources/roles.js'
import { routeResource } from '../resources/routes.js'
import { tokenResource } from '../resources/tokens.js'
import { userResource } from '../resources/users.js'
import { webhookResource } from '../resources/webhooks.js'
import { cursor, listFilter, wholeNumber } from '../services/body-parts.js'
import { ContentCreate, ContentUpdate } from '../services/content/content-input.js'
import type { Services } from '../services/index.js'
import { CommentCreate, CommentUpdate } from '../services/review/comments.js'
import { english } from '../texts/language.js'
import { type RecordName, type SiteCommand, show } from './command.js'
import { inputJson, parsed } from './given.js'
import { filterValue, idOf } from './names.js'
import { limitIn, type ShownRecord, showList, showRecord } from './table.js'
import { datatypeNames, namedEntries, partsOf, wholeEntries } from './whole-entries.js'

type AnyResource = Resource<Record<string, unknown>>
type Removal = (actor: Actor, id: string) => Promise<void>

interface Records {
  readonly table: (services: Services) => AnyTable
  readonly described: (parts: ResourceParts) => unknown
  /** The records that the caller may see, if that is not all of them for everybody. */
  readonly seen?: (services: Services, actor: Actor) => Promise<unknown>
  readonly alone?: (services: Services) => Removal
  readonly columns: readonly string[]
  readonly named?: (
    parts: ResourceParts,
    actor: Actor,
    rows: readonly ShownRecord[],
  ) => Promise<readonly ShownRecord[]>
}

const ofSpace = (
  kind: 'routes' | 'datatypes' | 'fields',
  described: Records['described'],
  columns: readonly string[],
): Records => ({
  table: ({ space }) => space[kind].table,
  described,
  alone:
    ({ space }) =>
    (actor, id) =>
      space[kind].remove(actor, id),
  columns,
})

const resources: Readonly<Record<RecordName, Records>> = {
  content: {
    table: ({ space }) => space.content.table,
    described: parts => entryResource(parts),
    seen: ({ space }, actor) => space.records.content(actor),
    columns: ['content_data_id', 'status', 'datatype', 'slug', 'title', 'date_modified'],
    named: namedEntries,
  },
  routes: {
    ...ofSpace('routes', routeResource, ['route_id', 'slug', 'title']),
    seen: ({ space }, actor) => space.records.routes(actor),
  },
  datatypes: ofSpace('datatypes', datatypeResource, ['datatype_id', 'type', 'name', 'label']),
  fields: {
    ...ofSpace('fields', fieldResource, ['field_id', 'datatype', 'field_type', 'name', 'label']),
    async named({ services: { space } }, _actor, rows) {
      const names = await datatypeNames(space)
      return rows.map(row => ({ ...row, datatype: names.get(row.parent_id) }))
    },
  },
  media: {
    table: ({ media }) => media.items.table,
    described: mediaResource,
    alone:
      ({ media }) =>
      (actor, id) =>
        media.items.remove(actor, id),
    columns: ['media_id', 'mimetype', 'size', 'display_name', 'url'],
  },
  user: {
    table: ({ users }) => users.table,
    described: userResource,
    columns: ['user_id', 'role_label', 'email', 'name'],
  },
  roles: {
    table: ({ roles }) => roles.table,
    described: roleResource,
    columns: ['role_id', 'label', 'system_protected'],
  },
  token: {
    table: ({ tokens }) => tokens.table,
    described: tokenResource,
    columns: ['token_id', 'token_prefix', 'user', 'label', 'revoked', 'expires_at', 'last_used_at'],
    named: ({ services }, _actor, rows) => withPeople(services, rows, 'user_id', 'user'),
  },
  locales: {
    table: ({ locales }) => locales.table,
    described: localeResource,
    columns: ['locale_id', 'code', 'label', 'fallback_code', 'is_enabled', 'is_default'],
  },
  redirects: {
    table: ({ redirects }) => redirects.table,
    described: redirectResource,
    columns: ['redirect_id', 'slug', 'leads', 'status', 'is_automatic'],
  },
  webhooks: {
    table: ({ webhooks }) => webhooks.table,
    described: webhookResource,
    columns: ['webhook_id', 'is_active', 'name', 'url'],
  },
  trash: {
    table: ({ space }) => space.trash.table,
    described: trashResource,
    columns: ['trash_id', 'title', 'slug', 'entries', 'by', 'deleted_at'],
    named: ({ services }, _actor, rows) => withPeople(services, rows, 'deleted_by', 'by'),
  },
  comments: {
    table: ({ comments }) => comments.table,
    described: commentResource,
    columns: ['comment_id', 'date_created', 'by', 'resolved', 'body'],
    named: ({ services }, _actor, rows) => withPeople(services, rows, 'author_id', 'by'),
  },
}

/** Adds the e-mail addresses of the accounts that a member names. */
async function withPeople(
  { users }: ResourceParts['services'],
  rows: readonly ShownRecord[],
  member: string,
  as: string,
): Promise<readonly ShownRecord[]> {
  const ids = [...new Set(rows.flatMap(row => (row[member] ? String(row[member]) : [])))]
  const found = await Promise.all(ids.map(id => users.get(id).catch(() => undefined)))
  const emails = new Map<unknown, string>(found.flatMap(one => (one ? [[one.user_id, one.email]] : [])))
  return rows.map(row => ({ ...row, [as]: emails.get(row[member]) }))
}

function trashResource({ services: { space } }: ResourceParts) {
  type Trashed = Awaited<ReturnType<typeof space.trash.get>>
  return {
    one: 'deleted entry',
    key: 'trash_id',
    service: space.trash,
    nameOf: ({ title }: Trashed) => title,
    deletes: () => 'It is deleted permanently. This cannot be undone.',
  }
}

function commentResource({ services: { comments } }: ResourceParts) {
  type Comment = Awaited<ReturnType<typeof comments.get>>
  return {
    one: 'comment',
    key: 'comment_id',
    service: comments,
    create: CommentCreate,
    update: CommentUpdate,
    nameOf: ({ body }: Comment) => body.slice(0, 60),
  }
}

/** Entries, which have screens of their own and no description for ordinary lists. */
function entryResource(parts: ResourceParts) {
  const { content } = parts.services.space
  return {
    one: 'entry',
    key: 'content_data_id',
    service: content,
    create: ContentCreate,
    update: ContentUpdate.extend({ revision: z.int().optional() }),
    nameOf: (entry: Entry) => nameOf(entry, parts),
    // The command deletes the entry; its address stays.
    deletes: (entry: Entry) => entryRemovalOf(parts, [entry], { ...english, can: () => false }),
  }
}

export function opened(name: RecordName, services: Services) {
  const { described, ...own } = resources[name]
  const parts = partsOf(services)
  return { ...own, parts, resource: described(parts) as AnyResource }
}

export async function readsOf(name: RecordName, services: Services, actor: Actor) {
  const { resource, seen } = opened(name, services)
  return ((await seen?.(services, actor)) ??
    (await resource.reads?.(actor)) ??
    resource.service) as AnyResource['service']
}

const yesOrNo = z.enum(['true', 'false'], 'must be true or false').transform(text => text === 'true')
const filterOf = (table: AnyTable, column: string): z.ZodType =>
  table.columns[column]?.kind === 'boolean' ? yesOrNo : listFilter(table, column)

const Slice = z.object({
  offset: wholeNumber.optional(),
  after: cursor.optional(),
})

type Work = SiteCommand['work']

const membersOf = (table: AnyTable): string[] =>
  Object.entries(table.columns).flatMap(([name, { flags }]) => (flags.secret ? [] : [name]))

/** Returns the filter of a list from its options, with ids for names. @throws 400, 404 */
export async function whereOf(
  name: RecordName,
  services: Services,
  actor: Actor,
  filters: readonly (readonly [string, string | undefined])[],
) {
  const { table } = opened(name, services)
  const given: [string, string][] = []
  for (const [option, value = ''] of filters) {
    const column = option.replaceAll('-', '_')
    given.push([column, await filterValue(name, column, value, services, actor)])
  }
  const names = z.object(
    Object.fromEntries(given.map(([column]) => [column, filterOf(table(services), column)])),
  )
  return parsed(names, Object.fromEntries(given)) as never
}

export const list =
  (name: RecordName): Work =>
  async (services, actor, io, options) => {
    const { columns, named, parts } = opened(name, services)
    const { json: _, jsonl: _l, config: __, limit: ___, offset, after, ...filters } = options
    const where = await whereOf(name, services, actor, Object.entries(filters))
    const slice = { ...parsed(Slice, { offset, after }), limit: limitIn(options) }
    const seen = await readsOf(name, services, actor)
    await showList(io, options, {
      batches: seen.list(where, slice as never),
      total: () => seen.count(where),
      columns,
      named: named && (rows => named(parts, actor, rows)),
    })
    return 0
  }

export const get =
  (name: RecordName): Work =>
  async (services, actor, io, options, [text = '']) => {
    const record = (await (
      await readsOf(name, services, actor)
    ).get(await idOf(name, text, services, actor))) as ShownRecord
    const { locale = '' } = options
    if (name !== 'content') showRecord(io, options, record)
    else {
      const [whole = record] = await wholeEntries(partsOf(services), actor, [record], locale)
      showRecord(io, options, whole)
    }
    return 0
  }

/** Members that `content get` adds, so that its result can be changed and sent back. */
const added = ['datatype', 'slug', 'title', 'translations', 'role_label', 'user', 'leads']

/** Creates or updates a record from the JSON of standard input. A person sees only its id. */
export const save =
  (name: RecordName, how: 'create' | 'update'): Work =>
  async (services, actor, io, options, [text = '']) => {
    const { resource, table } = opened(name, services)
    const { service } = resource
    const schema = resource[how]
    if (!schema) throw notFound()
    const id = how === 'update' ? await idOf(name, text, services, actor) : ''
    const shown = [...membersOf(table(services)), ...added]
    const given = (await inputJson(io, schema, shown)) as Record<string, unknown>
    const { revision, ...values } = given
    const isContent = name === 'content'
    const record = await (how === 'create'
      ? service.create?.(actor, given as never)
      : service.update?.(
          actor,
          id,
          (isContent ? values : given) as never,
          ...(isContent && revision !== undefined ? [unlessRevised(revision)] : []),
        ))
    if (!record) throw notFound()
    show(io, options, record, String(record[table(services).key]))
    return 0
  }

const unlessRevised = (revision: unknown) => (before: unknown) => {
  if ((before as ShownRecord).revision !== revision) throw changedMeanwhile()
}
