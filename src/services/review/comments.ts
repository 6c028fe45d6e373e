import { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import type { RecordOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { type CommentFilter, commentCount, commentKeys } from '../../db/queries/review.js'
import type { Slice } from '../../db/reader.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, forbidden, invalid, missingReference, notFound } from '../../errors.js'
import { isUlid } from '../../ids.js'
import type { AccessService } from '../accounts/access.js'
import { reference } from '../body-parts.js'
import { localeCode } from '../content/locales.js'
import { oweMail, slugOfTree } from '../content/review-rows.js'
import type { Check } from '../crud.js'
import type { People } from './people.js'
import { words } from './texts.js'

const table = tables.comments
/** An entry with more has comments that nobody reads. */
const maxComments = 1000

export const CommentCreate = z.object({
  content_data_id: reference,
  field_id: reference.nullable().default(null).meta({ description: 'The field that the comment is about.' }),
  locale: z
    .union([z.literal(''), localeCode], 'must be a language tag such as de or de-AT')
    .default('')
    .meta({ description: 'The locale that the comment is about; empty for all locales.' }),
  body: words.meta({
    description: 'Plain text. `@` and a user name notify that person.',
    examples: ['@ada Is this right?'],
  }),
})
export const CommentUpdate = z
  .object({ body: words, resolved: z.boolean().meta({ description: 'Whether the comment is resolved.' }) })
  .partial()

type Comment = RecordOf<typeof table>

/** By what a list is narrowed: members of a comment, the route of its page, or the root of its tree. */
export type CommentsAsked = {
  readonly [Name in CommentFilter]?: (Name extends 'resolved' ? boolean : string) | undefined
}

function filtersOf(asked: CommentsAsked) {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  const values = Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]),
  )
  return {
    names: given.map(([name]) => name as CommentFilter),
    values: values as Record<CommentFilter, string>,
  }
}

const namesNothing = (asked: CommentsAsked): boolean =>
  Object.values(asked).some(value => typeof value === 'string' && !isUlid(value))

const commentReads = (db: Database) => ({
  table,
  list(asked: CommentsAsked, slice: Slice): AsyncGenerator<Comment[]> {
    const { names, values } = filtersOf(asked)
    if (namesNothing(asked))
      return db.streamed(
        slice,
        async () => [],
        async () => [],
      )
    const keysOf = ({ limit, offset = 0, after }: Slice & { limit: number }) => {
      const query = commentKeys(names, { limit, offset, after: after !== undefined })
      return db.query(query, { ...values, after: after ?? '' })
    }
    return db.streamed(slice, keysOf, keys => db.findIn(table, table.key, keys))
  },
  async count(asked: CommentsAsked): Promise<number> {
    if (namesNothing(asked)) return 0
    const { names, values } = filtersOf(asked)
    const [n = 0] = await db.query(commentCount(names), { ...values, after: '' })
    return n
  },
  async get(id: string): Promise<Comment> {
    const comment = await db.get(table, id)
    if (!comment || !(await db.exists(tables.contentData, { content_data_id: comment.content_data_id })))
      throw notFound()
    return comment
  },
})

async function dataOf(tx: Writer, comment: Comment) {
  const entry = await tx.get(tables.contentData, comment.content_data_id)
  const { comment_id, content_data_id, field_id, locale, body, mentions, author_id } = comment
  const slug = entry ? await slugOfTree(tx, entry.root_id) : null
  return { comment_id, content_data_id, field_id, locale, slug, body, mentions, author_id }
}

async function tell(tx: Writer, { comment_id, author_id }: Comment, named: readonly string[]): Promise<void> {
  for (const user of named) if (user !== author_id) await oweMail(tx, `comment ${comment_id} ${user}`)
}

