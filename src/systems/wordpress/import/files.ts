import type { ImportedFile } from '../../../services/import/site.js'
import { uriDecoded } from '../../../services/text.js'
import type { WordpressItem } from './export.js'
import { oneLine, plainText } from './html.js'
import type { LibraryPicture } from './shortcodes.js'

export const fileKey = (id: number): string => `attachment:${id}`

const altOf = ({ metas }: ReturnType<WordpressItem['texts']>): string =>
  metas.get('_wp_attachment_image_alt')?.[0] ?? ''

/** An attachment as a gallery shows it. */
export const pictureOf = (item: WordpressItem): LibraryPicture => {
  const texts = item.texts()
  return { address: item.url, alt: altOf(texts), caption: texts.excerpt }
}

function inUploads(path: string): string | undefined {
  const [, rest] = /(?:^|\/)uploads\/(.+)$/.exec(path) ?? []
  return rest
}

/**
 * The attachments as files to import, with their bytes if they are beside the export.
 * @param attachments with addresses that can be parsed
 * @param names of files beside the export
 */
export function importedFiles(
  attachments: Iterable<WordpressItem>,
  names: readonly string[],
): ImportedFile[] {
  const uploads = new Map(
    names.flatMap(name => {
      const path = inUploads(name)
      return path === undefined ? [] : [[path, name] as const]
    }),
  )
  return Array.from(attachments, item => {
    const { url, title } = item
    const texts = item.texts()
    const path = uriDecoded(new URL(url).pathname)
    const at = uploads.get(inUploads(path) ?? '')
    const alt = altOf(texts)
    const [named, caption] = [oneLine(title), plainText(texts.excerpt)]
    return {
      ...{ key: fileKey(item.id), ids: [{ kind: 'post', id: String(item.id) }] },
      ...{ name: path.slice(path.lastIndexOf('/') + 1) || named, url },
      ...(named === '' ? {} : { title: named }),
      ...(at === undefined ? {} : { at }),
      ...(alt === '' ? {} : { alt }),
      ...(caption === '' ? {} : { caption }),
    }
  })
}
