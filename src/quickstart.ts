import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { tables } from './db/tables.js'
import { loadConfig } from './node/config-file.js'
import { createLog, nodePorts } from './node/ports.js'
import { loadSampleSite } from './sample-site.js'
import { type Running, start } from './server.js'

const configuration = { environment: 'local', port: ':8080', db_driver: 'sqlite', db_url: './modula.db' }
/** How many ports after the configured one are tried when it is taken. */
const portsTried = 20

export interface Quickstart {
  running: Running
  /** Lines for the person who started it. */
  lines: string[]
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

/** Serves a sample site on SQLite from a folder of its own, which it makes when it is not there. */
export async function quickstart(
  given: string | undefined,
  variables: NodeJS.ProcessEnv,
): Promise<Quickstart> {
  const folder = resolve(given ?? './quickstart')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'cms.config.json')
  if (!existsSync(path)) writeFileSync(path, `${JSON.stringify(configuration, null, 2)}\n`)
  const { config } = loadConfig(path, variables)
  const ports = nodePorts(createLog('warn'), path)
  const [, host = '', first = '8080'] = /^(.*?):?(\d+)$/.exec(config.port) ?? []

  let running: Running | undefined
  for (let port = Number(first); !running; port++)
    try {
      const here = {
        ...config,
        port: `${host}:${port}`,
        db_url: resolve(folder, config.db_url ?? './modula.db'),
      }
      running = await start({ config: here, ports, variables })
    } catch (error) {
      if (!isTaken(error) || port >= Number(first) + portsTried) throw error
    }

  const { db, services, administrator, port } = running
  const admin = administrator
    ? await db.find(tables.users, { email: administrator.email })
    : (await db.findAll(tables.users, {}, { limit: 1 }))[0]
  if (admin)
    await loadSampleSite(services.space, {
      userId: admin.user_id,
      surface: 'cli',
      requestId: '',
      ipAddress: '',
      userAgent: 'quickstart',
    })
  const url = `http://localhost:${port}`
  return {
    running,
    lines: linesOf({
      url,
      folder,
      movedFrom: port === Number(first) ? undefined : first,
      admin,
      administrator,
    }),
  }
}

function linesOf({
  url,
  folder,
  movedFrom,
  admin,
  administrator,
}: {
  url: string
  folder: string
  movedFrom: string | undefined
  admin: { email: string } | undefined
  administrator: Running['administrator']
}): string[] {
  const password = administrator
    ? (administrator.password ?? 'the value of CMS_ADMIN_PASSWORD')
    : 'unchanged since the first start, which showed it'
  return [
    '',
    `  Slugline serves a sample site from ${folder}`,
    ...(movedFrom ? [`  (port ${movedFrom} is taken, so it listens on another one)`] : []),
    '',
    `  Public site     ${url}/`,
    `                  curl '${url}/?format=clean'`,
    `                  curl '${url}/blog/winter-chain?format=clean'`,
    `  API             ${url}/api/v1`,
    `  Documentation   ${url}/api/docs`,
    '',
    `  Administrator   ${admin?.email ?? ''}`,
    `  Password        ${password}`,
    '',
    '  Stop with Ctrl-C. Delete the folder to start afresh.',
    '',
  ]
}
