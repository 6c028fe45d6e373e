import { type Actor, systemActor } from '../actor.js'
import { badRequest, HttpError, invalid } from '../errors.js'
import { loadConfig } from '../node/config-file.js'
import { nodePorts } from '../node/ports.js'
import { open } from '../server.js'
import type { Services } from '../services/index.js'
import { runAs, type SiteCommand, type Values } from './command.js'
import { commandLog } from './command-log.js'
import { showAdministrator, type Terminal } from './terminal.js'

/**
 * Whoever runs commands on the machine has the database itself: they are refused nothing that an administrator may, and
 * are no user (docs/decisions.md, D-520).
 */
async function operator({ access }: Pick<Services, 'access'>, words: string): Promise<Actor> {
  return {
    ...systemActor,
    surface: 'cli',
    roleId: await access.systemRole('admin'),
    userAgent: `slugline ${words}`,
  }
}

/**
 * Opens the site of a configuration file, whether or not the service runs, and closes it again.
 * @throws ConfigError when the file is wrong, or names a database that is not there or does not answer
 */
async function onSite<T>(
  terminal: Terminal,
  configPath: string | undefined,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const { config, path } = loadConfig(configPath, terminal.variables)
  const { db, services } = await open({
    config,
    ports: nodePorts(commandLog(terminal), path),
    variables: terminal.variables,
    showAdministrator: showAdministrator(terminal),
    onlyExisting: true,
  })
  try {
    return await work(services)
  } finally {
    await services.settle()
    await db.close()
  }
}

/** The operator is no user: what a program is told that shows no key helps nobody here. */
function withoutUser(error: unknown): never {
  if (error instanceof HttpError && error.code === 'unauthenticated')
    throw invalid(
      'author_id',
      'is required here, where nobody is signed in: an id that slugline user list shows',
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
    throw badRequest(`it is for who has signed in: ssh -p <ssh_port> <e-mail address>@<host> ${words}`)
  return onSite(terminal, options.config, async services =>
    runAs(await operator(services, words), services, command, { io: terminal, options, given }).catch(
      withoutUser,
    ),
  )
}
