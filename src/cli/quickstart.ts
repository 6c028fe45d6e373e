import { createReadStream, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Actor, systemActorFor } from '../actor.js'
import { type Config, databaseFile } from '../config.js'
import { publishedPages } from '../db/queries/published-pages.js'
import { tables } from '../db/tables.js'
import { ConfigError } from '../errors.js'
import { mediaFolder } from '../media-folder.js'
import { withAppSecret } from '../node/app-secret.js'
import { loadConfig } from '../node/config-file.js'
import { ListenError } from '../node/http-listener.js'
import { packageRoot } from '../node/package-root.js'
import { createLog, nodePorts } from '../node/ports.js'
import { temporaryFile } from '../node/temporary-files.js'
import { type Options, type Running, start } from '../server.js'
import type { FirstAdministrator } from '../services/bootstrap.js'
import { loadSampleSite } from './sample-site.js'
import { makeSampleWebhooks } from './sample-webhooks.js'
import { hostKeyFile, withPort } from './serve.js'
import { quickstartFolder } from './site.js'
import { stopOnSignal } from './stop-on-signal.js'
import { say, showAdministrator, type Terminal } from './terminal.js'

const configuration = {
  ...{ environment: 'local', port: ':8080', db_driver: 'sqlite', db_url: './modula.db' },
  bucket_endpoint: 'file:./media',
  // The sample site is in two languages.
  i18n_enabled: true,
}
/** Where `npm run build` puts the pictures of the sample site. */
const sampleFolder = new URL('dist/sample/', packageRoot)
const portsTried = 20
const maxPort = 65_535
const pagesShown = 2

export interface Quickstart {
  running: Running
  lines: string[]
}

const isTaken = (error: unknown): error is ListenError =>
  error instanceof ListenError && error.code === 'EADDRINUSE'

function* portsToTry(address: string): Generator<string> {
  const [, host = '', first = ''] = /^(?:(.*):)?(\d+)$/.exec(address) ?? []
  const last = Math.min(Number(first) + portsTried, maxPort)
  for (let number = Number(first); number <= last; number++) yield `${host}:${number}`
}

async function startOnFreePort(options: Options): Promise<Running> {
  const { config } = options
  const ports = { port: portsToTry(config.port), ssh_port: portsToTry(config.ssh_port) }
  const next = (field: string | undefined): string | undefined =>
    field === 'port' || field === 'ssh_port' ? (ports[field].next().value ?? undefined) : undefined
  let [port, ssh_port] = [next('port') ?? config.port, next('ssh_port') ?? config.ssh_port]
  for (;;)
    try {
      return await start({ ...options, config: { ...config, port, ssh_port } })
    } catch (error) {
      if (!isTaken(error)) throw error
      const other = next(error.field)
      if (other === undefined) throw error
      if (error.field === 'port') port = other
      else ssh_port = other
    }
}

async function administratorOf(
  { db }: Running,
  administrator: FirstAdministrator | undefined,
): Promise<{ user_id: string; email: string } | undefined> {
  return administrator
    ? db.find(tables.users, { email: administrator.email })
    : (await db.findAll(tables.users, {}, { limit: 1 }))[0]
}

async function samplePicture(name: string) {
  const file = `${name}.webp`
  return { ...(await temporaryFile(createReadStream(new URL(file, sampleFolder)))), name: file }
}

async function fillSite(
  { services, db }: Running,
  admin: { user_id: string },
  { localized, withMedia }: { localized: boolean; withMedia: boolean },
): Promise<void> {
  const actor: Actor = {
    ...systemActorFor(admin.user_id),
    roleId: await services.access.systemRole('admin'),
    surface: 'cli',
    userAgent: 'quickstart',
  }
  const now = Date.now()
  const isNew = await loadSampleSite(services, actor, {
    ...{ localized, now },
    picture: withMedia && existsSync(sampleFolder) ? samplePicture : undefined,
  })
  if (isNew) await makeSampleWebhooks(services, db, actor, now)
}

async function someSlugs({ db }: Running): Promise<string[]> {
  const pages = await publishedPages(db, tables, { after: '', until: undefined }, pagesShown)
  return pages.map(({ slug }) => slug)
}

