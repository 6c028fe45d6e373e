import { afterAll, describe, expect, it } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { connect } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { auditEventKeys } from '../../src/db/queries/audit.js'
import { dueEntries } from '../../src/db/queries/content.js'
import type { TestShape } from '../../src/db/queries/index-tests.js'
import { referrers } from '../../src/db/queries/links.js'
import { mediaReferences } from '../../src/db/queries/media.js'
import { pageFound } from '../../src/db/queries/page.js'
import {
  countEntries,
  howMany,
  listEntries,
  namingValues,
  walkEntries,
} from '../../src/db/queries/public-index.js'
import {
  keptEntries,
  publishedEntries,
  publishedMediaReferences,
  publishedRouteCount,
  publishedRouteKeys,
  publishedValueCount,
  publishedValueKeys,
  publishedValues,
} from '../../src/db/queries/published.js'
import { leanTrees, wholeTrees } from '../../src/db/queries/trees.js'
import { publishedHolder } from '../../src/db/queries/unique-values.js'
import { deliveriesDueAfter, dueDeliveries } from '../../src/db/queries/webhooks.js'
import { type Statement, Statements } from '../../src/db/statements.js'
import { tables } from '../../src/db/tables.js'
import { engine, freshDatabase } from '../support/database.js'

// The servers choose by how much there is, and here there is nothing. SQLite chooses by the statement alone.
describe.runIf(engine === 'sqlite')('what SQLite does', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  await migrate(dialect, migrations, { now: () => '2026-11-21T12:00:00.000Z' })
  const statements = new Statements(dialect.knex)
  const plan = async ({ sql, places }: Statement) => {
    const rows = await dialect.read.all(
      `explain query plan ${sql}`,
      places.map(() => 'x'),
    )
    return rows.map(({ detail }) => String(detail))
  }
  afterAll(async () => {
    await dialect.close()
    await drop()
  })

  const slice = { limit: 500, offset: 0, after: true }
  const [lean, whole] = [leanTrees(tables), wholeTrees(tables)]
  const asked: Record<string, Statement> = {
    'a public page by its slug': statements.ofQuery(pageFound(tables, 'public')),
    'a working page by its slug': statements.ofQuery(pageFound(tables, 'working')),
    'entries of a page': statements.ofQuery(lean.entries),
    'values of a page': statements.ofQuery(lean.values),
    'whole values of a page': statements.ofQuery(whole.values),
    'the public state of a page': statements.ofQuery(whole.snapshot),
    'what is to be published': statements.ofQuery(dueEntries(tables, 'publish_at')),
    'what is to be taken back': statements.ofQuery(dueEntries(tables, 'unpublish_at')),
    'what is to be delivered': statements.ofQuery(dueDeliveries(0, 10)),
    'what waits for too long': statements.ofQuery(deliveriesDueAfter),
    'who has a unique value': statements.ofQuery(publishedHolder(tables)),
    'who refers to an entry': statements.ofList(referrers(tables), 2),
    'who refers to a media item': statements.ofQuery(mediaReferences(tables)),
    'what the public sees of entries': statements.ofList(publishedEntries(tables), 2),
    'what the public saw of entries': statements.ofList(keptEntries(tables), 2),
    'what the public sees of values': statements.ofList(publishedValues(tables, true), 2),
    'what the public sees of references': statements.ofQuery(publishedMediaReferences(tables, true)),
    ...Object.fromEntries(
      ([[], ['content_data_id'], ['field_id', 'locale'], ['route_id']] as const).flatMap(filters => [
        [
          `values of the public by ${filters}`,
          statements.ofQuery(publishedValueKeys(tables, filters, true, slice)),
        ],
        [`how many they are by ${filters}`, statements.ofQuery(publishedValueCount(tables, filters, true))],
      ]),
    ),
    'a route of the public by its slug': statements.ofQuery(publishedRouteKeys(tables, ['slug'], slice)),
    'routes of the public': statements.ofQuery(publishedRouteKeys(tables, [], slice)),
    'whether there is one': statements.ofQuery(publishedRouteCount(tables, ['slug'])),
  }

  const price: Extract<TestShape, { at: 'field' }> = {
    at: 'field',
    key: 'number',
    op: 'gte',
    count: 1,
    long: false,
    locales: 1,
  }
  const ofAuthor: TestShape = { at: 'relation', locales: 1, test: { ...price, key: 'text', op: 'eq' } }
  const list = { sorts: [], after: false, limit: 26, offset: false } as const
  const order = (column: 'id' | 'published_at', descending: boolean) =>
    ({ at: 'column', column, descending }) as const
  const queried: Record<string, Statement> = {
    'by a field that few entries pass': statements.ofQuery(
      listEntries(tables, { ...list, sorts: [], tests: [price], few: true }),
    ),
    'by a field and a relation': statements.ofQuery(
      listEntries(tables, { ...list, sorts: [], tests: [price, ofAuthor], few: true }),
    ),
    'that are counted': statements.ofQuery(countEntries(tables, { tests: [price, ofAuthor], few: true })),
    'that are counted without a condition': statements.ofQuery(
      countEntries(tables, { tests: [], few: false }),
    ),
    'so far as they are few': statements.ofQuery(howMany(tables, price, 1000)),
    'with what they are called by': statements.ofList(namingValues(tables), 2),
  }
  it.each(Object.keys(queried))('entries %s are found by an index', async name => {
    const steps = await plan(queried[name] as Statement)
    expect(steps.length).toBeGreaterThan(0)
    expect(steps.filter(step => /^SCAN (?!\(subquery|p\b)/.test(step))).toEqual([])
  })

  const walk = { tests: [ofAuthor], key: 'number', limit: 26 } as const
  const ordered: Record<string, Statement> = {
    ...Object.fromEntries(
      [true, false].flatMap(descending =>
        [true, false].map(after => [
          `one field, ${descending ? 'down' : 'up'}${after ? ', from a cursor on' : ''}`,
          statements.ofQuery(walkEntries(tables, { ...walk, tests: [ofAuthor], descending, after })),
        ]),
      ),
    ),
    ids: statements.ofQuery(
      listEntries(tables, { ...list, tests: [ofAuthor], few: false, sorts: [order('id', false)] }),
    ),
    'the time of publication': statements.ofQuery(
      listEntries(tables, { ...list, tests: [ofAuthor], few: false, sorts: [order('published_at', true)] }),
    ),
  }
  it.each(Object.keys(ordered))(
    'entries in the order of %s come from an index, and nothing is sorted',
    async name => {
      const steps = await plan(ordered[name] as Statement)
      expect(steps.length).toBeGreaterThan(0)
      expect(steps.filter(step => /^SCAN|TEMP B-TREE/.test(step))).toEqual([])
    },
  )

  // Fields are as many as somebody has thought of, entries as many as there are.
  it.each(Object.keys(asked))('%s is found by an index', async name => {
    const steps = await plan(asked[name] as Statement)
    expect(steps.length).toBeGreaterThan(0)
    // Locales are few.
    expect(steps.filter(step => /^SCAN (?!d\b|locales\b)/.test(step))).toEqual([])
  })

  it.each([
    [['table_name']],
    [['record_id']],
    [['user_id']],
    [['record_id', 'before']],
    [['since', 'from']],
    [['table_name', 'record_id', 'operation', 'since']],
  ] as const)('audit events by %j come in their order from an index', async filters => {
    const steps = await plan(statements.ofQuery(auditEventKeys(filters, 100)))
    expect(steps).toEqual([expect.stringMatching(/^SEARCH audit_events USING INDEX/)])
  })
})
