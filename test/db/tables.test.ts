import { expect, it } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { connect } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
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
