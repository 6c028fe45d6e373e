import type { SourceId } from '../content/source-ids.js'
import type { MediaRecord } from '../media/record.js'
import type { Losses } from './losses.js'
import type { StoredEntry } from './read-back.js'
import { batchesOf } from './records.js'
import type { SiteRoot } from './shown.js'
import type { ImportedEntry, ImportedFile, SiteRecords } from './site.js'
import { noSize, type Size } from './size.js'
import type { TreeImport } from './store-trees.js'
import {
  type Aspect,
  type Compared as Comparison,
  comparisonsOf,
  idOf,
  type SeenEntry,
  seenEntries,
  sizeBefore,
  storedComparisonsOf,
} from './verify.js'

/** The results of an import so far. */
export interface Moved {
  readonly site: SiteRecords
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
  /**
   * How the root of the other system shows it: `equal`, `different` or `missing`; absent if it has no id there. Without a
   * root, it is compared with the stored entry.
   */
  readonly seen?: 'equal' | 'different' | 'missing'
  /** Where the root shows something else, or why it shows nothing. */
  readonly differences?: readonly Omit<Comparison, 'isEqual'>[]
  readonly reason?: string | undefined
}

/** Whether somebody should look at the record. */
export const isProblem = ({ state, left_out, seen, words, pictures, links }: ReportRow): boolean =>
  state === 'left_out' ||
  seen === 'missing' ||
  left_out.length > 0 ||
  [words, pictures, links].some(one => one !== undefined && one.after < one.before)

/** How many were not equal are named one by one in the result; the report has all. */
const mostNamed = 50

/** The result of reading everything back, through the root of the other system if it has one. */
export interface Verified {
  readonly equal: number
  readonly different: number
  readonly missing: number
  /** Records without an id in the other system, for which a front end cannot ask. */
  readonly unasked: number
  /** For each compared aspect, how many records are equal in it, of how many that have it. */
  readonly aspects: Readonly<Partial<Record<Aspect, { readonly equal: number; readonly of: number }>>>
  /** The first that differ or are missing, in words. */
  readonly named: readonly string[]
}

/** Counts what equals the export. */
class Verification {
  private readonly counts = { equal: 0, different: 0, missing: 0, unasked: 0 }
  private readonly aspects: Partial<Record<Aspect, { equal: number; of: number }>> = {}
  private readonly named: string[] = []

  add({ type, source_id, seen, differences = [], reason }: ReportRow, compared: readonly Comparison[]): void {
    this.counts[seen ?? 'unasked']++
    const different = new Set(differences.map(one => one.aspect))
    for (const aspect of new Set(compared.map(one => one.aspect))) {
      const count = this.aspects[aspect] ?? { equal: 0, of: 0 }
      this.aspects[aspect] = count
      count.of++
      if (!different.has(aspect)) count.equal++
    }
    if (seen === undefined || seen === 'equal' || this.named.length >= mostNamed) return
    const words = differences.map(({ aspect, before, after }) => `${aspect} ${before}, here ${after}`)
    const why = seen === 'missing' ? ['missing', ...(reason === undefined ? [] : [reason])] : words
    this.named.push(`${type} ${source_id}: ${why.join('; ')}`)
  }

  get verified(): Verified {
    return { ...this.counts, aspects: this.aspects, named: this.named }
  }
}

const batchSize = 100

interface Settings {
  readonly system: string
  /** Asks the root of the other system, as front ends do. */
  readonly root?: SiteRoot | undefined
  readonly report?: ((row: ReportRow) => unknown) | undefined
  progress(doing: string, done: number, total: number): void
}

/** Reads records back and writes a row about each. @returns the numbers of equal and different ones */
export async function reportOn(
  imports: TreeImport,
  moved: Moved,
  { system, root, report, progress }: Settings,
): Promise<Verified> {
  const verification = new Verification()
  const { entries, files, unread, locales } = moved.site
  const others = locales.slice(1).map(({ code }) => code)
  for (const { place, reason } of unread?.named ?? []) await report?.(unreadRow(place, reason))
  let done = 0
  for (const some of batchesOf(entries, batchSize)) {
    const stored = await imports.readBack(some.flatMap(({ key }) => moved.ids.get(key) ?? []))
    const seen = root && (await seenEntries(root, some, others))
    for (const entry of some) {
      const found = stored.get(moved.ids.get(entry.key) ?? '')
      const one = seen?.get(entry.key)
      const compared = comparisons(system, entry, found, root ? (one ?? noAnswer) : undefined)
      const isShown = root ? one?.shown !== undefined : found !== undefined
      const isAsked = !root || one !== undefined
      const row = {
        ...entryRow(entry, found, one, moved),
        ...(isAsked ? seenIn(isShown, one?.reason, compared) : {}),
      }
      verification.add(row, compared)
      await report?.(row)
    }
    done += some.length
    progress('checked', done, entries.length)
  }
  for (const file of files) await report?.(fileRow(file, moved.files.byKey.get(file.key)))
  return verification.verified
}

const unreadRow = (place: string, reason: string): ReportRow => ({
  ...{ kind: 'unread', source_id: place, id: null, old_address: null, address: null, state: 'left_out' },
  left_out: [reason],
})

const nameOf = (one: { readonly key: string; readonly ids?: readonly SourceId[] | undefined }) =>
  idOf(one) ?? one.key

function stateOf({ status, publishAt }: StoredEntry): ReportRow['state'] {
  if (status === 'published') return 'published'
  return publishAt === null ? 'draft' : 'scheduled'
}

const noAnswer: SeenEntry = { shown: undefined, size: noSize }

/** @param seen undefined if the system has no root that could be asked */
function comparisons(
  system: string,
  entry: ImportedEntry,
  stored: StoredEntry | undefined,
  seen: SeenEntry | undefined,
): Comparison[] {
  if (!seen) return stored ? storedComparisonsOf(entry, stored) : []
  return seen.shown ? comparisonsOf(system, entry, { stored, shown: seen.shown, size: seen.size }) : []
}

/** The part of a row that says how the entry is shown. */
function seenIn(
  isShown: boolean,
  reason: string | undefined,
  compared: readonly Comparison[],
): Pick<ReportRow, 'seen' | 'differences' | 'reason'> {
  if (!isShown) return { seen: 'missing', ...(reason === undefined ? {} : { reason }) }
  const differences = compared.flatMap(({ isEqual, ...one }) => (isEqual ? [] : [one]))
  return differences.length === 0 ? { seen: 'equal' } : { seen: 'different', differences }
}

function entryRow(
  entry: ImportedEntry,
  found: StoredEntry | undefined,
  seen: SeenEntry | undefined,
  moved: Moved,
): ReportRow {
  const [before, after] = [sizeBefore(entry), (seen?.shown ? seen.size : found?.size) ?? noSize]
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
