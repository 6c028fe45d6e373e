import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Actor, systemActorFor } from '../actor.js'
import type { Config } from '../config.js'
import { tables } from '../db/tables.js'
import { loadConfig } from '../node/config-file.js'
import { createLog, nodePorts } from '../node/ports.js'
import { type Running, start } from '../server.js'
import type { FirstAdministrator } from '../services/bootstrap.js'
import { loadSampleSite } from './sample-site.js'

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

interface SampleStorage {
  settings: Partial<Config>
  address: string
  stop(): Promise<void>
}

/**
 * A small S3 server inside this process, so that uploads work at once. It holds everything in memory and checks nobody:
 * good for trying out and for nothing else. It is there where development dependencies are installed.
 */
async function sampleStorage(): Promise<SampleStorage | undefined> {
  const server = await import('fauxqs').then(
    ({ buildApp }) => buildApp({ logger: false }),
    () => undefined,
  )
  if (!server) return undefined
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  await fetch(`${address}/media`, { method: 'PUT' })
  return {
    address,
    settings: {
      bucket_media: 'media',
      bucket_endpoint: address,
      bucket_access_key: 'sample',
      bucket_secret_key: 'sample',
    },
    stop: () => server.close(),
  }
}

/** Records whose objects were gone with an earlier run. */
async function forgetMedia({ services }: Running, actor: Actor): Promise<void> {
  for (const { items } of [services.media, services.adminMedia])
    for await (const some of items.list({}, {}))
      for (const { media_id } of some) await items.remove(actor, media_id, undefined, true)
}

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

  const storage = config.bucket_endpoint ? undefined : await sampleStorage()
  let running: Running | undefined
  // A start that finds its port taken has made the administrator already.
  let administrator: FirstAdministrator | undefined
  for (let port = Number(first); !running; port++)
    try {
      const here = {
        ...config,
        ...storage?.settings,
        port: `${host}:${port}`,
        db_url: resolve(folder, config.db_url ?? './modula.db'),
      }
      const administratorMade = (made: FirstAdministrator) => {
        administrator = made
      }
      running = await start({ config: here, ports, variables, administratorMade })
    } catch (error) {
      if (!isTaken(error) || port >= Number(first) + portsTried) throw error
    }

  const { db, services, port } = running
  const admin = administrator
    ? await db.find(tables.users, { email: administrator.email })
    : (await db.findAll(tables.users, {}, { limit: 1 }))[0]
  if (admin) {
    const actor: Actor = { ...systemActorFor(admin.user_id), surface: 'cli', userAgent: 'quickstart' }
    if (storage) await forgetMedia(running, actor)
    await loadSampleSite(services.space, actor)
  }
  const url = `http://localhost:${port}`
  const { stop } = running
  return {
    running: {
      ...running,
      stop: async () => {
        await stop()
        await storage?.stop()
      },
    },
    lines: linesOf({
      url,
      folder,
      storage: storage?.address,
      movedFrom: port === Number(first) ? undefined : first,
      admin,
      administrator,
    }),
  }
}

function linesOf({
  url,
  folder,
  storage,
  movedFrom,
  admin,
  administrator,
}: {
  url: string
  folder: string
  storage: string | undefined
  movedFrom: string | undefined
  admin: { email: string } | undefined
  administrator: FirstAdministrator | undefined
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
    ...(storage ? [`  Media storage   ${storage}, in memory: uploads are gone when it stops`] : []),
    '',
    `  Administrator   ${admin?.email ?? ''}`,
    `  Password        ${password}`,
    '',
    '  Stop with Ctrl-C. Delete the folder to start afresh.',
    '',
  ]
}
