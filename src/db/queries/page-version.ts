import type { RowOf } from '../columns.js'
import type { internalTables } from '../tables.js'

/**
 * The counters that a rendered page is made of. While all of them are what they were, the rendering is current.
 *
 * | counter | who raises it | who reads it |
 * |---|---|---|
 * | tree version: `version` in `content_trees` | `Writer.lockAndBumpTree`, once in each transaction that changes anything inside the tree, or its address, or media it shows; `Writer.createTree` starts it behind every version there has been | every page of the tree, except to the public while changes wait |
 * | public version: `version` in `public_trees`, which has the tree only while changes wait for a publish (`waiting`) | set to the tree version by `staging`, when changes begin to wait or some of them are published, and by `touchPublic` | the public's page, in place of the tree version |
 * | schema version: `schema_version` in `counters` | `Writer.finish`, after a change of a table marked `shapesPages` (datatypes, fields, locales) or `invalidateAllPages` | every page |
 * | content version: `content_version` in `counters` | `Writer.finish`, after a change of any tree | pages that show entries of other trees; for the others it is null, and they stay current |
 * | renderer version: `renderer_version` in `rendered_pages` | whoever changes what a format writes, by `formatRevision`, or the configured addresses | renderings in the database only: a process renders all of its own in one way |
 */
export type PageVersion = Pick<
  RowOf<typeof internalTables.renderedPages>,
  'root_id' | 'version' | 'pending' | 'schema_version' | 'content_version'
>

/** Whether a rendering shows the page as it is at present. `currentSql` is the same rule for the database. */
export const isCurrent = (rendering: PageVersion, present: PageVersion): boolean =>
  rendering.root_id === present.root_id &&
  rendering.version === present.version &&
  rendering.pending === present.pending &&
  rendering.schema_version === present.schema_version &&
  (rendering.content_version === null || rendering.content_version === present.content_version)

/** The aliases of a root's rows in a query: of its tree, and of what the public sees while changes wait. */
interface RootAliases {
  readonly tree: string
  readonly publicTree: string
}

/** The present version of a root, as SQL. Only the public can see less than the tree. */
export const versionSql = (audience: 'public' | 'working', { tree, publicTree }: RootAliases) =>
  audience === 'public'
    ? {
        version: `coalesce(${publicTree}.version, ${tree}.version)`,
        pending: `case when ${publicTree}.root_id is null then 0 else 1 end`,
      }
    : { version: `${tree}.version`, pending: '0' }

/**
 * `isCurrent` as SQL, over the stored rendering `s`, the schema version `sc` and the content version `cc`; its one place
 * is the renderer version. The root needs no comparison: its rows are joined by the rendering's own, and a root that
 * leaves its route gets a new tree version.
 */
export function currentSql(audience: 'public' | 'working', ofRendering: RootAliases): string {
  const { version, pending } = versionSql(audience, ofRendering)
  return `s.renderer_version = ? and s.version = ${version} and s.pending = ${pending}
    and s.schema_version = sc.value and (s.content_version is null or s.content_version = cc.value)`
}
