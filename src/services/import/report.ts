import type { SourceId } from '../content/source-ids.js'
import type { MediaRecord } from '../media/record.js'
import type { Losses } from './losses.js'
import type { StoredEntry } from './read-back.js'
import type { ImportedEntry, ImportedFile, ImportedSite } from './site.js'
import { noSize, type Size, sumOf } from './size.js'
import type { TreeImport } from './store-trees.js'
import { withChildren } from './values.js'

/** The results of an import so far. */
export interface Moved {
  readonly site: ImportedSite
  /** Of entries here, by their keys. */
  readonly ids: ReadonlyMap<string, string>
  readonly losses: Losses
  readonly files: { readonly byKey: ReadonlyMap<string, MediaRecord> }
  /** Whether it was here before this import. */
  isKnown(key: string): boolean
}

interface Compared {
  readonly before: number
  readonly after: number
}

/** One record of the export in the report. */
export interface ReportRow {
  readonly kind: 'entry' | 'file' | 'unread'
  /** The datatype of an entry. */
  readonly type?: string
  /** Its id there; of a record that cannot be read its place. */
  readonly source_id: string
  /** Its id here. */
  readonly id: string | null
  readonly old_address: string | null
  readonly address: string | null
  readonly state: 'published' | 'draft' | 'scheduled' | 'stored' | 'left_out'
  /** Whether it was here before this import. */
  readonly known?: boolean
  readonly words?: Compared
  readonly pictures?: Compared
  readonly links?: Compared
  readonly left_out: readonly string[]
}

/** Whether somebody should look at the record. */
export const isProblem = ({ state, left_out, words, pictures, links }: ReportRow): boolean =>
  state === 'left_out' ||
  left_out.length > 0 ||
  [words, pictures, links].some(one => one !== undefined && one.after < one.before)

const aspects = ['records', 'ids', 'states', 'addresses', 'times', 'words', 'pictures', 'links'] as const
type Aspect = (typeof aspects)[number]

/** How many records are equal here and there, of how many that were compared. */
export type Verified = Readonly<Record<Aspect, { readonly equal: number; readonly of: number }>>

class Counts {
  private readonly counts = Object.fromEntries(aspects.map(name => [name, { equal: 0, of: 0 }])) as Record<
    Aspect,
    { equal: number; of: number }
  >

  count(aspect: Aspect, isEqual: boolean): void {
    const own = this.counts[aspect]
    own.of++
    if (isEqual) own.equal++
  }

  get verified(): Verified {
    return this.counts
  }
}

const batchSize = 100

/** Reads back what was stored, and says of each record how it is here. @returns how many are equal */
export async function reportOn(
  imports: TreeImport,
  moved: Moved,
  {
    system,
    report,
    progress,
  }: {
    readonly system: string
    readonly report?: ((row: ReportRow) => unknown) | undefined
    progress(doing: string, done: number, total: number): void
  },
): Promise<Verified> {
  const counts = new Counts()
  const { entries, files, unread } = moved.site
  for (const { place, reason } of unread?.named ?? []) await report?.(unreadRow(place, reason))
  for (let at = 0; at < entries.length; at += batchSize) {
    const some = entries.slice(at, at + batchSize)
    const stored = await imports.readBack(some.flatMap(({ key }) => moved.ids.get(key) ?? []))
    const sourced = await imports.sourced(
      system,
      some.flatMap(({ ids = [] }) => ids),
    )
    for (const entry of some) {
      const found = stored.get(moved.ids.get(entry.key) ?? '')
      compare(counts, entry, found, id => sourced.get(id)?.content_data_id)
      await report?.(entryRow(entry, found, moved))
    }
    progress('checked', at + some.length, entries.length)
  }
  for (const file of files) await report?.(fileRow(file, moved.files.byKey.get(file.key)))
  return counts.verified
}

const unreadRow = (place: string, reason: string): ReportRow => ({
  ...{ kind: 'unread', source_id: place, id: null, old_address: null, address: null, state: 'left_out' },
  left_out: [reason],
})

const nameOf = ({ key, ids }: { readonly key: string; readonly ids?: readonly SourceId[] | undefined }) =>
  ids?.[0]?.id ?? key

const sizeBefore = (entry: ImportedEntry): Size =>
  sumOf(withChildren(entry).map(({ source }) => source?.size ?? noSize))

function stateOf({ status, publishAt }: StoredEntry): ReportRow['state'] {
  if (status === 'published') return 'published'
  return publishAt === null ? 'draft' : 'scheduled'
}

function entryRow(entry: ImportedEntry, found: StoredEntry | undefined, moved: Moved): ReportRow {
  const [before, after] = [sizeBefore(entry), found?.size ?? noSize]
  const sizes = (name: keyof Size): Compared => ({ before: before[name], after: after[name] })
  return {
    ...{ kind: 'entry', type: entry.type, source_id: nameOf(entry), id: found?.content_data_id ?? null },
    ...{ old_address: entry.source?.address ?? null, address: found?.slug ?? null },
    ...{ state: found ? stateOf(found) : 'left_out', known: moved.isKnown(entry.key) },
    ...{ words: sizes('words'), pictures: sizes('pictures'), links: sizes('links') },
    left_out: moved.losses.of(entry.key),
  }
}

const fileRow = (file: ImportedFile, media: MediaRecord | undefined): ReportRow => ({
  ...{ kind: 'file', source_id: nameOf(file), id: media?.media_id ?? null },
  ...{ old_address: file.url ?? file.at ?? null, address: media?.url ?? null },
  ...{ state: media ? 'stored' : 'left_out', left_out: [] },
})

/** Times are compared to the second: some databases keep no more of them. */
const isSameTime = (there: string, here: string): boolean => {
  const time = Date.parse(there)
  return Number.isFinite(time) && Math.abs(time - Date.parse(here)) < 1000
}

function compare(
  counts: Counts,
  entry: ImportedEntry,
  found: StoredEntry | undefined,
  idOf: (id: SourceId) => string | null | undefined,
): void {
  counts.count('records', found !== undefined)
  if (!found) return
  const { ids = [], page, isPublished, changedAt, source } = entry
  if (ids.length > 0)
    counts.count(
      'ids',
      ids.every(id => idOf(id) === found.content_data_id),
    )
  counts.count('states', isPublished === (found.status === 'published'))
  if (page) counts.count('addresses', page.path === found.slug)
  if (changedAt !== undefined) counts.count('times', isSameTime(changedAt, found.changedAt))
  if (!source) return
  const before = sizeBefore(entry)
  for (const name of ['words', 'pictures', 'links'] as const)
    counts.count(name, before[name] === found.size[name])
}
