import { expect, it } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { connect } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { freshDatabase } from '../support/database.js'

const { address, drop } = await freshDatabase()
const id = (n: number) => String(n).padStart(26, '0')

it('keeps trees and counters when their tables are made anew, and begins new trees behind them', async () => {
  const dialect = await connect(address)
  const options = { now: () => '2026-11-21T12:00:00.000Z' }
  const before = migrations.findIndex(({ name }) => name === '012-page-answers')
  await migrate(dialect, migrations.slice(0, before), options)
  const rowsOf = (table: string, key: string) =>
    dialect.read.all(`select * from ${table} order by ${key}`, [])
  await dialect.transaction(async session => {
    await session.run(`update generations set value = 40 where name = 'links'`, [])
    for (const prefix of ['', 'admin_']) {
      for (const n of [1, 2, 3])
        await session.run(`insert into ${prefix}content_trees (root_id, version) values (?, ?)`, [
          id(n),
          n * 7,
        ])
      await session.run(`insert into ${prefix}public_trees (root_id, version, since) values (?, 5, ?)`, [
        id(2),
        options.now(),
      ])
    }
  })
  const tables = ['content_trees', 'admin_content_trees', 'public_trees', 'admin_public_trees']
  const kept = async () => Promise.all(tables.map(table => rowsOf(table, 'root_id')))
  const counters = async () => {
    const rows = await rowsOf('generations', 'name')
    return Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]))
  }
  const [trees, counted] = [await kept(), await counters()]
  await migrate(dialect, migrations, options)
  expect(await kept()).toEqual(trees)
  expect(await counters()).toEqual({ ...counted, links: 40 + 21 + 21 })
  await dialect.close()
  await drop()
})
