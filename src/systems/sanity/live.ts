import { type Json, memberText, objectsIn } from '../imports.js'
import {
  type Ask,
  earlier,
  type LiveChoices,
  type LiveRecord,
  type LiveRecords,
  type LiveSource,
  madeFiles,
  type OpenLive,
  pagesOf,
} from '../live.js'

/** The query API of Sanity as a source: its documents are those of an export already. */

const pageSize = 200
const assets = ['sanity.imageAsset', 'sanity.fileAsset']
const everything = 'documents'

const query = (groq: string, params: Readonly<Record<string, unknown>>): string =>
  `?${new URLSearchParams([['query', groq], ...Object.entries(params).map(([name, value]) => [`$${name}`, JSON.stringify(value)])])}`

const idOf = (one: Json): string => memberText(one, '_id') ?? ''

class SanityLive implements LiveSource {
  readonly notes: string[] = []

  constructor(
    private readonly ask: Ask,
    private readonly choices: LiveChoices,
  ) {
    if (!choices.hasKey) this.notes.push('Without a key only published documents are imported.')
  }

  async *records(since: string | undefined): AsyncGenerator<LiveRecord> {
    const after = since === undefined ? [] : ['_updatedAt > $since']
    const params = since === undefined ? {} : { since: earlier(since) }
    const { types } = this.choices
    // Types are asked for one by one: a query by one type is cheap for every server.
    for (const type of types.length > 0 ? [...types, ...assets] : [undefined]) {
      const own = type === undefined ? '!(_type match "system.*")' : '_type == $type'
      const filter = [own, ...after].join(' && ')
      yield* this.documents(filter, { ...params, ...(type === undefined ? {} : { type }) })
    }
  }

  changedAt({ record }: LiveRecord): string | undefined {
    return memberText(record, '_updatedAt')
  }

  files(records: LiveRecords) {
    function* lines(): Generator<string> {
      for (const one of records.in(everything)) yield JSON.stringify(one)
    }
    return madeFiles({ 'data.ndjson': lines })
  }

  private async *documents(
    filter: string,
    params: Readonly<Record<string, unknown>>,
  ): AsyncGenerator<LiveRecord> {
    // Drafts and published documents are one document elsewhere; `raw` has both.
    const perspective = `&perspective=${this.choices.hasKey ? 'raw' : 'published'}`
    const page = async (number: number) => {
      const from = (number - 1) * pageSize
      const groq = `*[${filter}] | order(_id) [${from}...${from + pageSize}]`
      return objectsIn(await this.ask(query(groq, params) + perspective), 'result')
    }
    for await (const record of pagesOf(everything, pageSize, page, idOf))
      yield { list: everything, id: idOf(record), record }
  }
}

/** Opens the query API, such as `https://P.api.sanity.io/v2025-02-19/data/query/production`. */
export const openSanity: OpenLive = async (ask, choices) => new SanityLive(ask, choices)
