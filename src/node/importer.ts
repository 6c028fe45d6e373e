import { fork } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { copyFile, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Agent, buildConnector, fetch } from 'undici'
import type { Config } from '../config.js'
import { badRequest, tooLarge } from '../errors.js'
import { limits } from '../limits.js'
import type { Importer, ImportMessage, ImportWork } from '../ports.js'
import { network } from './network.js'
import { programOf } from './program.js'

const prefix = 'slugline-import-job-'
/** The endings that say how a file is opened. */
const ending = /\.(?:tar\.gz|tgz|tar|zip|xml|wxr|json|ndjson|enc|csv|tsv|txt|md|markdown|mdx)$/i
/** How long a download may take, and how long it may be silent. */
const [downloadMs, silentMs] = [3_600_000, 60_000]
/** How long a process has to end by itself after it was asked to. */
const graceMs = 5000

/** A new place for a file of this name, which only the account of the service can read. */
async function placeFor(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix))
  return join(folder, `${stemOf(name)}${ending.exec(name)?.[0].toLowerCase() ?? ''}`)
}

/** The name of a table or a page is the name of its record. Of other exports it says nothing. */
function stemOf(name: string): string {
  const file = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const end = /\.(?:csv|tsv|txt|md|markdown|mdx)$/i.exec(file)?.index ?? 0
  return (
    file
      .slice(0, end)
      .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
      .slice(0, 100) || 'export'
  )
}

/** Only what `placeFor` has made, whatever the database says. */
const isOurs = (place: string): boolean =>
  basename(dirname(place)).startsWith(prefix) && dirname(dirname(place)) === tmpdir()

const remove: Importer['remove'] = async place => {
  if (isOurs(place)) await rm(dirname(place), { recursive: true, force: true })
}

const keep: Importer['keep'] = async ({ path, name }) => {
  const place = await placeFor(name)
  await rename(path, place).catch(() => copyFile(path, place))
  return place
}

/** Refuses the bytes beyond a limit. */
function bounded(maxBytes: number): Transform {
  let size = 0
  return new Transform({
    transform(piece: Buffer, _, done) {
      size += piece.byteLength
      done(size > maxBytes ? tooLarge(`the file is larger than ${maxBytes} bytes`) : null, piece)
    },
  })
}

/** Opens sockets to permitted addresses only: every address of a name is judged, and a name is resolved once. */
function guarded(permits: (address: string) => boolean): Agent {
  const refused = (host: string) => badRequest(`${host} is not an address that may be called`, 'url')
  const connect = buildConnector({
    lookup: (host, options, done) => {
      network.resolve(host).then(
        found => {
          const [first] = found
          if (!first || !found.every(({ address }) => permits(address))) done(refused(host), '', 0)
          else if (options.all) done(null, found)
          else done(null, first.address, first.family)
        },
        error => done(error, '', 0),
      )
    },
  })
  return new Agent({
    connect: (options, done) => {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) && !permits(host)) done(refused(host), null)
      else connect(options, done)
    },
    ...{ headersTimeout: silentMs, bodyTimeout: silentMs },
  })
}

const download: Importer['fetch'] = async (url, { permits, maxBytes, signal }) => {
  const dispatcher = guarded(permits)
  const all = AbortSignal.any([signal, AbortSignal.timeout(downloadMs)])
  let place: string | undefined
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: all, dispatcher })
    const location = answer.headers.get('location')
    if (answer.status >= 300 && answer.status < 400 && location !== null && URL.canParse(location, url))
      return { location: new URL(location, url).href }
    if (answer.status !== 200 || !answer.body)
      throw badRequest(`${new URL(url).host} responded with ${answer.status}`, 'url')
    place = await placeFor(new URL(url).pathname)
    const bytes = Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream)
    await pipeline(bytes, bounded(maxBytes), createWriteStream(place, { mode: 0o600 }), { signal: all })
    return { place }
  } catch (error) {
    if (place !== undefined) await remove(place)
    throw refusalOf(error, url)
  } finally {
    await dispatcher.close().catch(() => undefined)
  }
}

/** The refusal that an error of a request is, or is caused by. */
function refusalOf(error: unknown, url: string): unknown {
  for (let at = error; at instanceof Error; at = at.cause) if ('status' in at && 'code' in at) return at
  return badRequest(`${new URL(url).host} could not be read`, 'url')
}

/** The work of the process. */
export interface ImportTask {
  readonly work: ImportWork
  readonly config: Config
  /** Of the configuration file, beside which media of `quickstart` are. */
  readonly configPath: string
}

const runWith =
  (configPath: string): Importer['run'] =>
  (work, config, { signal, heard }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const { file, flags } = programOf('src/cli/import-process')
      const child = fork(file, [], {
        execArgv:
          'bun' in process.versions ? [] : [`--max-old-space-size=${limits.imports.memoryMiB}`, ...flags],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        serialization: 'advanced',
      })
      let last: ImportMessage | undefined
      const kill = () => {
        child.kill('SIGTERM')
        setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
      }
      const late = setTimeout(() => {
        last = { kind: 'refused', message: 'the import took too long: start it again to continue' }
        kill()
      }, limits.imports.runMs)
      signal.addEventListener('abort', kill, { once: true })
      child.on('message', message => {
        last = message as ImportMessage
        heard(last)
      })
      child.on('error', reject)
      child.on('exit', (_code, killed) => {
        clearTimeout(late)
        signal.removeEventListener('abort', kill)
        if (signal.aborted) reject(signal.reason)
        else if (last && last.kind !== 'progress') resolve(last)
        else resolve({ kind: 'refused', message: killed === 'SIGABRT' ? tooMuch : undefined })
      })
      child.send({ work, config, configPath } satisfies ImportTask)
    })

const tooMuch = `the import needs more than ${limits.imports.memoryMiB} MiB of memory: run it by slugline import`

/** @param configPath of the configuration file */
export const importer = (configPath: string): Importer => ({
  keep,
  fetch: download,
  has: async place =>
    isOurs(place) &&
    (await stat(place).then(
      () => true,
      () => false,
    )),
  remove,
  run: runWith(configPath),
})
