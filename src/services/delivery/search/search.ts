import type { RowOf } from '../../../db/columns.js'
import type { Database } from '../../../db/database.js'
import type { Terms } from '../../../db/full-text.js'
import { searchCandidates, searchCount } from '../../../db/queries/search.js'
import { type ContentSpace, internalTables } from '../../../db/tables.js'
import { invalid } from '../../../errors.js'
import { didYouMean } from '../../../nearest-name.js'
import type { Hashing } from '../../../ports.js'
import { datatypeWord, tagOf } from '../../content/search-words.js'
import { mayList, mayShow, privateDatatype } from '../../content/visibility.js'
import type { Schema, Schemas } from '../content-model.js'
import type { PageContext } from '../format-context.js'
import { bodyOf, type RenderedPage } from '../rendered-page.js'
import { ResultWriter } from './results.js'
import { type SearchRequest, searchRequest, searchRequestLimits, termsOf } from './search-request.js'

/** What a caller may look through. */
interface Caller {
  /** Whether they may read content, so that all of what the public sees is looked through. */
  mayRead(): Promise<boolean>
  /** Called where there is nothing for everybody. Throws when they may not read content. */
  allow(): Promise<unknown>
}

interface SearchAnswer extends RenderedPage {
  /** Whether everybody may have it. */
  readonly isPublic: boolean
}

export interface SearchService {
  /**
   * Entries that the public sees and that have all words, the best first.
   * @param search the query of the address, as it was sent
   * @throws 400 that names the parameter; as `allow`
   */
  answer(search: string, caller: Caller): Promise<SearchAnswer>
}

interface SearchSettings {
  readonly hashing: Hashing
}

type Datatype = RowOf<ContentSpace['datatypes']>

const { ranked, counted } = searchRequestLimits

class Search implements SearchService {
  constructor(
    private readonly db: Database,
    private readonly space: ContentSpace,
    private readonly schemas: Schemas,
    private readonly context: PageContext,
    private readonly settings: SearchSettings,
  ) {}

  async answer(search: string, caller: Caller): Promise<SearchAnswer> {
    const { db, space, context, settings } = this
    const counter = await db.get(internalTables.counters, 'schema_version')
    const schema = await this.schemas.at(counter?.value ?? 0)
    const mayRead = await caller.mayRead()
    const open = [...schema.datatypes.values()].filter(datatype => mayList(datatype, 'anybody'))
    if (!mayRead && open.length === 0) await caller.allow()
    const request = searchRequest(new URLSearchParams(search))
    const datatypes = mayRead ? ofNames(schema, request) : await openOnes(open, request, caller)
    const { chain } = context.localesFor(schema, request.locale)
    const locales = [...chain.filter(locale => context.isPublic(schema, locale)), '']
    const tags = locales.map(tagOf)
    const terms = termsOf(
      request.words,
      tags,
      datatypes?.map(one => datatypeWord(one.datatype_id)),
    )
    const found = request.words.length === 0 ? [] : await this.best(terms, request, tags)
    const shown = found.slice(request.offset, request.offset + request.limit)
    const data = await new ResultWriter(db, space, schema).written(shown, { locales, words: request.words })
    const end = request.offset + request.limit
    const meta = {
      next: end < found.length ? end : null,
      ...(request.count ? { count: request.words.length === 0 ? 0 : await this.count(terms) } : {}),
    }
    const text = JSON.stringify({ data, meta })
    return { ...bodyOf(settings.hashing, text), tags: 'search', isPublic: !mayRead }
  }

  /**
   * The newest entries that have all words, in the order of how well they fit: with more of the words in their titles,
   * then with fewer words in all, then the newer.
   */
  private async best(terms: Terms, { words }: SearchRequest, tags: readonly string[]): Promise<string[]> {
    const query = searchCandidates(this.space, ranked)
    const candidates = await this.db.query(query, { words: this.db.wordsFor(terms) })
    const wanted = words.map(({ word, isPrefix }) => tags.map(tag => ` ${tag}${word}${isPrefix ? '' : ' '}`))
    const inTitle = (titleWords: string) => {
      const title = ` ${titleWords} `
      return wanted.filter(group => group.some(word => title.includes(word))).length
    }
    return candidates
      .map((candidate, i) => ({ ...candidate, i, score: inTitle(candidate.titleWords) }))
      .sort((a, b) => b.score - a.score || a.wordCount - b.wordCount || a.i - b.i)
      .map(({ id }) => id)
  }

  private async count(terms: Terms): Promise<number> {
    const query = searchCount(this.space, counted)
    const [n = 0] = await this.db.query(query, { words: this.db.wordsFor(terms) })
    return Math.min(n, counted)
  }
}

/** Of what everybody may query, what is asked for. */
async function openOnes(
  open: readonly Datatype[],
  { types }: SearchRequest,
  { allow }: Caller,
): Promise<readonly Datatype[]> {
  if (!types) return open
  const asked = open.filter(({ name }) => types.includes(name))
  if (asked.length < types.length) await allow()
  return asked
}

/** @throws 400 for a name that no datatype has */
function ofNames({ datatypes }: Schema, { types }: SearchRequest): Datatype[] | undefined {
  return types?.map(name => {
    const found = [...datatypes.values()].find(one => one.name === name)
    if (found && !mayShow(found, 'public')) throw privateDatatype(name)
    if (found) return found
    const known = [...datatypes.values()].map(one => one.name)
    throw invalid('type', `there is no datatype ${name.slice(0, 100)}: ${didYouMean(name, known)}`)
  })
}

export const search = (
  db: Database,
  space: ContentSpace,
  schemas: Schemas,
  context: PageContext,
  settings: SearchSettings,
): SearchService => new Search(db, space, schemas, context, settings)
