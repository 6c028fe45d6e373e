import type { MediaRow } from '../../db/queries/media.js'

interface MediaVariant {
  name: string
  width: number
  height: number
  mimetype: string
  size: number
  url: string
}

/** A media item as everybody sees it: with addresses instead of the names of objects. */
export type MediaRecord = Omit<MediaRow, 'object_key' | 'content_hash' | 'search_text' | 'variants'> & {
  url: string
  variants: MediaVariant[]
}

export type MediaById = ReadonlyMap<string, MediaRecord>

export function mediaRecord(row: MediaRow, urlOf: (key: string) => string): MediaRecord {
  const { object_key, content_hash, search_text, variants, folder_id, author_id, ...shown } = row
  const { date_created, date_modified, ...before } = shown
  return {
    ...before,
    url: urlOf(object_key),
    variants: variants.map(({ key, ...variant }) => ({ ...variant, url: urlOf(key) })),
    folder_id,
    author_id,
    date_created,
    date_modified,
  }
}
