import type { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import type { Config } from '../../config.js'
import type { PatchOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import {
  type MediaFilter,
  type MediaReference,
  type MediaRow,
  mediaCount,
  mediaReferences,
  mediaRows,
  mediaSnapshots,
} from '../../db/queries/media.js'
import type { Slice } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, conflict, invalid, missingReference, notFound } from '../../errors.js'
import type { Files, Images, Log } from '../../ports.js'
import { invalidatePublicPage } from '../content/public-snapshot.js'
import type { Check } from '../crud.js'
import { safeName } from './file-names.js'
import { type Filter, filtersOf, formOf, type MediaMove, type MediaUpdate, searchText } from './input.js'
import { type MediaObjects, mediaObjects } from './objects.js'
import { type MediaRecord, mediaRecord } from './record.js'
import { type MediaSpaceName, type MediaStorage, stored } from './storage.js'
import { optimised } from './variants.js'

type Update = z.output<typeof MediaUpdate>

export interface MediaService {
  readonly table: ContentSpace['media']
  list(filter: Filter, slice: Slice): AsyncGenerator<MediaRecord[]>
  count(filter: Filter): Promise<number>
  get(id: string): Promise<MediaRecord>
  /**
   * Takes a multipart form with `file`. The record is there when every object is.
   * @throws 400 for a file or image that is refused, 413 when too large, 415 for another body, 503 without the store
   */
  upload(actor: Actor, request: Request): Promise<MediaRecord>
  /** A new focal point renders the variants again. */
  update(actor: Actor, id: string, patch: Update, check?: Check<MediaRecord>): Promise<MediaRecord>
  /** @returns them in the order of `media_ids` */
  move(actor: Actor, move: z.output<typeof MediaMove>): Promise<MediaRecord[]>
  /** @throws 409 that lists entries which refer to it, unless it is forced */
  remove(actor: Actor, id: string, check?: Check<MediaRecord>, force?: boolean): Promise<void>
  /** The field values that name it. */
  references(id: string): Promise<MediaReference[]>
  /** An address that gives the original as a download, for some minutes. */
  download(id: string): Promise<string>
  /** Renders the variants again by the presets of now. @throws 400 for what is no image */
  regenerate(actor: Actor, id: string): Promise<MediaRecord>
}

const batchSize = 500
/** How long a download address works. */
const downloadSeconds = 300
/** Entries that a refusal names. */
const maxNamedEntries = 20

const keysOf = ({ object_key, variants }: MediaRow) => [object_key, ...variants.map(({ key }) => key)]

export function media(
  db: Database,
  space: ContentSpace,
  name: MediaSpaceName,
  parts: { files: Files; images: Images; storage: MediaStorage; log: Log; config: () => Config },
): MediaService {
  const { files, storage, log, config } = parts
  const table = space.media
  const objects: MediaObjects = mediaObjects(db, name, parts)
  const shown = (row: MediaRow) => mediaRecord(row, storage.urlOf)
  const referencesTo = mediaReferences(space)
  const snapshotsWith = mediaSnapshots(space)

  async function rowOf(id: string): Promise<MediaRow> {
    const row = await db.get(table, id)
    if (!row) throw notFound()
    return row
  }

  async function refuseFolder(id: string | null | undefined): Promise<void> {
    if (id && !(await db.exists(space.mediaFolders, { folder_id: id })))
      throw missingReference('folder_id', space.mediaFolders.name)
  }

  /**
   * Pages that show the item are built again, also those whose own changes wait.
   * @returns the entries that name it
   */
  async function touchReferrers(tx: Writer, id: string): Promise<string[]> {
    const named = { pattern: `%${id}%` }
    const found = [...(await tx.query(referencesTo, named)), ...(await tx.query(snapshotsWith, named))]
    for (const root of [...new Set(found.map(({ root_id }) => root_id))].sort())
      await invalidatePublicPage(tx, space, root)
    return [...new Set(found.map(({ content_data_id }) => content_data_id))]
  }

  async function change(
    tx: Writer,
    id: string,
    patch: PatchOf<typeof table>,
    check?: Check<MediaRecord>,
  ): Promise<{ before: MediaRow; after: MediaRow }> {
    const locked = await tx.lock(table, id)
    check?.(shown(locked))
    const search_text = searchText({
      name: locked.name,
      display_name: patch.display_name ?? locked.display_name,
      alt_text: patch.alt_text ?? locked.alt_text,
      caption: patch.caption ?? locked.caption,
      description: patch.description ?? locked.description,
    })
    const { before, after, changed } = await tx.update(table, id, patch)
    if (search_text !== locked.search_text) await tx.setSilently(table, 'media_id', [id], { search_text })
    if (changed) await touchReferrers(tx, id)
    return { before, after }
  }

  /** Changes an item together with its variants, which are made first. */
  async function rerender(
    actor: Actor,
    row: MediaRow,
    patch: Update,
    check?: Check<MediaRecord>,
  ): Promise<MediaRecord> {
    const focal = {
      x: patch.focal_x === undefined ? row.focal_x : patch.focal_x,
      y: patch.focal_y === undefined ? row.focal_y : patch.focal_y,
    }
    const { before, after } = await objects.replace(row, focal, ({ facts, variants }, done) =>
      db.write(actor, async tx => {
        await done(tx)
        const size = facts ? { width: facts.width, height: facts.height } : {}
        return change(tx, row.media_id, { ...patch, ...size, variants }, check)
      }),
    )
    const kept = new Set(keysOf(after))
    await objects.removeObjects(keysOf(before).filter(key => !kept.has(key)))
    return shown(after)
  }

  return {
    table,
    async *list(filter, { limit = Number.POSITIVE_INFINITY, offset = 0, after }) {
      const filters = filtersOf(filter)
      const names = Object.keys(filters) as MediaFilter[]
      for (let left = limit, from = offset, last = after; left > 0; from = 0) {
        const wanted = Math.min(left, batchSize)
        const query = mediaRows(space, names, { limit: wanted, offset: from, after: last !== undefined })
        const rows = await db.query(query, { ...filters, after: last } as never)
        if (rows.length > 0) yield rows.map(shown)
        if (rows.length < wanted) return
        left -= rows.length
        last = rows.at(-1)?.media_id
      }
    },
    async count(filter) {
      const filters = filtersOf(filter)
      const names = Object.keys(filters) as MediaFilter[]
      if (names.length === 0) return db.countAll(table)
      const [n] = await db.query(mediaCount(space, names), filters as never)
      return n ?? 0
    },
    get: async id => shown(await rowOf(id)),
    async upload(actor, request) {
      const author_id = authorOf(actor, undefined)
      await storage.bucket()
      const { file, fields } = await files.receive(request, config().max_upload_size)
      try {
        const given = formOf(fields)
        if (file.size === 0) throw invalid('file', 'is empty')
        const kind = await files.kindOf(file.path)
        const name = safeName(file.name, kind)
        await refuseFolder(given.folder_id)
        const { mimetype } = kind
        const focal = { x: given.focal_x ?? null, y: given.focal_y ?? null }
        const { facts, images } = await objects.render(file.path, mimetype, focal)
        const display_name = given.display_name ?? file.name.slice(0, 255)
        const { alt_text = '', caption = '', description = '' } = given
        const told = { name, display_name, alt_text, caption, description }
        return await objects.store(file, { name, mimetype }, images, (media_id, keys, done) =>
          db.write(actor, async tx => {
            await done(tx)
            const row = await tx.insert(table, {
              ...told,
              ...keys,
              media_id,
              mimetype,
              folder_id: given.folder_id ?? null,
              focal_x: focal.x,
              focal_y: focal.y,
              size: file.size,
              width: facts?.width ?? null,
              height: facts?.height ?? null,
              content_hash: file.hash,
              search_text: searchText(told),
              author_id,
            })
            return shown(row)
          }),
        )
      } finally {
        await file.discard()
      }
    },
    async update(actor, id, patch, check) {
      const row = await rowOf(id)
      check?.(shown(row))
      await refuseFolder(patch.folder_id)
      const moved = (['focal_x', 'focal_y'] as const).some(
        name => patch[name] !== undefined && patch[name] !== row[name],
      )
      if (moved && row.variants.length > 0) return rerender(actor, row, patch, check)
      return shown((await db.write(actor, tx => change(tx, id, patch, check))).after)
    },
    async move(actor, { media_ids, folder_id }) {
      await refuseFolder(folder_id)
      return db.write(actor, async tx => {
        const moved: MediaRecord[] = []
        // Pages in the raw format show where their media are.
        tx.reshapePages()
        for (const id of media_ids) {
          if (!(await tx.exists(table, { media_id: id }))) throw invalid('media_ids', `${id} names no media`)
          moved.push(shown((await tx.update(table, id, { folder_id })).after))
        }
        return moved
      })
    },
    async remove(actor, id, check, force = false) {
      const gone = await db.write(actor, async tx => {
        const row = await tx.lock(table, id)
        check?.(shown(row))
        const referrers = await touchReferrers(tx, id)
        if (referrers.length > 0 && !force) throw conflict(usedBy(referrers))
        return tx.remove(table, id)
      })
      // After the record, for a record without its object would be a broken picture.
      await objects.removeObjects(keysOf(gone))
    },
    async references(id) {
      await rowOf(id)
      return db.query(referencesTo, { pattern: `%${id}%` })
    },
    async download(id) {
      const { object_key, display_name, name } = await rowOf(id)
      const bucket = await storage.bucket()
      const how = { name: display_name || name, seconds: downloadSeconds }
      return stored(log, () => bucket.signedUrl(object_key, how))
    },
    async regenerate(actor, id) {
      const row = await rowOf(id)
      if (!optimised.has(row.mimetype)) throw badRequest('only png, jpg, webp and gif images have variants')
      return rerender(actor, row, {})
    },
  }
}

function usedBy(entries: readonly string[]): string {
  const more = entries.length > maxNamedEntries ? ` and ${entries.length - maxNamedEntries} more` : ''
  return `still used by content ${entries.slice(0, maxNamedEntries).join(', ')}${more}; force=true deletes it all the same`
}
