import type { Database } from '../../../db/database.js'
import type { ContentSpace, DatatypeRow } from '../../../db/tables.js'
import { notFound } from '../../../errors.js'
import { timestamp } from '../../../ids.js'
import type { Clock, Hashing, Log, Sandbox } from '../../../ports.js'
import { type Mapping, mappings, type TypeMapping, type TypeSettings } from '../../../systems/mapping.js'
import { surrogateKeys } from '../../content/surrogate-keys.js'
import { mayList, mayShow, privateDatatype, type Reach } from '../../content/visibility.js'
import type { Answers } from '../answers.js'
import type { Audience } from '../audience.js'
import type { Schemas } from '../content-model.js'
import { Documents } from '../documents.js'
import { type ContextSettings, type LocaleChoice, languageKey, type PageContext } from '../format-context.js'
import { allowanceFor, passes } from '../query/allowance.js'
import { EntryTexts } from '../query/entry-texts.js'
import { Totals } from '../query/query-entries.js'
import { bodyOf, type RenderedPage } from '../rendered-page.js'
import type { SearchService } from '../search/search.js'
import { atOneMoment, type Moment, VersionedAnswers } from '../versioned-answers.js'

/** An answer in the shape of another system. */
export interface CompatAnswer extends RenderedPage {
  readonly isPublic: boolean
  /** Whether it was made for a wrong key, which gets less than a right one. */
  readonly isOnce?: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly location?: string | undefined
}

interface CompatCaller {
  readonly hasKey: boolean
  allow(): Promise<unknown>
}

/** The source that a response is written from. */
export interface CompatSite {
  readonly documents: Documents
  readonly audience: Audience
  readonly types: readonly TypeMapping[]
  /** The names that the children of entries have, by the ids of the datatypes of these entries. */
  readonly childrenNames: ReadonlyMap<string, string>
  /** The names of datatypes under Contentful and Sanity, by their ids. */
  readonly typeNames: ReadonlyMap<string, string>
  /** Ids of relations that are weak references under Sanity. */
  readonly weak: ReadonlySet<string>
  readonly search: SearchService
  readonly sandbox: Sandbox
  readonly now: string
  /** Which locales are read when this one is asked for; the default one for `''`. */
  localeChoice(asked: string): LocaleChoice
  readonly isPublic: boolean
  /** Opens the datatype for reading. @throws as `allow` of the caller if it is not public, 404 without one */
  open(datatype: DatatypeRow | undefined): Promise<DatatypeRow>
  /**
   * Whether the datatype exists for the caller: without a key only those that are public do.
   * @throws as `allow` of the caller, if they have sent a key
   */
  sees(datatype: DatatypeRow | undefined): Promise<boolean>
  seesMedia(mediaId: string): Promise<boolean>
  /** Returns what is listed for the caller. One with a wrong key gets what anybody gets, without an error. */
  reach(): Promise<Reach>
  /** Opens content for reading that no datatype opens to everybody. @throws as `allow` of the caller */
  allow(): Promise<void>
}

export interface Written {
  readonly text: string
  readonly location?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface CompatService {
  inMemory(key: string): CompatAnswer | undefined
  /**
   * Returns the response that `write` makes, read at one moment. Responses for the public are cached by the key.
   * @param key undefined if the response depends on more than the content, and so is not cached
   * @param audience `working` for callers who see drafts; their responses are not cached
   */
  answer(
    key: string | undefined,
    asked: { readonly audience: Audience; readonly caller: CompatCaller },
    write: (site: CompatSite) => Promise<Written>,
  ): Promise<CompatAnswer>
  mapping(): Promise<readonly TypeMapping[]>
}

interface CompatSettings extends ContextSettings {
  readonly clock: Clock
  readonly hashing: Hashing
  readonly sandbox: Sandbox
  readonly log: Log
  readonly answers: Answers
  readonly typeSettings: () => Readonly<Record<string, TypeSettings>>
}

class Reading {
  isPublic = true
  isRefused = false

  constructor(private readonly caller: CompatCaller) {}

  async allow(): Promise<void> {
    this.isPublic = false
    await this.caller.allow()
  }

  get hasKey(): boolean {
    return this.caller.hasKey
  }

  /** Returns false without a key. @throws as `allow`, if the caller has sent one */
  async allowsKey(): Promise<boolean> {
    if (this.hasKey) await this.allow()
    return this.hasKey
  }

