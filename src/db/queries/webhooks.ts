import { asSizedKeys, byShape, each, type Query, type SizedKey, sizedKeys } from '../statements.js'
import { internalTables, tables } from '../tables.js'

/** Reads of deliveries that are more than one table by its columns. */

const { webhookDeliveries: deliveries } = internalTables

export type DeliveryListFilter = 'webhook_id' | 'status' | 'event' | 'before'

/** Keys and sizes of deliveries that fit the filters that are given, newest first. */
export const deliveryKeys = byShape(
  (
    filters: readonly DeliveryListFilter[],
    { limit, offset }: { limit: number; offset: number },
  ): Query<DeliveryListFilter, SizedKey> => ({
    values: filters,
    build: (knex, value) => {
      const query = knex(deliveries.name).select(sizedKeys(knex, deliveries))
      for (const filter of filters)
        if (filter === 'before') query.where('delivery_id', '<', value(filter))
        else query.where(filter, value(filter))
      if (offset > 0) query.offset(offset)
      return query.orderBy('delivery_id', 'desc').limit(limit)
    },
    rows: asSizedKeys,
  }),
)

export interface DueDelivery {
  delivery_id: string
  webhook_id: string
  url: string
  due_at: string
}

/** Deliveries that are due now, the longest overdue first, without those of the webhooks `not0`, `not1` and so on. */
export const dueDeliveries = byShape((leftOut: number, limit: number): Query<string, DueDelivery> => {
  const names = Array.from({ length: leftOut }, (_, i) => `not${i}`)
  return {
    values: ['now', ...names],
    build: (knex, value) =>
      knex(`${deliveries.name} as d`)
        .join(`${tables.webhooks.name} as w`, 'w.webhook_id', 'd.webhook_id')
        .select([
          'd.delivery_id as delivery_id',
          'd.webhook_id as webhook_id',
          'w.url as url',
          'd.due_at as due_at',
        ])
        .where('d.due_at', '<=', value('now'))
        .whereNotIn('d.webhook_id', names.map(value))
        .orderBy(['d.due_at', 'd.delivery_id'])
        .limit(limit),
    rows: each(row => ({
      delivery_id: row.delivery_id as string,
      webhook_id: row.webhook_id as string,
      url: row.url as string,
      due_at: row.due_at as string,
    })),
  }
})

/** When the next delivery is due, after a time. */
export const nextDueTime: Query<'time', string> = {
  values: ['time'],
  build: (knex, value) =>
    knex(deliveries.name).select('due_at').where('due_at', '>', value('time')).orderBy('due_at').limit(1),
  rows: each(row => row.due_at as string),
}

/** Ids of deliveries that are due after a time, a bounded number at once. */
export const deliveriesDueAfter: Query<'time', string> = {
  values: ['time'],
  build: (knex, value) =>
    knex(deliveries.name)
      .select('delivery_id')
      .where('due_at', '>', value('time'))
      .orderBy(['due_at', 'delivery_id'])
      .limit(500),
  rows: each(row => row.delivery_id as string),
}

/** Ids of deliveries that somebody whose name is between the two holds until later, a bounded number at once. */
export const heldDeliveries: Query<'time' | 'from' | 'to', string> = {
  values: ['time', 'from', 'to'],
  build: (knex, value) =>
    knex(deliveries.name)
      .select('delivery_id')
      .where('due_at', '>', value('time'))
      .where('leased_by', '>', value('from'))
      .where('leased_by', '<', value('to'))
      .orderBy(['due_at', 'delivery_id'])
      .limit(500),
  rows: each(row => row.delivery_id as string),
}

/** Ids of deliveries that were finished before a time, a bounded number at once. */
export const oldDeliveries: Query<'before', string> = {
  values: ['before'],
  build: (knex, value) =>
    knex(deliveries.name)
      .select('delivery_id')
      .where('completed_at', '<', value('before'))
      .orderBy(['completed_at', 'delivery_id'])
      .limit(500),
  rows: each(row => row.delivery_id as string),
}

/**
 * Ids of a webhook's finished deliveries between two ids that were created from one time to another, oldest first, a bounded
 * number at once.
 */
export const finishedDeliveries = byShape(
  (status: 'failed' | 'all'): Query<'webhook_id' | 'after' | 'end' | 'from' | 'to', string> => ({
    values: ['webhook_id', 'after', 'end', 'from', 'to'],
    build: (knex, value) =>
      knex(deliveries.name)
        .select('delivery_id')
        .where('webhook_id', value('webhook_id'))
        .where('delivery_id', '>', value('after'))
        .where('delivery_id', '<', value('end'))
        .where('created_at', '>=', value('from'))
        .where('created_at', '<=', value('to'))
        .whereIn('status', status === 'failed' ? ['failed'] : ['failed', 'success'])
        .orderBy('delivery_id')
        .limit(500),
    rows: each(row => row.delivery_id as string),
  }),
)

/** Ids of webhooks after one id that have a secret without the mark of encrypted ones, a bounded number at once. */
export const webhooksWithPlainSecrets: Query<'after', string> = {
  values: ['after'],
  build: (knex, value) =>
    knex(tables.webhooks.name)
      .select('webhook_id')
      .where('webhook_id', '>', value('after'))
      .where(either =>
        either.whereNot('secret', 'like', 'sealed:%').orWhereNot('previous_secret', 'like', 'sealed:%'),
      )
      .orderBy('webhook_id')
      .limit(20),
  rows: each(row => row.webhook_id as string),
}
