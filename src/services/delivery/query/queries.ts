import { LRUCache } from 'lru-cache'
import type { RowOf } from '../../../db/columns.js'
import type { Database } from '../../../db/database.js'
import { type ContentSpace, internalTables } from '../../../db/tables.js'
import { invalid, notFound, unavailable } from '../../../errors.js'
import { isUlid } from '../../../ids.js'
import type { Hashing, Log } from '../../../ports.js'
import { type Schema, schemas } from '../content-model.js'
import type { LocaleChoice, PageContext } from '../format-context.js'
import { type NativeWriting, nativeEntry, referenceTo } from '../formats/native.js'
import { mediaById } from '../page-media.js'
import { bodyOf, type RenderedPage } from '../rendered-page.js'
import { htmlOf } from '../rich-text/index.js'
import { richValues } from '../rich-values.js'
import { readCursor, writeCursor } from './query-cursor.js'
import { EntryFinder, type Found } from './query-entries.js'
import { fieldNamed, type Names, sortsOf, testsOf } from './query-plan.js'
import { type QueryRequest, queryRequest } from './query-request.js'
import { everyNode, idsIn, type QueryNode, QueryRows } from './query-rows.js'

type Datatype = RowOf<ContentSpace['datatypes']>

/** Asks for entries of a datatype, or for one of them. */
interface QueryAddress {
  readonly datatype: string
  readonly id?: string | undefined
  /** The query of the address, as it was sent. */
  readonly search: string
}

interface QueryAnswer extends RenderedPage {
  /** Whether everybody may have it. */
  readonly isPublic: boolean
}

export interface QueryService {
  /**
   * What the public sees of a datatype, in the native shape.
   * @param allow called before anything is read where the datatype is not public, or not there; throws when its caller
   * may not read content
   * @throws 400 that names the parameter, 404 without such a datatype or entry
   */
  answer(address: QueryAddress, allow: () => Promise<void>): Promise<QueryAnswer>
}

interface QuerySettings {
  readonly hashing: Hashing
  readonly log: Log
  readonly languages: () => { enabled: boolean; fallback: string }
  readonly mediaUrl: (key: string) => string
  /** How much memory answers may take, in bytes. */
  readonly cacheBytes: number
}

interface Versions {
  readonly schema: number
  readonly content: number
}

interface Kept {
  readonly answer: QueryAnswer
  readonly versions: Versions
  externalVersion: number
}

/** How often an answer is made again when content has changed meanwhile. */
const maxAttempts = 5
/** What an answer in memory costs beside its body. */
const overheadBytes = 600

class Queries implements QueryService {
  private readonly models
  private readonly finder: EntryFinder
  private readonly kept: LRUCache<string, Kept>
  private commits = 0

  constructor(
    private readonly db: Database,
    private readonly space: ContentSpace,
    private readonly context: PageContext,
    private readonly settings: QuerySettings,
  ) {
    this.models = schemas(db, space)
    this.finder = new EntryFinder(db, space)
    this.kept = new LRUCache({
      maxSize: Math.max(1, settings.cacheBytes),
      maxEntrySize: Math.max(1, settings.cacheBytes),
      sizeCalculation: ({ answer }, key) => answer.body.length + key.length + overheadBytes,
    })
    db.onCommit(({ allPages, trees }) => {
      this.commits++
      if (allPages || trees.size > 0) this.kept.clear()
    })
  }

