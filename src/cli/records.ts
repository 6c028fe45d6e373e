import { z } from 'zod'
import type { Actor } from '../actor.js'
import type { AnyTable } from '../db/columns.js'
import { notFound } from '../errors.js'
import { isUlid } from '../ids.js'
import { entryRemovalOf } from '../resources/removal.js'
import { cursor, listFilter, wholeNumber } from '../services/body-parts.js'
import { ContentCreate, ContentUpdate } from '../services/content/content-input.js'
import { DatatypeCreate, DatatypeUpdate } from '../services/content/datatypes.js'
import { FieldCreate, FieldUpdate } from '../services/content/fields.js'
import { RouteCreate, RouteUpdate } from '../services/content/routes.js'
import type { Services } from '../services/index.js'
import { type SiteCommand, show } from './command.js'
import { inputJson, parsed } from './given.js'
import { limitIn, showList, showRecord } from './table.js'
import { visible } from './visible.js'

/** The resources with ordinary commands, by the first word of the commands. */
export type RecordName = 'content' | 'routes' | 'datatypes' | 'fields' | 'media' | 'user' | 'webhooks'

type ShownRecord = Readonly<Record<string, unknown>>

interface Reads {
  list(
    where: never,
    slice: { limit?: number; offset?: number; after?: string },
  ): AsyncIterable<readonly ShownRecord[]>
  count(where: never): Promise<number>
  get(id: string): Promise<ShownRecord>
}

interface Writes {
  create(actor: Actor, values: never): Promise<ShownRecord>
  update(actor: Actor, id: string, patch: never): Promise<ShownRecord>
}

/** A resource for the commands, regardless of its own types. */
interface Records {
  readonly table: (services: Services) => AnyTable
  readonly reads: (services: Services, actor: Actor) => Promise<Reads> | Reads
  readonly writes?: { of(services: Services): Writes; create: z.ZodType; update: z.ZodType }
  readonly remove?: (services: Services, actor: Actor, id: string, recursive: boolean) => Promise<void>
  /** Says in words which other records a deletion includes. */
  readonly removal?: (services: Services, id: string) => Promise<string>
  /** The columns of a list for a person, the id first. */
  readonly columns: readonly string[]
  /** Adds names to the ids in a list for a person. */
  readonly named?: (
    services: Services,
    actor: Actor,
    rows: readonly ShownRecord[],
  ) => Promise<readonly ShownRecord[]>
}

/** Adds the names of datatypes to entries, and the slugs and titles of pages that the caller may see. */
async function namedEntries({ space }: Services, actor: Actor, rows: readonly ShownRecord[]) {
  const datatypes = new Map<unknown, string>()
  for await (const some of space.datatypes.list({}, {}))
    for (const { datatype_id, name } of some) datatypes.set(datatype_id, name)
  const routes = new Map<unknown, ShownRecord>()
  const route_id = [...new Set(rows.flatMap(row => (row.route_id ? String(row.route_id) : [])))]
  if (route_id.length > 0)
    for await (const some of anyReads(await space.records.routes(actor)).list({ route_id } as never, {}))
      for (const route of some) routes.set(route.route_id, route)
  return rows.map(row => {
    const { slug, title } = routes.get(row.route_id) ?? {}
    return { ...row, datatype: datatypes.get(row.datatype_id), slug, title }
  })
}

/** Drops the types of one resource, so that one command can work on all of them. */
const anyReads = (service: { get(id: string): Promise<unknown>; list: unknown; count: unknown }) =>
  service as unknown as Reads
const anyWrites = (service: { create: unknown; update: unknown }) => service as unknown as Writes

const ofSpace = (
  kind: 'routes' | 'datatypes' | 'fields',
  create: z.ZodType,
  update: z.ZodType,
  columns: readonly string[],
): Records => ({
  table: ({ space }) => space[kind].table,
  reads: ({ space }) => anyReads(space[kind]),
  writes: { of: ({ space }) => anyWrites(space[kind]), create, update },
  remove: ({ space }, actor, id) => space[kind].remove(actor, id),
  columns,
})

