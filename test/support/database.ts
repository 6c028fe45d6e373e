import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { DatabaseAddress } from '../../src/db/connect.js'
import { dropOne, type Engine, onServer, serverUrl } from './servers.js'

export const engine = (process.env.TEST_ENGINE ?? 'sqlite') as Engine

export interface FreshDatabase {
  address: DatabaseAddress
  /** Removes the database, even with open connections. */
  drop(): Promise<void>
}

function fileOfItsOwn(): FreshDatabase {
  const folder = mkdtempSync(join(inject('folder'), 'slugline-'))
  return {
    address: { db_driver: 'sqlite', db_url: join(folder, 'modula.db') },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

const newName = () => `${inject('prefix')}${randomBytes(6).toString('hex')}`

const onServerNamed = (driver: Exclude<Engine, 'sqlite'>, name: string): FreshDatabase => ({
  address: { db_driver: driver, db_url: serverUrl(driver, name).href },
  drop: async () => void (await dropOne(driver, name)),
})

/** Creates an empty database, on the engine under test unless another one is given. */
export async function freshDatabase(on: Engine = engine): Promise<FreshDatabase> {
  if (on === 'sqlite') return fileOfItsOwn()
  const name = newName()
  await onServer(on, `create database ${name}`)
  return onServerNamed(on, name)
}

/** Creates a database with all tables. */
export async function migratedDatabase(): Promise<FreshDatabase> {
  if (engine === 'sqlite') {
    const database = fileOfItsOwn()
    copyFileSync(inject('template'), database.address.db_url ?? '')
    return database
  }
  const name = newName()
  await onServer(engine, ...inject('copying').map(sql => sql.replace(/\bNAME\b/, name)))
  return onServerNamed(engine, name)
}