/** @throws 400 for an entry, a field or a locale that is not there; 409 when the entry has too many comments */
async function refuseWrongPlace(
  tx: Writer,
  { content_data_id, field_id, locale }: Pick<Comment, 'content_data_id' | 'field_id' | 'locale'>,
): Promise<void> {
  const entry = await tx.get(tables.contentData, content_data_id)
  if (!entry) throw missingReference('content_data_id', tables.contentData.name)
  // Held, so that it is not deleted meanwhile.
  await tx.share(tables.contentData, content_data_id)
  if (field_id !== null && (await tx.get(tables.fields, field_id))?.parent_id !== entry.datatype_id)
    throw invalid('field_id', 'is not a field of this entry')
  if (locale !== '' && !(await tx.exists(tables.locales, { code: locale })))
    throw invalid('locale', 'the locale does not exist')
  if ((await tx.count(table, { content_data_id })) >= maxComments)
    throw conflict(`the entry has ${maxComments} comments: delete some`)
}

/**
 * Comments on entries and their fields. Whoever may edit content sees and writes them, and says that one is settled; its
 * text is its author's alone.
 */
export function comments(
  db: Database,
  { access, people }: { access: Pick<AccessService, 'can'>; people: People },
) {
  async function change(
    tx: Writer,
    actor: Actor,
    before: Comment,
    { body = before.body, resolved = before.resolved }: z.output<typeof CommentUpdate>,
  ): Promise<Comment> {
    const [isRewritten, isSettled] = [body !== before.body, resolved && !before.resolved]
    if (isRewritten && before.author_id !== actor.userId)
      throw forbidden('only its author can change a comment')
    const mentions = isRewritten ? await people.namedIn(tx, body) : before.mentions
    const resolved_by = isSettled ? actor.userId : resolved ? before.resolved_by : null
    const { after } = await tx.update(table, before.comment_id, { body, mentions, resolved, resolved_by })
    const [by, data] = [actor.userId, () => dataOf(tx, after)]
    if (isRewritten) await tx.emit('comment.updated', async () => ({ ...(await data()), updated_by: by }))
    if (isSettled) await tx.emit('comment.resolved', async () => ({ ...(await data()), resolved_by: by }))
    if (!resolved && before.resolved)
      await tx.emit('comment.reopened', async () => ({ ...(await data()), reopened_by: by }))
    const named = mentions.filter(user => !before.mentions.includes(user))
    await tell(tx, after, named)
    return after
  }

  return {
    ...commentReads(db),
    /** @throws 400 for an entry, a field or a locale that is not there; 409 when the entry has too many comments */
    create: (actor: Actor, given: z.output<typeof CommentCreate>): Promise<Comment> =>
      db.write(actor, async tx => {
        const author_id = authorOf(actor, undefined)
        await refuseWrongPlace(tx, given)
        const mentions = await people.namedIn(tx, given.body)
        const comment = await tx.insert(table, { ...given, mentions, author_id })
        const data = () => dataOf(tx, comment)
        await tx.emit('comment.created', async () => ({ ...(await data()), created_by: author_id }))
        await tell(tx, comment, mentions)
        return comment
      }),
    /** @throws 403 for a text by somebody else */
    update: (actor: Actor, id: string, patch: z.output<typeof CommentUpdate>, check?: Check<Comment>) =>
      db.write(actor, async tx => {
        const before = await tx.lock(table, id)
        const { content_data_id } = before
        if (!(await tx.exists(tables.contentData, { content_data_id }))) throw notFound()
        check?.(before)
        return change(tx, actor, before, patch)
      }),
    /** @throws 403 unless the caller has written it, or has `content:admin` */
    remove: (actor: Actor, id: string, check?: Check<Comment>): Promise<void> =>
      db.write(actor, async tx => {
        const before = await tx.lock(table, id)
        check?.(before)
        const by = actor.userId
        if (before.author_id !== by && !(await access.can(actor, 'content:admin')))
          throw forbidden('only its author or a user with content:admin can delete a comment')
        await tx.emit('comment.deleted', async () => ({ ...(await dataOf(tx, before)), deleted_by: by }))
        await tx.remove(table, id)
      }),
    nameable: people.nameable,
  }
}
