import type { RowOf } from '../../db/columns.js'
import { firstPieces } from '../../db/queries/trash.js'
import type { Reader } from '../../db/reader.js'
import type { EntryRow, ValueRow } from '../../db/tables.js'
import { type ContentSpace, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { publicTree } from './public-state.js'
import { type ReviewOf, reviewOf } from './review-rows.js'

/** Stores the rows of deleted entries, and reads them again. */

/** Everything that goes with deleted entries. */
export interface Deleted extends ReviewOf {
  readonly entries: readonly EntryRow[]
  readonly values: readonly ValueRow[]
  readonly versions: readonly RowOf<ContentSpace['contentVersions']>[]
  readonly plans: readonly RowOf<ContentSpace['contentPlans']>[]
  readonly routes: readonly RowOf<ContentSpace['routes']>[]
  readonly redirects: readonly RowOf<typeof tables.redirects>[]
  /** The time of the first unpublished change, or an empty list. */
  readonly pending: readonly string[]
  /** A page with such changes as the public saw it. */
  readonly publicEntries: readonly EntryRow[]
  readonly publicValues: readonly ValueRow[]
}

type Kind = keyof Deleted

const [maxRows, maxCharacters] = [500, 200_000]

/** Reads what would go with entries. @param entries of one tree, parents first */
export async function readDeleted(
  tx: Writer,
  space: ContentSpace,
  entries: readonly EntryRow[],
): Promise<Deleted> {
  const ids = entries.map(({ content_data_id }) => content_data_id)
  const route_id = entries[0]?.route_id
  const route = route_id ? await tx.get(space.routes, route_id) : undefined
  const hasRedirects = route !== undefined && space.routes.name === tables.routes.name
  return {
    entries,
    values: await tx.findIn(space.contentFields, 'content_data_id', ids),
    versions: await tx.findIn(space.contentVersions, 'content_data_id', ids),
    plans: await tx.findIn(space.contentPlans, 'content_data_id', ids),
    routes: route ? [route] : [],
    redirects: hasRedirects ? await tx.findAll(tables.redirects, { route_id: route.route_id }) : [],
    ...(await reviewOf(tx, space, ids)),
    ...(await pendingPage(tx, space, entries[0])),
  }
}

async function pendingPage(read: Reader, space: ContentSpace, top: EntryRow | undefined) {
  const none = { pending: [], publicEntries: [], publicValues: [] }
  if (top?.root_id !== top?.content_data_id || !top) return none
  const since = (await read.get(space.contentTrees, top.root_id))?.pending_since
  if (!since) return none
  const shown = await publicTree(read, space, top.root_id)
  return {
    pending: [since],
    publicEntries: shown.map(({ entry }) => entry),
    publicValues: shown.flatMap(({ fields }) => fields),
  }
}

function* piecesOf(rows: readonly unknown[]): Generator<unknown[]> {
  let [some, characters]: [unknown[], number] = [[], 0]
  for (const row of rows) {
    const length = JSON.stringify(row).length
    if (some.length > 0 && (some.length === maxRows || characters + length > maxCharacters)) {
      yield some
      ;[some, characters] = [[], 0]
    }
    some.push(row)
    characters += length
  }
  if (some.length > 0) yield some
}

export async function storePieces(
  tx: Writer,
  space: ContentSpace,
  trash_id: string,
  deleted: Deleted,
): Promise<void> {
  for (const [kind, rows] of Object.entries(deleted) as [Kind, readonly unknown[]][])
    for (const records of piecesOf(rows))
      await tx.insertInternal(space.trashPieces, { trash_piece_id: tx.newId(), trash_id, kind, records })
}

/** Reads what `storePieces` has stored. */
export async function readPieces(read: Reader, space: ContentSpace, trash_id: string): Promise<Deleted> {
  const found: Record<Kind, unknown[]> = {
    entries: [],
    values: [],
    versions: [],
    plans: [],
    routes: [],
    redirects: [],
    comments: [],
    reviewRequests: [],
    pending: [],
    publicEntries: [],
    publicValues: [],
  }
  // In the order of their ids, which is the order in which they were stored.
  const pieces = await read.findAll(space.trashPieces, { trash_id })
  // Only the service writes these rows, by `storePieces`.
  for (const { kind, records } of pieces) found[kind as Kind].push(...records)
  return found as unknown as Deleted
}

/** Facts about a deleted entry that decide who may restore it. */
export interface FirstEntries {
  readonly author_id: string | null
  /** Whether it or one of the first entries under it is published, also as the public saw them. */
  readonly isPublished: boolean
}

/** Reads the first entries of several deletions at once, in batches bounded by bytes. @returns them by `trash_id` */
export async function firstEntries(
  read: Reader,
  space: ContentSpace,
  trashIds: readonly string[],
): Promise<Map<string, FirstEntries>> {
  const found = new Map<string, FirstEntries>()
  const pieces = []
  for (const kind of ['entries', 'publicEntries'] satisfies Kind[])
    pieces.push(...(await read.queryIn(firstPieces(space, kind), trashIds)))
  for await (const batch of read.sized(space.trashPieces, pieces))
    for (const { trash_id, kind, records } of batch) {
      // Only the service writes these rows, by `storePieces`.
      const entries = records as EntryRow[]
      const before = found.get(trash_id)
      const author = kind === ('entries' satisfies Kind) ? entries[0]?.author_id : before?.author_id
      const isPublished = before?.isPublished || entries.some(({ status }) => status === 'published')
      found.set(trash_id, { author_id: author ?? null, isPublished })
    }
  return found
}
