import { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import { type RecordOf, type RowOf, withoutSecrets } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { openRequests, returnedRequests } from '../../db/queries/review.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, forbidden, missingPermission, missingReference } from '../../errors.js'
import type { AccessService } from '../accounts/access.js'
import { reference } from '../body-parts.js'
import { hasPendingChanges } from '../content/public-state.js'
import type { publishing } from '../content/publishing.js'
import { endRequest, oweMail, slugOfTree } from '../content/review-rows.js'
import { reads } from '../crud.js'
import type { People } from './people.js'
import { note, words } from './texts.js'

const table = tables.reviewRequests
const maxOfTree = 100

const id = { review_request_id: reference }
export const ReviewCreate = z.object({
  content_data_id: reference.meta({
    description: 'Any entry of the tree. The request is for the whole tree.',
  }),
  note: note.default('').meta({ description: 'What the reviewer should look at.' }),
})
export const ReviewApprove = z.object({ ...id, note: note.default('') })
export const ReviewReturn = z.object({ ...id, note: words.meta({ description: 'What needs to change.' }) })
export const ReviewWithdraw = z.object(id)

type Request = RecordOf<typeof table>

interface Needs {
  access: Pick<AccessService, 'can'>
  publishing: Pick<ReturnType<typeof publishing>, 'publish'>
  people: People
}

const shown = (row: RowOf<typeof table>): Request => withoutSecrets(table, row)

function requestReads(db: Database) {
  const { list, count, get } = reads(db, table)
  const rowsOf = async (ids: readonly string[]): Promise<Request[]> => {
    const found = new Map((await db.findIn(table, table.key, ids)).map(row => [row.review_request_id, row]))
    return ids.flatMap(one => {
      const row = found.get(one)
      return row ? [shown(row)] : []
    })
  }
  return {
    ...{ table, list, count, get },
    open: async (limit: number) => rowsOf(await db.query(openRequests, { limit })),
    returned: async (author: string, limit: number) =>
      rowsOf(await db.query(returnedRequests, { author, limit })),
    async newestOf(root: string): Promise<Request | undefined> {
      const [row] = await db.findAll(table, { content_data_id: root }, { limit: 1, newestFirst: true })
      return row && shown(row)
    },
  }
}

/** Holds a request that can be answered. @throws 404, 409 */
async function openIn(tx: Writer, key: string, states: readonly string[] = ['open']) {
  const request = await tx.lock(table, key)
  if (!states.includes(request.status)) throw conflict(`the request is ${request.status}, not open`)
  return request
}

/** Returns the root of the tree that an entry is in. @throws 400, 409 when a request would be of no use */
async function reviewable(tx: Writer, id: string): Promise<string> {
  const { contentData } = tables
  const entry = await tx.get(contentData, id)
  if (!entry) throw missingReference('content_data_id', contentData.name)
  const { root_id } = entry
  // Held, so that it is not deleted meanwhile.
  await tx.share(contentData, root_id)
  if (await tx.exists(table, { open_for: root_id }))
    throw conflict('somebody already requested a review of this page', 'content_data_id')
  const waits =
    (await hasPendingChanges(tx, tables, root_id)) ||
    (await tx.exists(contentData, { root_id, status: 'draft' }))
  if (!waits) throw conflict('there is nothing to publish')
  return root_id
}

async function removeOld(tx: Writer, content_data_id: string): Promise<void> {
  const excess = (await tx.count(table, { content_data_id })) - maxOfTree + 1
  if (excess > 0) await tx.removeAll(table, await tx.findAll(table, { content_data_id }, { limit: excess }))
}

/** @throws 400 for an entry that is not there; 409 when a request is open, or nothing is to be published */
export async function openRequest(
  tx: Writer,
  actor: Actor,
  given: z.output<typeof ReviewCreate>,
  reviewers: readonly string[],
): Promise<Request> {
  const author_id = authorOf(actor, undefined)
  const content_data_id = await reviewable(tx, given.content_data_id)
  await removeOld(tx, content_data_id)
  const { note } = given
  const values = { content_data_id, status: 'open', note, open_for: content_data_id, author_id }
  const request = await tx.insert(table, values)
  const { review_request_id } = request
  await tx.emit('review.requested', async () => ({
    ...{ review_request_id, content_data_id, note, requested_by: author_id },
    slug: await slugOfTree(tx, content_data_id),
  }))
  for (const user of reviewers) if (user !== author_id) await oweMail(tx, `open ${review_request_id} ${user}`)
  return shown(request)
}

/** Requests to publish a tree. Whoever may edit content asks; whoever may publish it answers. */
export function reviewRequests(db: Database, { access, publishing, people }: Needs) {
  const known = requestReads(db)
  return {
    ...known,
    /** @throws as `openRequest` */
    async create(actor: Actor, given: z.output<typeof ReviewCreate>): Promise<Request> {
      const reviewers = await people.reviewers()
      return db.write(actor, tx => openRequest(tx, actor, given, reviewers))
    },
    /** Publishes the tree. @throws 403 without the permission, 400 as a publish, 409 for a request that is not open */
    async approve(
      actor: Actor,
      { review_request_id, note }: z.output<typeof ReviewApprove>,
    ): Promise<Request> {
      const { content_data_id } = await known.get(review_request_id)
      await publishing.publish(actor, { content_data_id }, async tx => {
        await endRequest(tx, actor, await openIn(tx, review_request_id), 'approved', note)
      })
      return known.get(review_request_id)
    },
    /** Sends it back with a note. @throws 403 without the permission to publish, 409 for a request that is not open */
    async sendBack(
      actor: Actor,
      { review_request_id, note }: z.output<typeof ReviewReturn>,
    ): Promise<Request> {
      if (!(await access.can(actor, 'content:publish'))) throw missingPermission('content:publish')
      return db.write(actor, async tx =>
        shown(await endRequest(tx, actor, await openIn(tx, review_request_id), 'returned', note)),
      )
    },
    /** Takes one's own request back, also one that was sent back. @throws 403 for somebody else's */
    withdraw: (actor: Actor, { review_request_id }: z.output<typeof ReviewWithdraw>): Promise<Request> =>
      db.write(actor, async tx => {
        const request = await openIn(tx, review_request_id, ['open', 'returned'])
        if (request.author_id !== actor.userId) throw forbidden('only its author can withdraw a request')
        return shown(await endRequest(tx, actor, request, 'withdrawn', request.answer))
      }),
  }
}
