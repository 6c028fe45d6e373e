import { afterAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/db/connect.js'
import { auditEventKeys } from '../../src/db/queries/audit.js'
import type { TestShape } from '../../src/db/queries/entry-tests.js'
import { listEntries } from '../../src/db/queries/find-entries.js'
import { type Statement, Statements } from '../../src/db/statements.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { engine } from '../support/database.js'
import { plannedStatements } from '../support/planned-statements.js'
import { manyEntries, wholeReads } from '../support/plans.js'

const app = await testApp()
const dialect = await connect(app.config)
const statements = new Statements(dialect.knex, dialect.fullText)
const { asked, queried, searched, hidden, ordered, changed, rooted, titled, unrouted } =
  plannedStatements(statements)
afterAll(() => dialect.close())

const audited = [
  ['table_name'],
  ['record_id'],
  ['user_id'],
  ['record_id', 'before'],
  ['since', 'from'],
  ['table_name', 'record_id', 'operation', 'since'],
] as const

/** Datatypes, fields and locales are as many as somebody has thought of; all else is as much as there is. `d` and `f` are theirs. */
const few = new Set(['datatypes', 'fields', 'locales', 'd', 'f'])

// The servers choose by how much there is: they are kept from reading whole tables wherever they can do without.
describe.runIf(engine !== 'sqlite')(`what ${engine} does`, async () => {
  const all: Record<string, Statement> = { ...asked, ...queried, ...searched, ...hidden, ...ordered }
  for (const filters of audited)
    all[`audit events by ${filters}`] = statements.ofQuery(auditEventKeys(filters, 100))
  await manyEntries(app)
  const read = await wholeReads(dialect)
  it('that a table is read from its beginning to its end is seen', async () => {
    const values = tables.contentFields.name
    const searched = statements.of('plans', (knex, place) =>
      knex(values).where('field_value', 'like', place(0)),
    )
    expect(await read(searched)).toEqual([values])
  })
  // How many values there are in all is counted.
  const counted = 'how many they are by '
  it.each(Object.keys(all).filter(name => name !== counted))(
    '%s: no table is read from its beginning to its end',
    async name => {
      expect((await read(all[name] as Statement)).filter(table => !few.has(table))).toEqual([])
    },
  )
})

// SQLite chooses by the statement alone.
describe.runIf(engine === 'sqlite')('what SQLite does', () => {
  const plan = async ({ sql, places }: Statement) => {
    const rows = await dialect.read.all(
      `explain query plan ${sql}`,
      places.map(() => 'x'),
    )
    return rows.map(({ detail }) => String(detail))
  }
  it.each(Object.keys(queried))('entries %s are found by an index', async name => {
    const steps = await plan(queried[name] as Statement)
    expect(steps.length).toBeGreaterThan(0)
    expect(steps.filter(step => /^SCAN (?!\(subquery|[cp]\b)/.test(step))).toEqual([])
  })

  const comparisons = ['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'contains', 'starts', 'exists'] as const
  const ofNumbers = comparisons.slice(0, 6)
  const compared = [
    ...comparisons.map(op => ({ op, key: 'text' as const })),
    ...ofNumbers.map(op => ({ op, key: 'number' as const })),
  ]
  it.each(compared.flatMap(one => [1, 3].map(locales => ({ ...one, locales }))))(
    'whether an entry passes $op of $key in $locales locales is looked for by the entry',
    async ({ op, key, locales }) => {
      const test: TestShape = { at: 'field', key, op, count: 2, long: false, locales }
      for (const one of [test, { at: 'relation', locales, test } as const]) {
        const tests: TestShape[] = [one, { at: 'not', test: one }]
        const list = { ids: 0, sorts: [], after: false, limit: 26, offset: false } as const
        const query = listEntries(tables, { ...list, tests, sorts: [] })
        const steps = await plan(statements.ofQuery(query))
        const values = steps.filter(step => /^SEARCH v\d+/.test(step))
        expect(values.length).toBeGreaterThan(1)
        expect(values.filter(step => !step.includes('content_data_id=?'))).toEqual([])
      }
    },
  )

  it.each(Object.keys(ordered))(
    'entries in the order of %s come from an index, and nothing is sorted',
    async name => {
      const steps = await plan(ordered[name] as Statement)
      expect(steps.length).toBeGreaterThan(0)
      expect(steps.filter(step => /^SCAN (?!c$)|TEMP B-TREE/.test(step))).toEqual([])
    },
  )

  it.each(Object.keys(changed))(
    'the latest changes %s come from an index, and nothing is sorted',
    async name => {
      const steps = await plan((changed as Record<string, Statement>)[name] as Statement)
      expect(steps[0]).toMatch(/^SCAN t USING COVERING INDEX content_trees_changed_at_2_index/)
      expect(steps.filter(step => /^SCAN (?!t\b)|TEMP B-TREE/.test(step))).toEqual([])
    },
  )

  it.each(Object.keys(hidden))('%s are looked for in their trees alone', async name => {
    const steps = await plan(hidden[name] as Statement)
    expect(steps.filter(step => /^S\w+ [cv]\b/.test(step))).toEqual([
      expect.stringMatching(/^SEARCH c .*\(root_id=\?/),
      expect.stringMatching(/^SEARCH v .*\(content_data_id=\?/),
    ])
    expect(steps.filter(step => /^SCAN (?!h\b|d\b|u\b|found\b)/.test(step))).toEqual([])
  })

  it.each(Object.keys(rooted))('%s come from an index of the roots alone', async name => {
    const [first] = await plan(rooted[name] as Statement)
    expect(first).toMatch(/^SEARCH r USING COVERING INDEX content_data_parent_id_9_index \(parent_id=\?/)
  })

  it('the first trees by title come from the index of titles, and only those without one from the roots', async () => {
    const steps = (await plan(titled)).filter(step => /^S\w+ [or]\b/.test(step))
    const page = expect.stringMatching(/^SEARCH r USING INDEX \w+ \(route_id=\?\)/)
    expect(steps).toEqual([
      'SEARCH o USING INDEX routes_title_index (<expr>>?)',
      page,
      'SEARCH o USING INDEX routes_title_index (<expr>=?)',
      page,
      expect.stringMatching(/^SEARCH r USING COVERING INDEX content_data_parent_id_9_index \(parent_id=\?/),
    ])
  })

  const referring = ['who refers', 'which public entries refer', 'what the public sees of references']
  it.each(Object.keys(asked).filter(name => referring.some(words => name.startsWith(words))))(
    '%s is found by its id alone, without a look at other values',
    async name => {
      const [first, ...others] = await plan(asked[name] as Statement)
      expect(first).toMatch(/^SEARCH (r|content_references) USING PRIMARY KEY \(target_id=\?/)
      expect(others.filter(step => /^SCAN (?!locales\b)|AUTOMATIC/.test(step))).toEqual([])
    },
  )

  it.each(['what is searched', 'how much of it there is'])('%s is found by the full text', async name => {
    const [first, ...others] = await plan(searched[name] as Statement)
    const found = name === 'what is searched' ? first : others.find(step => step.includes('VIRTUAL'))
    expect(found).toMatch(/^SCAN f VIRTUAL TABLE INDEX \d+:M/)
    expect([first, ...others].filter(step => /^SCAN (?!f |p$)|TEMP B-TREE/.test(step ?? ''))).toEqual([])
  })

  // Fields are as many as somebody has thought of, entries as many as there are.
  const all: Record<string, Statement> = { ...asked, ...unrouted }
  it.each(Object.keys(all))('%s is found by an index', async name => {
    const steps = await plan(all[name] as Statement)
    expect(steps.length).toBeGreaterThan(0)
    // Locales are few.
    expect(steps.filter(step => /^SCAN (?!d\b|locales\b)/.test(step))).toEqual([])
  })

  it.each(audited.map(filters => [filters] as const))(
    'audit events by %j come in their order from an index',
    async filters => {
      const steps = await plan(statements.ofQuery(auditEventKeys(filters, 100)))
      expect(steps).toEqual([expect.stringMatching(/^SEARCH audit_events USING INDEX/)])
    },
  )
})
