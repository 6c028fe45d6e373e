import { z } from 'zod'
import type { Scalar } from '../../db/columns.js'
import type { StoredVariant } from '../../db/content-tables.js'
import type { Database } from '../../db/database.js'
import type { DumpedTable } from '../../db/dump/tables.js'
import { dumpText } from '../../db/dump/write.js'
import { timestamp } from '../../ids.js'
import type { Archives, ArchiveWriter, Bucket, Clock, ScratchFile, TemporaryFile } from '../../ports.js'
import type { MediaSpaceName } from '../media/storage.js'

/**
 * The files of an archive, in this order: `manifest.json`, `dump.sql`, every object of media in the order of the rows
 * that name them, and `SHA256SUMS` of all of them. An object that the store did not have is an empty file under
 * `missing`.
 */

export const archiveFormat = 1
export const [manifestName, dumpName, sumsName] = ['manifest.json', 'dump.sql', 'SHA256SUMS']

const hash = z.string().regex(/^[0-9a-f]{64}$/)
export const Manifest = z.strictObject({
  format: z.int().min(1),
  service: z.literal('slugline'),
  version: z.string().max(64),
  /** The migrations of the database, which show whether a version can read the rows. */
  schema: z.array(z.string().max(255)).max(10_000),
  created_at: z.string().max(64),
  records: z.int().min(0),
  media: z.int().min(0),
  dump: z.strictObject({ size: z.int().min(0), sha256: hash }),
})
export type Manifest = z.output<typeof Manifest>

/** An object of the media store, as a row names it. */
export interface MediaObject {
  readonly space: MediaSpaceName
  readonly key: string
  readonly mimetype: string
}

export const pathOf = ({ space, key }: Pick<MediaObject, 'space' | 'key'>) => `${space}/${key}`
export const missingPathOf = (object: MediaObject) => `missing/${pathOf(object)}`

const isSpace = (name: string): name is MediaSpaceName => name === 'media' || name === 'admin_media'

/** Returns the objects that a row names; empty for a row of a table without media. */
export function objectsOf({ table, columns }: DumpedTable, values: readonly Scalar[]): MediaObject[] {
  const space = table.name
  if (!isSpace(space)) return []
  const columnText = (name: string) => String(values[columns.indexOf(name)] ?? '')
  const uncropped = columnText('uncropped_key')
  const mimetype = columnText('mimetype')
  const variants = JSON.parse(columnText('variants')) as Pick<StoredVariant, 'key' | 'mimetype'>[]
  return [
    { space, key: columnText('object_key'), mimetype },
    ...(uncropped === '' ? [] : [{ space, key: uncropped, mimetype }]),
    ...variants.map(variant => ({ space, key: variant.key, mimetype: variant.mimetype })),
  ]
}

export const lineOf = (object: MediaObject): string => `${JSON.stringify(object)}\n`
export const objectIn = (line: string): MediaObject => JSON.parse(line) as MediaObject
/** Opens a scratch file at each path and lends them to `use`. What was opened is discarded, whatever fails. */
export async function withScratch<const Paths extends readonly (string | undefined)[], T>(
  archives: Pick<Archives, 'scratch'>,
  paths: Paths,
  use: (files: { [at in keyof Paths]: ScratchFile }) => Promise<T>,
): Promise<T> {
  const files: ScratchFile[] = []
  try {
    for (const path of paths) files.push(await archives.scratch(path))
    return await use(files as { [at in keyof Paths]: ScratchFile })
  } finally {
    for (const file of files) await file.discard()
  }
}

export const sumLine = (sha256: string, name: string): string => `${sha256}  ${name}\n`

const maxReadingMs = 12 * 3_600_000

export interface Making {
  db: Database
  archives: Archives
  clock: Clock
  version: string
  schema: readonly string[]
  bucketOf(space: MediaSpaceName): Promise<Bucket>
  signal: AbortSignal
  /** Checks the archive at this path before it is put in its place. @throws an error that says what is wrong with it */
  check(path: string): Promise<void>
  /** Called now and then with the progress; media are counted when the rows have been read. */
  progress(done: { records: number; media: number; mediaInAll: number | undefined }): void
}

export interface Made {
  readonly size: number
  readonly hash: string
  readonly records: number
  readonly media: number
  readonly missing: readonly string[]
}

interface Rows {
  readonly dump: TemporaryFile
  readonly objects: TemporaryFile
  readonly records: number
  readonly media: number
}

async function writeRows(making: Making, dump: ScratchFile, objects: ScratchFile): Promise<Rows> {
  const { db, signal, progress } = making
  let [records, media, named] = [0, 0, '']
  const onRow = (of: DumpedTable, values: readonly Scalar[]) => {
    records++
    for (const object of objectsOf(of, values)) {
      media++
      named += lineOf(object)
    }
  }
  await db.snapshot(
    async read => {
      for await (const text of dumpText(read, onRow)) {
        signal.throwIfAborted()
        await dump.write(text)
        await objects.write(named)
        named = ''
        progress({ records, media: 0, mediaInAll: undefined })
      }
    },
    { long: true, maxMs: maxReadingMs },
  )
  return { dump: await dump.close(), objects: await objects.close(), records, media }
}

/** Adds every object, one after the other. @returns the paths of those that the store does not have */
async function addMedia(
  making: Making,
  writer: ArchiveWriter,
  { objects, records, media: mediaInAll }: Rows,
  sums: ScratchFile,
): Promise<string[]> {
  const missing: string[] = []
  let media = 0
  for await (const line of making.archives.lines(objects)) {
    making.signal.throwIfAborted()
    const object = objectIn(line)
    const file = await (await making.bucketOf(object.space)).fetch(object.key)
    const name = file ? pathOf(object) : missingPathOf(object)
    if (!file) missing.push(pathOf(object))
    try {
      await sums.write(sumLine(await writer.add(name, file ?? ''), name))
    } finally {
      await file?.discard()
    }
    making.progress({ records, media: ++media, mediaInAll })
  }
  return missing
}

async function write(making: Making, writer: ArchiveWriter, rows: Rows, sums: ScratchFile): Promise<Made> {
  const { version, schema, clock } = making
  const { dump, records, media } = rows
  const manifest: Manifest = {
    format: archiveFormat,
    service: 'slugline',
    version,
    schema: [...schema],
    created_at: timestamp(clock.now()),
    records,
    media,
    dump: { size: dump.size, sha256: dump.hash },
  }
  const add = async (name: string, content: string | TemporaryFile) =>
    sums.write(sumLine(await writer.add(name, content), name))
  await add(manifestName, `${JSON.stringify(manifest, null, 2)}\n`)
  await add(dumpName, dump)
  const missing = await addMedia(making, writer, rows, sums)
  await writer.add(sumsName, await sums.close())
  return {
    ...(await writer.close(path => making.check(path))),
    records,
    media: media - missing.length,
    missing,
  }
}

/**
 * Makes an archive of everything: the rows of one moment, while others write, and the objects that they name. It is at
 * `path` when it is whole. The caller sees to it that no object is removed meanwhile.
 * @throws what has gone wrong; nothing is left then
 */
export async function makeArchive(making: Making, path: string): Promise<Made> {
  const { archives, clock } = making
  const paths = [`${path}.dump`, `${path}.media`, `${path}.sums`] as const
  return withScratch(archives, paths, async ([dump, objects, sums]) => {
    const rows = await writeRows(making, dump, objects)
    const writer = await archives.create(path, clock.now())
    return write(making, writer, rows, sums).catch(async error => {
      await writer.discard()
      throw error
    })
  })
}
