import { expect, it } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { connect } from '../../src/db/connect.js'
import { DriverError } from '../../src/db/dialects/driver-error.js'
import { migrate, stepsOf } from '../../src/db/migrate.js'
import { everyTable } from '../../src/db/tables.js'
import { engine, freshDatabase } from '../support/database.js'

const { address, drop } = await freshDatabase()

it('describes in tables.ts what the migrations made', async () => {
  const dialect = await connect(address)
  const options = { now: () => '2026-11-21T12:00:00.000Z' }
  expect((await migrate(dialect, migrations, options)).length).toBeGreaterThan(35)
  expect(await migrate(dialect, migrations, options)).toEqual([])
  for (const { name, columns } of everyTable) {
    const rows =
      engine === 'sqlite'
        ? await dialect.read.all(
            `select name, "notnull" = 0 as nullable from pragma_table_info('${name}')`,
            [],
          )
        : await dialect.read.all(
            `select column_name as name, is_nullable = 'YES' as nullable from information_schema.columns
             where table_name = ? and table_schema = ${engine === 'postgres' ? 'current_schema()' : 'database()'}
             order by ordinal_position`,
            [name],
          )
    const described = Object.entries(columns).map(([column, { flags }]) => [column, flags.nullable])
    expect([name, rows.map(row => [row.name, Boolean(row.nullable)])]).toEqual([name, described])
  }
  await expect(migrate(dialect, migrations.slice(0, 2), options)).rejects.toThrow('a newer version')
  await dialect.close()
  await drop()
})

it('takes a step for done that another instance did at the same moment', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  const options = { now: () => '2026-11-21T12:00:00.000Z' }
  await migrate(dialect, migrations, options)
  const step = '040+several-instances/settings'
  const forget = () =>
    dialect.transaction(session => session.run('delete from schema_migrations where name = ?', [step]))
  /** Commits, and then fails as a node of a cluster whose transaction came second. */
  const failing = async (isDone: boolean) => {
    await forget()
    const transaction: typeof dialect.transaction = async work => {
      if (isDone) await dialect.transaction(work)
      throw new DriverError('unknown', 'of the test', undefined, '')
    }
    const withMigrationLock: typeof dialect.withMigrationLock = work => work()
    let first = true
    return migrate(
      {
        ...dialect,
        withMigrationLock,
        transaction: work => {
          // The table of the ledger is there.
          if (first) {
            first = false
            return dialect.transaction(work)
          }
          return transaction(work)
        },
      },
      migrations,
      options,
    )
  }
  expect(await failing(true)).toEqual([step])
  await expect(failing(false)).rejects.toThrow('of the test')
  await dialect.close()
  await drop()
})

it('starts beside a newer version that has only added, and not after any other change of it', async () => {
  const { address, drop } = await freshDatabase()
  const dialect = await connect(address)
  const options = { now: () => '2026-11-21T12:00:00.000Z' }
  await migrate(dialect, migrations, options)
  const note = (name: string) =>
    dialect.transaction(session =>
      session.run('insert into schema_migrations (name, applied_at) values (?, ?)', [name, options.now()]),
    )
  await note('998+later/table')
  expect(await migrate(dialect, migrations, options)).toEqual([])
  const { unknown, refused } = await stepsOf(dialect, migrations)
  expect([unknown, refused]).toEqual([['998+later/table'], undefined])
  // Missing steps of its own are done as ever.
  await dialect.transaction(session =>
    session.run("delete from schema_migrations where name like '040%'", []),
  )
  expect(await migrate(dialect, migrations, options)).toEqual(['040+several-instances/settings'])
  await note('999-later/column')
  await expect(migrate(dialect, migrations, options)).rejects.toThrow('(step 999-later/column)')
  await dialect.close()
  await drop()
})
