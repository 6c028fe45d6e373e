import { DumpError, type DumpedRows, readDump } from '../../db/dump/read.js'
import { type ArchiveEntry, ArchiveError, type Archives, type ScratchFile } from '../../ports.js'
import { backupPrefix } from '../media/storage.js'
import {
  archiveFormat,
  dumpName,
  lineOf,
  Manifest,
  type MediaObject,
  manifestName,
  missingPathOf,
  objectIn,
  objectsOf,
  pathOf,
  sumLine,
  sumsName,
  withScratch,
} from './backup-archive.js'

interface Checked {
  readonly manifest: Manifest
  readonly missing: readonly string[]
}

interface Checking {
  archives: Archives
  schema: readonly string[]
}

interface Handlers {
  media?(object: MediaObject, entry: ArchiveEntry): Promise<void>
  progress?(done: { records: number; recordsInAll: number; media: number; mediaInAll: number }): void
}

const refuse = (problem: string): never => {
  throw new ArchiveError(problem)
}

const maxManifestBytes = 1024 * 1024

async function entryText({ size, content }: ArchiveEntry): Promise<string> {
  if (size > maxManifestBytes) refuse('has a manifest that is too long')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  for await (const piece of content) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

/** Which version can read the rows; anything but the own schema is refused. */
function refuseOtherSchema({ schema, version }: Manifest, own: readonly string[]): void {
  if (schema.length === own.length && schema.every((name, i) => name === own[i])) return
  const isNewer = schema.some(name => !own.includes(name))
  refuse(
    isNewer
      ? `is of a newer version (${version}): restore it with that one`
      : `is of an older version (${version}): restore it with that one, and upgrade then`,
  )
}

async function manifestIn(entry: ArchiveEntry | undefined, schema: readonly string[]): Promise<Manifest> {
  if (entry?.name !== manifestName) return refuse('is not an archive of this service')
  let given: unknown
  try {
    given = JSON.parse(await entryText(entry))
  } catch (error) {
    if (error instanceof ArchiveError) throw error
    return refuse('has a manifest that cannot be read')
  }
  const { format } = (given ?? {}) as { format?: unknown }
  if (typeof format === 'number' && format > archiveFormat)
    refuse('was made by a newer version: restore it with that version')
  const parsed = Manifest.safeParse(given)
  if (!parsed.success) return refuse('has a manifest that cannot be read')
  refuseOtherSchema(parsed.data, schema)
  return parsed.data
}

const isMediaKey = (key: string): boolean =>
  key.length > 0 &&
  key.length <= 512 &&
  !key.startsWith(backupPrefix) &&
  !/[\\\p{Cc}]/u.test(key) &&
  key.split('/').every(part => part !== '' && part !== '.' && part !== '..')

/** Yields the rows of the dump. @throws ArchiveError when they do not match the manifest */
async function* rowsIn(entry: ArchiveEntry | undefined, manifest: Manifest): AsyncGenerator<DumpedRows> {
  const { dump, records } = manifest
  if (entry?.name !== dumpName) return refuse(`has no ${dumpName} after its manifest`)
  if (entry.size !== dump.size) refuse(`has a ${dumpName} whose length differs from its manifest`)
  let found = 0
  for await (const some of readDump(entry.content)) {
    found += some.rows.length
    yield some
  }
  if (entry.hash() !== dump.sha256) refuse(`has a ${dumpName} whose checksum differs from its manifest`)
  if (found !== records) refuse('has a number of records that differs from its manifest')
}

class Check {
  private readonly found = { records: 0, media: 0 }
  private readonly missing: string[] = []

  constructor(
    private readonly checking: Checking,
    private readonly handlers: Handlers,
    private readonly sums: ScratchFile,
    private readonly objects: ScratchFile,
  ) {}

  async run(path: string): Promise<Checked> {
    const entries = this.checking.archives.read(path)[Symbol.asyncIterator]()
    const next = async (): Promise<ArchiveEntry | undefined> => (await entries.next()).value
    try {
      const first = await next()
      const manifest = await manifestIn(first, this.checking.schema)
      await this.summed(first)
      const dump = await next()
      await this.readRows(dump, manifest)
      await this.summed(dump)
      await this.readMedia(next, manifest)
      await this.compareSums(await next())
      if (await next()) refuse('has more files than its rows name')
      return { manifest, missing: this.missing }
    } finally {
      await entries.return?.()
    }
  }

  private async summed(entry: ArchiveEntry | undefined): Promise<void> {
    if (entry) await this.sums.write(sumLine(entry.hash(), entry.name))
  }

  private async readRows(entry: ArchiveEntry | undefined, manifest: Manifest): Promise<void> {
    for await (const { of, rows } of rowsIn(entry, manifest)) {
      const objects = rows.flatMap(values => namedObjects(of, values))
      this.found.records += rows.length
      this.found.media += objects.length
      await this.objects.write(objects.map(lineOf).join(''))
      this.handlers.progress?.({
        ...this.found,
        recordsInAll: manifest.records,
        media: 0,
        mediaInAll: manifest.media,
      })
    }
    if (this.found.media !== manifest.media) refuse('has media that differ from its manifest')
  }

  private async readMedia(next: () => Promise<ArchiveEntry | undefined>, manifest: Manifest): Promise<void> {
    const { handlers, found } = this
    let media = 0
    for await (const line of this.checking.archives.lines(await this.objects.close())) {
      const object = objectIn(line)
      const entry = await next()
      if (entry?.name === missingPathOf(object) && entry.size === 0) this.missing.push(pathOf(object))
      else if (entry?.name !== pathOf(object)) refuse(`has no ${pathOf(object)} in its place`)
      else await handlers.media?.(object, entry)
      if (entry) for await (const _ of entry.content);
      await this.summed(entry)
      handlers.progress?.({
        ...found,
        recordsInAll: manifest.records,
        media: ++media,
        mediaInAll: manifest.media,
      })
    }
  }

  private async compareSums(entry: ArchiveEntry | undefined): Promise<void> {
    if (entry?.name !== sumsName) return refuse(`has files that do not match its rows`)
    for await (const _ of entry.content);
    const { hash } = await this.sums.close()
    if (entry.hash() !== hash) refuse(`has files that do not match its ${sumsName}`)
  }
}

function namedObjects(...row: Parameters<typeof objectsOf>): MediaObject[] {
  let objects: MediaObject[]
  try {
    objects = objectsOf(...row)
  } catch {
    return refuse('has a media item whose variants cannot be read')
  }
  for (const { key } of objects)
    if (!isMediaKey(key)) refuse(`has a media item with the key ${JSON.stringify(key.slice(0, 100))}`)
  return objects
}

/** Turns an error about a damaged dump into one sentence about the archive; any other error stays as it is. */
const inWords = (error: unknown): unknown =>
  error instanceof DumpError ? new ArchiveError(`is damaged: ${error.message}`) : error

/**
 * Reads an archive to its end and checks everything that can be checked: its bytes, its files and their checksums,
 * versions, every row, and that it has exactly the media that the rows name.
 * @throws ArchiveError that says why the archive is bad
 */
export async function checkArchive(
  checking: Checking,
  path: string,
  handlers: Handlers = {},
): Promise<Checked> {
  return withScratch(checking.archives, [undefined, undefined], async ([sums, objects]) => {
    try {
      return await new Check(checking, handlers, sums, objects).run(path)
    } catch (error) {
      throw inWords(error)
    }
  })
}

/** The rows of an archive. @throws ArchiveError as soon as they are not what they should be, at the latest at their end */
export async function* rowsOfArchive(
  { archives, schema }: Checking,
  path: string,
): AsyncGenerator<DumpedRows> {
  const entries = archives.read(path)[Symbol.asyncIterator]()
  try {
    const manifest = await manifestIn((await entries.next()).value, schema)
    yield* rowsIn((await entries.next()).value, manifest)
  } catch (error) {
    throw inWords(error)
  } finally {
    await entries.return?.()
  }
}
