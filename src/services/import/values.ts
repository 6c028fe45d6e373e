import { assetName } from '../../systems/sanity/write/media.js'
import type { Values } from '../content/content-input.js'
import type { MediaRecord } from '../media/record.js'
import { uriDecoded } from '../text.js'
import type { ImportedEntry, ImportedField, ImportedValue, ImportedValues } from './site.js'

/** Finds the stored records of an export by their keys in it. */
export interface Known {
  entry(key: string): string | undefined
  path(key: string): string | undefined
  file(key: string): MediaRecord | undefined
  missing(kind: 'entry' | 'file', key: string): void
}

const address = /(\s(?:href|src|poster)=")(#(?:inline-|block-)?)?import:(entry|file):([^"]*)"/g
const picture = /<img\b[^>]*\ssrc="import:file:([^"]*)"[^>]*>/g

/** The address of a record here: of an entry its page or, behind `#`, its id. */
function addressOf(kind: string, key: string, mark: string, known: Known): string | undefined {
  if (kind === 'file') return known.file(key)?.url
  if (mark === '') return known.path(key)
  const id = known.entry(key)
  return id && `${mark}${id}`
}

/** The id here of a record, as references of Sanity have it. */
function idOf(kind: 'entry' | 'file', key: string, known: Known): string | undefined {
  const file = kind === 'file' ? known.file(key) : undefined
  const id = kind === 'file' ? file && assetName(file).id : known.entry(key)
  if (id === undefined) known.missing(kind, key)
  return id
}

/** Puts addresses of this site in place of keys. A picture that is not there goes, of a link its text stays. */
function linked(html: string, known: Known): string {
  const named = html.replaceAll(ownReference, (_, kind: 'entry' | 'file', key: string) => {
    const id = idOf(kind, uriDecoded(key), known)
    return id === undefined ? 'null' : `&quot;${id}&quot;`
  })
  const shown = named.replaceAll(picture, (tag, key: string) => (known.file(uriDecoded(key)) ? tag : ''))
  return shown.replaceAll(address, (_, name: string, mark: string | undefined, kind: string, key: string) => {
    const to = addressOf(kind, uriDecoded(key), mark ?? '', known)
    return to === undefined ? '' : `${name}${to.replaceAll('&', '&amp;').replaceAll('"', '%22')}"`
  })
}

const ownReference = /&quot;import:(entry|file):([^&"]*)&quot;/g
const reference = /^import:(entry|file):(.+)$/

/** JSON in which a text that is all `import:entry:` or `import:file:` and a key is what Sanity's `_ref` is here. */
function jsonOf(value: unknown, known: Known): string {
  return JSON.stringify(value, (_, part: unknown) => {
    const [, kind, given = ''] = (typeof part === 'string' && reference.exec(part)) || []
    if (kind !== 'entry' && kind !== 'file') return part
    return idOf(kind, uriDecoded(given), known) ?? null
  })
}

/** An entry and all under it, without recursion. */
export function withChildren(entry: ImportedEntry): ImportedEntry[] {
  const all = [entry]
  for (const one of all) all.push(...(one.children ?? []))
  return all
}

const one = (ids: readonly string[], field: ImportedField | undefined): string | readonly string[] | null =>
  field?.data?.cardinality === 'many' ? ids : (ids[0] ?? null)

function found(kind: 'entry' | 'file', keys: readonly string[], known: Known): string[] {
  return keys.flatMap(key => {
    const id = kind === 'entry' ? known.entry(key) : known.file(key)?.media_id
    if (id === undefined) known.missing(kind, key)
    return id ?? []
  })
}

function resolved(value: ImportedValue, field: ImportedField | undefined, known: Known): unknown {
  if ('html' in value) return linked(value.html, known)
  if ('entries' in value) return one(found('entry', value.entries, known), field)
  if ('files' in value) return one(found('file', value.files, known), field)
  return field?.type === 'json' && value.value !== null ? jsonOf(value.value, known) : value.value
}

/** Returns values as `POST /content` takes them, without empty ones. */
export function valuesOf(
  values: ImportedValues,
  fields: ReadonlyMap<string, ImportedField>,
  known: Known,
): Values {
  const made = Object.entries(values).flatMap(([name, value]) => {
    const shown = resolved(value, fields.get(name), known)
    return shown === null || shown === undefined ? [] : [[name, shown] as const]
  })
  return Object.fromEntries(made) as Values
}
