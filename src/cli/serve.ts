import { type Config, databaseFile } from '../config.js'
import { withAppSecret } from '../node/app-secret.js'
import { loadConfig, refuseLeftDatabase } from '../node/config-file.js'
import { createLog, nodePorts } from '../node/ports.js'
import { version } from '../node/version.js'
import { start } from '../server.js'
import { stopOnSignal } from './stop-on-signal.js'
import { say, showAdministrator, type Terminal } from './terminal.js'

/** Beside the database's own file, which all its instances share, or else beside the configuration file. */
export const hostKeyFile = (config: Config, configuration: string): string =>
  config.ssh_host_key ?? `${databaseFile(config) ?? configuration}.ssh_host_key`

export const sshLine = ({ port, fingerprint }: { port: number; fingerprint: string }): string =>
  `Terminal: ssh -p ${port} localhost (host key ${fingerprint})`

/** Serves until a signal stops it. */
export async function serve(terminal: Terminal, options: { config?: string }): Promise<number> {
  const { config, unknown, path } = loadConfig(options.config, terminal.variables)
  refuseLeftDatabase({ config, path })
  const log = createLog(config.log_level)
  for (const name of unknown)
    log.warn({ field: name, file: path }, 'the configuration names an unknown field')
  const running = await start({
    config: withAppSecret(config, { configuration: path, database: databaseFile(config) }, log),
    ports: nodePorts(log, path),
    variables: terminal.variables,
    showAdministrator: showAdministrator(terminal),
    hostKeyFile: hostKeyFile(config, path),
  })
  const address =
    running.sslPort === undefined
      ? `http://localhost:${running.port}`
      : `https://localhost:${running.sslPort}`
  say(
    terminal,
    `Slugline ${version} serves ${address} (panel: /admin, API: /api/v1, documentation: /api/docs)`,
  )
  if (running.ssh) say(terminal, sshLine(running.ssh))
  stopOnSignal(terminal, running)
  return 0
}
