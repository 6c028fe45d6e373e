import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { badRequest, FetchFailure } from '../errors.js'
import { limits } from '../limits.js'
import type { ExportFiles, Outgoing, TemporaryFile } from '../ports.js'
import { PrivateAddress } from './outgoing.js'
import { wordsFor } from './posting.js'
import { temporaryFile } from './temporary-files.js'

/** The files of an export on this machine, until it is closed. */
export interface OpenExport extends ExportFiles {
  /** Opens one of them as a file. @throws 400 if no file has the name */
  file(name: string): Promise<TemporaryFile>
  close(): Promise<void>
}

const isArchive = (path: string): boolean => /\.(?:tar|tar\.gz|tgz|zip)$/i.test(path)

const named = (path: string): string => path.split(sep).join('/')

async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter(entry => entry.isFile())
      .map(entry => {
        const path = join(entry.parentPath, entry.name)
        return [named(relative(folder, path)), path]
      }),
  )
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest('hex')
}

/**
 * Unpacks the files of a tar archive; links and devices are passed over. The library goes on writing after it has
 * refused an archive, so a damaged one is found before the first file is written, and any other problem is thrown after
 * the last one.
 */
async function untar(path: string, folder: string, count: (size: number) => void): Promise<void> {
  const { extract, list } = await import('tar')
  const problems: unknown[] = []
  await list({ file: path, strict: true, onReadEntry: ({ size }) => count(size) })
  await extract({
    file: path,
    cwd: folder,
    filter: (_, entry) => !('type' in entry) || isPlain(entry.type),
    onwarn: (_code, problem) => problems.push(problem),
  })
  if (problems.length > 0) throw problems[0]
}

/** Unpacks an archive into a folder of its own. */
async function unpacked(path: string, isBounded: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slugline-import-'))
  let [files, bytes] = [0, 0]
  const count = (size: number) => {
    files++
    bytes += size
    if (isBounded && (files > limits.imports.files || bytes > limits.imports.unpackedBytes))
      throw new Error(
        `it has more than ${limits.imports.files} files or ${limits.imports.unpackedBytes} bytes`,
      )
  }
  try {
    if (/\.zip$/i.test(path)) await (await import('./zip.js')).unzip(path, folder, count)
    else await untar(path, folder, count)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw badRequest(`${path}: cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`)
  }
  return folder
}

const isPlain = (type: string): boolean => ['File', 'OldFile', 'ContiguousFile', 'Directory'].includes(type)

/**
 * Opens an export: a file, a folder, or a `.zip`, `.tar`, `.tar.gz` or `.tgz`, which is unpacked beside other temporary files.
 * @param bounds `bounded` for an archive of somebody else, whose unpacked files must stay within the limits
 * @throws 400 if it is missing or cannot be read
 */
export async function openExport(path: string, bounds?: 'bounded'): Promise<OpenExport> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw badRequest(`${path}: the file or folder does not exist`)
  const temporary =
    !found.isDirectory() && isArchive(path) ? await unpacked(path, bounds === 'bounded') : undefined
  const folder = temporary ?? (found.isDirectory() ? path : undefined)
  const files = folder === undefined ? new Map([[basename(path), path]]) : await filesIn(folder)
  const at = (name: string): string => {
    const place = files.get(name)
    if (place === undefined) throw badRequest(`the export has no file ${name}`)
    return place
  }
  return {
    names: [...files.keys()],
    async text(name, maxBytes = Number.POSITIVE_INFINITY) {
      const { size } = await stat(at(name))
      if (size > maxBytes) throw badRequest(`${name}: is larger than ${maxBytes} bytes`)
      return readFile(at(name), 'utf8')
    },
    pieces: name => createReadStream(at(name), { encoding: 'utf8' }),
    lines: name =>
      createInterface({ input: createReadStream(at(name)), crlfDelay: Number.POSITIVE_INFINITY }),
    async file(name) {
      const place = at(name)
      const { size } = await stat(place)
      return { path: place, size, hash: await hashOf(place), discard: async () => undefined }
    },
    async close() {
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
    },
  }
}

/** After so many fetches without a response, a host is not asked again: each of them may take a minute. */
const mostSilent = 3

/**
 * Opens the files of an export: in the export, in the given folder, or at their addresses.
 * @param ownHost the host of a source that the operator has named; its address may be private
 */
export function openerOf(
  outgoing: Pick<Outgoing, 'fetch'>,
  source: Pick<OpenExport, 'names' | 'file'>,
  folder: OpenExport | undefined,
  maxBytes: number,
  ownHost?: string,
) {
  const silent = new Map<string, FetchFailure[]>()
  async function fetched(url: string): Promise<TemporaryFile> {
    const host = URL.canParse(url) ? new URL(url).host : ''
    const failures = silent.get(host) ?? []
    const last = failures.at(-1)
    if (last && failures.length >= mostSilent) throw last
    try {
      const file = await download(outgoing, url, maxBytes, ownHost)
      silent.delete(host)
      return file
    } catch (error) {
      if (error instanceof FetchFailure && error.isSilent) silent.set(error.host, [...failures, error])
      throw error
    }
  }
  return async ({ at, url }: { readonly at?: string | undefined; readonly url?: string | undefined }) => {
    if (at !== undefined && source.names.includes(at)) return source.file(at)
    if (url === undefined) throw badRequest('it is missing in the export')
    const own = folder?.names.find(name => url.endsWith(`/${name}`))
    return own !== undefined && folder ? folder.file(own) : fetched(url)
  }
}

const mostRedirects = 5
const timeoutMs = 60_000

/** Returns why a server gave no response; its name is not in the reason, so that reasons can be counted. */
function failureOf(error: unknown, host: string): FetchFailure {
  // A failed fetch has its reason as its cause.
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof PrivateAddress) return new FetchFailure('its address is not public', host, true)
    if (at.name === 'TimeoutError')
      return new FetchFailure(`there was no response within ${timeoutMs / 1000} seconds`, host, true)
    if ('code' in at && typeof at.code === 'string')
      return new FetchFailure(wordsFor(at).replace('receiver', 'server'), host, true)
    if (at.cause === undefined) return new FetchFailure(at.message, host)
  }
  return new FetchFailure(String(error), host)
}

/**
 * Fetches a file by http or https, from public addresses only: an export must not reach the network of this machine.
 * @param ownHost a host whose address may be private
 * @throws FetchFailure with the server's response, or the reason for not asking it
 */
export async function download(
  outgoing: Pick<Outgoing, 'fetch'>,
  address: string,
  maxBytes: number,
  ownHost?: string,
): Promise<TemporaryFile> {
  if (!URL.canParse(address)) throw badRequest('its URL is not valid')
  let url = new URL(address)
  for (let i = 0; i <= mostRedirects; i++) {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new FetchFailure(`URLs that begin with ${url.protocol} are not supported`, url.host)
    const request = { method: 'GET', headers: { accept: '*/*' } }
    const answer = await outgoing
      .fetch(url.href, request, {
        ...{ timeoutMs, maxBytes, allowedAddresses: url.host === ownHost ? 'any' : 'public' },
      })
      .catch(error => {
        throw failureOf(error, url.host)
      })
    const location = answer.headers.get('location')
    if (answer.status === 200) return temporaryFile(Readable.from([Buffer.from(await answer.arrayBuffer())]))
    if (answer.status < 300 || answer.status >= 400 || location === null)
      throw new FetchFailure(`the server responded with ${answer.status}`, url.host)
    url = new URL(location, url)
  }
  throw new FetchFailure('the server redirects too often', url.host)
}
