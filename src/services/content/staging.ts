import type { RowOf } from '../../db/columns.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { readEntry, storeEntry } from './snapshots.js'
import { type EntryDifference, type Kept, together, treeDifference } from './tree-diff.js'

type Entry = RowOf<ContentSpace['contentData']>

/**
 * What the public sees while changes wait (`publish_mode` `staged`). Before the first change of a published tree after
 * its last publish, its rows are kept as they are; from then on the public sees those. The mode decides whether that
 * happens; delivery only looks whether there are such rows.
 */
export interface Staging {
  /** Called in the lock of the entries' trees, before the first change inside them. */
  begin(tx: Writer, entries: readonly (Entry | undefined)[]): Promise<void>
  /** Whether changes of the tree wait for the next publish. */
  waits(read: Reader, root: string): Promise<boolean>
  /** Whether the public sees an entry of a tree whose changes wait. */
  shows(read: Reader, entry: Entry): Promise<boolean>
  /** What the public sees of a tree whose changes wait. */
  kept(read: Reader, root: string): Promise<Kept[]>
  /** What is in the tree. */
  working(read: Reader, root: string): Promise<Kept[]>
  /**
   * Makes public what waits of an entry and everything under it; what has been moved out of it goes along, for it can
   * no longer be where it was.
   * @returns what the public sees otherwise now; nothing when no change waited
   */
  release(tx: Writer, entry: Entry): Promise<EntryDifference[]>
  /** Makes the entry itself public, with its values, where the public last saw it. */
  releaseAlone(tx: Writer, entry: Entry): Promise<void>
  /** Takes entries away from the public at once. */
  withdraw(tx: Writer, root: string, ids: readonly string[]): Promise<void>
  /** Called when an entry that was in one tree is in another: a page that is made by moving waits to be published. */
  follow(tx: Writer, before: Entry, root: string): Promise<void>
  /** The tree is gone, or as the public sees it. */
  forget(tx: Writer, root: string): Promise<void>
}

/**
 * Says that pages of the tree are to be made again, also where the public sees what was kept of it: something that does
 * not wait has changed, such as an address or a media item.
 */
export async function touchPublic(tx: Writer, space: ContentSpace, root: string): Promise<void> {
  const { contentTrees, publicTrees } = space
  await tx.touchTree(contentTrees, root)
  const waiting = await tx.get(publicTrees, root)
  const version = (await tx.get(contentTrees, root))?.version
  if (!waiting || version === undefined) return
  await tx.forget(publicTrees, root)
  await tx.keep(publicTrees, { ...waiting, version })
}

export function staging(space: ContentSpace, staged: () => boolean): Staging {
  const { contentData, contentTrees, publicTrees, publicEntries } = space

  const waits = (read: Reader, root: string) => read.exists(publicTrees, { root_id: root })
  const keptOf = ({ snapshot }: { snapshot: unknown }): Kept => readEntry(snapshot)

  async function working(read: Reader, root: string): Promise<Kept[]> {
    const entries = await read.findAll(contentData, { root_id: root })
    const fields = new Map(entries.map(entry => [entry.content_data_id, [] as Kept['fields'][number][]]))
    for (const value of await read.findIn(space.contentFields, 'content_data_id', [...fields.keys()]))
      fields.get(value.content_data_id)?.push(value)
    return entries.map(entry => ({ entry, fields: fields.get(entry.content_data_id) ?? [] }))
  }

  async function forget(tx: Writer, root: string): Promise<void> {
    await tx.forgetAll(publicTrees, 'root_id', [root])
    await tx.forgetAll(publicEntries, 'root_id', [root])
  }

  /** Keeps these as what the public sees of a tree, in place of what it has seen of the same entries. */
  async function keep(tx: Writer, root: string, fresh: readonly Kept[], gone: readonly string[] = []) {
    const since = (await tx.get(publicTrees, root))?.since ?? tx.now
    await tx.forgetAll(publicTrees, 'root_id', [root])
    await tx.forgetAll(publicEntries, 'published_snapshot_id', gone)
    const version = (await tx.get(contentTrees, root))?.version ?? 0
    await tx.keep(publicTrees, { root_id: root, version, since })
    const rows = fresh.map(kept => ({
      root_id: root,
      content_data_id: kept.entry.content_data_id,
      snapshot: storeEntry(kept),
    }))
    await tx.keepAll(publicEntries, rows)
  }

  /** Changes what the public sees; where it then sees the tree as it is, nothing is kept. */
  async function replace(
    tx: Writer,
    root: string,
    next: (was: readonly Kept[], is: readonly Kept[]) => { ids: ReadonlySet<string>; fresh: readonly Kept[] },
  ): Promise<EntryDifference[]> {
    if (!(await waits(tx, root))) return []
    const rows = await tx.findAll(publicEntries, { root_id: root })
    const [was, is] = [rows.map(keptOf), await working(tx, root)]
    const { ids, fresh } = next(was, is)
    const among = ({ entry }: Kept) => ids.has(entry.content_data_id)
    const seen = [...was.filter(one => !among(one)), ...fresh]
    if (treeDifference(seen, is).length === 0) await forget(tx, root)
    else {
      const gone = rows.filter(({ content_data_id }) => ids.has(content_data_id))
      await keep(
        tx,
        root,
        fresh,
        gone.map(({ published_snapshot_id }) => published_snapshot_id),
      )
    }
    return treeDifference(was.filter(among), fresh)
  }

  return {
    waits,
    working,
    forget,
    async shows(read, { root_id, content_data_id }) {
      const row = await read.find(publicEntries, { root_id, content_data_id })
      return row !== undefined && keptOf(row).entry.status === 'published'
    },
    kept: async (read, root) => (await read.findAll(publicEntries, { root_id: root })).map(keptOf),
    async begin(tx, entries) {
      if (!staged()) return
      for (const root of new Set(entries.flatMap(entry => entry?.root_id ?? []))) {
        if (await waits(tx, root)) continue
        const top = await tx.get(contentData, root)
        if (top?.status === 'published') await keep(tx, root, await working(tx, root))
      }
    },
    release: (tx, { root_id, content_data_id }) =>
      replace(tx, root_id, (was, is) => {
        const whole = content_data_id === root_id && [...was, ...is].map(({ entry }) => entry.content_data_id)
        const ids = whole ? new Set(whole) : together(content_data_id, was, is)
        return { ids, fresh: is.filter(({ entry }) => ids.has(entry.content_data_id)) }
      }),
    async releaseAlone(tx, { root_id, content_data_id: id }) {
      await replace(tx, root_id, (was, is) => {
        const place = was.find(({ entry }) => entry.content_data_id === id)?.entry
        const fresh = is
          .filter(({ entry }) => entry.content_data_id === id)
          .map(({ entry, fields }) => {
            const { parent_id, sort_order } = place ?? entry
            return { entry: { ...entry, parent_id, sort_order }, fields }
          })
        return { ids: new Set([id]), fresh }
      })
    },
    async withdraw(tx, root, list) {
      await replace(tx, root, was => {
        const ids = new Set(list)
        const fresh = was
          .filter(({ entry }) => ids.has(entry.content_data_id))
          .map(({ entry, fields }) => ({ entry: { ...entry, status: 'draft' }, fields }))
        return { ids, fresh }
      })
    },
    async follow(tx, before, root) {
      if (before.root_id === before.content_data_id) await forget(tx, before.root_id)
      if (root === before.content_data_id && staged()) await keep(tx, root, [])
    },
  }
}
