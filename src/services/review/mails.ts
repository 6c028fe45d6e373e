import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import type { Ports } from '../../ports.js'
import { isReachable } from '../accounts/account-fields.js'
import { mailServerOf } from '../accounts/reset-mails.js'
import { type ReviewNews, reviewMail, serviceName } from '../mail-texts.js'
import type { PendingWork } from '../operation/pending-work.js'
import { originOf } from '../site-origin.js'
import type { People } from './people.js'

interface Needs extends Pick<Ports, 'mail' | 'log'> {
  readonly pending: PendingWork
  readonly config: () => Config
  readonly people: People
}

interface Told extends ReviewNews {
  readonly entry: string
}

const maxFailures = 3

/** Of a withdrawn request nobody gets a mail. */
const isTold = (state: string): state is 'open' | 'approved' | 'returned' =>
  state === 'open' || state === 'approved' || state === 'returned'

/** Mails about comments and requests, one for each person, sent after the commit that owes them. */
export function reviewMails(db: Database, { pending, config, mail, log, people }: Needs): void {
  const nameOf = async (id: string | null) => {
    const user = id === null ? undefined : await db.get(tables.users, id)
    return user ? user.name || user.username : serviceName
  }

  async function titleOf(entryId: string): Promise<string | undefined> {
    const entry = await db.get(tables.contentData, entryId)
    const root = entry && (await db.get(tables.contentData, entry.root_id))
    if (!root) return undefined
    const route = root.route_id === null ? undefined : await db.get(tables.routes, root.route_id)
    return route?.title ?? (await db.get(tables.datatypes, root.datatype_id))?.label ?? ''
  }

  async function ofComment(id: string): Promise<Told | undefined> {
    const comment = await db.get(tables.comments, id)
    const title = comment && (await titleOf(comment.content_data_id))
    if (!comment || title === undefined) return undefined
    const { author_id, body: words, content_data_id: entry } = comment
    return { what: 'mentioned', who: await nameOf(author_id), title, words, entry }
  }

  /** Undefined where the request has another state by now, of which another mail tells. */
  async function ofRequest(id: string, state: string): Promise<Told | undefined> {
    const request = await db.get(tables.reviewRequests, id)
    const title = request?.status === state ? await titleOf(request.content_data_id) : undefined
    if (request === undefined || title === undefined || !isTold(state)) return undefined
    const who = await nameOf(state === 'open' ? request.author_id : request.answered_by)
    const words = state === 'open' ? request.note : request.answer
    return { what: state, who, title, words, entry: request.content_data_id }
  }

  async function send(subject: string): Promise<void> {
    const [kind = '', id = '', userId = ''] = subject.split(' ')
    const server = mailServerOf(config())
    const user = await db.get(tables.users, userId)
    if (!server || !user || !isReachable(user.email)) return
    // People who may no longer see the content get no mail.
    if (!(await people.mayBy(user.role, 'content:update'))) return
    const told = kind === 'comment' ? await ofComment(id) : await ofRequest(id, kind)
    if (!told) return
    const link = `${originOf(config())}/admin/content/entry/${told.entry}`
    await mail.send(server, reviewMail(user.email, link, told))
  }

  pending.on('review_mail', async subjects => {
    const failed: string[] = []
    for (const [i, subject] of subjects.entries()) {
      if (failed.length >= maxFailures) return [...failed, ...subjects.slice(i)]
      await send(subject).catch(error => {
        log.warn({ err: error }, 'a mail about a review could not be sent and will be retried')
        failed.push(subject)
      })
    }
    return failed
  })
}