function configurationIn(folder: string, variables: Options['variables']): { config: Config; path: string } {
  const path = join(folder, 'cms.config.json')
  try {
    mkdirSync(folder, { recursive: true })
    // Settings that are changed later may be secrets, so only the owner can read the file.
    if (!existsSync(path)) writeFileSync(path, `${JSON.stringify(configuration, null, 2)}\n`, { mode: 0o600 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new ConfigError(`${folder} cannot be written (${code})`)
  }
  return loadConfig(path, variables)
}

/**
 * Serves a sample site, or an empty one, on SQLite from a folder of its own, which it creates if it is missing.
 * @param show gets the first administrator with the generated password, before it is stored
 */
export async function quickstart(
  { dir: given, empty, port }: { dir?: string; empty?: string; port?: string },
  variables: Options['variables'],
  show: (administrator: FirstAdministrator) => void,
): Promise<Quickstart> {
  const folder = resolve(given ?? quickstartFolder)
  const { config: stored, path } = configurationIn(folder, variables)
  const config = withPort(stored, port, variables)
  const log = createLog('warn')
  let running: Running | undefined
  // A start that finds its port in use has created the administrator already.
  let administrator: FirstAdministrator | undefined
  try {
    running = await startOnFreePort({
      config: withAppSecret(config, { configuration: path, database: databaseFile(config) }, log),
      ports: nodePorts(log, path),
      variables,
      showAdministrator: made => {
        show(made)
        administrator = made
      },
      hostKeyFile: hostKeyFile(config, path),
    })
    const media = mediaFolder(running.config().bucket_endpoint)
    const admin = await administratorOf(running, administrator)
    if (admin && empty === undefined)
      await fillSite(running, admin, { localized: config.i18n_enabled, withMedia: media !== undefined })
    const wanted = /(?<!\d)\d+$/.exec(config.port)?.[0]
    return {
      running,
      lines: linesOf({
        url: `http://localhost:${running.port}`,
        ssh: running.ssh,
        folder,
        media,
        isEmpty: empty !== undefined,
        slugs: await someSlugs(running),
        movedFrom: running.port === Number(wanted) ? undefined : wanted,
        admin,
        administrator,
      }),
    }
  } catch (error) {
    await running?.stop()
    throw error
  }
}

export async function runQuickstart(
  terminal: Terminal,
  options: { dir?: string; empty?: string; port?: string },
): Promise<number> {
  const starting = quickstart(options, terminal.variables, showAdministrator(terminal))
  stopOnSignal(
    terminal,
    starting.then(({ running }) => running),
  )
  const { lines } = await starting
  say(terminal, lines.join('\n'))
  return 0
}

function linesOf({
  url,
  ssh,
  folder,
  media,
  isEmpty,
  slugs,
  movedFrom,
  admin,
  administrator,
}: {
  url: string
  ssh: Running['ssh']
  folder: string
  media: string | undefined
  isEmpty: boolean
  slugs: readonly string[]
  movedFrom: string | undefined
  admin: { email: string } | undefined
  administrator: FirstAdministrator | undefined
}): string[] {
  const password = administrator
    ? (administrator.password ?? 'the value of CMS_ADMIN_PASSWORD')
    : 'unchanged; the first start showed it'
  return [
    '',
    `  Slugline serves ${isEmpty ? 'a site' : 'a sample site'} from ${folder}`,
    ...(movedFrom ? [`  (port ${movedFrom} is taken, so it listens on another one)`] : []),
    ...(movedFrom && isEmpty ? [`  (if you use a starter: export SLUGLINE_URL=${url})`] : []),
    '',
    `  Public site     ${slugs[0] === undefined ? 'no page is published yet' : `${url}${slugs[0]}`}`,
    ...slugs.map(slug => `                  curl '${url}${slug}?format=clean'`),
    `  Panel           ${url}/admin`,
    `  API             ${url}/api/v1`,
    `  Documentation   ${url}/api/docs`,
    ...(ssh ? [`  Terminal        ssh -p ${ssh.port} ${admin?.email ?? 'user'}@localhost`] : []),
    ...(ssh ? [`                  host key ${ssh.fingerprint}`] : []),
    ...(media ? [`  Media           in ${media}`] : []),
    `  Configuration   ${join(folder, 'cms.config.json')} (for commands: --config)`,
    '',
    `  Administrator   ${admin?.email ?? ''}`,
    `  Password        ${password}`,
    '',
    '  Stop with Ctrl-C. Delete the folder to start afresh.',
    '',
  ]
}
