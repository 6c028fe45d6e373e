import { parseArgs } from 'node:util'
import { ConfigError } from '../errors.js'
import { loadConfig } from '../node/config-file.js'
import { createLog, nodePorts } from '../node/ports.js'
import { open, type Running, start, version } from '../server.js'
import type { FirstAdministrator } from '../services/bootstrap.js'
import type { Progress } from './media.js'

const usage = `slugline ${version}

  slugline serve [--config PATH]      serve the folder's cms.config.json, or defaults without one
  slugline quickstart [--dir PATH]    serve a sample site on SQLite from a folder of its own
  slugline media regenerate [--config PATH]   make the variants of all images again
  slugline help | version
`

const say = (text: string) => process.stdout.write(`${text}\n`)
const complain = (text: string) => process.stderr.write(`slugline: ${text}\n`)

/** The first signal stops in order, the second at once. */
function stopOnSignal(running: Running, flush: () => void): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stopping = true
      running.stop().then(
        () => {
          flush()
          process.exit(0)
        },
        error => {
          complain(String(error))
          process.exit(1)
        },
      )
    })
}

function administratorMade({ email, password }: FirstAdministrator): void {
  say(`First administrator: ${email}`)
  if (password) say(`Password, shown this once: ${password}`)
}

async function serve(configPath: string | undefined): Promise<void> {
  const { config, unknown, path } = loadConfig(configPath, process.env)
  const log = createLog(config.log_level)
  for (const name of unknown)
    log.warn({ field: name, file: path }, 'the configuration names an unknown field')
  if (!config.environment.startsWith('local'))
    log.warn(
      { environment: config.environment },
      'this version has no HTTPS of its own: reach it through a proxy',
    )
  const running = await start({
    config,
    ports: nodePorts(log, path),
    variables: process.env,
    administratorMade,
  })
  say(`Slugline ${version} serves http://localhost:${running.port} (API: /api/v1, documentation: /api/docs)`)
  stopOnSignal(running, log.flush)
}

async function regenerate(configPath: string | undefined): Promise<void> {
  const { progressBar, regenerateMedia } = await import('./media.js')
  const { config, path } = loadConfig(configPath, process.env)
  const log = createLog('error')
  const { db, services } = await open({
    config,
    ports: nodePorts(log, path),
    variables: process.env,
    administratorMade,
  })
  const { stdout } = process
  try {
    let last: Progress = { done: 0, total: 0, failed: [] }
    for await (const progress of regenerateMedia([services.media, services.adminMedia])) {
      last = progress
      if (stdout.isTTY) stdout.write(`\r${progressBar(progress)}`)
    }
    say(stdout.isTTY ? '' : progressBar(last))
    for (const line of last.failed) complain(line)
    if (last.failed.length > 0) process.exitCode = 1
  } finally {
    await services.settle()
    await db.close()
  }
}

/** The command line. Exit code 1 and one sentence when something is wrong, 2 for a wrong call. */
export async function run(args: string[]): Promise<void> {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { config: { type: 'string' }, dir: { type: 'string' }, help: { type: 'boolean' } },
    })
    const [command = 'help'] = positionals
    if (values.help || command === 'help') say(usage)
    else if (command === 'version') say(version)
    else if (command === 'serve') await serve(values.config)
    else if (command === 'media' && positionals[1] === 'regenerate') await regenerate(values.config)
    else if (command === 'quickstart') {
      const { quickstart } = await import('./quickstart.js')
      const { running, lines } = await quickstart(values.dir, process.env)
      say(lines.join('\n'))
      stopOnSignal(running, () => {})
    } else {
      complain(`there is no command ${positionals.join(' ')}\n\n${usage}`)
      process.exitCode = 2
    }
  } catch (error) {
    complain(
      error instanceof ConfigError || !(error instanceof Error)
        ? String((error as Error).message ?? error)
        : error.message,
    )
    process.exitCode = error instanceof TypeError ? 2 : 1
  }
}
