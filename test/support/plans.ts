import { systemActor } from '../../src/actor.js'
import type { Dialect, Session } from '../../src/db/dialects/dialect.js'
import type { Statement } from '../../src/db/statements.js'
import { tables } from '../../src/db/tables.js'
import type { TestApp } from './app.js'
import { factories } from './factories.js'

interface PostgresPlan {
  'Node Type': string
  'Relation Name'?: string
  Plans?: PostgresPlan[]
}

/** Plans a statement without its values; PostgreSQL scans a whole table only if no index can serve. */
async function onPostgres(session: Session, { sql, places }: Statement): Promise<string[]> {
  await session.run('set local enable_seqscan = off', [])
  await session.run('set local plan_cache_mode = force_generic_plan', [])
  let n = 0
  await session.run(`prepare looked_at as ${sql.replaceAll('?', () => `$${++n}`)}`, [])
  const values = places.length > 0 ? `(${places.map(() => 'null').join(', ')})` : ''
  const [row] = await session.all(`explain (format json) execute looked_at${values}`, [])
  await session.run('deallocate looked_at', [])
  const read = (plan: PostgresPlan): string[] => [
    ...(plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : []),
    ...(plan.Plans ?? []).flatMap(read),
  ]
  const plans = (row?.['QUERY PLAN'] ?? []) as { Plan: PostgresPlan }[]
  return plans.flatMap(({ Plan }) => read(Plan))
}

/** Makes MySQL and MariaDB count any number of index lookups as one, so that they use an index if one can serve. */
async function onMysql(session: Session, { sql, places }: Statement): Promise<string[]> {
  await session.run('set session max_seeks_for_key = 1', [])
  const values = places.map(at => (typeof at === 'number' ? 'x' : at.constant))
  const steps = await session.all(`explain ${sql}`, values)
  // A name in angle brackets is a derived table of the same statement.
  return steps
    .filter(({ type, table }) => (type === 'ALL' || type === 'index') && !String(table).startsWith('<'))
    .map(({ table }) => String(table))
}

/** Creates enough published entries, each with a number and a relation, that an engine's plans depend on indexes. */
export async function manyEntries({ db, users, call }: TestApp): Promise<void> {
  const { datatype, field } = factories({ call })
  const { datatype_id } = await datatype('Post', { type: '_global' })
  const author_id = users.admin
  const fields = [
    await field(datatype_id, 'Price', 'number'),
    await field(datatype_id, 'Author', 'relation'),
    await field(datatype_id, 'Name', 'text'),
  ].map(({ field_id }) => field_id as string)
  await db.write({ ...systemActor, userId: author_id }, async tx => {
    const ids = Array.from({ length: 500 }, () => tx.newId())
    for (const id of ids) await tx.createTree(tables.contentTrees, id)
    await tx.insertAll(
      tables.contentData,
      ids.map(id => ({
        ...{ content_data_id: id, root_id: id, datatype_id, author_id },
        ...{ status: 'published' as const, published_at: '2026-01-01T00:00:00.000Z' },
      })),
    )
    const values = (id: string, i: number) => [String(i), ids[i % 7] ?? id, `name ${i}`]
    await tx.insertAll(
      tables.contentFields,
      ids.flatMap((content_data_id, i) =>
        values(content_data_id, i).map((field_value, n) => ({
          ...{ content_data_id, field_id: fields[n] ?? '', field_value, author_id },
        })),
      ),
    )
  })
}

/** @returns a function that names the tables that a statement scans although an index might serve */
export async function wholeReads(dialect: Dialect): Promise<(statement: Statement) => Promise<string[]>> {
  if (dialect.name === 'mysql')
    for (const { name } of Object.values(tables)) await dialect.read.all(`analyze table ${name}`, [])
  const on = dialect.name === 'postgres' ? onPostgres : onMysql
  return statement => dialect.transaction(session => on(session, statement))
}
