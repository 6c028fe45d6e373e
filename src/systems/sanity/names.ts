import { isUlid, storedId } from '../../ids.js'
import type { CompatSite } from '../../services/delivery/compat/compat.js'
import type { MediaRecord } from '../../services/media/record.js'
import { isObject } from '../imports.js'
import { documentKind, idsIn, sourcesIn } from '../source-names.js'
import { assetDocument, assetId, metadataOf } from './write/media.js'

const system = 'sanity'

/** A record here that Sanity has as a document. */
export interface OwnRecord {
  readonly entry?: string | undefined
  readonly media?: string | undefined
}

/** The ids that records had in Sanity, by those here. */
export const sanityIds = (
  site: CompatSite,
  records: { readonly entries?: Iterable<string>; readonly media?: Iterable<string> },
): Promise<ReadonlyMap<string, string>> => idsIn(site, system, records)

/** The records here by the ids of documents and assets: those of Sanity, or those here. */
export async function ownRecords(
  site: CompatSite,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OwnRecord>> {
  const sources = [...new Set(ids)].map(id => ({ kind: documentKind, id }))
  const found = await sourcesIn(site, system).records(sources)
  return new Map(
    sources.flatMap(source => {
      const known = found.get(source)
      const own = storedId(source.id)
      const entry = known ? known.content_data_id : isUlid(own) ? own : undefined
      const media = known ? known.media_id : assetId(source.id)
      return entry || media ? [[source.id, { entry: entry ?? undefined, media: media ?? undefined }]] : []
    }),
  )
}

function referencedIn(value: unknown, entries: Set<string>, media: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) referencedIn(one, entries, media)
  else if (isObject(value))
    for (const [name, part] of Object.entries(value))
      if (name !== '_ref' || typeof part !== 'string') referencedIn(part, entries, media)
      else if (isUlid(part)) entries.add(part)
      else {
        const id = assetId(part)
        if (id !== undefined) media.add(id)
      }
}

/** Puts ids of Sanity in place of ours in new documents. @param ids of their entries */
export async function inSanityIds(
  site: CompatSite,
  documents: readonly Record<string, unknown>[],
  ids: readonly string[],
): Promise<void> {
  const [entries, media] = [new Set(ids), new Set<string>()]
  for (const document of documents) referencedIn(document, entries, media)
  const own = await sanityIds(site, { entries, media })
  if (own.size === 0) return
  const nameOf = (id: string): string | undefined => own.get(id) ?? own.get(assetId(id) ?? '')
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one)
    if (!isObject(value)) return
    for (const [name, part] of Object.entries(value))
      if (name === '_ref' && typeof part === 'string') Object.assign(value, { _ref: nameOf(part) ?? part })
      else visit(part)
    const { _type, asset } = value
    if (_type === 'file' && isObject(asset) && /^image-/.test(String(asset._ref)))
      Object.assign(value, { _type: 'image' })
  }
  for (const document of documents) {
    visit(document)
    const { _id, _originalId } = document
    const id = typeof _id === 'string' ? nameOf(_id) : undefined
    if (id === undefined) continue
    document._id = id
    if (_originalId !== undefined) document._originalId = `drafts.${id}`
  }
}

/** The media item here whose picture is under a name such as `<hash>-640x480.jpg`. */
export async function mediaOfPicture(site: CompatSite, file: string): Promise<string | undefined> {
  const id = `image-${file.replace(/\.([^.]*)$/, '-$1')}`
  return (await ownRecords(site, [id])).get(id)?.media
}

/**
 * The document of an asset, under the id that it had in Sanity. That tells the size of a drawing (SVG) too, which is not
 * known here.
 * @param ids of media in Sanity
 */
export function assetIn(
  media: MediaRecord,
  images: string,
  ids: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const id = ids.get(media.media_id)
  const document = assetDocument(media, images)
  const size = /^image-\w+-(\d{1,5})x(\d{1,5})-\w+$/.exec(id ?? '')
  const isPicture = size !== null && media.mimetype.startsWith('image/')
  return {
    ...document,
    ...(isPicture && { _type: 'sanity.imageAsset', metadata: metadataOf(Number(size[1]), Number(size[2])) }),
    ...(id === undefined ? {} : { _id: id }),
    ...(document.metadata === undefined ? {} : { metadata: document.metadata }),
  }
}
