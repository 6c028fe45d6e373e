import type { Knex } from 'knex'
import { asSizedKeys, byShape, each, type Query, type SizedKey, sizedKeys } from '../statements.js'
import { tables } from '../tables.js'
import type { ListSlice } from './published.js'

/** Reads of comments and requests together with the entries that they are about, so that none is shown without its entry. */

const { comments, reviewRequests, contentData, users } = tables

const commentFilters = [
  'content_data_id',
  'field_id',
  'author_id',
  'resolved',
  'route_id',
  'root_id',
] as const
export type CommentFilter = (typeof commentFilters)[number]
const ofComments = [...commentFilters, 'after'] as const

function filtered(knex: Knex, filters: readonly CommentFilter[], value: (name: CommentFilter) => string) {
  const query = knex(`${comments.name} as c`).join(
    `${contentData.name} as e`,
    'e.content_data_id',
    'c.content_data_id',
  )
  if (filters.includes('route_id'))
    query
      .join(`${contentData.name} as r`, 'r.content_data_id', 'e.root_id')
      .where('r.route_id', value('route_id'))
  for (const filter of filters)
    if (filter !== 'route_id') query.where(`${filter === 'root_id' ? 'e' : 'c'}.${filter}`, value(filter))
  return query
}

/** Keys and sizes of the comments that all filters fit. */
export const commentKeys = byShape(
  (
    filters: readonly CommentFilter[],
    { limit, offset, after }: ListSlice,
  ): Query<CommentFilter | 'after', SizedKey> => ({
    values: ofComments,
    build(knex, value) {
      const query = filtered(knex, filters, value).select(sizedKeys(knex, comments))
      if (after) query.where('c.comment_id', '>', value('after'))
      if (offset > 0) query.offset(offset)
      return query.orderBy('c.comment_id').limit(limit)
    },
    rows: asSizedKeys,
  }),
)

export const commentCount = byShape(
  (filters: readonly CommentFilter[]): Query<CommentFilter | 'after', number> => ({
    values: ofComments,
    build: (knex, value) => filtered(knex, filters, value).count({ n: '*' }),
    rows: each(row => Number(row.n)),
  }),
)

/** Ids of open requests whose tree exists, the oldest first. */
export const openRequests: Query<'limit', string> = {
  values: ['limit'],
  build: (knex, value) =>
    knex(`${reviewRequests.name} as q`)
      .join(`${contentData.name} as e`, 'e.content_data_id', 'q.content_data_id')
      .where('q.status', knex.raw("'open'"))
      .select('q.review_request_id as id')
      .orderByRaw('q.review_request_id limit ?', [value('limit')]),
  rows: each(row => row.id as string),
}

/** Ids of a user's requests that were sent back and of whose tree they made no later one, the newest first. */
export const returnedRequests: Query<'author' | 'limit', string> = {
  values: ['author', 'limit'],
  build: (knex, value) =>
    knex(`${reviewRequests.name} as q`)
      .join(`${contentData.name} as e`, 'e.content_data_id', 'q.content_data_id')
      .where('q.status', knex.raw("'returned'"))
      .where('q.author_id', value('author'))
      .whereNotExists(later =>
        later
          .from(`${reviewRequests.name} as n`)
          .select(knex.raw('1'))
          .whereRaw('n.content_data_id = q.content_data_id and n.review_request_id > q.review_request_id'),
      )
      .select('q.review_request_id as id')
      .orderByRaw('q.review_request_id desc limit ?', [value('limit')]),
  rows: each(row => row.id as string),
}

/** Ids of users with a role, some of them. */
export const usersOfRole: Query<'role' | 'limit', string> = {
  values: ['role', 'limit'],
  build: (knex, value) =>
    knex(users.name)
      .where('role', value('role'))
      .select('user_id as id')
      .orderByRaw('user_id limit ?', [value('limit')]),
  rows: each(row => row.id as string),
}
