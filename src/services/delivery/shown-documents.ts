import type { LeanValue } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace, EntryRow } from '../../db/tables.js'
import type { Log } from '../../ports.js'
import { type MediaById, shownMedia } from '../media/record.js'
import type { Schema } from './content-model.js'
import type { Paths } from './expand.js'
import type { LocaleChoice } from './format-context.js'
import type { FormatContext, WriteRich } from './formats/format.js'
import { asIndexed, type EntrySource, type IndexedEntry } from './query/entry-source.js'
import { everyNode, mediaIdsIn, type QueryNode, QueryRows, relationsOf } from './query/query-rows.js'
import { richValues } from './rich-values.js'
import { shownRoute } from './shown-route.js'
import type { ContentTree, LinkedEntry, Node } from './tree.js'
import { isSmall, wholeNodes } from './whole-nodes.js'
import { WriteBudget } from './write-budget.js'

/** How much of entries is shown. */
export interface HowShown {
  readonly locale: string
  readonly children: number
  readonly expand?: Paths | undefined
  readonly writeRich?: WriteRich | undefined
  readonly namesOf?: ((records: NamedRecords) => Promise<RecordNames>) | undefined
}

/** Ids of records here. */
export interface NamedRecords {
  readonly entries: readonly string[]
  readonly media: readonly string[]
}

/** The names that records have in another system, by their ids here. A record without such a name is missing. */
export interface RecordNames {
  readonly numbers: ReadonlyMap<string, number>
  readonly ids: ReadonlyMap<string, string>
}

export interface ShownDocuments {
  readonly trees: readonly ContentTree[]
  readonly small: ReadonlySet<string>
  readonly context: FormatContext
}

interface ReadingParts {
  readonly read: Reader
  readonly space: ContentSpace
  readonly schema: Schema
  readonly source: EntrySource
  readonly choice: LocaleChoice
  readonly origin: string
  readonly log: Log
  isSeen(value: LeanValue): boolean
  media(ids: readonly string[]): Promise<MediaById>
}

class EntryRecords implements Pick<EntrySource, 'entries'> {
  private readonly known = new Map<string, EntryRow>()
  private readonly waiting = new Set<string>()

  constructor(private readonly source: EntrySource) {}

  want(entries: readonly IndexedEntry[]): void {
    for (const { content_data_id } of entries) this.waiting.add(content_data_id)
  }

  async entries(ids: readonly string[]): Promise<IndexedEntry[]> {
    const records = await this.of(ids)
    return ids.flatMap(id => {
      const record = records.get(id)
      return record ? asIndexed(record) : []
    })
  }

  async of(ids: readonly string[]): Promise<ReadonlyMap<string, EntryRow>> {
    const missing = [...new Set([...this.waiting, ...ids])].filter(id => !this.known.has(id))
    this.waiting.clear()
    for (const record of await this.source.records(missing)) this.known.set(record.content_data_id, record)
    return this.known
  }
}

/**
 * Entries as formats write them: each a tree with its children, and what its relations and media name.
 * @param found what was read of all the entries while they were found
 */
export async function shownDocuments(
  ids: readonly string[],
  { children, expand, writeRich, namesOf }: HowShown,
  { read, space, schema, choice, origin, log, ...parts }: ReadingParts,
  found: readonly IndexedEntry[] | undefined,
): Promise<ShownDocuments> {
  const budget = new WriteBudget(children > 0 ? 'children' : 'limit')
  const records = new EntryRecords(parts.source)
  const source = { ...parts.source, entries: (some: readonly string[]) => records.entries(some) }
  const rows = new QueryRows(read, space, schema, parts.isSeen, budget, source)
  if (found) records.want(found)
  const byId = await rows.byId(ids, found)
  const nodes = ids.flatMap(id => byId.get(id) ?? [])
  await rows.addChildren(nodes, children)
  const inTrees = [...everyNode(nodes)]
  const others = await rows.expanded(inTrees, expand ?? relationsOf(inTrees))
  const every = [...inTrees, ...others.values()]
  const mediaIds = mediaIdsIn(every)
  const stored = await records.of(every.map(idOf))
  const names = await namesOf?.({ entries: [...stored.keys()], media: mediaIds })
  const whole = wholeNodes(every, numbered(stored, names))
  const routes = await rows.routesOf(every)
  const routeOf = (node: QueryNode) =>
    shownRoute(node.routeId === null ? undefined : routes.get(node.routeId), choice.chain)
  const linked = new Map<string, LinkedEntry>()
  for (const [id, node] of others) {
    const own = whole.get(node)
    if (own) linked.set(id, { node: { ...own, children: [] }, route: routeOf(node) })
  }
  budget.refuse('references', mediaIds.length)
  const media = numbered(shownMedia(await parts.media(mediaIds), choice.chain), names)
  const context: FormatContext = { ...choice, stored: undefined, linked, origin, media, ids: names?.ids }
  const rich = writeRich && (await richOf(whole.values(), context, writeRich, log))
  return {
    small: new Set(nodes.filter(node => isSmall(node, others)).map(idOf)),
    trees: nodes.flatMap(node => {
      const root = whole.get(node)
      return root ? [{ route: routeOf(node), root }] : []
    }),
    context: rich ? { ...context, rich } : context,
  }
}

/** Records, by their ids, with the numbers that they have in the other system. */
export function numbered<R extends { readonly numeric_id: number }>(
  records: ReadonlyMap<string, R>,
  names: Pick<RecordNames, 'numbers'> | undefined,
): ReadonlyMap<string, R> {
  if (!names || names.numbers.size === 0) return records
  return new Map(
    [...records].map(([id, record]) => {
      const numeric_id = names.numbers.get(id)
      return [id, numeric_id === undefined ? record : { ...record, numeric_id }]
    }),
  )
}

const idOf = ({ entry }: QueryNode): string => entry.content_data_id

async function richOf(nodes: Iterable<Node>, context: FormatContext, write: WriteRich, log: Log) {
  const texts = new Map<LeanValue, unknown>()
  const alone = { ...context, linked: new Map() }
  for (const { values } of nodes)
    if (values.some(({ field }) => field.field_type === 'richtext'))
      for (const [value, text] of await richValues({ values }, alone, write, log)) texts.set(value, text)
  return texts
}
