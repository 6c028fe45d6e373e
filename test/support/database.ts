import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import pg from 'pg'
import type { DatabaseAddress } from '../../src/db/connect.js'

export const engine = (process.env.TEST_ENGINE ?? 'sqlite') as DatabaseAddress['db_driver']

export interface FreshDatabase {
  address: DatabaseAddress
  /** Removes it, with whoever is still connected. */
  drop(): Promise<void>
}

const serverUrl = (variable: string, fallback: string): URL => new URL(process.env[variable] || fallback)

/** Runs statements on the server itself, outside any of our databases. */
async function onServer(sql: string): Promise<void> {
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
