import type { Notes } from '../../../services/import/notes.js'
import type { ImportedFile } from '../../../services/import/site.js'
import { memberOf, memberText } from '../../imports.js'
import type { SanityAsset, SanityExport } from './export.js'
import { assetAt, assetOf, contentOf, type SanityObject, typeOf } from './objects.js'

type Focus = NonNullable<ImportedFile['focus']>

interface Used {
  readonly asset: string
  alt?: string | undefined
  caption?: string | undefined
  focus?: Focus | undefined
}

const known: ReadonlySet<string> = new Set(['asset', 'alt', 'caption', 'hotspot', 'crop', 'media'])

const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1

function focusOf(image: SanityObject): Focus | undefined {
  const hotspot = memberOf(image, 'hotspot')
  const [x, y] = [memberOf(hotspot, 'x'), memberOf(hotspot, 'y')]
  return isShare(x) && isShare(y) ? { x, y } : undefined
}

const isCropped = (image: SanityObject): boolean =>
  ['top', 'bottom', 'left', 'right'].some(side => {
    const share = memberOf(memberOf(image, 'crop'), side)
    return isShare(share) && share > 0
  })

/** The files of an export, and what documents say of them. */
export class SanityFiles {
  private readonly used = new Map<string, Used>()
  private readonly places = new Map<string, string>()

  constructor(
    names: readonly string[],
    private readonly content: Pick<SanityExport, 'assets' | 'folder'>,
    private readonly notes: Notes,
  ) {
    const own = names.filter(name => name.startsWith(content.folder)).sort()
    for (const name of own) {
      const [, kind] = /^(image|file)s\/[^/]+$/.exec(name.slice(content.folder.length)) ?? []
      if (kind) this.places.set(assetAt(kind, name), name)
    }
    for (const asset of [...this.places.keys(), ...content.assets.keys()])
      if (this.isThere(asset)) this.used.set(asset, { asset })
  }

  private factsOf(asset: string): SanityAsset | undefined {
    const { assets } = this.content
    return assets.get(asset) ?? assets.get(/^(?:image|file)-[0-9a-f]{40}/.exec(asset)?.[0] ?? '')
  }

  private urlOf(asset: string): string | undefined {
    const url = /^(?:image|file)@(.+)$/.exec(asset)?.[1] ?? this.content.assets.get(asset)?.url
    return url !== undefined && /^https?:/i.test(url) ? url : undefined
  }

  private readonly isThere = (asset: string): boolean =>
    this.places.has(asset) || this.urlOf(asset) !== undefined

  /**
   * The key of the file that an image or file names, of which the first use says what it is.
   * @param place what notes call it, such as `post.cover`
   * @param keepsWords whether the use keeps what it says of the file itself
   * @returns undefined where the export does not have it
   */
  use(image: SanityObject, place: string, keepsWords: boolean): string | undefined {
    const asset = assetOf(image)
    if (asset === undefined) {
      if (memberText(image, 'alt') || memberText(image, 'caption'))
        this.notes.add('Images and files without an asset are left out, with their texts', place)
      return undefined
    }
    if (!this.isThere(asset)) {
      this.notes.add('Files that the export does not have are left out', place)
      return undefined
    }
    const file = this.used.get(asset) ?? { asset }
    this.used.set(asset, file)
    if (!keepsWords) this.describe(file, image, place)
    return asset
  }

  private describe(file: Used, image: SanityObject, place: string): void {
    const { notes } = this
    const alt = memberText(image, 'alt')
    file.alt ??= alt
    if (alt !== undefined && alt !== file.alt)
      notes.add('A file has one alt text, that of its first use; others are left out', place)
    const caption = memberText(image, 'caption')
    file.caption ??= caption
    if (caption !== undefined) notes.add('Captions belong to files, not to each use of a file', place)
    const focus = focusOf(image)
    file.focus ??= focus
    if (focus && file.focus && (focus.x !== file.focus.x || focus.y !== file.focus.y))
      notes.add('An image has one focal point, that of its first use; others are left out', place)
    if (isCropped(image)) notes.add('Crops of images are left out', place)
    for (const [name] of contentOf(image))
      if (!known.has(name))
        notes.add('Other members of images and files are left out', `${place}.${name.slice(0, 100)}`)
    const type = typeOf(image)
    if (type !== undefined && type !== 'image' && type !== 'file')
      notes.add('Images and files of custom types are returned as image and file', `${place}: ${type}`)
  }

  get files(): ImportedFile[] {
    return [...this.used.values()].map(({ asset, alt, caption, focus }) => {
      const facts = this.factsOf(asset)
      const at = this.places.get(asset)
      const plain = asset.replace(/^(?:image|file)[-@]/, '').replace(/-([a-z0-9]+)$/, '.$1')
      const name = (facts?.originalFilename || plain).split(/[\\/]/).at(-1) || plain
      return {
        ...{ key: asset, name },
        // That of a file from elsewhere is its address.
        ...(/^(?:image|file)-/.test(asset) ? { ids: [{ kind: 'document', id: asset }] } : {}),
        ...{ alt: alt ?? facts?.altText, caption: facts?.description ?? caption },
        ...(at === undefined ? { url: this.urlOf(asset) } : { at }),
        focus,
      }
    })
  }
}
