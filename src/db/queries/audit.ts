import { asSizedKeys, byShape, type Query, type SizedKey, sizedKeys } from '../statements.js'
import { internalTables } from '../tables.js'

/** Reads of the audit log. */

type AuditFilter =
  | 'table_name'
  | 'record_id'
  | 'user_id'
  | 'operation'
  | 'since'
  | 'until'
  | 'before'
  /** No event that is wanted has a smaller id: where to stop looking. */
  | 'from'

/** Keys and sizes of audit events that fit the filters that are given, newest first. */
export const auditEventKeys = byShape(
  (filters: readonly AuditFilter[], limit: number): Query<AuditFilter, SizedKey> => {
    const { auditEvents: events } = internalTables
    const compared = {
      since: ['occurred_at', '>='],
      until: ['occurred_at', '<'],
      before: ['audit_event_id', '<'],
      from: ['audit_event_id', '>='],
    }
    return {
      values: filters,
      build: (knex, value) => {
        const query = knex(events.name).select(sizedKeys(knex, events))
        for (const filter of filters) {
          const [column = filter, operator = '='] = compared[filter as keyof typeof compared] ?? []
          query.where(column, operator, value(filter))
        }
        return query.orderBy('audit_event_id', 'desc').limit(limit)
      },
      rows: asSizedKeys,
    }
  },
)
