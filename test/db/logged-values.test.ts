import { expect, it, onTestFinished } from 'vitest'
import { Changes, ConstraintError } from '../../src/db/changes.js'
import type { AnyColumn, AnyTable } from '../../src/db/columns.js'
import { connect } from '../../src/db/connect.js'
import { driverError } from '../../src/db/dialects/driver-error.js'
import { Reader } from '../../src/db/reader.js'
import { Statements } from '../../src/db/statements.js'
import { everyTable, tables } from '../../src/db/tables.js'
import { createLog } from '../../src/node/ports.js'
import { testApp } from '../support/app.js'

const { config, users } = await testApp()
const secret = 'hunter2-squeamish-ossifrage'

/** The line that the service's own log makes of an error. */
function lineOf(error: unknown): string {
  const lines: string[] = []
  createLog('debug', { write: line => void lines.push(line) }).error({ err: error }, 'a failure')
  return lines.join('')
}

async function opened() {
  const dialect = await connect(config)
  onTestFinished(() => dialect.close())
  const statements = new Statements(dialect.knex)
  return { dialect, statements }
}

const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable('nothing failed'),
    error => error,
  )

const plain: Record<AnyColumn['kind'], unknown> = {
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  text: secret,
  longtext: secret,
  integer: 1,
  bigint: 1,
  double: 1,
  boolean: true,
  time: '2026-11-21T12:00:00.000Z',
  json: { secret },
  bytes: new TextEncoder().encode(secret),
}

/** A row whose every text is the secret, and one that no engine takes: a text where a number or a time belongs. */
function refusedRow({ columns }: AnyTable): Record<string, unknown> {
  const row = Object.fromEntries(Object.entries(columns).map(([name, { kind }]) => [name, plain[kind]]))
  const [number] = Object.entries(columns).find(([, { kind }]) => /int|boolean/.test(kind)) ?? []
  if (number) row[number] = secret
  // What has no number is refused for its length by the servers, and for a reference or its key everywhere.
  else for (const [name, { kind }] of Object.entries(columns)) if (kind === 'id') row[name] = secret
  return row
}

it('the log of a statement that fails has none of its values, in whichever table', async () => {
  const { dialect, statements } = await opened()
  for (const table of everyTable) {
    const failure = await failureOf(
      dialect.transaction(async session => {
        const changes = new Changes(dialect, statements, session)
        const row = refusedRow(table)
        await changes.insert(table, [row])
        // Tables that take anything still refuse the same key a second time.
        await changes.insert(table, [row])
      }),
    )
    expect(lineOf(failure), table.name).not.toContain(secret)
    expect(lineOf(failure), table.name).toContain(table.name)
  }
})

it('the log of a read that fails has none of its values', async () => {
  const { dialect, statements } = await opened()
  const read = new Reader(statements, dialect.read)
  const broken = (name: string) =>
    failureOf(
      read.query(
        {
          values: ['secret'],
          build: (knex, value) => knex(name).where('slug', value('secret')).where('nowhere', value('secret')),
          rows: () => [],
        },
        { secret },
      ),
    )
  for (const name of ['routes', 'no_such_table']) {
    const line = lineOf(await broken(name))
    expect(line).not.toContain(secret)
    expect(line).toContain(name)
  }
  const snapshot = await failureOf(
    dialect.snapshot(session => session.all('select x from nowhere where x = ?', [secret])),
  )
  expect(lineOf(snapshot)).not.toContain(secret)
  expect(lineOf(snapshot)).toContain('nowhere')
})

it('the log of a constraint that refuses has no rows', async () => {
  const row = { slug: `/${secret}`, title: secret, author_id: users.admin }
  const error = new ConstraintError(tables.routes, [row], 'INSERT', new Error('refused'))
  expect(error.rows).toEqual([row])
  expect(lineOf(error)).not.toContain(secret)
})

it('a failure still says which it was and where the service asked for it', async () => {
  const { dialect } = await opened()
  const failure = await failureOf(dialect.read.all('select x from nowhere where x = ?', [secret]))
  const { err } = JSON.parse(lineOf(failure))
  expect(err).toMatchObject({
    type: 'DriverError',
    failure: 'unknown',
    statement: expect.stringContaining('nowhere'),
  })
  expect(err.code).toMatch(/^(SQLITE_ERROR|42P01|ER_NO_SUCH_TABLE)$/)
  expect(err.stack).toContain('driver-error')
})

it('a failure without a code before any statement means that the database is away', () => {
  const failure = driverError(new Error('aborted'), () => 'unknown')
  expect([failure.failure, failure.message]).toEqual(['unavailable', 'unavailable: aborted'])
  expect(driverError(new Error('x'), () => 'unknown', 'select 1').failure).toBe('unknown')
  const refused = Object.assign(new Error('no'), { code: 'ER_ACCESS_DENIED_ERROR' })
  expect(driverError(refused, () => 'unknown').failure).toBe('unknown')
})
