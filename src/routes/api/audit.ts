import { z } from 'zod'
import { internalTables } from '../../db/tables.js'
import { AuditQuery } from '../../services/operation/audit.js'
import type { ApiContext } from '../context.js'
import { idQuery, listAnswer } from '../crud-routes.js'
import { endpoints } from '../endpoints.js'

const page = 100

const query = AuditQuery.extend({
  ...idQuery.shape,
  limit: z.coerce.number().int().min(1).max(1000).default(page),
})

/** The audit log. */
export function auditRoutes({ services: { audit }, recordResponses, authentication }: ApiContext) {
  const api = endpoints('audit', authentication)
  api.get(
    '/audit-events',
    'audit:read',
    {
      summary: 'List audit events, newest first',
      summaryOfOne: 'Get an audit event',
      item: 'audit_event_id',
      query,
      answers: { shape: { table: internalTables.auditEvents, list: true } },
    },
    async (c, { query: { q, limit, ...filter } }) =>
      q === undefined
        ? listAnswer(c, audit.list(filter, limit))
        : recordResponses.answer(c, await audit.get(q)),
  )
  return api
}
