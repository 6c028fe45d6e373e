import type { Term } from '../../../db/full-text.js'
import { textBeginnings, textSizes } from '../../../db/queries/search.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace, RouteRow } from '../../../db/tables.js'
import { limits } from '../../../limits.js'
import { Turns } from '../../../turns.js'
import type { PublicEntry } from '../../content/book-rows.js'
import { isSearched, searchedText } from '../../content/search-document.js'
import type { Schema } from '../content-model.js'
import { shownRoute } from '../shown-route.js'
import { highlight, type Part } from './highlights.js'

/** An entry that was found. */
export interface SearchResult {
  readonly id: string
  readonly type: string
  readonly published_at: string | null
  readonly page: { readonly id: string; readonly slug: string; readonly title: string } | null
  readonly highlights: readonly { readonly field: string; readonly parts: readonly Part[] }[]
}

interface Wanted {
  readonly locales: readonly string[]
  readonly words: readonly Term[]
}

const [charactersOfValue, bytesOfAnswer] = [20_000, 400_000]
const maxHighlights = limits.search.highlights

interface Text {
  readonly valueId: string
  readonly field: string
  readonly type: string
}

/** Writes entries that were found as a search shows them: a fixed number of statements, however many there are. */
export class ResultWriter {
  constructor(
    private readonly read: Reader,
    private readonly space: ContentSpace,
    private readonly schema: Schema,
  ) {}

  /** @param ids in their order; what the public does not see any more is left out */
  async written(ids: readonly string[], wanted: Wanted): Promise<SearchResult[]> {
    if (ids.length === 0) return []
    const { read, space, schema } = this
    const found = await read.findIn(space.publicEntries, 'content_data_id', ids)
    const byId = new Map(found.map(entry => [entry.content_data_id, entry]))
    const pageOf = await this.pages(found, wanted.locales)
    const highlights = await this.highlights(found, wanted)
    return ids.flatMap(id => {
      const entry = byId.get(id)
      const datatype = entry && schema.datatypes.get(entry.datatype_id)
      if (!entry || !datatype) return []
      const { published_at, root_id } = entry
      const page = pageOf.get(root_id) ?? null
      return [{ id, type: datatype.name, published_at, page, highlights: highlights.get(id) ?? [] }]
    })
  }

  private async pages(entries: readonly PublicEntry[], locales: readonly string[]) {
    const { read, space } = this
    const rootIds = new Set(entries.map(({ root_id }) => root_id))
    const roots = await read.findIn(space.publicEntries, 'content_data_id', [...rootIds])
    const routes = await read.findIn(
      space.routes,
      'route_id',
      roots.flatMap(({ route_id }) => route_id ?? []),
    )
    const routeOf = new Map<string, RouteRow>(routes.map(route => [route.route_id, route]))
    const pages = new Map<string, SearchResult['page']>()
    for (const { content_data_id: id, route_id } of roots) {
      const route = routeOf.get(route_id ?? '')
      if (!route) continue
      const { slug, title } = shownRoute(route, locales)
      pages.set(id, { id, slug, title })
    }
    return pages
  }

  private async highlights(entries: readonly PublicEntry[], { words, locales }: Wanted) {
    const texts = await this.texts(entries, locales)
    const ids = [...texts.values()].flat().map(({ valueId }) => valueId)
    const beginnings = await this.read.queryIn(textBeginnings(this.space, charactersOfValue), ids)
    const beginningOf = new Map(beginnings.map(({ id, text }) => [id, text]))
    const turns = new Turns()
    const highlights = new Map<string, SearchResult['highlights']>()
    for (const [id, own] of texts) {
      const shown: SearchResult['highlights'][number][] = []
      for (const { field, type, valueId } of own) {
        if (shown.length === maxHighlights) break
        const text = searchedText(type, beginningOf.get(valueId) ?? '')
        const parts = await turns.run(highlight(text, words))
        if (parts) shown.push({ field, parts })
      }
      highlights.set(id, shown)
    }
    return highlights
  }

  private async texts(
    entries: readonly PublicEntry[],
    locales: readonly string[],
  ): Promise<Map<string, Text[]>> {
    const { read, space, schema } = this
    const ids = entries.map(({ content_data_id }) => content_data_id)
    const texts = new Map(ids.map(id => [id, [] as Text[]]))
    const left = new Map(ids.map(id => [id, bytesOfAnswer / ids.length]))
    const values = (await read.queryIn(textSizes(space), ids)).flatMap(value => {
      const field = schema.fields.get(value.field_id)
      const rank = locales.indexOf(value.locale)
      return field && rank >= 0 && isSearched(field.field_type)
        ? [{ ...value, field, order: schema.order(field), rank }]
        : []
    })
    values.sort((a, b) => a.order - b.order || a.rank - b.rank)
    for (const { content_data_id: id, content_field_id: valueId, field, bytes } of values) {
      const rest = left.get(id) ?? 0
      if (rest <= 0) continue
      left.set(id, rest - Math.min(bytes, charactersOfValue))
      texts.get(id)?.push({ valueId, field: field.name, type: field.field_type })
    }
    return texts
  }
}
