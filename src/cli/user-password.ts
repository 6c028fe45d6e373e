import { systemActor } from '../actor.js'
import { loadConfig } from '../node/config-file.js'
import { createLog, nodePorts } from '../node/ports.js'
import { open } from '../server.js'
import { say, showAdministrator, type Terminal } from './terminal.js'

/**
 * Sets the password of an account in the database itself, whether or not the service runs; every session of the
 * account ends.
 */
export async function userPassword(
  terminal: Terminal,
  options: { config?: string },
  email: string,
): Promise<number> {
  const { config, path } = loadConfig(options.config, terminal.variables)
  const { db, services } = await open({
    config,
    ports: nodePorts(createLog('error'), path),
    variables: terminal.variables,
    showAdministrator: showAdministrator(terminal),
    onlyExisting: true,
  })
  try {
    const account = await services.users.byEmail(email)
    const password = await terminal.readSecret(`New password of ${account.email}`)
    await services.passwordReset.set({ ...systemActor, surface: 'cli' }, account.user_id, password)
    say(terminal, `The password of ${account.email} is set, and every session of the account has ended.`)
    return 0
  } finally {
    await services.settle()
    await db.close()
  }
}
