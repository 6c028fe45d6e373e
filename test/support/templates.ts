import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrations } from '../../migrations/index.js'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { dropAll, type Engine, onServer, serverUrl } from './servers.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** What the names of this run's databases begin with. */
    prefix: string
    /** A migrated database to which nobody is connected: the path of a file, or the name on the server. */
    template: string
  }
}

/** Migrates one empty database for all test files on an engine, and removes every database of the run at its end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const engine = (project.config.env.TEST_ENGINE ?? 'sqlite') as Engine
  const prefix = `slugline_test_${randomBytes(4).toString('hex')}_`
  const folder = mkdtempSync(join(tmpdir(), 'slugline-template-'))
  const template = engine === 'sqlite' ? join(folder, 'modula.db') : `${prefix}template`
  if (engine !== 'sqlite') await onServer(engine, `create database ${template}`)
  const address: DatabaseAddress = {
    db_driver: engine,
    db_url: engine === 'sqlite' ? template : serverUrl(engine, template).href,
  }
  const dialect = await connect(address)
  await migrate(dialect, migrations, { now: () => '2026-11-21T12:00:00.000Z' }).finally(() => dialect.close())
  project.provide('prefix', prefix)
  project.provide('template', template)
  return async () => {
    rmSync(folder, { recursive: true, force: true })
    if (engine !== 'sqlite') await dropAll(engine, prefix)
  }
}
