import { z } from 'zod'
import { listFilter } from '../../services/body-parts.js'
import { CommentCreate, CommentUpdate } from '../../services/review/comments.js'
import type { ApiContext } from '../context.js'
import {
  createRoute,
  deleteRoute,
  flag,
  idQuery,
  listAnswer,
  listQuery,
  updateRoute,
} from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

// Comments are about the working state, so whoever may not edit it does not see them.
const access = 'content:update'

/** Comments on entries and their fields. */
export function commentRoutes({ services: { comments }, authentication, recordResponses }: ApiContext) {
  const api = endpoints('comments', authentication)
  const resource = {
    api,
    path: '/comments',
    permission: { read: access, write: access },
    service: comments,
    recordResponses,
  } as const
  const { table } = comments
  const id = (name: string) => listFilter(table, name).optional()
  const query = z.object({
    ...idQuery.shape,
    ...listQuery.shape,
    content_data_id: id('content_data_id'),
    route_id: listFilter(table, 'content_data_id')
      .optional()
      .meta({ description: 'Only comments on entries of this page.' }),
    field_id: id('field_id'),
    author_id: id('author_id'),
    resolved: flag,
  })
  api.get(
    resource.path,
    access,
    {
      summary: 'List comments',
      summaryOfOne: 'Get a comment',
      item: table.key,
      query,
      answers: { shape: { table, list: true } },
    },
    async (c, { query: { q, limit, offset, after, ...asked } }) => {
      if (q !== undefined) return recordResponses.answer(c, await comments.get(q))
      return listAnswer(c, comments.list(asked, { limit, offset, after }), await comments.count(asked))
    },
  )
  createRoute(resource, CommentCreate)
  updateRoute(resource, CommentUpdate)
  deleteRoute(resource)
  return api
}
