import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import * as accountQueries from '../../src/db/queries/accounts.js'
import * as auditQueries from '../../src/db/queries/audit.js'
import * as contentQueries from '../../src/db/queries/content.js'
import * as linkQueries from '../../src/db/queries/links.js'
import * as mediaQueries from '../../src/db/queries/media.js'
import * as modelQueries from '../../src/db/queries/model.js'
import * as pageQueries from '../../src/db/queries/page.js'
import * as treeQueries from '../../src/db/queries/trees.js'
import * as webhookQueries from '../../src/db/queries/webhooks.js'
import { byShape, each, type Query } from '../../src/db/statements.js'
import { adminTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'

const { db, users } = await testApp()

describe('the statement of a query', () => {
  const routesBy = (values: readonly ('slug' | 'title')[]): Query<'slug' | 'title', string> => ({
    values,
    build: (knex, value) =>
      knex('routes').where('slug', value('slug')).where('title', value('title')).select('route_id'),
    rows: each(row => row.route_id as string),
  })

  it('binds its own values, whatever other query differs in nothing but their order', async () => {
    const { route_id } = await db.write(systemActor, tx =>
      tx.insert(tables.routes, { slug: '/slug', title: 'title', author_id: users.admin }),
    )
    const [one, other] = [routesBy(['slug', 'title']), routesBy(['title', 'slug'])]
    for (const query of [one, other, one, other])
      expect(await db.query(query, { slug: '/slug', title: 'title' })).toEqual([route_id])
  })

  it('names no value that is not bound', async () => {
    const wrong = routesBy(['slug'])
    await expect(db.query(wrong, { slug: '/slug', title: 'title' })).rejects.toThrow(
      'a query has no value title',
    )
  })

  it('is that of its shape alone, even when the list that gave the shape changes', async () => {
    const make = byShape((names: readonly string[], limit: number) => ({ names, limit }))
    const names = ['a', 'b']
    const first = make(names, 1)
    expect(make(['a', 'b'], 1)).toBe(first)
    expect(make(['b', 'a'], 1)).not.toBe(first)
    expect(make(['a', 'b'], 2)).not.toBe(first)
    expect(make(['a,b'], 1)).not.toBe(first)
    names.push('c')
    expect(make(['a', 'b'], 1)).toEqual({ names: ['a', 'b'], limit: 1 })
  })
})

/** Arguments of those that take more than a space. */
const shapes: Record<string, unknown[]> = {
  auditEventKeys: [['record_id'], 100],
  deliveryKeys: [['status'], 100],
  dueDeliveries: [1, 10],
  dueEntries: [tables, 'publish_at'],
  mediaCount: [tables, ['type']],
  mediaKeys: [tables, ['type'], { limit: 1, offset: 0, after: false, newest: false }],
  pageFound: [tables, 'public'],
}
const made = [
  accountQueries,
  auditQueries,
  contentQueries,
  linkQueries,
  mediaQueries,
  modelQueries,
  pageQueries,
  treeQueries,
  webhookQueries,
]
  .flatMap(file => Object.entries(file))
  .filter(([, value]) => typeof value === 'function')

it.each(made)(
  '%s gives one query for the same arguments, so that its statement is built once',
  (name, make) => {
    const given = shapes[name] ?? [tables]
    const query = make as (...given: unknown[]) => object
    expect(query(...given)).toBe(query(...given))
    if (given[0] === tables) expect(query(adminTables, ...given.slice(1))).not.toBe(query(...given))
  },
)
