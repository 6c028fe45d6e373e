import type { Actor } from '../actor.js'
import { all } from '../resources/entries.js'
import type { Services } from '../services/index.js'
import { Turns } from '../turns.js'
import type { SiteCommand } from './command.js'
import { filterValue, idOf } from './names.js'
import { isRead, type ShownRecord } from './table.js'
import { visible } from './visible.js'
import { partsOf, wholeEntries } from './whole-entries.js'

/** How many trees are read at once, and how many entries with their values. */
const [treesAtOnce, entriesAtOnce] = [50, 50]

interface Place {
  readonly id: string
  readonly order: number
}

type Entries = Awaited<ReturnType<Services['space']['records']['content']>>

/** Returns the ids of the entries of some trees: each one behind the entry that it is under. */
async function idsOfTrees(entries: Entries, root_id: readonly string[]): Promise<string[]> {
  const under = new Map<string | null, Place[]>()
  for await (const some of entries.list({ root_id } as never, {} as never))
    for (const { content_data_id: id, parent_id, sort_order: order } of some) {
      const children = under.get(parent_id) ?? []
      children.push({ id, order })
      under.set(parent_id, children)
    }
  const ids: string[] = []
  const waiting = [...root_id].reverse()
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    ids.push(id)
    const children = (under.get(id) ?? []).sort((a, b) => a.order - b.order)
    waiting.push(...children.map(child => child.id).reverse())
  }
  return ids
}

/** Returns the roots of the trees that are asked for, some at a time. */
async function* rootsOf(
  services: Services,
  actor: Actor,
  entries: Entries,
  { text, datatype }: { text: string | undefined; datatype: string | undefined },
): AsyncGenerator<string[]> {
  if (text !== undefined) {
    yield [(await entries.get(await idOf('content', text, services, actor))).root_id]
    return
  }
  const where = {
    parent_id: null,
    ...(datatype === undefined
      ? {}
      : { datatype_id: await filterValue('content', 'datatype_id', datatype, services, actor) }),
  }
  let waiting: string[] = []
  for await (const some of entries.list(where as never, {} as never)) {
    waiting.push(...some.map(({ content_data_id }) => content_data_id))
    while (waiting.length >= treesAtOnce) {
      yield waiting.slice(0, treesAtOnce)
      waiting = waiting.slice(treesAtOnce)
    }
  }
  if (waiting.length > 0) yield waiting
}

/** Writes whole trees, a line of JSON for each entry as `content get` shows it; parents come before their children. */
export const contentExport: SiteCommand['work'] = async (services, actor, io, options, [text]) => {
  const parts = partsOf(services)
  const entries = await services.space.records.content(actor)
  const turns = new Turns()
  for await (const roots of rootsOf(services, actor, entries, { text, datatype: options['datatype-id'] })) {
    const ids = await idsOfTrees(entries, roots)
    for (let at = 0; at < ids.length; at += entriesAtOnce) {
      const content_data_id = ids.slice(at, at + entriesAtOnce)
      const found = await all(entries.list({ content_data_id } as never, {} as never))
      const byId = new Map((await wholeEntries(parts, actor, found)).map(one => [one.content_data_id, one]))
      const shown = content_data_id.flatMap((id): ShownRecord | ShownRecord[] => byId.get(id) ?? [])
      io.write(visible(shown.map(one => `${JSON.stringify(one)}\n`).join('')))
      if (!(await isRead(io))) return 0
      await turns.next()
    }
  }
  return 0
}
