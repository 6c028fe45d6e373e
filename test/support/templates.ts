import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrations } from '../../migrations/index.js'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { dropAll, type Engine, onServer, serverUrl } from './servers.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The prefix of this run's databases. */
    prefix: string
    /** The folder of SQLite databases. */
    folder: string
    /** A migrated database without connections: the path of a file, or the name on the server. */
    template: string
    /** Statements that copy it on the server; `NAME` stands for the name of the copy. */
    copying: string[]
  }
}

/**
 * Returns a folder in memory if there is space: each commit of SQLite waits for the disk, and no test cuts the power.
 */
function placeOfDatabases(): string {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize > 4 * 2 ** 30) return memory
  } catch {
    // Not Linux.
  }
  return tmpdir()
}

/**
 * Returns the statements to copy it. Copying files is three times as fast if the server does not wait for the disk for
 * each.
 */
async function copyingByPostgres(template: string): Promise<string[]> {
  const [row] = await onServer(
    'postgres',
    `select current_setting('fsync') = 'off' and current_setting('server_version_num')::int >= 150000 as fast`,
  )
  return [`create database NAME template ${template}${row?.fast ? ' strategy file_copy' : ''}`]
}

/**
 * Returns the statements to copy it. MySQL cannot copy a database, but creates tables from their descriptions much
 * faster than by the migrations.
 */
async function copyingByMysql(template: string): Promise<string[]> {
  const statements = ['create database NAME', 'use NAME', 'set foreign_key_checks = 0']
  const names = await onServer(
    'mysql',
    `select table_name as name from information_schema.tables where table_schema = '${template}'`,
  )
  for (const { name } of names) {
    const from = `${template}.${name}`
    const [made] = await onServer('mysql', `show create table ${from}`)
    const [row] = await onServer('mysql', `select 1 from ${from} limit 1`)
    statements.push(String(made?.['Create Table']))
    if (row) statements.push(`insert into ${name} select * from ${from}`)
  }
  return statements
}

const copying: Record<Engine, (template: string) => Promise<string[]>> = {
  sqlite: async () => [],
  postgres: copyingByPostgres,
  mysql: copyingByMysql,
}

/** Migrates one empty database for all test files on an engine, and removes all databases of the run at its end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const engine = (project.config.env.TEST_ENGINE ?? 'sqlite') as Engine
  const prefix = `slugline_test_${randomBytes(4).toString('hex')}_`
  const folder = mkdtempSync(join(placeOfDatabases(), 'slugline-databases-'))
  const template = engine === 'sqlite' ? join(folder, 'modula.db') : `${prefix}template`
  if (engine !== 'sqlite') await onServer(engine, `create database ${template}`)
  const address: DatabaseAddress = {
    db_driver: engine,
    db_url: engine === 'sqlite' ? template : serverUrl(engine, template).href,
  }
  const dialect = await connect(address)
  await migrate(dialect, migrations, { now: () => '2026-11-21T12:00:00.000Z' }).finally(() => dialect.close())
  project.provide('prefix', prefix)
  project.provide('folder', folder)
  project.provide('template', template)
  project.provide('copying', await copying[engine](template))
  return async () => {
    rmSync(folder, { recursive: true, force: true })
    if (engine !== 'sqlite') await dropAll(engine, prefix)
  }
}
