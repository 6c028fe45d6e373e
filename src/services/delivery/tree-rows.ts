import type { PageVersion } from '../../db/queries/page-version.js'
import type { LeanEntry, LeanValue, TreeQueries } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'

/** Entries of trees with their values, in no order. */
export interface TreeRows<E extends LeanEntry, V extends LeanValue> {
  readonly entries: readonly E[]
  readonly values: readonly V[]
}

/** Reads the rows of trees of one book, as much of them as the queries select. */
export class TreeRowReader<E extends LeanEntry, V extends LeanValue> {
  constructor(
    private readonly read: Reader,
    private readonly queries: TreeQueries<E, V>,
  ) {}

  /** @returns undefined when the page has another version by now */
  async ofPage(route: string, { root_id: root, version }: PageVersion): Promise<TreeRows<E, V> | undefined> {
    const entries = await this.read.query(this.queries.entries, { root })
    const [read] = await this.read.query(this.queries.values, { root, route })
    return read?.treeVersion === version ? { entries, values: read.values } : undefined
  }

  async withoutRoute(): Promise<TreeRows<E, V>> {
    const entries = await this.read.query(this.queries.entriesWithoutRoute, {})
    // Without a result, both look at all roots.
    if (entries.length === 0) return { entries, values: [] }
    return { entries, values: await this.read.query(this.queries.valuesWithoutRoute, {}) }
  }
}
