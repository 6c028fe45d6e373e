import type { AllowanceOf } from '../../../db/allowance.js'
import type { Database } from '../../../db/database.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace } from '../../../db/tables.js'
import { notFound } from '../../../errors.js'
import { isUlid, storedId } from '../../../ids.js'
import { meantHint } from '../../../nearest-name.js'
import type { Hashing, Log } from '../../../ports.js'
import { kindKey, surrogateKeys } from '../../content/surrogate-keys.js'
import { mayList, mayShow, privateDatatype, type Reach } from '../../content/visibility.js'
import type { Answers } from '../answers.js'
import type { Schemas } from '../content-model.js'
import { languageKey, type PageContext } from '../format-context.js'
import { bodyOf, type RenderedPage } from '../rendered-page.js'
import { type Moment, VersionedAnswers } from '../versioned-answers.js'
import { allowanceFor, passes } from './allowance.js'
import { EntryTexts } from './entry-texts.js'
import { readCursor, writeCursor } from './query-cursor.js'
import { EntryFinder, type Found, Totals } from './query-entries.js'
import { looksFurther, type Names, sortsOf, testsOf } from './query-plan.js'
import { queryRequest } from './query-request.js'
import { type Asked, EntryWriter } from './query-writer.js'

interface QueryAddress {
  readonly datatype: string
  readonly id?: string | undefined
  readonly search: string
}

interface QueryCaller {
  readonly hasKey: boolean
  /**
   * Called before anything is read that is not listed for everybody, or not there. Throws when they may not read content.
   */
  allow(): Promise<void>
}

export interface QueryAnswer extends RenderedPage {
  readonly isPublic: boolean
}

export interface QueryService {
  /**
   * Answers a query about a datatype with what the public sees, in the native shape.
   * @throws 400 that names the parameter, 403 for a private datatype, 404 without such a datatype or entry
   */
  answer(address: QueryAddress, caller: QueryCaller): Promise<QueryAnswer>
  inMemory(address: QueryAddress, caller: Pick<QueryCaller, 'hasKey'>): QueryAnswer | undefined
}

interface QuerySettings {
  readonly hashing: Hashing
  readonly log: Log
  readonly languages: () => { enabled: boolean; fallback: string }
  readonly mediaUrl: (key: string) => string
  readonly answers: Answers
}

class Queries implements QueryService {
  private readonly answers: VersionedAnswers<QueryAnswer>
  private readonly texts: EntryTexts
  private readonly totals: Totals

  constructor(
    db: Database,
    private readonly space: ContentSpace,
    schemas: Schemas,
    private readonly context: PageContext,
    private readonly settings: QuerySettings,
  ) {
    this.answers = new VersionedAnswers(db, schemas, settings.answers, 'query')
    this.texts = new EntryTexts(settings.answers, 'entry')
    this.totals = new Totals(settings.answers, 'total')
  }

  async answer(address: QueryAddress, { hasKey, allow }: QueryCaller): Promise<QueryAnswer> {
    let isAllowed = false
    const allowing = async () => {
      await allow()
      isAllowed = true
    }
    const allowanceOf = allowanceFor(async () => hasKey && (isAllowed || (await passes(allowing))))
    const caller = { hasKey, allow: allowing, allowanceOf }
    const key = this.keyOf(address, hasKey)
    const answer = await this.answers.get(key, moment => this.make(moment, address, caller))
    if (!answer.isPublic && !isAllowed) await allow()
    return answer
  }

  inMemory(address: QueryAddress, { hasKey }: Pick<QueryCaller, 'hasKey'>): QueryAnswer | undefined {
    return this.answers.inMemory(this.keyOf(address, hasKey))
  }

  /** Who shows a key looks into more datatypes. */
  private keyOf({ datatype, id, search }: QueryAddress, hasKey: boolean): string {
    return `${hasKey ? 'key' : ''} ${languageKey(this.settings)} ${datatype}/${id ?? ''}?${search}`
  }

