import { z } from 'zod'
import type { Actor } from '../../actor.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { changedMeanwhile, conflict } from '../../errors.js'
import { limits } from '../../limits.js'
import { publicAtOnce } from '../agents.js'
import { reference } from '../body-parts.js'
import type { content as contentOf } from '../content/content.js'
import { ContentUpdate, PageEntry } from '../content/content-input.js'
import { lockEntry } from '../content/edit-trees.js'
import { hasPendingChanges } from '../content/public-state.js'
import { PageCreate } from '../content/routes.js'
import type { People } from './people.js'
import { openRequest } from './requests.js'
import { note } from './texts.js'

const { contentData, reviewRequests } = tables
const { openProposals } = limits.agents

const reason = note
  .default('')
  .meta({ description: 'The reason for the proposal, and what the reviewer should check.' })

export const ProposedPage = PageCreate.omit({ status: true, author_id: true })
  .extend({ note: reason })
  .strict()
export const ProposedChange = ContentUpdate.pick({ fields: true, locale: true, locales: true })
  .extend({
    content_data_id: reference.meta({ description: 'The entry to change.' }),
    revision: z.int().meta({ description: 'The revision of the entry that you read.' }),
    children: PageEntry.shape.children,
    note: reason,
  })
  .strict()

interface Needs {
  content: Pick<ReturnType<typeof contentOf>, 'createPage' | 'update'>
  people: People
}

/** Drafts and unpublished changes that wait for a review, each made with the request for it in one transaction. */
export function proposals({ content, people }: Needs) {
  /** A proposal must be nobody else's work: what people have begun, a reviewer could not throw away with it. */
  async function refuseWorkOfOthers(tx: Writer, actor: Actor, id: string): Promise<void> {
    const entry = await lockEntry(tx, tables, id)
    const open = await tx.find(reviewRequests, { open_for: entry.root_id })
    if (open?.author_id === actor.userId) return
    if (open) throw conflict('somebody else requested a review of this page: wait until that review ends')
    const root = await tx.get(contentData, entry.root_id)
    if (root?.status !== 'published' || entry.status !== 'published')
      throw conflict(
        'this entry is a draft: agents can change published entries and their own open proposals',
      )
    if (await hasPendingChanges(tx, tables, entry.root_id))
      throw conflict('this page has unpublished changes: wait until they are published or discarded')
  }

  async function request(tx: Writer, actor: Actor, root: string, note: string, reviewers: readonly string[]) {
    if (!tx.hasChanges) throw conflict('nothing would change: the entry already has the proposed values')
    if (await tx.exists(reviewRequests, { open_for: root })) return
    const isPublic = (await tx.get(contentData, root))?.status === 'published'
    if (isPublic && !(await hasPendingChanges(tx, tables, root))) throw publicAtOnce()
    // Each request may send a mail to every reviewer.
    const waiting = await tx.count(reviewRequests, { author_id: actor.userId ?? '', status: 'open' })
    if (waiting >= openProposals)
      throw conflict(`${openProposals} of your proposals are waiting for a review: wait for the answers`)
    await openRequest(tx, actor, { content_data_id: root, note }, reviewers)
  }

  return {
    /** @returns the route and the draft on it. @throws as the creation of a page */
    async page(actor: Actor, { note, ...page }: z.output<typeof ProposedPage>) {
      const reviewers = await people.reviewers()
      return content.createPage(
        actor,
        { ...page, status: 'draft' },
        { after: (tx, root) => request(tx, actor, root, note, reviewers) },
      )
    },
    /** @throws 409 for work of others, and when nothing would change; 412 for another revision; 403 when it would be public */
    async change(actor: Actor, proposed: z.output<typeof ProposedChange>) {
      const { content_data_id, revision, note, children, ...values } = proposed
      const reviewers = await people.reviewers()
      return content.update(
        actor,
        content_data_id,
        { ...values, ...(children ? { children } : {}) },
        before => {
          if (before.revision !== revision) throw changedMeanwhile()
        },
        {
          before: tx => refuseWorkOfOthers(tx, actor, content_data_id),
          after: (tx, root) => request(tx, actor, root, note, reviewers),
        },
      )
    },
  }
}
