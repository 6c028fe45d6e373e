import { existsSync } from 'node:fs'
import { type Actor, systemActor } from '../actor.js'
import { type Config, databaseFile } from '../config.js'
import { badRequest, ConfigError, HttpError, invalid } from '../errors.js'
import { withKeptSecret } from '../node/app-secret.js'
import { loadConfig } from '../node/config-file.js'
import { nodePorts } from '../node/ports.js'
import { type Options, open } from '../server.js'
import type { Services } from '../services/index.js'
import { runAs, type SiteCommand, type Values } from './command.js'
import { commandLog } from './command-log.js'
import { idOf } from './names.js'
import type { Terminal } from './terminal.js'

/** The folder of the site of `quickstart`, unless an option names another one. */
export const quickstartFolder = 'quickstart'

/**
 * Returns the actor for commands on the machine, whose operator has the database itself: it has all permissions of an
 * administrator, and is not a user (docs/decisions/520-command-line.md).
 */
async function operator({ access }: Pick<Services, 'access'>, words: string): Promise<Actor> {
  return {
    ...systemActor,
    surface: 'cli',
    roleId: await access.systemRole('admin'),
    userAgent: `slugline ${words}`,
  }
}

function withPlaceOfQuickstart(error: unknown): unknown {
  const path = `${quickstartFolder}/cms.config.json`
  const isBeside = !existsSync('cms.config.json') && existsSync(path)
  if (!(error instanceof ConfigError && error.field === 'db_url' && isBeside)) return error
  return new ConfigError(
    `${error.message}; the site of quickstart is in ./${quickstartFolder}: go there, or use --config ${path}`,
    error.field,
  )
}

/** How a command opens the site of a configuration file. @throws ConfigError for an invalid file */
export async function siteOptions(terminal: Terminal, configPath: string | undefined): Promise<Options> {
  const { config, path } = loadConfig(configPath, terminal.variables)
  return {
    config: withKeptSecret(config, { configuration: path, database: databaseFile(config) }),
    ports: nodePorts(commandLog(terminal), path),
    variables: terminal.variables,
    onlyExisting: true,
    asItIs: true,
    followsDatabaseClock: true,
  }
}

/**
 * Opens the site of a configuration file, whether or not the service runs, and closes it again.
 * @throws ConfigError for an invalid file, or a database that is missing or does not respond
 */
async function onSite<T>(
  terminal: Terminal,
  configPath: string | undefined,
  work: (services: Services, config: Config) => Promise<T>,
): Promise<T> {
  const {
    db,
    services,
    config: inEffect,
  } = await open(await siteOptions(terminal, configPath)).catch(error => {
    throw configPath === undefined ? withPlaceOfQuickstart(error) : error
  })
  try {
    return await work(services, inEffect())
  } finally {
    await services.settle()
    await db.close()
  }
}

/** Runs work on the site of a configuration file with the rights of the operator. @throws ConfigError as `onSite` */
export const asOperator = <T>(
  terminal: Terminal,
  configPath: string | undefined,
  words: string,
  work: (services: Services, actor: Actor, config: Config) => Promise<T>,
): Promise<T> =>
  onSite(terminal, configPath, async (services, config) =>
    work(services, await operator(services, words), config),
  )

/** The operator is not a user: the API's message about a missing key does not help here. */
function withoutUser(error: unknown): never {
  if (error instanceof HttpError && error.code === 'unauthenticated')
    throw invalid(
      'author_id',
      'is required: add --author with the e-mail address of an account (slugline user list shows the accounts)',
    )
  throw error
}

/** Runs a command as the operator of the machine. @returns the exit code */
export const runOnSite = async (
  terminal: Terminal,
  command: SiteCommand,
  options: Values,
  given: readonly string[],
): Promise<number> => {
  const { words, access } = command
  if (access === 'signed-in')
    throw badRequest(`the command needs a signed-in user: ssh -p <ssh_port> <e-mail address>@<host> ${words}`)
  return asOperator(terminal, options.config, words, async (services, operator) => {
    const { author } = options
    const actor =
      author === undefined
        ? operator
        : { ...operator, userId: await idOf('user', author, services, operator) }
    return runAs(actor, services, command, { io: terminal, options, given }).catch(withoutUser)
  })
}
