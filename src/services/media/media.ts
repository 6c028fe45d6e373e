import type { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import type { PatchOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import {
  type MediaFilter,
  type MediaRow,
  type MediaSlice,
  mediaCount,
  mediaKeys,
} from '../../db/queries/media.js'
import type { MediaReference } from '../../db/queries/media-reference.js'
import type { Slice } from '../../db/reader.js'
import { type ContentSpace, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, conflict, invalid, missingReference, notFound } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Clock, Files, Pixels, ReceivedForm, TemporaryFile } from '../../ports.js'
import { mergedTranslations } from '../content/translations.js'
import type { Check } from '../crud.js'
import type { AudienceOf } from '../delivery/audience.js'
import {
  type Cropped,
  croppedFile,
  hasSameImage,
  type MediaCrop,
  movedFocal,
  refuseUncroppable,
} from './crops.js'
import { fileName, safeName } from './file-names.js'
import { type Filter, filtersOf, formOf, type MediaMove, type MediaUpdate, searchText } from './input.js'
import { changedMeanwhile, MediaObjects, type ObjectParts } from './objects.js'
import { keysOf, type MediaRecord, mediaRecord } from './record.js'
import { MediaReferrers, stillUsedBy } from './referrers.js'
import { readable } from './rendering.js'
import { type MediaSpaceName, stored } from './storage.js'
import { changedTags } from './tags.js'
import { UsedTags } from './used-tags.js'
import { isLeftUndecoded, optimised } from './variants.js'

type Update = z.output<typeof MediaUpdate>
type Table = ContentSpace['media']

interface MediaServiceParts extends ObjectParts {
  clock: Clock
  files: Files
  audienceOf: AudienceOf
}

const batchSize = 500
const downloadSeconds = 300

interface MediaTagging {
  readonly media_ids: readonly string[]
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

const namesOf = (filters: ReturnType<typeof filtersOf>) => Object.keys(filters) as MediaFilter[]

const movesFocus = (patch: Update, row: MediaRow): boolean =>
  (['focal_x', 'focal_y'] as const).some(name => patch[name] !== undefined && patch[name] !== row[name])

/** Files with their records and variants. */
export class MediaService {
  readonly table: Table
  private readonly objects: MediaObjects
  private readonly referrers: MediaReferrers
  private readonly tags: UsedTags

  constructor(
    private readonly db: Database,
    private readonly space: ContentSpace,
    name: MediaSpaceName,
    private readonly parts: MediaServiceParts,
  ) {
    this.table = space.media
    this.objects = new MediaObjects(db, name, parts)
    this.referrers = new MediaReferrers(space)
    this.tags = new UsedTags(db, space, parts.clock)
  }

  /**
   * @param slice.newest whether the last uploaded file is the first, and `after` continues with older ones
   * @param slice.order another order; it has no `after`
   */
  async *list(
    filter: Filter,
    {
      limit = Number.POSITIVE_INFINITY,
      offset = 0,
      after,
      newest = false,
      order = { by: 'uploaded', descending: newest },
    }: Slice & { newest?: boolean; order?: Pick<MediaSlice, 'by' | 'descending'> },
  ): AsyncGenerator<MediaRecord[]> {
    const filters = filtersOf(filter)
    const isByKey = order.by === 'uploaded'
    for (let left = limit, from = offset, last = after; left > 0; ) {
      const wanted = Math.min(left, batchSize)
      const slice = { limit: wanted, offset: from, after: last !== undefined, ...order }
      const query = mediaKeys(this.space, namesOf(filters), slice)
      const found = await this.db.query(query, { ...filters, after: last } as never)
      for await (const rows of this.db.sized(this.table, found)) yield rows.map(this.shown)
      if (found.length < wanted) return
      left -= found.length
      from = isByKey ? 0 : from + found.length
      if (isByKey) last = found.at(-1)?.key
    }
  }

  /** Returns the files with these ids, as far as they exist, in any order. */
  async some(ids: readonly string[]): Promise<MediaRecord[]> {
    if (ids.length === 0) return []
    return (await this.db.findIn(this.table, this.table.key, ids)).map(this.shown)
  }

  async count(filter: Filter): Promise<number> {
    const filters = filtersOf(filter)
    const names = namesOf(filters)
    if (names.length === 0) return this.db.countAll(this.table)
    const [n] = await this.db.query(mediaCount(this.space, names), filters as never)
    return n ?? 0
  }

  async get(id: string): Promise<MediaRecord> {
    return this.shown(await this.rowOf(id))
  }

  /**
   * Takes a multipart form with `file`. The record appears when all objects are in the store.
   * @throws 400 for a file or image that is refused, 413 when too large, 415 for another body, 503 without the store
   */
  async upload(actor: Actor, request: Request): Promise<MediaRecord> {
    const { files, storage, config } = this.parts
    // Refused before anything is received.
    this.db.refuseChanges(actor)
    const author = authorOf(actor, undefined)
    await storage.bucket()
    const form = await files.receive(request, config().max_upload_size)
    try {
      return await this.keepUploaded(actor, form, author)
    } finally {
      await form.file.discard()
    }
  }

  /**
   * Takes a multipart form with only `file`, of the item's media type. Id, address, texts and folder of the item stay.
   * @throws as `upload`, 409 during another replacement or a backup
   */
  async replaceFile(
    actor: Actor,
    id: string,
    request: Request,
    check?: Check<MediaRecord>,
  ): Promise<MediaRecord> {
    const { files, storage, config } = this.parts
    this.db.refuseChanges(actor)
    const row = await this.rowOf(id)
    check?.(this.shown(row))
    await storage.bucket()
    const { file, fields } = await files.receive(request, config().max_upload_size)
    try {
      const [other] = fields.keys()
      if (other !== undefined)
        throw invalid(other, 'cannot be changed here: the form may contain only a file')
      return await this.keepReplacement(actor, row, file, check)
    } finally {
      await file.discard()
    }
  }

  /**
   * Shows a part of an image at its address. The uploaded file is kept, and a later crop is a part of it too. The focal
   * point stays on the same thing.
   * @param part null to show the whole image again
   * @throws 400 for a part that is not inside the image, and for a file that cannot be cropped; 409 as `replaceFile`
   */
  async crop(
    actor: Actor,
    id: string,
    part: MediaCrop | null,
    check?: Check<MediaRecord>,
  ): Promise<MediaRecord> {
    this.db.refuseChanges(actor)
    const row = await this.rowOf(id)
    check?.(this.shown(row))
    refuseUncroppable(row)
    if (part === null && row.crop === null) return this.shown(row)
    const source = await this.objectIn(row.uncropped_key ?? row.object_key)
    try {
      const cropped = await croppedFile(this.parts, { source, mimetype: row.mimetype, part })
      if (cropped.crop === null && row.crop === null) return this.shown(row)
      try {
        return await this.keepCropped(actor, row, { source, ...cropped }, check)
      } finally {
        await cropped.file.discard()
      }
    } finally {
      await source.discard()
    }
  }

  /** Adds a file from a form that was received in another way. The caller discards the file. @throws as `upload` */
  async add(actor: Actor, form: ReceivedForm): Promise<MediaRecord> {
    this.db.refuseChanges(actor)
    const author = authorOf(actor, undefined)
    await this.parts.storage.bucket()
    return this.keepUploaded(actor, form, author)
  }

  /** An item with the same bytes and display name. @param hash SHA-256 in lower-case hex */
  async same(hash: string, display_name: string): Promise<MediaRecord | undefined> {
    const row = await this.db.find(this.table, { content_hash: hash, display_name })
    return row && this.shown(row)
  }

  /** Whether the file of an item has these bytes. @param hash SHA-256 in lower-case hex @throws 404 */
  async hasBytes(id: string, hash: string): Promise<boolean> {
    return (await this.rowOf(id)).content_hash === hash
  }

  /** A new focal point renders the variants again. */
  async update(actor: Actor, id: string, patch: Update, check?: Check<MediaRecord>): Promise<MediaRecord> {
    const row = await this.rowOf(id)
    check?.(this.shown(row))
    await this.refuseFolder(patch.folder_id)
    if (movesFocus(patch, row) && row.variants.length > 0) return this.rerender(actor, row, patch, check)
    return this.shown((await this.db.write(actor, tx => this.change(tx, id, patch, check))).after)
  }

  /** @returns them in the order of `media_ids` */
  async move(actor: Actor, { media_ids, folder_id }: z.output<typeof MediaMove>): Promise<MediaRecord[]> {
    const { db, table } = this
    await this.refuseFolder(folder_id)
    return db.write(actor, async tx => {
      const moved: MediaRecord[] = []
      // Pages in the raw format show where their media are.
      tx.invalidateAllPages()
      for (const id of media_ids) {
        if (!(await tx.exists(table, { media_id: id })))
          throw invalid('media_ids', `no media item has the id ${id}`)
        moved.push(this.shown((await tx.update(table, id, { folder_id })).after))
      }
      return moved
    })
  }

  /**
   * Adds and removes tags of several items. A refusal changes no item.
   * @returns them in the order of `media_ids`
   */
  async tag(actor: Actor, { media_ids, ...changes }: MediaTagging): Promise<MediaRecord[]> {
    return this.db.write(actor, async tx => {
      const tagged: MediaRecord[] = []
      for (const id of new Set(media_ids)) {
        const row = await tx.find(this.table, { media_id: id })
        if (!row) throw invalid('media_ids', `no media item has the id ${id}`)
        const tags = changedTags(row.tags ?? [], changes)
        if (tags.length > limits.media.tags)
          throw invalid(
            'add',
            `${row.display_name || row.name} would have more than ${limits.media.tags} tags`,
          )
        tagged.push(this.shown((await this.change(tx, id, { tags })).after))
      }
      return tagged
    })
  }

  /** The tags that are used, by name. Those of other processes may be missing for a minute. */
  usedTags(): Promise<readonly string[]> {
    return this.tags.list()
  }

  /** @throws 409 that lists entries which refer to it, unless it is forced */
  async remove(actor: Actor, id: string, check?: Check<MediaRecord>, force = false): Promise<void> {
    const gone = await this.db.write(actor, async tx => {
      const row = await tx.lock(this.table, id)
      check?.(this.shown(row))
      const referrers = await this.referrers.touch(tx, id)
      if (referrers.length > 0 && !force) throw stillUsedBy(referrers)
      return tx.remove(this.table, id)
    })
    // After the record, for a record without its object would be a broken picture.
    await this.objects.removeObjects(keysOf(gone))
  }

  async references(actor: Actor, id: string): Promise<MediaReference[]> {
    await this.rowOf(id)
    const { audienceOf, config } = this.parts
    const isPublic = (await audienceOf(actor, 'content')) === 'public'
    return this.referrers.list(this.db, id, isPublic && { localized: config().i18n_enabled })
  }

  async download(id: string): Promise<string> {
    const row = await this.rowOf(id)
    return this.signed(row, row.object_key)
  }

  /** An address of the uploaded image, also while it is cropped. */
  async downloadUncropped(id: string): Promise<string> {
    const row = await this.rowOf(id)
    return this.signed(row, row.uncropped_key ?? row.object_key)
  }

  /** The bytes of the original, which are the caller's to discard. @throws 404, 503 without the store */
  async original(id: string): Promise<TemporaryFile> {
    return this.objectIn((await this.rowOf(id)).object_key)
  }

  /**
   * The points of an image that fits into a size, made of its smallest variant that is large enough.
   * @throws 400 for a file that is no such image, is damaged, or takes too much memory; 404; 503 without the store
   */
  async pixels(id: string, size: { width: number; height: number }): Promise<Pixels> {
    const { log, images } = this.parts
    const row = await this.rowOf(id)
    if (!optimised.has(row.mimetype)) throw badRequest('only png, jpg, webp and gif images can be shown')
    if (isLeftUndecoded(row)) throw badRequest('the image is too large to be shown')
    const [key = row.object_key] = row.variants
      .filter(one => optimised.has(one.mimetype) && one.fit === 'inside' && one.width >= size.width)
      .toSorted((a, b) => a.width - b.width)
      .map(({ key: own }) => own)
    const file = await this.objectIn(key)
    try {
      return await readable(log, images.pixels(file.path, size))
    } finally {
      await file.discard()
    }
  }

  /** Renders the variants again with the current presets. @throws 400 unless it is a png, jpg, webp or gif image */
  async regenerate(actor: Actor, id: string): Promise<MediaRecord> {
    const row = await this.rowOf(id)
    if (!optimised.has(row.mimetype)) throw badRequest('only png, jpg, webp and gif images have variants')
    return this.rerender(actor, row, {})
  }

  private async keepUploaded(
    actor: Actor,
    { file, fields }: ReceivedForm,
    author_id: string,
  ): Promise<MediaRecord> {
    const given = formOf(fields)
    if (file.size === 0) throw invalid('file', 'is empty')
    const kind = await this.parts.files.kindOf(file.path)
    const ownName = fileName(file.name)
    const name = safeName(ownName, kind)
    await this.refuseFolder(given.folder_id)
    const { mimetype } = kind
    const focal = { x: given.focal_x ?? null, y: given.focal_y ?? null }
    const { facts, images, thumbhash } = await this.objects.render(file.path, mimetype, focal)
    const display_name = given.display_name ?? ownName.slice(0, 255)
    const { alt_text = '', caption = '', description = '' } = given
    const tags = given.tags?.length ? given.tags : null
    const texts = { name, display_name, alt_text, caption, description }
    if (tags) this.tags.forget()
    return this.objects.store(file, { name, mimetype, images }, (objects, done) =>
      this.db.write(actor, async tx => {
        await done(tx)
        const row = await tx.insert(this.table, {
          ...texts,
          ...objects,
          tags,
          mimetype,
          folder_id: given.folder_id ?? null,
          focal_x: focal.x,
          focal_y: focal.y,
          size: file.size,
          width: facts?.width ?? null,
          height: facts?.height ?? null,
          thumbhash,
          content_hash: file.hash,
          search_text: searchText({ ...texts, translations: {}, tags }),
          author_id,
        })
        return this.shown(row)
      }),
    )
  }

  private async keepReplacement(
    actor: Actor,
    row: MediaRow,
    file: ReceivedForm['file'],
    check?: Check<MediaRecord>,
  ): Promise<MediaRecord> {
    if (file.size === 0) throw invalid('file', 'is empty')
    const kind = await this.parts.files.kindOf(file.path)
    safeName(fileName(file.name), kind)
    const { mimetype } = row
    if (kind.mimetype !== mimetype)
      throw invalid('file', `must be ${mimetype}, because the address of the file stays the same`)
    const focal = { x: row.focal_x, y: row.focal_y }
    const { facts, images, thumbhash } = await this.objects.render(file.path, mimetype, focal)
    const { before, after } = await this.objects.replaceFile(row, { file, images }, ({ variants }, done) =>
      this.db.write(actor, async tx => {
        await done(tx)
        const { size, hash: content_hash } = file
        const pixels = { width: facts?.width ?? null, height: facts?.height ?? null }
        const uncropped = { crop: null, uncropped_key: null }
        const patch = { size, content_hash, ...pixels, ...uncropped, thumbhash, variants }
        return this.change(tx, row.media_id, patch, check)
      }),
    )
    await this.removeOld(before, after)
    return this.shown(after)
  }

  private async keepCropped(
    actor: Actor,
    row: MediaRow,
    { source, file, crop }: Cropped & { source: TemporaryFile },
    check?: Check<MediaRecord>,
  ): Promise<MediaRecord> {
    const focal = movedFocal(row, crop)
    const { facts, images, thumbhash } = await this.objects.render(file.path, row.mimetype, focal)
    const kept = row.crop === null ? source : undefined
    const { before, after } = await this.objects.replaceFile(
      row,
      { file, images, kept },
      ({ variants, keptKey }, done) =>
        this.db.write(actor, async tx => {
          await done(tx)
          if (!hasSameImage(await tx.lock(this.table, row.media_id), row)) throw conflict(changedMeanwhile)
          const pixels = { width: facts?.width ?? null, height: facts?.height ?? null }
          const moved = { focal_x: focal.x, focal_y: focal.y }
          const uncropped_key = crop === null ? null : (keptKey ?? row.uncropped_key)
          const patch = { size: file.size, ...pixels, ...moved, crop, uncropped_key, thumbhash, variants }
          return this.change(tx, row.media_id, patch, check)
        }),
    )
    await this.removeOld(before, after)
    return this.shown(after)
  }

  /** Removes objects that a change has left without a record. */
  private async removeOld(before: MediaRow, after: MediaRow): Promise<void> {
    const current = new Set(keysOf(after))
    await this.objects.removeObjects(keysOf(before).filter(key => !current.has(key)))
  }

  private async rerender(
    actor: Actor,
    row: MediaRow,
    patch: Update,
    check?: Check<MediaRecord>,
  ): Promise<MediaRecord> {
    this.db.refuseChanges(actor)
    const focal = {
      x: patch.focal_x === undefined ? row.focal_x : patch.focal_x,
      y: patch.focal_y === undefined ? row.focal_y : patch.focal_y,
    }
    const { before, after } = await this.objects.replace(row, focal, ({ facts, thumbhash, variants }, done) =>
      this.db.write(actor, async tx => {
        await done(tx)
        if (!hasSameImage(await tx.lock(this.table, row.media_id), row)) throw conflict(changedMeanwhile)
        const size = facts ? { width: facts.width, height: facts.height } : {}
        return this.change(tx, row.media_id, { ...patch, ...size, thumbhash, variants }, check)
      }),
    )
    await this.removeOld(before, after)
    return this.shown(after)
  }

  private async change(
    tx: Writer,
    id: string,
    {
      translations: given,
      tags,
      ...own
    }: Omit<PatchOf<Table>, 'translations' | 'tags'> & Pick<Update, 'translations' | 'tags'>,
    check?: Check<MediaRecord>,
  ): Promise<{ before: MediaRow; after: MediaRow }> {
    const locked = await tx.lock(this.table, id)
    check?.(this.shown(locked))
    const translations = mergedTranslations(locked.translations, given)
    for (const code of Object.keys(translations))
      if (!locked.translations[code] && !(await tx.exists(tables.locales, { code })))
        throw invalid(`translations.${code}`, 'the locale does not exist')
    const patch = {
      ...own,
      ...(given && { translations }),
      ...(tags && { tags: tags.length > 0 ? tags : null }),
    }
    const search_text = searchText({
      translations,
      tags: patch.tags === undefined ? locked.tags : patch.tags,
      name: locked.name,
      display_name: patch.display_name ?? locked.display_name,
      alt_text: patch.alt_text ?? locked.alt_text,
      caption: patch.caption ?? locked.caption,
      description: patch.description ?? locked.description,
    })
    const { before, after, changed } = await tx.update(this.table, id, patch)
    if (search_text !== locked.search_text)
      await tx.setSilently(this.table, 'media_id', [id], { search_text })
    if (tags) this.tags.forget()
    if (changed) await this.referrers.touch(tx, id)
    return { before, after }
  }

  private async signed({ display_name, name }: MediaRow, key: string): Promise<string> {
    const { storage, log, clock } = this.parts
    const bucket = await storage.bucket()
    const how = { name: display_name || name, seconds: downloadSeconds, now: clock.now() }
    return stored(log, () => bucket.signedUrl(key, how))
  }

  /** @throws 404 for a missing object, 503 without the store */
  private async objectIn(key: string): Promise<TemporaryFile> {
    const { storage, log } = this.parts
    const bucket = await storage.bucket()
    const file = await stored(log, () => bucket.fetch(key))
    if (!file) throw notFound()
    return file
  }

  private async rowOf(id: string): Promise<MediaRow> {
    const row = await this.db.get(this.table, id)
    if (!row) throw notFound()
    return row
  }

  private async refuseFolder(id: string | null | undefined): Promise<void> {
    const { mediaFolders } = this.space
    if (id && !(await this.db.exists(mediaFolders, { folder_id: id })))
      throw missingReference('folder_id', mediaFolders.name)
  }

  private readonly shown = (row: MediaRow): MediaRecord => mediaRecord(row, this.parts.storage.urlOf)
}