  async answer(address: QueryAddress, allow: () => Promise<void>): Promise<QueryAnswer> {
    const key = this.keyOf(address)
    const kept = this.kept.get(key)
    const externalVersion = this.db.externalChanges()
    if (kept && (kept.externalVersion === externalVersion || (await this.isCurrent(kept)))) {
      kept.externalVersion = externalVersion
      if (!kept.answer.isPublic) await allow()
      return kept.answer
    }
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const commits = this.commits
      const versions = await this.versions()
      const answer = await this.make(address, versions, allow)
      if (!same(versions, await this.versions())) continue
      // What was read before a commit may be older than it.
      if (commits === this.commits && this.settings.cacheBytes > 0)
        this.kept.set(key, { answer, versions, externalVersion })
      return answer
    }
    throw unavailable('the content is being changed, try again')
  }

  /** Answers name addresses and have a locale, so that those under other settings are not given. */
  private keyOf({ datatype, id, search }: QueryAddress): string {
    const { enabled, fallback } = this.settings.languages()
    return `${enabled ? fallback : ''} ${datatype}/${id ?? ''}?${search}`
  }

  private async versions(): Promise<Versions> {
    const names = ['schema_version', 'content_version'] as const
    const rows = await this.db.findIn(internalTables.counters, 'name', names)
    const numberOf = (name: string) => rows.find(row => row.name === name)?.value ?? 0
    return { schema: numberOf(names[0]), content: numberOf(names[1]) }
  }

  private async isCurrent({ versions }: Kept): Promise<boolean> {
    return same(versions, await this.versions())
  }

  private async make(
    { datatype: name, id, search }: QueryAddress,
    { schema: version }: Versions,
    allow: () => Promise<void>,
  ): Promise<QueryAnswer> {
    const schema = await this.models.at(version)
    const datatype = [...schema.datatypes.values()].find(one => one.name === name)
    if (!datatype?.is_public) await allow()
    if (!datatype) throw notFound('there is no such datatype')
    const request = queryRequest(new URLSearchParams(search), id !== undefined)
    const choice = this.context.localesFor(schema, request.locale)
    const text =
      id === undefined
        ? await this.list(schema, datatype, request, choice)
        : await this.one(schema, datatype, request, choice, id)
    return {
      ...bodyOf(this.settings.hashing, text),
      tags: `query ${datatype.datatype_id}`,
      isPublic: datatype.is_public,
    }
  }

  private async list(
    schema: Schema,
    datatype: Datatype,
    request: QueryRequest,
    choice: LocaleChoice,
  ): Promise<string> {
    const names: Names = {
      schema,
      localesOf: field => (field.translatable ? [...choice.chain, ''] : ['']),
    }
    const order = JSON.stringify([datatype.name, request.sort])
    const tests = testsOf(names, datatype, request)
    const { datatype_id: datatypeId } = datatype
    const found: Found = await this.finder.find({
      datatypeId,
      tests,
      sorts: sortsOf(names, datatype, request),
      limit: request.limit,
      offset: request.offset,
      after: request.cursor === undefined ? undefined : readCursor(request.cursor, order),
    })
    const data = await this.written(schema, datatype, request, choice, found.ids)
    const meta = {
      next: found.next ? writeCursor(found.next, order) : null,
      ...(request.count ? { count: await this.finder.count({ datatypeId, tests }) } : {}),
    }
    return JSON.stringify({ data, meta })
  }

  private async one(
    schema: Schema,
    datatype: Datatype,
    request: QueryRequest,
    choice: LocaleChoice,
    id: string,
  ): Promise<string> {
    const entry = isUlid(id) ? await this.db.get(this.space.publicEntries, id) : undefined
    if (entry?.datatype_id !== datatype.datatype_id) throw notFound()
    const [data] = await this.written(schema, datatype, request, choice, [id])
    return JSON.stringify({ data })
  }

  /** The entries with these ids as JSON has them, with whatever the request shows of others. */
  private async written(
    schema: Schema,
    datatype: Datatype,
    request: QueryRequest,
    choice: LocaleChoice,
    ids: readonly string[],
  ): Promise<unknown[]> {
    const { db, space, context } = this
    refuseNames(schema, datatype, request)
    const rows = new QueryRows(db, space, schema, ({ locale }) => context.isPublic(schema, locale))
    const byId = await rows.byId(ids)
    const nodes = ids.flatMap(id => byId.get(id) ?? [])
    await rows.addChildren(nodes, request.children)
    const expanded = await rows.expanded(nodes, request.expand)
    const shown = [...everyNode(nodes), ...expanded.values()]
    const known = new Map(shown.map(node => [node.entry.content_data_id, node]))
    const named = await rows.namesOf(idsIn(shown).filter(id => !known.has(id)))
    const of = (id: string) => known.get(id) ?? named.get(id)
    const routes = await rows.routesOf([...known.values(), ...named.values()])
    const routeOf = (node: QueryNode) => (node.routeId === null ? undefined : routes.get(node.routeId))
    const { mediaUrl } = this.settings
    const media = await mediaById(db, space, idsIn(shown, undefined, 'media'), mediaUrl)
    const only = request.fields && new Set(request.fields)
    const rich = await this.richOf(shown, choice)
    const write = (node: QueryNode, paths: readonly (readonly string[])[], isFirst: boolean): unknown => {
      const writing: NativeWriting = {
        context: { ...choice, rich },
        media,
        only: isFirst ? only : undefined,
        target(id, field) {
          const target = of(id)
          const further = paths.filter(([name]) => name === field)
          if (!target || further.length === 0) return target && referenceTo(target, routeOf(target), choice)
          return write(
            target,
            further.map(path => path.slice(1)).filter(path => path.length > 0),
            false,
          )
        },
      }
      const children = node.children.map(child => write(child, [], false))
      return {
        ...nativeEntry(node, routeOf(node), writing),
        ...(request.children > 0 && (isFirst || children.length > 0) ? { children } : {}),
      }
    }
    return nodes.map(node => write(node, request.expand, true))
  }

  private async richOf(nodes: readonly QueryNode[], choice: LocaleChoice) {
    const context = { ...choice, linked: new Map() }
    const all = new Map<QueryNode['values'][number]['value'], unknown>()
    for (const { values } of nodes)
      if (values.some(({ field }) => field.field_type === 'richtext'))
        for (const [value, html] of await richValues(
          { values },
          context,
          text => htmlOf(text),
          this.settings.log,
        ))
          all.set(value, html)
    return all
  }
}

const same = (a: Versions, b: Versions): boolean => a.schema === b.schema && a.content === b.content

/** @throws 400 for a field or relation that the datatype does not have */
function refuseNames(schema: Schema, datatype: Datatype, { fields = [], expand }: QueryRequest): void {
  for (const name of fields)
    if (!fieldNamed(schema, datatype.datatype_id, name)) throw noField('fields', datatype, name)
  for (const [name = ''] of expand)
    if (fieldNamed(schema, datatype.datatype_id, name)?.field_type !== 'relation')
      throw noField('expand', datatype, name)
}

const noField = (parameter: string, { name: datatype }: Datatype, name: string) =>
  invalid(parameter, `${datatype} has no ${parameter === 'expand' ? 'relation' : 'field'} "${name}"`)

export const queries = (
  db: Database,
  space: ContentSpace,
  context: PageContext,
  settings: QuerySettings,
): QueryService => new Queries(db, space, context, settings)
