import { type Json, memberText, objectsIn } from '../imports.js'
import {
  type Ask,
  earlier,
  type LiveRecord,
  type LiveRecords,
  type LiveSource,
  madeFiles,
  type OpenLive,
  pagesOf,
} from '../live.js'

/** The delivery API of Contentful as a source: its records are those of an export already. */

const pageSize = 200
const model = { content_types: 'contentTypes', locales: 'locales' } as const
const lists = ['entries', 'assets'] as const

const idOf = (one: Json): string => memberText(one.sys, 'id') ?? ''

/** A member of the export with its items. */
function* list(name: string, items: Iterable<Json>): Generator<string> {
  yield `,${JSON.stringify(name)}:[`
  let isFirst = true
  for (const item of items) {
    yield `${isFirst ? '' : ','}${JSON.stringify(item)}`
    isFirst = false
  }
  yield ']'
}

class ContentfulLive implements LiveSource {
  readonly notes = ['The delivery API has published content only: drafts are not imported.']

  constructor(
    private readonly ask: Ask,
    private readonly types: readonly string[],
  ) {}

  async *records(since: string | undefined): AsyncGenerator<LiveRecord> {
    const after = since === undefined ? '' : `&sys.updatedAt[gte]=${encodeURIComponent(earlier(since))}`
    const content = `&locale=*&order=sys.createdAt${after}`
    const names: string[] = []
    for (const list of Object.keys(model) as (keyof typeof model)[])
      for await (const record of this.items(list, '')) {
        const id = idOf(record) || String(record.code)
        if (list === 'content_types') names.push(id)
        yield { list, id, record }
      }
    const types = names.filter(name => this.types.length === 0 || this.types.includes(name))
    for (const type of types)
      yield* this.content('entries', `&content_type=${encodeURIComponent(type)}&include=0${content}`)
    yield* this.content('assets', content)
  }

  changedAt({ list, record }: LiveRecord): string | undefined {
    return list in model ? undefined : memberText(record.sys, 'updatedAt')
  }

  files(records: LiveRecords) {
    function* json(): Generator<string> {
      yield '{"version":1'
      for (const [from, name] of Object.entries(model)) yield* list(name, records.in(from))
      for (const name of lists) yield* list(name, records.in(name))
      yield '}'
    }
    return madeFiles({ 'live.json': json })
  }

  private async *content(list: 'entries' | 'assets', more: string): AsyncGenerator<LiveRecord> {
    for await (const record of this.items(list, more)) yield { list, id: idOf(record), record }
  }

  private items(name: string, more: string): AsyncGenerator<Json> {
    const page = async (number: number) =>
      objectsIn(await this.ask(`/${name}?limit=${pageSize}&skip=${(number - 1) * pageSize}${more}`), 'items')
    return pagesOf(name, pageSize, page, one => idOf(one) || String(one.code))
  }
}

/** Opens an environment, such as `https://cdn.contentful.com/spaces/S/environments/master`. */
export const openContentful: OpenLive = async (ask, { types }) => new ContentfulLive(ask, types)
