import { setTimeout as sleep } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import pg from 'pg'
import type { DatabaseAddress } from '../../src/db/connect.js'

export type Engine = DatabaseAddress['db_driver']

const servers = {
  postgres: { variable: 'TEST_POSTGRES_URL', usual: 'postgres://postgres@127.0.0.1:5432' },
  mysql: { variable: 'TEST_MYSQL_URL', usual: 'mysql://root@127.0.0.1:3306' },
}

/** Returns the URL of the test server, or of a database on it. */
export function serverUrl(engine: Exclude<Engine, 'sqlite'>, database?: string): URL {
  const { variable, usual } = servers[engine]
  const url = new URL(process.env[variable] || usual)
  if (database) url.pathname = `/${database}`
  return url
}

const hasNoConnectionLeft = /^(53300|ER_CON_COUNT_ERROR)$/

/**
 * Runs statements on one connection to the server itself, outside any of our databases. Other tests may hold all
 * connections for a moment.
 * @returns the rows of the last statement
 */
export async function onServer(
  engine: Exclude<Engine, 'sqlite'>,
  ...statements: string[]
): Promise<Record<string, unknown>[]> {
  for (let tries = 0; ; tries++)
    try {
      return await onServerNow(engine, statements)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (tries === 100 || !hasNoConnectionLeft.test(code)) throw error
      await sleep(100)
    }
}

async function onServerNow(
  engine: Exclude<Engine, 'sqlite'>,
  statements: readonly string[],
): Promise<Record<string, unknown>[]> {
  if (engine === 'postgres') {
    let last: Record<string, unknown>[] = []
    const client = new pg.Client({ connectionString: serverUrl(engine).href })
    await client.connect()
    try {
      for (const sql of statements) last = (await client.query(sql)).rows
    } finally {
      await client.end()
    }
    return last
  }
  const connection = await mysql.createConnection({ uri: serverUrl(engine).href, multipleStatements: true })
  try {
    // In one request: copying a database takes a hundred statements.
    const [results] = await connection.query(statements.join(';\n'))
    const rows: unknown = statements.length > 1 ? (results as unknown[]).at(-1) : results
    // A statement without rows returns a header.
    return Array.isArray(rows) ? rows : []
  } finally {
    await connection.end()
  }
}

/** Removes a database, even with open connections. */
export const dropOne = (engine: Exclude<Engine, 'sqlite'>, name: string) =>
  onServer(
    engine,
    engine === 'postgres'
      ? `drop database if exists ${name} with (force)`
      : `drop database if exists ${name}`,
  )

/** Removes every database whose name has this prefix. */
export async function dropAll(engine: Exclude<Engine, 'sqlite'>, prefix: string): Promise<void> {
  const names = await onServer(
    engine,
    engine === 'postgres'
      ? `select datname as name from pg_database where starts_with(datname, '${prefix}')`
      : `select schema_name as name from information_schema.schemata where left(schema_name, ${prefix.length}) = '${prefix}'`,
  )
  for (const { name } of names) await dropOne(engine, String(name))
}