const resources: Readonly<Record<RecordName, Records>> = {
  content: {
    table: ({ space }) => space.content.table,
    reads: async ({ space }, actor) => anyReads(await space.records.content(actor)),
    writes: { of: ({ space }) => anyWrites(space.content), create: ContentCreate, update: ContentUpdate },
    remove: ({ space }, actor, id, recursive) => space.content.remove(actor, id, undefined, recursive),
    removal: async (services, id) => entryRemovalOf({ services }, [await services.space.content.get(id)]),
    columns: ['content_data_id', 'status', 'datatype', 'slug', 'title', 'date_modified'],
    named: namedEntries,
  },
  routes: {
    ...ofSpace('routes', RouteCreate, RouteUpdate, ['route_id', 'slug', 'title']),
    reads: async ({ space }, actor) => anyReads(await space.records.routes(actor)),
  },
  datatypes: ofSpace('datatypes', DatatypeCreate, DatatypeUpdate, ['datatype_id', 'type', 'name', 'label']),
  fields: ofSpace('fields', FieldCreate, FieldUpdate, [
    'field_id',
    'parent_id',
    'field_type',
    'name',
    'label',
  ]),
  media: {
    table: ({ media }) => media.items.table,
    reads: ({ media }) => anyReads(media.items),
    remove: ({ media }, actor, id) => media.items.remove(actor, id),
    columns: ['media_id', 'mimetype', 'size', 'display_name', 'url'],
  },
  user: {
    table: ({ users }) => users.table,
    reads: ({ users }) => anyReads(users),
    remove: ({ users }, actor, id) => users.remove(actor, id),
    columns: ['user_id', 'role_label', 'email', 'name'],
  },
  webhooks: {
    table: ({ webhooks }) => webhooks.table,
    reads: ({ webhooks }) => anyReads(webhooks),
    remove: ({ webhooks }, actor, id) => webhooks.remove(actor, id),
    columns: ['webhook_id', 'is_active', 'name', 'url'],
  },
}

const Slice = z.object({
  offset: wholeNumber.optional(),
  after: cursor.optional(),
})

type Work = SiteCommand['work']

/** @throws 404 for an invalid id */
function idIn([id = '']: readonly string[]): string {
  if (!isUlid(id)) throw notFound()
  return id
}

const membersOf = (table: AnyTable): string[] =>
  Object.entries(table.columns).flatMap(([name, { flags }]) => (flags.secret ? [] : [name]))

export const list =
  (name: RecordName): Work =>
  async (services, actor, io, options) => {
    const { reads, columns, named, table } = resources[name]
    const { json: _, config: __, limit: ___, offset, after, ...filters } = options
    const given = Object.entries(filters).map(
      ([option, value]) => [option.replaceAll('-', '_'), value] as const,
    )
    const names = z.object(
      Object.fromEntries(given.map(([column]) => [column, listFilter(table(services), column)])),
    )
    const where = parsed(names, Object.fromEntries(given)) as never
    const slice = { ...parsed(Slice, { offset, after }), limit: limitIn(options) }
    const resource = await reads(services, actor)
    await showList(io, options, {
      batches: resource.list(where, slice as never),
      total: () => resource.count(where),
      columns,
      named: named && (rows => named(services, actor, rows)),
    })
    return 0
  }

export const get =
  (name: RecordName): Work =>
  async (services, actor, io, options, given) => {
    const reads = await resources[name].reads(services, actor)
    showRecord(io, options, await reads.get(idIn(given)))
    return 0
  }

/** Creates or updates a record from the JSON of standard input. A person sees only its id. */
export const save =
  (name: RecordName, how: 'create' | 'update'): Work =>
  async (services, actor, io, options, given) => {
    const { writes, table } = resources[name]
    if (!writes) throw notFound()
    const id = how === 'update' ? idIn(given) : undefined
    const values = (await inputJson(io, writes[how], membersOf(table(services)))) as never
    const service = writes.of(services)
    const record = await (id === undefined
      ? service.create(actor, values)
      : service.update(actor, id, values))
    show(io, options, record, String(record[table(services).key]))
    return 0
  }

export const remove =
  (name: RecordName): Work =>
  async (services, actor, io, { recursive, 'dry-run': dry }, given) => {
    const { remove, removal } = resources[name]
    if (dry !== undefined && removal) io.write(`${visible(await removal(services, idIn(given)))}\n`)
    else await remove?.(services, actor, idIn(given), recursive !== undefined)
    return 0
  }
