import type { Database } from '../../../db/database.js'
import type { Term, Terms } from '../../../db/full-text.js'
import { searchCandidates, searchCount } from '../../../db/queries/search.js'
import type { DatatypeRow } from '../../../db/tables.js'
import { type ContentSpace, internalTables, tables } from '../../../db/tables.js'
import { type HttpError, invalid } from '../../../errors.js'
import { didYouMean } from '../../../nearest-name.js'
import { datatypeWord, tagOf } from '../../content/search-words.js'
import { mayList, mayShow, privateDatatype } from '../../content/visibility.js'
import type { Schema, Schemas } from '../content-model.js'
import type { PageContext } from '../format-context.js'
import { ResultWriter, type SearchResult } from './results.js'
import { type SearchRequest, searchRequestLimits, termsOf, wordsIn } from './search-request.js'

/** Who searches: who may read content looks through all that the public sees; others are refused what is not for everybody. */
export type Searcher = 'reader' | { readonly refusal: HttpError }

export interface Found {
  readonly results: readonly SearchResult[]
  readonly next: number | null
  readonly count: number | undefined
}

export interface SearchService {
  /**
   * Entries that the public sees and that have all words, the best first.
   * @throws the refusal, 400 that names what is wrong, 403 for a private datatype
   */
  find(searcher: Searcher, request: SearchRequest): Promise<Found>
  /**
   * Ids of entries in the public book that have all words, in any locale, the best first. For callers who may read content.
   * @throws 400 that names what is wrong
   */
  ids(words: string, most: number): Promise<readonly string[]>
}

const { ranked, counted } = searchRequestLimits

class Search implements SearchService {
  constructor(
    private readonly db: Database,
    private readonly space: ContentSpace,
    private readonly schemas: Schemas,
    private readonly context: PageContext,
  ) {}

  async find(searcher: Searcher, request: SearchRequest): Promise<Found> {
    const { db, space, context } = this
    const counter = await db.get(internalTables.counters, 'schema_version')
    const schema = await this.schemas.at(counter?.value ?? 0)
    const datatypes =
      searcher === 'reader' ? ofNames(schema, request) : openOnes(schema, request, searcher.refusal)
    const words = wordsIn(request.words)
    const { chain } = context.localesFor(schema, request.locale ?? '')
    const locales = [...chain.filter(locale => context.isPublic(schema, locale)), '']
    const tags = locales.map(tagOf)
    const terms = termsOf(
      words,
      tags,
      datatypes?.map(one => datatypeWord(one.datatype_id)),
    )
    if (words.length === 0) return { results: [], next: null, count: request.count ? 0 : undefined }
    const found = await this.best(terms, words, tags)
    const { offset = 0, limit } = request
    const end = offset + limit
    const shown = found.slice(offset, end)
    return {
      results: await new ResultWriter(db, space, schema).written(shown, { locales, words }),
      next: end < found.length ? end : null,
      count: request.count ? await this.count(terms) : undefined,
    }
  }

  async ids(text: string, most: number): Promise<readonly string[]> {
    const words = wordsIn(text)
    if (words.length === 0) return []
    const locales = await this.db.findAll(tables.locales)
    const tags = [...locales.map(({ code }) => tagOf(code)), tagOf('')]
    return (await this.best(termsOf(words, tags, undefined), words, tags)).slice(0, most)
  }

  /**
   * The newest entries that have all words, in the order of how well they fit: with more of the words in their titles,
   * then with fewer words in all, then the newer.
   */
  private async best(terms: Terms, words: readonly Term[], tags: readonly string[]): Promise<string[]> {
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

/** Returns the datatypes to search, all open to everybody. @throws the refusal if one is not, or without any */
function openOnes(schema: Schema, { types }: SearchRequest, refusal: HttpError): readonly DatatypeRow[] {
  const open = [...schema.datatypes.values()].filter(datatype => mayList(datatype, 'anybody'))
  const asked = types ? open.filter(({ name }) => types.includes(name)) : open
  if (asked.length === 0 || (types && asked.length < types.length)) throw refusal
  return asked
}

/** @throws 400 for a name that no datatype has */
function ofNames({ datatypes }: Schema, { types }: SearchRequest): DatatypeRow[] | undefined {
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
): SearchService => new Search(db, space, schemas, context)
