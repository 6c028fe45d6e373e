import { migrations } from '../../migrations/index.js'
import { connect, untilAnswering } from '../db/connect.js'
import type { Dialect } from '../db/dialects/dialect.js'
import { migrate, stepsOf } from '../db/migrate.js'
import { timestamp } from '../ids.js'
import { loadConfig, refuseLeftDatabase } from '../node/config-file.js'
import { type LocalCommand, show } from './command.js'
import { commandLog } from './command-log.js'
import type { Terminal } from './terminal.js'

async function onDatabase<T>(
  terminal: Terminal,
  configPath: string | undefined,
  onlyExisting: boolean,
  work: (dialect: Dialect) => Promise<T>,
): Promise<T> {
  const { config, path } = loadConfig(configPath, terminal.variables)
  refuseLeftDatabase({ config, path })
  const dialect = await connect(config, { onlyExisting })
  try {
    await untilAnswering(dialect, config, commandLog(terminal))
    return await work(dialect)
  } finally {
    await dialect.close()
  }
}

/** A new database needs more steps than anybody reads. */
const mostListed = 20

function doneWords(done: readonly string[], isVerbose: boolean): string {
  if (done.length === 0) return 'The database is up to date.'
  if (isVerbose || done.length <= mostListed) return done.map(name => `done: ${name}`).join('\n')
  return `The database is up to date: ${done.length} steps done. --verbose lists them.`
}

/** Runs the missing migrations, as a start of the service does. */
export const migrateUp: LocalCommand['run'] = (terminal, options) =>
  onDatabase(terminal, options.config, false, async dialect => {
    const done = await migrate(dialect, migrations, { now: () => timestamp(Date.now()) })
    show(terminal, options, { done }, doneWords(done, options.verbose !== undefined))
    return 0
  })

/** Lists the missing migrations. @returns 1 if there are any, or a newer version has used the database */
export const migrateStatus: LocalCommand['run'] = (terminal, options) =>
  onDatabase(terminal, options.config, true, async dialect => {
    const { done, missing, waiting, unknown } = await stepsOf(dialect, migrations)
    const lines = [
      ...missing.map(name => `missing: ${name}`),
      ...waiting.map(name => `waits for older instances to end: ${name}`),
      ...unknown.map(name => `of a newer version: ${name}`),
    ]
    const text = lines.length > 0 ? lines.join('\n') : `The database is up to date: ${done.length} steps.`
    show(terminal, options, { done, missing, waiting, unknown }, text)
    return lines.length > 0 ? 1 : 0
  })
