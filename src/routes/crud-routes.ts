import { z } from 'zod'
import type { Actor } from '../actor.js'
import type { AnyTable, WhereOf } from '../db/columns.js'
import { changedMeanwhile, invalid, notFound } from '../errors.js'
import { isUlid, storedId } from '../ids.js'
import { actorOf, type Ctx, type Peer } from '../middleware/context.js'
import type { Hashing } from '../ports.js'
import type { Access } from '../services/accounts/access.js'
import { cursor, listFilter, wholeNumber } from '../services/body-parts.js'
import type { Crud } from '../services/crud.js'
import { matches } from './accepted.js'
import type { Endpoints } from './endpoints.js'

export const idQuery = z.object({
  q: z.string().overwrite(storedId).optional().meta({ description: 'The id of the record.' }),
})

/** A parameter that is `true` or `false`. */
export const flag = z
  .enum(['true', 'false'])
  .transform(text => text === 'true')
  .pipe(z.boolean())
  .optional()

export const listQuery = z.object({
  limit: wholeNumber.optional().meta({ description: 'Maximum number of records.' }),
  offset: wholeNumber.optional().meta({ description: 'Number of records to skip.' }),
  after: cursor.optional().meta({ description: 'Only records with an id greater than this.' }),
})

const encoder = new TextEncoder()

interface Written<R> {
  status?: 200 | 201
  /** The part of the answer that the ETag is made of, if it is not the whole. */
  tagged?: (record: R) => unknown
}

/** Builds record answers and keeps `If-Match`; what every resource's endpoints share. */
export function recordResponses({ sha256 }: Hashing) {
  const etagOf = (record: unknown): string => `"${sha256(JSON.stringify(record)).slice(0, 32)}"`
  return {
    /** @param more members that are shown beside the record and do not count for its ETag */
    answer(c: Ctx, record: unknown, status: 200 | 201 = 200, more: object = {}): Response {
      const etag = etagOf(record)
      c.header('ETag', etag)
      if (status === 200 && c.req.method === 'GET' && matches(c.req.header('if-none-match'), etag))
        return c.body(null, 304)
      return c.json(Object.keys(more).length > 0 ? { ...(record as object), ...more } : record, status)
    },
    /**
     * Does a piece of work that is one transaction and gives the record that is answered. Under an `Idempotency-Key` the
     * answer is stored in that transaction, so that no crash can lose it.
     */
    async written<R>(
      c: Ctx,
      work: (actor: Actor) => Promise<R>,
      { status = 200, tagged = record => record }: Written<R> = {},
    ): Promise<Response> {
      const answerOf = (record: R) => ({
        status,
        headers: { etag: etagOf(tagged(record)), 'content-type': 'application/json' },
        body: JSON.stringify(record),
      })
      const actor = actorOf(c)
      const claim = actor.claim && { ...actor.claim, answerOf: (result: unknown) => answerOf(result as R) }
      const { headers, body } = answerOf(await work({ ...actor, claim }))
      return c.body(body, status, headers)
    },
    /** Refuses with 412 when the record is no longer the one that the caller has read. */
    ifMatch(c: Ctx): ((record: unknown) => void) | undefined {
      const wanted = c.req.header('if-match')
      if (!wanted) return undefined
      return record => {
        if (!matches(wanted, etagOf(record))) throw changedMeanwhile()
      }
    },
  }
}

export type RecordResponses = ReturnType<typeof recordResponses>

/**
 * The id of an item: `q`, or the body's own member on PUT.
 * @throws 400 if it is missing or the two differ, 404 if it is not a valid id
 */
export function idOf(query: { q?: string | undefined }, raw: unknown, member: string): string {
  const own = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>)[member] : undefined
  const inBody = typeof own === 'string' ? storedId(own) : undefined
  if (query.q && inBody && query.q !== inBody) throw invalid(member, 'differs from q')
  const id = query.q || inBody
  if (!id) throw invalid('q', `must be the ${member}`)
  if (!isUlid(id)) throw notFound()
  return id
}

/**
 * A JSON array, sent in pieces as the database gives them and as the reader takes them.
 * @param total number of all records, if it is known
 */
export async function listAnswer(
  c: Ctx,
  batches: AsyncGenerator<unknown[]>,
  total?: number,
): Promise<Response> {
  const first = await batches.next()
  if (total !== undefined) c.header('X-Total-Count', String(total))
  c.header('Content-Type', 'application/json')
  if (first.done) return c.body('[]')
  const second = await batches.next()
  if (second.done) return c.body(JSON.stringify(first.value))
  return c.body(arrayText(first.value, second.value, batches, c.env.peer))
}

function arrayText(
  first: unknown[],
  second: unknown[],
  batches: AsyncGenerator<unknown[]>,
  peer: Peer,
): ReadableStream<Uint8Array> {
  let waiting: unknown[] | undefined = second
  const inner = (batch: unknown[]) => JSON.stringify(batch).slice(1, -1)
  return new ReadableStream({
    start: controller => controller.enqueue(encoder.encode(`[${inner(first)}`)),
    async pull(controller) {
      if (!waiting) {
        controller.enqueue(encoder.encode(']'))
        return controller.close()
      }
      controller.enqueue(encoder.encode(`,${inner(waiting)}`))
      try {
        const next = await batches.next()
        waiting = next.done ? undefined : next.value
      } catch (error) {
        if (!peer.breakOff) throw error
        peer.breakOff(error)
        controller.close()
      }
    },
    cancel: () => batches.return(undefined).then(() => undefined),
  })
}

