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

const noType = 'its datatype is missing'

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
      const size = shown ? sizeShown(entry, shown.members, { types: root.types, locale }) : noSize
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

const mostCharacters = 200
const ofTexts = (aspect: Aspect, before: string, after: string | null | undefined): Compared => ({
  ...{ aspect, before: before.slice(0, mostCharacters), after: after?.slice(0, mostCharacters) ?? null },
  isEqual: plain(before) === plain(after ?? ''),
})

/** A page that the export shows from a time on is scheduled here until then. */
const isAsThere = (entry: ImportedEntry, stored: StoredEntry | undefined): boolean =>
  entry.publishAt !== undefined && stored?.publishAt != null

function ofState(entry: ImportedEntry, stored: StoredEntry | undefined): Compared[] {
  const there = entry.isPublished ? 'published' : 'draft'
  const here = stored?.status === 'published' ? 'published' : 'draft'
  const found = [ofTexts('states', there, isAsThere(entry, stored) ? there : here)]
  if (entry.page) found.push(ofTexts('addresses', entry.page.path, stored?.slug))
  return found
}

type Times = Pick<ShownRecord, 'createdAt' | 'changedAt' | 'publishedAt'>

const ofTimes = (entry: ImportedEntry, shown: Times): Compared[] =>
  (['createdAt', 'changedAt', 'publishedAt'] as const).flatMap(name => {
    const [before, after] = [entry[name], shown[name]]
    if (before === undefined || after === undefined || entry.isUndated) return []
    return { aspect: 'times', before: `${name} ${before}`, after, isEqual: isSameTime(before, after) }
  })

function ofSizes(entry: ImportedEntry, size: Size): Compared[] {
  if (!entry.source) return []
  const before = sizeBefore(entry)
  return (['words', 'pictures', 'links'] as const).map(aspect => ({
    ...{ aspect, before: before[aspect], after: size[aspect] },
    isEqual: before[aspect] === size[aspect],
  }))
}

/** Compares an entry of an export with its stored state and with the answer of the root. */
export function comparisonsOf(
  system: string,
  entry: ImportedEntry,
  { stored, shown, size }: { stored: StoredEntry | undefined; shown: ShownRecord; size: Size },
): Compared[] {
  const expected = expectedOf(system, entry)
  const texts = (['title', 'slug'] as const).flatMap(aspect => {
    const before = expected[aspect]
    return before === undefined ? [] : ofTexts(aspect, before, shown[aspect])
  })
  return [
    ofTexts('ids', idOf(entry) ?? '', shown.id),
    ...ofState(entry, stored),
    ...ofTimes(entry, shown),
    ...texts,
    ...ofSizes(entry, size),
  ]
}

/** Compares an entry with its stored state alone: its system has no root that could be asked. */
export const storedComparisonsOf = (entry: ImportedEntry, stored: StoredEntry): Compared[] => [
  ...ofState(entry, stored),
  ...ofTimes(entry, { ...stored, publishedAt: stored.publishedAt ?? undefined }),
  ...ofSizes(entry, stored.size),
]
