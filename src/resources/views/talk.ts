import type { Services } from '../../services/index.js'
import type { Wording } from '../../texts/wording.js'
import { all, type Entry } from '../entries.js'

interface TalkParts {
  readonly services: Pick<Services, 'comments' | 'reviewRequests' | 'users'>
}

const [maxOpen, maxSettled] = [200, 50]

type Comment = Awaited<ReturnType<TalkParts['services']['comments']['get']>>
type Request = Awaited<ReturnType<TalkParts['services']['reviewRequests']['get']>>

interface Person {
  readonly name: string
  readonly username: string
}

/** The comments on an entry, and the newest request to publish its tree. */
export interface Talk {
  readonly open: readonly Comment[]
  readonly settled: readonly Comment[]
  readonly request: Request | undefined
  readonly people: ReadonlyMap<string, Person>
  readonly nameable: readonly Person[]
}

async function rowsOf({ content_data_id, root_id }: Entry, { services }: TalkParts) {
  const { comments, reviewRequests } = services
  const [open, settled, request] = await Promise.all([
    all(comments.list({ content_data_id, resolved: false }, { limit: maxOpen })),
    all(comments.list({ content_data_id, resolved: true }, { limit: maxSettled })),
    reviewRequests.newestOf(root_id),
  ])
  return { open, settled, request }
}

/** Returns a mark that changes with each comment and with the state of the review. */
export function talkMark({ open, settled, request }: Pick<Talk, 'open' | 'settled' | 'request'>): string {
  const last =
    [...open, ...settled]
      .map(({ date_modified }) => date_modified)
      .toSorted()
      .at(-1) ?? ''
  return [open.length, settled.length, last, request?.review_request_id, request?.status].join(' ')
}

/** Returns a mark of the present comments and notes of an entry. */
export const talkMarkOf = async (entry: Entry, parts: TalkParts): Promise<string> =>
  talkMark(await rowsOf(entry, parts))

/** Returns what is said about an entry. */
export async function talkOf(entry: Entry, parts: TalkParts): Promise<Talk> {
  const { comments, users } = parts.services
  const [{ open, settled, request }, nameable] = await Promise.all([
    rowsOf(entry, parts),
    comments.nameable(),
  ])
  const ids = [...open, ...settled].flatMap(({ author_id, resolved_by, mentions }) => [
    author_id,
    ...(resolved_by === null ? [] : [resolved_by]),
    ...mentions,
  ])
  if (request) ids.push(request.author_id, ...(request.answered_by === null ? [] : [request.answered_by]))
  const people = new Map<string, Person>()
  for (const id of new Set(ids)) {
    const user = await users.get(id).catch(() => undefined)
    if (user) people.set(id, { name: user.name || user.username, username: user.username })
  }
  return { open, settled, request, people, nameable }
}

export type { Comment, Request }

/** The name of somebody, who may have no account any more. */
export const personIn = ({ people }: Talk, id: string | null, { t }: Wording): string =>
  id === null ? t('The service') : (people.get(id)?.name ?? t('A deleted account'))
