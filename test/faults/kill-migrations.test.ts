import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { expect, it } from 'vitest'
import { migrations } from '../../migrations/index.js'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { engine, freshDatabase } from '../support/database.js'
import { startProduct, startUntilFault } from '../support/process.js'

async function rowsOf(address: DatabaseAddress, sql: string): Promise<unknown[]> {
  if (engine === 'sqlite') {
    const db = new Database(address.db_url ?? '', { readonly: true })
    const rows = db.prepare(sql).all()
    db.close()
    return rows
  }
  if (engine === 'postgres') {
    const client = new pg.Client({ connectionString: address.db_url })
    await client.connect()
    const { rows } = await client.query(sql).finally(() => client.end())
    return rows
  }
  const connection = await mysql.createConnection(address.db_url ?? '')
  const [rows] = await connection.query(sql).finally(() => connection.end())
  return rows as unknown[]
}

const schemaQueries = {
  sqlite: ['select type, name, tbl_name, sql from sqlite_master order by name'],
  postgres: [
    `select table_name, column_name, data_type, character_maximum_length, is_nullable, collation_name
     from information_schema.columns where table_schema = 'public' order by table_name, ordinal_position`,
    `select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by indexname`,
    `select conname, pg_get_constraintdef(oid) as def from pg_constraint where connamespace = 'public'::regnamespace
     order by conname`,
  ],
  mysql: [
    `select table_name, column_name, column_type, is_nullable, collation_name from information_schema.columns
     where table_schema = database() order by table_name, ordinal_position`,
    `select table_name, index_name, seq_in_index, column_name, non_unique from information_schema.statistics
     where table_schema = database() order by table_name, index_name, seq_in_index`,
    `select table_name, constraint_name, constraint_type from information_schema.table_constraints
     where table_schema = database() order by table_name, constraint_name`,
  ],
}
const schemaOf = async (address: DatabaseAddress) => {
  const parts = []
  for (const sql of schemaQueries[engine]) parts.push(await rowsOf(address, sql))
  return parts
}

it('completes a migration that was killed in every one of its steps', { timeout: 240_000 }, async () => {
  const whole = await freshDatabase()
  const points: string[] = []
  const dialect = await connect(whole.address)
  await migrate(dialect, migrations, {
    now: () => '2026-11-21T12:00:00.000Z',
    reached: point => points.push(point),
  })
  await dialect.close()
  const expected = await schemaOf(whole.address)
  await whole.drop()

  const killed = await freshDatabase()
  const chosen = points.filter(point => / statement 1$| recorded$/.test(point))
  expect(chosen.length).toBeGreaterThan(70)
  for (const point of chosen) {
    const signal = await startUntilFault(killed.address, point)
    expect([point, signal]).toEqual([point, 'SIGKILL'])
  }
  for (let start = 0; start < 2; start++) {
    const product = await startProduct(killed.address)
    expect(product.readyAfter).toBeLessThan(5000)
    expect(await product.stop()).toBe(0)
  }
  expect(await schemaOf(killed.address)).toEqual(expected)
  const [{ n }] = (await rowsOf(killed.address, 'select count(*) as n from roles')) as [{ n: unknown }]
  expect(Number(n)).toBe(3)
  await killed.drop()
})
