/**
 * The counters that a rendered page is made of. While all of them are what they were, the rendering is current.
 *
 * | counter | who raises it | who reads it |
 * |---|---|---|
 * | tree version: `version` in `content_trees` | `Writer.lockAndBumpTree`, once in each transaction that changes anything inside the tree, or its address, or media it shows; `Writer.createTree` starts it behind every version there has been | every page of the tree, except to the public while changes wait |
 * | public version: `version` in `pending_trees`, which has the tree only while changes wait for a publish (`pending`) | set to the tree version by `storeSnapshot`, when changes begin to wait or some of them are published, and by `invalidatePublicPage` | the public's page, in place of the tree version |
 * | schema version: `schema_version` in `counters` | `Writer.finish`, after a change of a table marked `shapesPages` (datatypes, fields, locales) or `invalidateAllPages` | every page |
 * | content version: `content_version` in `counters` | `Writer.finish`, after a change of any tree | pages that show entries of other trees; for the others it is null, and they stay current |
 */
export interface PageVersion {
  readonly root_id: string
  readonly version: number
  readonly pending: boolean
  readonly schema_version: number
  readonly content_version: number | null
}

/** Whether a rendering shows the page as it is at present. */
export const isCurrent = (rendering: PageVersion, present: PageVersion): boolean =>
  rendering.root_id === present.root_id &&
  rendering.version === present.version &&
  rendering.pending === present.pending &&
  rendering.schema_version === present.schema_version &&
  (rendering.content_version === null || rendering.content_version === present.content_version)
