import { type Config, databaseFile } from '../config.js'
import { anyAddress } from '../config-schemas.js'
import { ConfigError } from '../errors.js'
import { withAppSecret } from '../node/app-secret.js'
import { loadConfig, refuseLeftDatabase } from '../node/config-file.js'
import { createLog, nodePorts } from '../node/ports.js'
import { tracingOf } from '../node/traced.js'
import { version } from '../node/version.js'
import { type Addresses, workerOf } from '../node/worker.js'
import { start } from '../server.js'
import { stopOnSignal } from './stop-on-signal.js'
import { say, showAdministrator, type Terminal } from './terminal.js'

/** The path of the host key: beside the file of the database, which all instances share, or of the configuration. */
export const hostKeyFile = (config: Config, configuration: string): string =>
  config.ssh_host_key ?? `${databaseFile(config) ?? configuration}.ssh_host_key`

export const sshLine = ({ port, fingerprint }: { port: number; fingerprint: string }): string =>
  `Terminal: ssh -p ${port} localhost (host key ${fingerprint})`

/**
 * Returns the configuration with the port of the command line, else that of the variable `PORT`, which hosts set.
 * @throws `ConfigError` for an invalid port
 */
export function withPort(
  config: Config,
  option: string | undefined,
  { PORT }: Terminal['variables'],
): Config {
  const port = option ?? PORT
  if (port === undefined || (option === undefined && port === '')) return config
  const { success, data } = anyAddress().safeParse(port)
  if (!success)
    throw new ConfigError(
      `${option === undefined ? 'PORT' : '--port'} must be a port such as 8080 or an address such as 127.0.0.1:8080`,
    )
  return { ...config, port: data }
}

function saySite(terminal: Terminal, { port, sslPort, ssh }: Addresses): void {
  const address = sslPort === undefined ? `http://localhost:${port}` : `https://localhost:${sslPort}`
  say(
    terminal,
    `Slugline ${version} serves ${address} (panel: /admin, API: /api/v1, documentation: /api/docs)`,
  )
  if (ssh) say(terminal, sshLine(ssh))
}

/** Serves until a signal stops it. */
export async function serve(
  terminal: Terminal,
  options: { config?: string; port?: string },
): Promise<number> {
  const { config: stored, unknown, path } = loadConfig(options.config, terminal.variables)
  const config = withPort(stored, options.port, terminal.variables)
  refuseLeftDatabase({ config, path })
  const log = createLog(config.log_level)
  const worker = workerOf(terminal.variables)
  if (!worker)
    for (const name of unknown) log.warn({ field: name, file: path }, 'unknown field in the configuration')
  if (config.workers > 1 && !worker) {
    const { supervise } = await import('../node/supervisor.js')
    const ready = (addresses: Addresses) => saySite(terminal, addresses)
    return supervise({ count: config.workers, log, ready })
  }
  const starting = start({
    config: withAppSecret(config, { configuration: path, database: databaseFile(config) }, log),
    ports: { ...nodePorts(log, path, worker), tracing: await tracingOf(terminal.variables, log) },
    variables: terminal.variables,
    showAdministrator: showAdministrator(terminal),
    hostKeyFile: hostKeyFile(config, path),
    isFirst: worker === undefined || worker.number === 1,
  })
  stopOnSignal(terminal, starting, worker !== undefined)
  const running = await starting
  const { port, sslPort, ssh } = running
  const addresses = { port, sslPort, ssh: ssh && { port: ssh.port, fingerprint: ssh.fingerprint } }
  if (worker) worker.ready(addresses)
  else saySite(terminal, addresses)
  return 0
}