interface Schemas {
  create?: z.ZodType
  update: z.ZodType
  filters?: readonly string[]
}

type Saved = Record<string, unknown>
interface AnyCrud {
  table: AnyTable
  list: Crud<AnyTable>['list']
  count: Crud<AnyTable>['count']
  get(id: string): Promise<unknown>
  create(actor: Actor, values: never): Promise<unknown>
  update(actor: Actor, id: string, patch: never, check?: (record: unknown) => void): Promise<unknown>
  remove(actor: Actor, id: string, check?: (record: unknown) => void): Promise<void>
}

interface Place {
  api: Endpoints
  path: `/${string}`
  permission: string | { read: Access; write: Access }
  recordResponses: RecordResponses
  hasItemPath?: true
  reads?: (actor: Actor) => Promise<Pick<AnyCrud, 'list' | 'count' | 'get'>>
}

export interface Resource extends Place {
  service: AnyCrud
}

const accessTo = (permission: Place['permission'], operation: string): Access => {
  if (typeof permission === 'string') return `${permission}:${operation}`
  return operation === 'read' ? permission.read : permission.write
}

const nouns: Readonly<Record<string, readonly [one: string, several: string]>> = {
  content: ['an entry', 'entries'],
  'content-fields': ['a field value', 'field values'],
  trash: ['an entry in the trash', 'entries in the trash'],
  'content/versions': ['a version', 'versions'],
  'content/preview-links': ['a preview link', 'preview links'],
  'media-dimensions': ['an image size', 'image sizes'],
  'role-permissions': ['a permission of a role', 'the permissions of all roles'],
  tokens: ['an API key', 'API keys'],
  users: ['a user', 'users'],
}

/** The noun of one record and of several, for summaries. */
export function nounsOf(path: string): readonly [one: string, several: string] {
  const name = path.replace(/^(\/admin)?\//, '')
  const several = name.replaceAll('-', ' ')
  const one = several.slice(0, -1)
  return nouns[name] ?? [`${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`, several]
}

/** @param shape of one record, where it is not the table's */
export function listRoute(
  resource: Place & { service: Pick<AnyCrud, 'table' | 'list' | 'count' | 'get'> },
  filters: readonly string[] = [],
  shape?: z.ZodType,
): void {
  const { api, path, permission, service, recordResponses } = resource
  const { table } = service
  const [one, several] = nounsOf(path)
  const readsOf = resource.reads ?? (async () => service)
  const query = z.object({
    ...idQuery.shape,
    ...listQuery.shape,
    ...Object.fromEntries(filters.map(name => [name, listFilter(table, name).optional()])),
  })
  api.get(
    path,
    accessTo(permission, 'read'),
    {
      summary: `List ${several}`,
      ...(resource.hasItemPath ? {} : { item: table.key, summaryOfOne: `Get ${one}` }),
      query,
      answers: { shape: shape ? z.array(shape) : { table, list: true } },
    },
    async (c, { query }) => {
      const { q, limit, offset, after, ...given } = query as Saved &
        z.output<typeof listQuery> & { q?: string }
      const seen = await readsOf(actorOf(c))
      if (q !== undefined) return recordResponses.answer(c, await seen.get(q))
      const where = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== undefined),
      ) as WhereOf<AnyTable>
      return listAnswer(c, seen.list(where, { limit, offset, after }), await seen.count(where))
    },
  )
}

export function createRoute(resource: Resource, body: z.ZodType): void {
  const { api, path, permission, service, recordResponses } = resource
  const { table } = service
  api.post(
    path,
    accessTo(permission, 'create'),
    { summary: `Create ${nounsOf(path)[0]}`, body, answers: { status: 201, shape: { table } } },
    async (c, { body }) =>
      recordResponses.written(c, actor => service.create(actor, body as never), { status: 201 }),
  )
}

export function updateRoute(resource: Resource, body: z.ZodType): void {
  const { api, path, permission, service, recordResponses } = resource
  const { table } = service
  api.put(
    path,
    accessTo(permission, 'update'),
    {
      summary: `Update ${nounsOf(path)[0]}`,
      item: table.key,
      ifMatch: true,
      query: idQuery,
      body,
      answers: { shape: { table } },
    },
    async (c, { body, query }) => {
      const id = idOf(query, await c.req.json(), table.key)
      return recordResponses.answer(
        c,
        await service.update(actorOf(c), id, body as never, recordResponses.ifMatch(c)),
      )
    },
  )
}

export function deleteRoute(resource: Place & { service: Pick<AnyCrud, 'table' | 'remove'> }): void {
  const { api, path, permission, service, recordResponses } = resource
  api.delete(
    path,
    accessTo(permission, 'delete'),
    {
      summary: `Delete ${nounsOf(path)[0]}`,
      item: service.table.key,
      ifMatch: true,
      query: idQuery,
      answers: { status: 204 },
    },
    async (c, { query }) => {
      await service.remove(actorOf(c), idOf(query, undefined, service.table.key), recordResponses.ifMatch(c))
      return c.body(null, 204)
    },
  )
}

/** All but the deletion, for a resource that is deleted otherwise. */
export function readWriteRoutes(resource: Resource, { create, update, filters }: Schemas): void {
  listRoute(resource, filters)
  if (create) createRoute(resource, create)
  updateRoute(resource, update)
}

/** The endpoints of a resource that does nothing special. One that differs is written where it differs. */
export function crudRoutes(resource: Resource, schemas: Schemas): void {
  readWriteRoutes(resource, schemas)
  deleteRoute(resource)
}