  /** Returns false for a wrong key too: front ends send one whether or not it is right, and read what anybody does. */
  async readsAll(): Promise<boolean> {
    this.isRefused = this.caller.hasKey && !(await passes(() => this.allow()))
    return this.caller.hasKey && !this.isRefused
  }
}

class Site implements CompatSite {
  readonly types: readonly TypeMapping[]
  readonly childrenNames: ReadonlyMap<string, string>
  readonly typeNames: ReadonlyMap<string, string>
  readonly weak: ReadonlySet<string>

  constructor(
    readonly documents: Documents,
    readonly audience: Audience,
    readonly search: SearchService,
    readonly sandbox: Sandbox,
    private readonly reading: Reading,
    readonly now: string,
    mapping: Mapping,
    private readonly context: PageContext,
  ) {
    this.types = mapping.types
    this.childrenNames = mapping.childrenNames
    this.typeNames = mapping.typeNames
    this.weak = mapping.weak
  }

  localeChoice(asked: string): LocaleChoice {
    return this.context.localesFor(this.documents.schema, asked)
  }

  get isPublic(): boolean {
    return this.reading.isPublic
  }

  async open(datatype: DatatypeRow | undefined): Promise<DatatypeRow> {
    if (!datatype || !mayList(datatype, 'anybody')) await this.allow()
    if (!datatype) throw notFound('unknown datatype')
    if (!mayShow(datatype, this.audience)) throw privateDatatype(datatype.name)
    return datatype
  }

  async sees(datatype: DatatypeRow | undefined): Promise<boolean> {
    if (datatype && mayList(datatype, 'anybody')) return true
    const isAllowed = await this.reading.allowsKey()
    return isAllowed && datatype !== undefined && mayShow(datatype, this.audience)
  }

  async seesMedia(mediaId: string): Promise<boolean> {
    return (await this.documents.showsMedia(mediaId)) || (await this.reading.allowsKey())
  }

  async reach(): Promise<Reach> {
    if (!(await this.reading.readsAll())) return 'anybody'
    return this.audience === 'working' ? 'working' : 'readers'
  }

  allow(): Promise<void> {
    return this.reading.allow()
  }
}

/** Returns what stands for the settings in the keys of the cache, so that answers under others are not found. */
function settingsKey(settings: CompatSettings): () => string {
  let [current, changes] = [settings.typeSettings(), 0]
  return () => {
    const now = settings.typeSettings()
    if (now !== current) [current, changes] = [now, changes + 1]
    return `${changes} ${languageKey(settings)}`
  }
}

export function compatAnswers(
  db: Database,
  space: ContentSpace,
  schemas: Schemas,
  context: PageContext,
  search: SearchService,
  settings: CompatSettings,
): CompatService {
  const answers = new VersionedAnswers<CompatAnswer>(db, schemas, settings.answers, 'compat')
  const { clock, hashing, log, mediaUrl, origin, typeSettings } = settings
  const texts = new EntryTexts(settings.answers, 'document')
  const totals = new Totals(settings.answers, 'documents')
  const mappingIn = mappings(typeSettings)
  const parts = { space, context, log, mediaUrl, origin, totals, texts }
  const settingsNow = settingsKey(settings)
  return {
    inMemory: key => answers.inMemory(`${settingsNow()} ${key}`),
    async answer(key, { audience, caller }, write) {
      const allowanceOf = allowanceFor(async () => caller.hasKey && (await passes(caller.allow)))
      const make = async (moment: Moment): Promise<CompatAnswer> => {
        const reading = new Reading(caller)
        const own = { ...parts, allowanceOf, settings: settingsNow() }
        const documents = new Documents(moment, audience, own, () => reading.readsAll())
        const site = new Site(
          documents,
          audience,
          search,
          settings.sandbox,
          reading,
          timestamp(clock.now()),
          mappingIn(moment.schema),
          context,
        )
        const { text, headers = {}, location } = await write(site)
        const isPublic = audience === 'public' && site.isPublic
        const { isRefused: isOnce } = reading
        return {
          ...bodyOf(hashing, text),
          tags: `compat ${surrogateKeys.content}`,
          isPublic,
          isOnce,
          headers,
          location,
        }
      }
      if (audience === 'working' || key === undefined) return (await atOneMoment(db, schemas, make)).made
      let isMade = false
      const answer = await answers.get(`${settingsNow()} ${key}`, moment => {
        isMade = true
        return make(moment)
      })
      // Who had it made was asked already. Who may not have it may have another, as anybody does.
      if (answer.isPublic || isMade || (await passes(caller.allow))) return answer
      return (await atOneMoment(db, schemas, make)).made
    },
    async mapping() {
      const { made } = await atOneMoment(db, schemas, async ({ schema }) => mappingIn(schema).types)
      return made
    },
  }
}
