import type { FormatContext } from '../../../services/delivery/formats/format.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { escapeHtml } from '../../marks.js'
import { withoutZone } from '../zone.js'

/** Media by their ids; missing ones are left out. */
export const mediaOf = (ids: readonly string[], { media }: FormatContext): MediaRecord[] =>
  ids.flatMap(id => media.get(id) ?? [])

export const isImage = ({ mimetype }: MediaRecord) => mimetype.startsWith('image/')
const fileIn = (url: string) => url.slice(url.lastIndexOf('/') + 1)

/** A media object of the REST API; our presets are its sizes. */
export function attachment(media: MediaRecord, { origin }: Pick<FormatContext, 'origin'>) {
  const { numeric_id: id, mimetype, width, height } = media
  const date = withoutZone(media.date_created)
  const modified = withoutZone(media.date_modified)
  const caption = media.caption === '' ? '' : `<p>${escapeHtml(media.caption)}</p>\n`
  const description = media.description === '' ? '' : `<p>${escapeHtml(media.description)}</p>\n`
  const own = media.variants.filter(variant => variant.mimetype === mimetype)
  const size = (file: { width: number | null; height: number | null; mimetype: string; url: string }) => ({
    file: fileIn(file.url),
    width: file.width,
    height: file.height,
    mime_type: file.mimetype,
    source_url: file.url,
  })
  const sizes = Object.fromEntries(own.map(variant => [variant.name, size(variant)]))
  return {
    id,
    date,
    date_gmt: date,
    guid: { rendered: media.url },
    modified,
    modified_gmt: modified,
    slug: media.name.replace(/\.[^.]*$/, '').toLowerCase(),
    status: 'inherit',
    type: 'attachment',
    link: `${origin}/?attachment_id=${id}`,
    title: { rendered: escapeHtml(media.display_name || media.name) },
    author: 0,
    comment_status: 'closed',
    ping_status: 'closed',
    template: '',
    meta: {},
    description: { rendered: description },
    caption: { rendered: caption },
    alt_text: media.alt_text,
    media_type: isImage(media) ? 'image' : 'file',
    mime_type: mimetype,
    media_details: isImage(media)
      ? { width, height, file: media.name, filesize: media.size, sizes: { ...sizes, full: size(media) } }
      : { filesize: media.size },
    post: null,
    source_url: media.url,
  }
}
