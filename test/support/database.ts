import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { migrations } from '../../migrations/index.js'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'

export const engine = (process.env.TEST_ENGINE ?? 'sqlite') as DatabaseAddress['db_driver']

export interface FreshDatabase {
  address: DatabaseAddress
  /** Removes it, with whoever is still connected. */
  drop(): Promise<void>
}

const serverUrl = (variable: string, fallback: string): URL => new URL(process.env[variable] || fallback)

const hasNoConnectionLeft = /^(53300|ER_CON_COUNT_ERROR)$/

/** Runs statements on the server itself, outside any of our databases. Whoever runs beside this may hold all connections. */
async function onServer(sql: string): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      return await onServerNow(sql)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (tries === 100 || !hasNoConnectionLeft.test(code)) throw error
      await sleep(100)
    }
}

async function onServerNow(sql: string): Promise<void> {
  if (engine === 'postgres') {
    const client = new pg.Client({
      connectionString: serverUrl('TEST_POSTGRES_URL', 'postgres://postgres@127.0.0.1:5432').href,
    })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  } else {
    const connection = await mysql.createConnection(
      serverUrl('TEST_MYSQL_URL', 'mysql://root@127.0.0.1:3306').href,
    )
    await connection.query(sql).finally(() => connection.end())
  }
}

/** An empty database of its own on the engine under test. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const name = `slugline_test_${randomBytes(6).toString('hex')}`
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'slugline-'))
    return {
      address: { db_driver: 'sqlite', db_url: join(folder, 'modula.db') },
      drop: async () => rmSync(folder, { recursive: true, force: true }),
    }
  }
  await onServer(`create database ${name}`)
  const url =
    engine === 'postgres'
      ? serverUrl('TEST_POSTGRES_URL', 'postgres://postgres@127.0.0.1:5432')
      : serverUrl('TEST_MYSQL_URL', 'mysql://root@127.0.0.1:3306')
  url.pathname = `/${name}`
  return {
    address: { db_driver: engine, db_url: url.href },
    drop: () =>
      onServer(engine === 'postgres' ? `drop database ${name} with (force)` : `drop database ${name}`),
  }
}

let template: Promise<string> | undefined

/** A file that this process has migrated once, and closed. */
async function migratedFile(): Promise<string> {
  const { address } = await freshDatabase()
  const file = address.db_url ?? ''
  process.once('exit', () => rmSync(dirname(file), { recursive: true, force: true }))
  const dialect = await connect(address)
  await migrate(dialect, migrations, { now: () => '2026-11-21T12:00:00.000Z' }).finally(() => dialect.close())
  return file
}

/** A database of its own that may have its tables already; whoever opens it migrates it where it has not. */
export async function migratedDatabase(): Promise<FreshDatabase> {
  const database = await freshDatabase()
  if (engine === 'sqlite') {
    template ??= migratedFile()
    copyFileSync(await template, database.address.db_url ?? '')
  }
  return database
}
