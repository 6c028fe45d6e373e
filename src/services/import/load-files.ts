import type { Actor } from '../../actor.js'
import type { Config } from '../../config.js'
import { badRequest, FetchFailure, HttpError } from '../../errors.js'
import type { TemporaryFile } from '../../ports.js'
import type { Services } from '../index.js'
import type { MediaRecord } from '../media/record.js'
import { mediaAddress } from '../media/storage.js'
import type { FileStates } from './file-states.js'
import { Notes } from './notes.js'
import type { ImportedFile } from './site.js'

/** Files of the export that are here. */
export interface Loaded {
  readonly byKey: ReadonlyMap<string, MediaRecord>
  readonly made: number
}

interface Settings {
  readonly open: ((file: ImportedFile) => Promise<TemporaryFile>) | undefined
  readonly notes: Notes
  readonly instead?: string | undefined
  /** With an update: the files that are here. */
  readonly known?: Pick<FileStates, 'settled' | 'changedThere' | 'unloaded'> | undefined
  progress(doing: string, done: number, total: number): void
}

const percent = (part: number): number => Math.round(Math.min(1, Math.max(0, part)) * 100)

const maxTitle = 255
const maxText = 1024

const kept = (text: string, most: number): string =>
  text.toWellFormed().replaceAll('\0', '').slice(0, most).toWellFormed()

const titleOf = ({ title, name }: ImportedFile): string => kept(title || name, maxTitle)

/** The members of a media item that the other system says. */
function textsOf({ alt = '', caption = '', focus, ...file }: ImportedFile) {
  return {
    ...{ display_name: titleOf(file), alt_text: kept(alt, maxText), caption: kept(caption, maxText) },
    ...(focus ? { focal_x: percent(focus.x), focal_y: percent(focus.y) } : {}),
  }
}

const formOf = (file: ImportedFile): Map<string, string> =>
  new Map(Object.entries(textsOf(file)).map(([name, value]) => [name, String(value)]))

const withoutFiles = 'import without files'

/**
 * @param instead how the caller can import without files
 * @throws 400 if there are files and no storage for them
 */
export function refuseWithoutStorage(
  files: readonly ImportedFile[],
  { config, instead = withoutFiles }: { config: Config; instead?: string },
): void {
  if (files.length > 0 && !mediaAddress(config, 'media'))
    throw badRequest(
      `the export has ${files.length} files, but no storage for media is configured: configure one, or ${instead}`,
    )
}

/** Returns why a file is left out, and which file. */
function lossOf({ name }: ImportedFile, error: unknown): [reason: string, place: string] {
  if (error instanceof FetchFailure) return [`, because ${error.reason}`, `${name} from ${error.host}`]
  return ['', `${name}: ${error instanceof Error ? error.message : String(error)}`]
}

/**
 * Uploads the files of an export. A file that was uploaded under the same name before is reused. One that is missing
 * or refused is noted and left out.
 * @throws 400 if all of them are, 503 without the store
 */
export async function loadFiles(
  { items }: Pick<Services['media'], 'items'>,
  actor: Actor,
  files: readonly ImportedFile[],
  { open, notes, instead = withoutFiles, known, progress }: Settings,
): Promise<Loaded> {
  const byKey = new Map<string, MediaRecord>()
  const failures = new Notes()
  let made = 0

  /** Keeps a file as an item that is here, or as a new one. */
  async function stored(file: ImportedFile, content: TemporaryFile) {
    try {
      const before = known?.changedThere(file.key)
      if (before && (await items.hasBytes(before.media_id, content.hash))) {
        const texts = { focal_x: null, focal_y: null, ...textsOf(file) }
        return { item: await items.update(actor, before.media_id, texts), isNew: false }
      }
      const same = await items.same(content.hash, titleOf(file))
      if (same) return { item: same, isNew: false }
      const form = { file: { ...content, name: file.name }, fields: formOf(file) }
      return { item: await items.add(actor, form), isNew: true }
    } finally {
      await content.discard()
    }
  }

  for (const [i, file] of files.entries()) {
    if (!open) break
    progress('files', i, files.length)
    const settled = known?.settled(file.key)
    if (settled) {
      byKey.set(file.key, settled)
      continue
    }
    try {
      const { item, isNew } = await stored(file, await open(file))
      byKey.set(file.key, item)
      if (isNew) made++
    } catch (error) {
      // Without the store no file can be kept.
      if (error instanceof HttpError && error.status === 503) throw error
      const [reason, place] = lossOf(file, error)
      const before = known?.unloaded(file.key)
      if (before) {
        byKey.set(file.key, before)
        continue
      }
      notes.add(`Files are left out${reason}`, place)
      failures.add(`No file could be imported${reason}`, place)
    }
  }
  // Without its pictures the site would look complete, and a later import does not change the entries.
  if (open && files.length > 0 && byKey.size === 0)
    throw badRequest(
      `${failures.sentences.join(' ')} No entry was imported: make the files available, or ${instead}.`,
    )
  progress('files', files.length, files.length)
  return { byKey, made }
}
