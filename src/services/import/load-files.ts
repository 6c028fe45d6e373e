import type { Actor } from '../../actor.js'
import { HttpError } from '../../errors.js'
import type { TemporaryFile } from '../../ports.js'
import type { Services } from '../index.js'
import type { MediaRecord } from '../media/record.js'
import type { Notes } from './notes.js'
import type { ImportedFile } from './site.js'

/** Files of the export that are here. */
export interface Loaded {
  readonly byKey: ReadonlyMap<string, MediaRecord>
  readonly made: number
}

interface Settings {
  readonly open: ((file: ImportedFile) => Promise<TemporaryFile>) | undefined
  readonly notes: Notes
  progress(doing: string, done: number, total: number): void
}

const percent = (part: number): string => String(Math.round(Math.min(1, Math.max(0, part)) * 100))

const maxTitle = 255
const maxText = 1024

const kept = (text: string, most: number): string =>
  text.toWellFormed().replaceAll('\0', '').slice(0, most).toWellFormed()

const titleOf = ({ title, name }: ImportedFile): string => kept(title || name, maxTitle)

function formOf(file: ImportedFile): Map<string, string> {
  const { alt = '', caption = '', focus } = file
  return new Map([
    ['display_name', titleOf(file)],
    ['alt_text', kept(alt, maxText)],
    ['caption', kept(caption, maxText)],
    ...(focus
      ? ([
          ['focal_x', percent(focus.x)],
          ['focal_y', percent(focus.y)],
        ] as const)
      : []),
  ])
}

/**
 * Uploads the files of an export. A file that was uploaded under the same name before is reused. One that is missing
 * or refused is noted and left out.
 * @throws 503 without the store
 */
export async function loadFiles(
  { items }: Pick<Services['media'], 'items'>,
  actor: Actor,
  files: readonly ImportedFile[],
  { open, notes, progress }: Settings,
): Promise<Loaded> {
  const byKey = new Map<string, MediaRecord>()
  let made = 0
  for (const [i, file] of files.entries()) {
    if (!open) break
    progress('files', i, files.length)
    try {
      const content = await open(file)
      try {
        const known = await items.same(content.hash, titleOf(file))
        byKey.set(
          file.key,
          known ?? (await items.add(actor, { file: { ...content, name: file.name }, fields: formOf(file) })),
        )
        if (!known) made++
      } finally {
        await content.discard()
      }
    } catch (error) {
      // Without the store no file can be kept.
      if (error instanceof HttpError && error.status === 503) throw error
      notes.add(
        'Files are left out',
        `${file.name}: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
  progress('files', files.length, files.length)
  return { byKey, made }
}
