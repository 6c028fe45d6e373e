import type { Notes } from '../../../services/import/notes.js'
import type { ExportFiles, ImportedFile } from '../../../services/import/site.js'
import { uriDecoded } from '../../../services/text.js'
import { memberText } from '../../imports.js'
import { type ContentfulRecord, isPublished } from './export.js'

/** Facts about a file beside its bytes. */
export interface FileFacts {
  readonly title: string
  readonly alt: string
  readonly mediaType: string
}

interface Files {
  readonly files: readonly ImportedFile[]
  readonly facts: ReadonlyMap<string, FileFacts>
}

interface Place {
  readonly folder: string
  readonly names: ExportFiles['names']
  readonly defaultLocale: string
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function shownValue(record: ContentfulRecord, name: string, locale: string): unknown {
  const values = Object.hasOwn(record.fields, name) ? record.fields[name] : undefined
  return values && (Object.hasOwn(values, locale) ? values[locale] : Object.values(values)[0])
}

function addressOf(url: string): URL | undefined {
  const whole = url.startsWith('//') ? `https:${url}` : url
  const address = URL.canParse(whole) ? new URL(whole) : undefined
  return address && /^https?:$/.test(address.protocol) ? address : undefined
}

const isLocalized = ({ fields }: ContentfulRecord): boolean =>
  Object.values(fields).some(values => Object.keys(values).length > 1)

/** The files of an export: what `--download-assets` has put beside it, or else where they are. */
export function importedFiles(assets: Iterable<ContentfulRecord>, place: Place, notes: Notes): Files {
  const names = new Set(place.names)
  const files: ImportedFile[] = []
  const facts = new Map<string, FileFacts>()
  for (const asset of assets) {
    const key = asset.sys.id
    const of = (name: string) => shownValue(asset, name, place.defaultLocale)
    const file = of('file')
    const address = addressOf(memberText(file, 'url') ?? '')
    if (!address) {
      notes.add('Assets without a file are left out', key)
      continue
    }
    const title = text(of('title'))
    const alt = text(of('description')) || title
    const at = `${place.folder}${address.host}${uriDecoded(address.pathname)}`
    const isHere = names.has(at)
    if (!isHere && address.host.includes('.secure.'))
      notes.add('Files with protected addresses must be in the export', key)
    if (!isPublished(asset)) notes.add('Unpublished files are public wherever they are used', key)
    if (isLocalized(asset)) notes.add('Files and their texts are imported in the default locale only', key)
    const name = memberText(file, 'fileName') || uriDecoded(address.pathname).split('/').at(-1) || key
    const where = isHere ? { at } : { url: address.href }
    files.push({
      key,
      ids: [{ kind: 'Asset', id: key }],
      name,
      ...(title && { title }),
      ...(alt && { alt }),
      ...where,
    })
    facts.set(key, { title: title || name, alt, mediaType: memberText(file, 'contentType') ?? '' })
  }
  return { files, facts }
}
