import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Reader } from '../../db/reader.js'
import { type ContentSpace, internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'

/** The part of reviews that changes of content take along. Only the public space has comments and requests. */

const { comments, reviewRequests } = tables
type Request = RowOf<typeof reviewRequests>
/** How a request ends. */
export type Outcome = 'approved' | 'returned' | 'withdrawn'

const isReviewed = (space: ContentSpace): boolean => space.contentData === tables.contentData

/** Returns the slug of the page that a tree is; null without one. */
export async function slugOfTree(read: Reader, root: string): Promise<string | null> {
  const route = (await read.get(tables.contentData, root))?.route_id
  return (route && (await read.get(tables.routes, route))?.slug) || null
}

/** Leaves a mail to be sent after the commit, and again if that fails; mails.ts in the review folder writes it. */
export async function oweMail(tx: Writer, subject: string): Promise<void> {
  const { pendingWork } = internalTables
  const [work_id, kind] = [tx.newId(), 'review_mail']
  await tx.insertInternal(pendingWork, { work_id, kind, subject, attempts: 0, due_at: tx.now })
}

/** Ends a request, tells webhooks, and its author by mail. @param answer the note of whoever ends it */
export async function endRequest(
  tx: Writer,
  actor: Actor,
  { review_request_id, author_id }: Request,
  status: Outcome,
  answer = '',
): Promise<Request> {
  const answered = { answer, answered_by: actor.userId, answered_at: tx.now, open_for: null }
  const { after } = await tx.update(reviewRequests, review_request_id, { status, ...answered })
  const data = async () => ({
    review_request_id,
    content_data_id: after.content_data_id,
    slug: await slugOfTree(tx, after.content_data_id),
    note: after.note,
    requested_by: author_id,
  })
  const by = actor.userId
  if (status === 'approved')
    await tx.emit('review.approved', async () => ({ ...(await data()), answer, approved_by: by }))
  else if (status === 'returned')
    await tx.emit('review.returned', async () => ({ ...(await data()), answer, returned_by: by }))
  else await tx.emit('review.withdrawn', async () => ({ ...(await data()), withdrawn_by: by }))
  if (author_id !== actor.userId) await oweMail(tx, `${status} ${review_request_id} ${author_id}`)
  return after
}

/** Whoever publishes a tree has approved the request to do so, however they do it. */
export async function approveOpen(tx: Writer, space: ContentSpace, actor: Actor, id: string): Promise<void> {
  if (!isReviewed(space)) return
  const open = await tx.find(reviewRequests, { open_for: id })
  if (open) await endRequest(tx, actor, open, 'approved')
}

/** Everything that was said about entries. */
export interface ReviewOf {
  readonly comments: readonly RowOf<typeof comments>[]
  readonly reviewRequests: readonly Request[]
}

export async function reviewOf(read: Reader, space: ContentSpace, ids: readonly string[]): Promise<ReviewOf> {
  if (!isReviewed(space)) return { comments: [], reviewRequests: [] }
  return {
    comments: await read.findIn(comments, 'content_data_id', ids),
    reviewRequests: await read.findIn(reviewRequests, 'content_data_id', ids),
  }
}

/** Removes what was said about entries that are removed. */
export async function removeReview(tx: Writer, space: ContentSpace, ids: readonly string[]): Promise<void> {
  const found = await reviewOf(tx, space, ids)
  await tx.removeAll(comments, found.comments)
  await tx.removeAll(reviewRequests, found.reviewRequests)
}

/** Stores what was said about entries again. @param authors returns the author of a row, as there are users now */
export async function restoreReview(
  tx: Writer,
  found: ReviewOf,
  authors: (row: { author_id: string }) => string,
): Promise<void> {
  const own = <R extends { author_id: string }>(row: R): R => ({ ...row, author_id: authors(row) })
  await tx.insertAll(comments, found.comments.map(own))
  await tx.insertAll(reviewRequests, found.reviewRequests.map(own))
}
