import type { PageVersion } from '../../db/queries/page-version.js'
import type { LeanEntry, LeanValue, OfSnapshot, TreeQueries } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'
import { readEntry } from '../content/snapshots.js'

/** Entries of trees with their values, in no order. */
export interface TreeRows<E extends LeanEntry, V extends LeanValue> {
  readonly entries: readonly E[]
  readonly values: readonly V[]
}

/** The rows of what the public sees of trees whose changes wait, on the route that they are on now. */
function rowsOf<E extends LeanEntry, V extends LeanValue>(
  snapshots: readonly OfSnapshot[],
  route_id: string | null,
): TreeRows<E, V> {
  const entries: E[] = []
  const values: V[] = []
  for (const { snapshot } of snapshots) {
    if (snapshot === undefined) continue
    const { entry, fields } = readEntry<E, V>(snapshot)
    entries.push(entry.parent_id === null ? { ...entry, route_id } : entry)
    for (const value of fields) values.push({ ...value, route_id })
  }
  return { entries, values }
}

/** Reads the rows of trees, as much of them as the queries select. */
export class TreeRowReader<E extends LeanEntry, V extends LeanValue> {
  constructor(
    private readonly read: Reader,
    private readonly queries: TreeQueries<E, V>,
  ) {}

  /** @returns undefined when the page has another version by now */
  ofPage(route: string, version: PageVersion): Promise<TreeRows<E, V> | undefined> {
    return version.pending ? this.publicTree(route, version) : this.tree(route, version)
  }

  async withoutRoute(): Promise<TreeRows<E, V>> {
    const entries = await this.read.query(this.queries.entriesWithoutRoute, {})
    return { entries, values: await this.read.query(this.queries.valuesWithoutRoute, {}) }
  }

  /** What the public sees of trees without a route whose changes wait. */
  async publicWithoutRoute(): Promise<{ roots: ReadonlySet<string>; rows: TreeRows<E, V> }> {
    const snapshots = await this.read.query(this.queries.snapshotsWithoutRoute, {})
    return { roots: new Set(snapshots.map(({ root }) => root)), rows: rowsOf(snapshots, null) }
  }

  private async tree(route: string, { root_id: root, version }: PageVersion) {
    const entries = await this.read.query(this.queries.entries, { root })
    const [read] = await this.read.query(this.queries.values, { root, route })
    return read?.treeVersion === version ? { entries, values: read.values } : undefined
  }

  private async publicTree(route: string, { root_id: root, version }: PageVersion) {
    const snapshots = await this.read.query(this.queries.snapshot, { root })
    return snapshots[0]?.version === version ? rowsOf<E, V>(snapshots, route) : undefined
  }
}
