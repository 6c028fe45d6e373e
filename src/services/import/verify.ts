import type { SourceId } from '../content/source-ids.js'
import type { StoredEntry } from './read-back.js'
import type { ShownRecord, ShownType, SiteRoot } from './shown.js'
import { sizeShown } from './shown.js'
import type { ImportedEntry } from './site.js'
import { noSize, type Size, sumOf } from './size.js'
import { withChildren } from './values.js'

/** An entry as its root shows it now. */
export interface SeenEntry {
  /** Undefined where the root does not show it. */
  readonly shown: ShownRecord | undefined
  readonly size: Size
  /** Why it could not be asked for, or is not shown. */
  readonly reason?: string | undefined
}

export const idOf = ({ ids }: { readonly ids?: readonly SourceId[] | undefined }): string | undefined =>
  ids?.[0]?.id

export const sizeBefore = (entry: ImportedEntry): Size =>
  sumOf(withChildren(entry).map(({ source }) => source?.size ?? noSize))

const noType = 'its datatype is not there'

/** Groups entries that one question can be about. */
function groupsOf(entries: readonly ImportedEntry[]): ImportedEntry[][] {
  const groups = new Map<string, ImportedEntry[]>()
  for (const entry of entries) {
    const key = `${entry.isPublished} ${entry.type} ${entry.ids?.[0]?.kind ?? ''}`
    const group = groups.get(key)
    if (group) group.push(entry)
    else groups.set(key, [entry])
  }
  return [...groups.values()]
}

const messageIn = (body: unknown): string => JSON.stringify(body)?.slice(0, 200) ?? ''

/**
 * Asks the root of the other system for entries, as a front end does: published ones as anybody, if everybody may read
 * them, and all others with a key.
 * @param locales the locales of the site beside the default one
 * @returns what is shown of each, by its key
 */
export async function seenEntries(
  root: SiteRoot,
  entries: readonly ImportedEntry[],
  locales: readonly string[],
): Promise<ReadonlyMap<string, SeenEntry>> {
  const seen = new Map<string, SeenEntry>()
  for (const group of groupsOf(entries.filter(entry => idOf(entry) !== undefined))) {
    const type = root.types.get(group[0]?.type ?? '')
    if (type) await seeGroup(root, type, group, { seen, locales })
    else for (const { key } of group) seen.set(key, { shown: undefined, size: noSize, reason: noType })
  }
  return seen
}

async function seeGroup(
  root: SiteRoot,
  type: ShownType,
  group: readonly ImportedEntry[],
  { seen, locales }: { readonly seen: Map<string, SeenEntry>; readonly locales: readonly string[] },
): Promise<void> {
  for (const { path, entries, locale, needsKey, recordsIn } of root.questions(type, group, locales)) {
    const { status, body } = await root.ask(path, needsKey)
    const records = new Map((status === 200 ? recordsIn(body) : []).map(one => [one.id, one]))
    for (const entry of entries) {
      const shown = records.get(idOf(entry) ?? '')
      const known = seen.get(entry.key)
      const size = shown ? sizeShown(entry, shown.members, { children: type.children, locale }) : noSize
      const reason = status === 200 ? undefined : `HTTP ${status} ${messageIn(body)}`
      if (known) seen.set(entry.key, { ...known, size: sumOf([known.size, size]) })
      else seen.set(entry.key, { shown, size, ...(reason === undefined ? {} : { reason }) })
    }
  }
}

/** Times are compared to the second: WordPress and some databases keep no more of them. */
const isSameTime = (there: string, here: string): boolean => {
  const time = Date.parse(there)
  return Number.isFinite(time) && Math.abs(time - Date.parse(here)) < 1000
}

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

function textValue({ values }: ImportedEntry, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value && 'value' in value && typeof value.value === 'string') return value.value
  }
  return undefined
}

/** The last part of an address, as WordPress calls it. */
const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1) || 'home'

function expectedOf(system: string, entry: ImportedEntry) {
  const { page } = entry
  const slug = page && system === 'wordpress' ? lastOf(page.path) : textValue(entry, ['slug'])
  return { title: textValue(entry, ['title', 'name', 'label']) ?? page?.title, slug }
}

export type Aspect =
  | 'ids'
  | 'states'
  | 'addresses'
  | 'times'
  | 'title'
  | 'slug'
  | 'words'
  | 'pictures'
  | 'links'

/** A part of a record, in the export and here. */
export interface Compared {
  readonly aspect: Aspect
  readonly before: string | number
  readonly after: string | number | null
  readonly isEqual: boolean
}

const most = 200
const ofTexts = (aspect: Aspect, before: string, after: string | null | undefined): Compared => ({
  ...{ aspect, before: before.slice(0, most), after: after?.slice(0, most) ?? null },
  isEqual: plain(before) === plain(after ?? ''),
})

/** Compares an entry of an export with its stored state and with the answer of the root. */
export function comparisonsOf(
  system: string,
  entry: ImportedEntry,
  { stored, shown, size }: { stored: StoredEntry | undefined; shown: ShownRecord; size: Size },
): Compared[] {
  const isPublished = stored?.status === 'published'
  const found: Compared[] = [
    ofTexts('ids', idOf(entry) ?? '', shown.id),
    ofTexts('states', entry.isPublished ? 'published' : 'draft', isPublished ? 'published' : 'draft'),
  ]
  if (entry.page) found.push(ofTexts('addresses', entry.page.path, stored?.slug))
  for (const name of ['createdAt', 'changedAt', 'publishedAt'] as const) {
    const [before, after] = [entry[name], shown[name]]
    if (before === undefined || after === undefined || entry.isUndated) continue
    found.push({ aspect: 'times', before: `${name} ${before}`, after, isEqual: isSameTime(before, after) })
  }
  const expected = expectedOf(system, entry)
  for (const aspect of ['title', 'slug'] as const) {
    const before = expected[aspect]
    if (before !== undefined) found.push(ofTexts(aspect, before, shown[aspect]))
  }
  if (!entry.source) return found
  const before = sizeBefore(entry)
  for (const aspect of ['words', 'pictures', 'links'] as const)
    found.push({
      ...{ aspect, before: before[aspect], after: size[aspect] },
      isEqual: before[aspect] === size[aspect],
    })
  return found
}
