import Database from 'better-sqlite3'
import mysql from 'mysql2/promise'
import pg from 'pg'
import type { DatabaseAddress } from '../../src/db/connect.js'

/** Reads past the product, on a connection of its own that changes nothing, not even SQLite's log. */
export async function rowsOf<R = Record<string, unknown>>(
  { db_driver, db_url = '' }: DatabaseAddress,
  sql: string,
): Promise<R[]> {
  // What the rows look like is known to who wrote the statement.
  if (db_driver === 'sqlite') {
    const db = new Database(db_url, { readonly: true })
    try {
      return db.prepare(sql).all() as R[]
    } finally {
      db.close()
    }
  }
  if (db_driver === 'postgres') {
    const client = new pg.Client({ connectionString: db_url })
    await client.connect()
    const { rows } = await client.query(sql).finally(() => client.end())
    return rows
  }
  const connection = await mysql.createConnection(db_url)
  const [rows] = await connection.query(sql).finally(() => connection.end())
  return rows as R[]
}
