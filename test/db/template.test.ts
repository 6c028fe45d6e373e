import { expect, it, onTestFinished } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { connect } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { rowsOf } from '../faults/rows.js'
import { freshDatabase, migratedDatabase } from '../support/database.js'
import { schemaOf } from '../support/schema.js'

it('gives each test the database that the migrations make', async () => {
  const [copied, made] = [await migratedDatabase(), await freshDatabase()]
  for (const { drop } of [copied, made]) onTestFinished(drop)
  const dialect = await connect(made.address)
  const steps = await migrate(dialect, migrations, { now: () => '2026-11-21T12:00:00.000Z' }).finally(() =>
    dialect.close(),
  )
  expect(await schemaOf(copied.address)).toEqual(await schemaOf(made.address))
  const rows = 'select name, applied_at from schema_migrations order by name'
  const recorded = await rowsOf(copied.address, rows)
  expect(recorded).toHaveLength(steps.length)
  expect(recorded).toEqual(await rowsOf(made.address, rows))
})
