/**
 * The counters that a rendered page is made of. While all of them are unchanged, the rendering is current.
 *
 * | counter | who raises it | who reads it |
 * |---|---|---|
 * | version of the tree in the working book: `version` in `content_trees` | `Writer.lockAndBumpTree`, once in each transaction that changes anything inside the tree, or its address, or media it shows; `Writer.createTree` starts it behind every version there has been | pages of the working book |
 * | version of the tree in the public book: `public_version` in `content_trees` | `Writer.notePublic`, when rows of the tree in the public book change, or its address, or media it shows | public pages |
 * | schema version: `schema_version` in `counters` | `Writer.finish`, after a change of a table marked `shapesPages` (datatypes, fields, locales) or `invalidateAllPages` | every page |
 * | content version: `content_version` in `counters`, for public pages `public_version` | `Writer.finish`, after a change of any tree, and after one of what the public may get | pages that show entries of other trees; for the others it is null, and they stay current |
 */
export interface PageVersion {
  readonly root_id: string
  readonly version: number
  readonly schema_version: number
  readonly content_version: number | null
}

/** Returns true if a rendering shows the page as it is at present. */
export const isCurrent = (rendering: PageVersion, present: PageVersion): boolean =>
  rendering.root_id === present.root_id &&
  rendering.version === present.version &&
  rendering.schema_version === present.schema_version &&
  (rendering.content_version === null || rendering.content_version === present.content_version)
