import type { RowOf } from '../../../db/columns.js'
import type { LeanValue } from '../../../db/queries/trees.js'
import type { Reader } from '../../../db/reader.js'
import type { ContentSpace } from '../../../db/tables.js'
import { invalid } from '../../../errors.js'
import type { Log } from '../../../ports.js'
import { Turns } from '../../../turns.js'
import type { Schema } from '../content-model.js'
import { refusePaths } from '../expand.js'
import type { LocaleChoice, PageContext } from '../format-context.js'
import { type NativeWriting, nativeEntry } from '../formats/native.js'
import { mediaById } from '../page-media.js'
import { htmlOf } from '../rich-text/html.js'
import { richValues } from '../rich-values.js'
import { shownRoute } from '../shown-route.js'
import { WriteBudget } from '../write-budget.js'
import type { IndexedEntry } from './entry-source.js'
import type { EntryText } from './entry-texts.js'
import { fieldNamed } from './query-plan.js'
import type { QueryRequest } from './query-request.js'
import { everyNode, idsIn, type QueryNode, QueryRows } from './query-rows.js'

/** A query with its names looked up. */
export interface Asked {
  readonly schema: Schema
  readonly datatype: RowOf<ContentSpace['datatypes']>
  readonly request: QueryRequest
  readonly choice: LocaleChoice
}

interface WriterParts {
  readonly space: ContentSpace
  readonly context: PageContext
  readonly mediaUrl: (key: string) => string
  readonly log: Log
}

const largestOf = ({ expand, children }: QueryRequest): string =>
  expand.length > 0 ? 'expand' : children > 0 ? 'children' : 'limit'

/** Writes entries of the public book as queries show them. */
export class EntryWriter {
  constructor(
    private readonly read: Reader,
    private readonly parts: WriterParts,
  ) {}

  /**
   * Each of the entries with these ids, with whatever the query shows of others. Other work goes on between entries, for
   * they may be thousands.
   * @param known what was read of all of them
   * @throws 400 for a field that the datatype does not have, or when the answer would be too large
   */
  async written(asked: Asked, ids: readonly string[], known?: readonly IndexedEntry[]): Promise<EntryText[]> {
    const { schema, request, choice } = asked
    const { space, context } = this.parts
    refuseNames(asked)
    const budget = new WriteBudget(largestOf(request))
    const isSeen = ({ locale }: { locale: string }) => context.isPublic(schema, locale)
    const rows = new QueryRows(this.read, space, schema, isSeen, budget)
    const byId = await rows.byId(ids, known)
    const nodes = ids.flatMap(id => byId.get(id) ?? [])
    await rows.addChildren(nodes, request.children)
    const expanded = await rows.expanded(nodes, request.expand)
    const writing = await this.writing(rows, [...everyNode(nodes), ...expanded.values()], choice, budget)
    const only = request.fields && new Set(request.fields)
    const turns = new Turns()
    const write = async (node: QueryNode, isFirst: boolean): Promise<string> => {
      if (turns.isOver) await turns.next()
      const route = writing.target(node.entry.content_data_id)?.route
      const entry = nativeEntry(node, route, writing, isFirst ? { expand: request.expand, only } : {})
      const children: string[] = []
      for (const child of node.children) children.push(await write(child, false))
      const hasChildren = request.children > 0 && (isFirst || children.length > 0)
      return hasChildren ? `${entry.slice(0, -1)},"children":[${children.join(',')}]}` : entry
    }
    const written: EntryText[] = []
    for (const node of nodes)
      written.push({
        id: node.entry.content_data_id,
        json: await write(node, true),
        isSmall: isSmall(node),
      })
    return written
  }

  private async writing(
    rows: QueryRows,
    shown: readonly QueryNode[],
    choice: LocaleChoice,
    budget: WriteBudget,
  ): Promise<NativeWriting> {
    const { space, mediaUrl } = this.parts
    const known = new Map(shown.map(node => [node.entry.content_data_id, node]))
    const named = await rows.namesOf(idsIn(shown).filter(id => !known.has(id)))
    const routes = await rows.routesOf([...known.values(), ...named.values()])
    const media = idsIn(shown, undefined, 'media')
    budget.refuse('references', media.length)
    return {
      context: { ...choice, rich: await this.richOf(shown, choice) },
      media: await mediaById(this.read, space, media, mediaUrl),
      budget,
      target(id) {
        const node = known.get(id) ?? named.get(id)
        const route = node?.routeId ? routes.get(node.routeId) : undefined
        return node && { node, route: shownRoute(route, choice.chain) }
      },
    }
  }

  private async richOf(nodes: readonly QueryNode[], choice: LocaleChoice) {
    const context = { ...choice, linked: new Map(), media: new Map() }
    const all = new Map<LeanValue, unknown>()
    for (const { values } of nodes)
      if (values.some(({ field }) => field.field_type === 'richtext'))
        for (const [value, html] of await richValues(
          { values },
          context,
          text => htmlOf(text),
          this.parts.log,
        ))
          all.set(value, html)
    return all
  }
}

/** The limits of a small entry: 200 of them stay far below all limits of a response. */
const small = { characters: 64_000, inReferences: 5000 }

function isSmall({ characters, values }: QueryNode): boolean {
  let inReferences = 0
  for (const { field, value } of values)
    if (field.field_type === 'relation' || field.field_type === 'media')
      inReferences += value.field_value.length
  return characters <= small.characters && inReferences <= small.inReferences
}

/** @throws 400 for a field or relation that the datatype does not have */
function refuseNames({ schema, datatype, request: { fields = [], expand } }: Asked): void {
  for (const name of fields)
    if (!fieldNamed(schema, datatype.datatype_id, name))
      throw invalid('fields', `${datatype.name} has no field "${name}"`)
  refusePaths(schema, expand, datatype)
}