  private async make(
    moment: Moment,
    { datatype: name, id, search }: QueryAddress,
    { hasKey, allow, allowanceOf }: QueryCaller & { readonly allowanceOf: AllowanceOf },
  ): Promise<QueryAnswer> {
    const { read, schema } = moment
    const datatype = [...schema.datatypes.values()].find(one => one.name === name)
    const isListed = datatype !== undefined && mayList(datatype, 'anybody')
    if (!isListed) await allow()
    if (!datatype) {
      const known = [...schema.datatypes.values()].map(one => one.name)
      throw notFound(`unknown datatype${meantHint(name, known)}`)
    }
    if (!mayShow(datatype, 'public')) throw privateDatatype(name)
    const request = queryRequest(new URLSearchParams(search), id !== undefined)
    const isForReaders = hasKey && isListed && looksFurther(schema, datatype, request.filter)
    if (isForReaders) await allow()
    const reach: Reach = isForReaders || !isListed ? 'readers' : 'anybody'
    const choice = this.context.localesFor(schema, request.locale)
    const asked = { schema, datatype, request, choice, reach }
    const text =
      id === undefined ? await this.list(moment, asked, allowanceOf) : await this.one(read, asked, id)
    return {
      ...bodyOf(this.settings.hashing, text),
      tags: keysOf(asked),
      isPublic: reach === 'anybody',
    }
  }

  private async list(
    moment: Moment,
    asked: Asked & { readonly reach: Reach },
    allowanceOf: AllowanceOf,
  ): Promise<string> {
    const { read, versions } = moment
    const { schema, datatype, request, choice } = asked
    const names: Names = {
      schema,
      reach: asked.reach,
      localesOf: field => (field.translatable ? [...choice.chain, ''] : ['']),
    }
    const order = JSON.stringify([datatype.name, request.sort])
    const tests = testsOf(names, datatype, request)
    const { datatype_id: datatypeId } = datatype
    const finder = new EntryFinder(read, this.space, this.totals, versions, allowanceOf)
    const found: Found = await finder.find({
      datatypeId,
      tests,
      sorts: sortsOf(names, datatype, request),
      limit: request.limit,
      offset: request.offset,
      after: request.cursor === undefined ? undefined : readCursor(request.cursor, order),
    })
    const data = await this.written(moment, asked, found)
    const meta = {
      next: found.next ? writeCursor(found.next, order) : null,
      ...(request.count ? { count: await finder.count({ datatypeId, tests }) } : {}),
    }
    return `{"data":[${data.join(',')}],"meta":${JSON.stringify(meta)}}`
  }

  private async one(read: Reader, asked: Asked, given: string): Promise<string> {
    const id = storedId(given)
    const entry = isUlid(id) ? await read.get(this.space.publicEntries, id) : undefined
    if (entry?.datatype_id !== asked.datatype.datatype_id) throw notFound()
    const [data] = await this.writer(read).written(asked, [id])
    return `{"data":${data?.json}}`
  }

  private async written(
    { read, versions, isChecked }: Moment,
    asked: Asked,
    { ids, entries }: Found,
  ): Promise<readonly string[]> {
    const { fields, children, expand } = asked.request
    const write = (some: readonly string[]) => {
      const wanted = new Set(some)
      return this.writer(read).written(
        asked,
        some,
        entries?.filter(({ content_data_id }) => wanted.has(content_data_id)),
      )
    }
    // An entry that shows the fields of others may be large.
    const isKept = isChecked && children === 0 && expand.length === 0
    if (isKept) return this.texts.written(versions, JSON.stringify([asked.choice, fields]), ids, write)
    return (await write(ids)).map(({ json }) => json)
  }

  private writer(read: Reader): EntryWriter {
    const { space, context, settings } = this
    return new EntryWriter(read, { space, context, ...settings })
  }
}

/** Types of fields whose values show other entries. */
const showing: ReadonlySet<string> = new Set(['relation', 'richtext'])

/** The keys of a list: only of its own datatype, if no other entries are shown or asked for in it. */
function keysOf({ schema, datatype, request }: Asked): string {
  const isAlone =
    request.children === 0 &&
    request.expand.length === 0 &&
    ![...schema.fields.values()].some(
      ({ parent_id, field_type }) => parent_id === datatype.datatype_id && showing.has(field_type),
    )
  const { lists, content } = surrogateKeys
  return `${lists} ${kindKey(datatype.name)}${isAlone ? '' : ` ${content}`}`
}

export const queries = (
  db: Database,
  space: ContentSpace,
  schemas: Schemas,
  context: PageContext,
  settings: QuerySettings,
): QueryService => new Queries(db, space, schemas, context, settings)
