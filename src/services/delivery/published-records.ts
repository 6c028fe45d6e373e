import type { Actor } from '../../actor.js'
import type { AnyTable, RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import {
  type ListSlice,
  publishedRouteCount,
  publishedRouteKeys,
  publishedValueCount,
  publishedValueKeys,
  publishedValues,
  type RouteFilter,
  type ValueFilter,
} from '../../db/queries/published.js'
import type { Slice } from '../../db/reader.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import { notFound } from '../../errors.js'
import { isUlid } from '../../ids.js'
import { anyIds } from '../content/field-values.js'
import { type Crud, reads } from '../crud.js'
import type { AudienceOf } from './audience.js'
import type { Schema, Schemas } from './content-model.js'
import type { PageContext } from './format-context.js'
import { without } from './relations.js'
import { storedRoute } from './shown-route.js'

type Reads<T extends AnyTable> = Pick<Crud<T>, 'list' | 'count' | 'get'>

/** The records that a caller may see in the lists of management. */
export interface RecordService {
  content(actor: Actor): Promise<Reads<ContentSpace['contentData']>>
  contentFields(actor: Actor): Promise<Reads<ContentSpace['contentFields']>>
  routes(actor: Actor): Promise<Reads<ContentSpace['routes']>>
}

export interface RecordSettings {
  readonly audienceOf: AudienceOf
  readonly languages: () => { enabled: boolean }
}

/** The lists of management of one content space: whole, or of what the public sees. */
export function publishedRecords(
  db: Database,
  space: ContentSpace,
  model: Schemas,
  context: Pick<PageContext, 'isPublic'>,
  { audienceOf, languages }: RecordSettings,
): RecordService {
  const isPublic = async (actor: Actor, list: 'content' | 'routes') =>
    (await audienceOf(actor, list)) === 'public'
  const isLocalized = () => languages().enabled
  const schema = async () => model.at((await db.get(internalTables.counters, 'schema_version'))?.value ?? 0)
  const whole = {
    content: reads(db, space.contentData),
    contentFields: reads(db, space.contentFields),
    routes: reads(db, space.routes),
  }
  const seen = {
    content: seenEntries(db, space),
    contentFields: seenValues(db, space, schema, isLocalized),
    routes: seenRoutes(db, space, async () => {
      const model = await schema()
      return locale => context.isPublic(model, locale)
    }),
  }
  return {
    content: async actor => ((await isPublic(actor, 'content')) ? seen : whole).content,
    contentFields: async actor => ((await isPublic(actor, 'content')) ? seen : whole).contentFields,
    routes: async actor => ((await isPublic(actor, 'routes')) ? seen : whole).routes,
  }
}

type Where = Readonly<Record<string, unknown>>

/** Returns the names and values of the filters; undefined if an id is invalid, so that nothing can be found. */
function filtersOf<N extends string>(where: Where): { names: N[]; values: Record<N, string> } | undefined {
  const given = Object.entries(where).filter(([, value]) => value !== undefined)
  if (given.some(([name, value]) => name.endsWith('_id') && !isUlid(value))) return undefined
  return {
    names: given.map(([name]) => name as N).sort(),
    values: Object.fromEntries(given) as Record<N, string>,
  }
}

const sliceOf = ({ limit, offset = 0, after }: Slice & { limit: number }): ListSlice => ({
  limit,
  offset,
  after: after !== undefined,
})

/** @throws 404 unless there is one */
function only<R>([row]: readonly R[]): R {
  if (row === undefined) throw notFound()
  return row
}

function seenEntries(db: Database, space: ContentSpace): Reads<ContentSpace['contentData']> {
  const { publicEntries } = space
  /** In the public book each entry is published. */
  const inIndex = ({ status, ...where }: Where): Where | undefined =>
    status === undefined || status === 'published' ? where : undefined

  async function records(ids: readonly string[]): Promise<RowOf<ContentSpace['contentData']>[]> {
    const found = await db.findIn(publicEntries, 'content_data_id', ids)
    const byId = new Map(found.map(entry => [entry.content_data_id, entry]))
    return ids.flatMap(id => byId.get(id) ?? [])
  }

  return {
    async *list(given, slice) {
      const where = inIndex(given)
      if (!where) return
      const keysOf = async (part: Slice) =>
        (await db.findAll(publicEntries, where, part)).map(({ content_data_id: key }) => ({ key, size: 0 }))
      yield* db.streamed(slice, keysOf, records)
    },
    async count(given) {
      const where = inIndex(given)
      return where ? db.count(publicEntries, where) : 0
    },
    get: async id => only(isUlid(id) ? await records([id]) : []),
  }
}

function seenValues(
  db: Database,
  space: ContentSpace,
  schema: () => Promise<Schema>,
  isLocalized: () => boolean,
): Reads<ContentSpace['contentFields']> {
  async function records(ids: readonly string[]) {
    const { fields } = await schema()
    const rows = await db.queryIn(publishedValues(space, isLocalized()), ids)
    const isRelation = (id: string) => fields.get(id)?.field_type === 'relation'
    const named = rows.flatMap(({ field_id, field_value }) =>
      isRelation(field_id) ? anyIds(field_value) : [],
    )
    const entries = await db.findIn(space.publicEntries, 'content_data_id', [...new Set(named)])
    const seen = new Set(entries.map(({ content_data_id }) => content_data_id))
    return rows.map(row =>
      isRelation(row.field_id) ? { ...row, field_value: without(row.field_value, id => seen.has(id)) } : row,
    )
  }

  return {
    async *list(where, slice) {
      const asked = filtersOf<ValueFilter>(where)
      if (!asked) return
      const keysOf = (part: Slice & { limit: number }) =>
        db.query(publishedValueKeys(space, asked.names, isLocalized(), sliceOf(part)), {
          ...asked.values,
          after: part.after ?? null,
        })
      yield* db.streamed(slice, keysOf, records)
    },
    async count(where) {
      const asked = filtersOf<ValueFilter>(where)
      if (!asked) return 0
      const query = publishedValueCount(space, asked.names, isLocalized())
      return (await db.query(query, { ...asked.values, after: null }))[0] ?? 0
    },
    get: async id => only(isUlid(id) ? await records([id]) : []),
  }
}

function seenRoutes(
  db: Database,
  space: ContentSpace,
  localesSeen: () => Promise<(locale: string) => boolean>,
): Reads<ContentSpace['routes']> {
  async function records(ids: readonly string[]) {
    const isSeen = await localesSeen()
    const routes = await db.findIn(space.routes, 'route_id', ids)
    return routes.map(route => storedRoute(route, isSeen))
  }

  return {
    async *list(where, slice) {
      const asked = filtersOf<RouteFilter>(where)
      if (!asked) return
      const keysOf = (part: Slice & { limit: number }) =>
        db.query(publishedRouteKeys(space, asked.names, sliceOf(part)), {
          ...asked.values,
          after: part.after ?? null,
        })
      yield* db.streamed(slice, keysOf, records)
    },
    async count(where) {
      const asked = filtersOf<RouteFilter>(where)
      if (!asked) return 0
      return (
        (await db.query(publishedRouteCount(space, asked.names), { ...asked.values, after: null }))[0] ?? 0
      )
    },
    async get(id) {
      const isSeen = isUlid(id) && (await db.exists(space.publicEntries, { route_id: id }))
      return only(isSeen ? await records([id]) : [])
    },
  }
}
