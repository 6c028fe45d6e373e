import type { Actor } from '../../actor.js'
import { HttpError } from '../../errors.js'
import type { Losses } from './losses.js'
import { batchesOf } from './records.js'
import type { ImportedEntry } from './site.js'
import type { ImportState, NewState, Sources } from './states.js'
import type { TreeImport } from './store-trees.js'
import type { RootToStore } from './tree-to-store.js'
import { withoutValue } from './without-value.js'

/** A record that an update leaves as it is, for a person to look at. */
export interface LeftRecord {
  /** Such as `post:17`, as the other system's reader names it. */
  readonly record: string
  /** The entry or media item here. */
  readonly id: string
  readonly why: 'changed on both sides' | 'deleted here' | 'deleted there' | 'refused' | 'unknown'
  readonly reason?: string
}

/** The result of an update, apart from new records. */
export interface Changes {
  readonly updated: number
  readonly deleted: number
  readonly left: readonly LeftRecord[]
}

/** How an import treats records that are here. */
export interface UpdateHow {
  /** Whether the export has all records of its source, so that others were deleted there. */
  readonly isWhole: boolean
  /** Whether records that were deleted there are deleted here. */
  readonly deletes: boolean
}

/** Most records that are listed one by one. */
const mostLeft = 10_000
const batchSize = 500
/** Most values of a tree that are left out before its update is given up. */
const mostLeftOut = 100
/** A source that suddenly lacks more than half of many records is rather broken than emptied. */
const [manyRecords, mostGone] = [20, 0.5]

interface UpdateSettings {
  readonly sources: Sources
  readonly how: UpdateHow
  readonly losses: Losses
  readonly ids: ReadonlyMap<string, string>
  media(key: string): string | undefined
  treeOf(entry: ImportedEntry): RootToStore
  isKnown(key: string): boolean
}

/** Times are stored to the millisecond, and some systems keep seconds. */
const isSameTime = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && Math.abs(Date.parse(a) - Date.parse(b)) < 1000

/** Updates the entries that only the other system has changed since the last import. */
export class EntryUpdater {
  private updated = 0
  private deleted = 0
  private readonly left: LeftRecord[] = []

  constructor(
    private readonly imports: TreeImport,
    private readonly actor: Actor,
    private readonly settings: UpdateSettings,
  ) {}

  /** Which of the records the import has stored before, and nobody has here any more. */
  async deletedHere(entries: Iterable<ImportedEntry>): Promise<ReadonlySet<string>> {
    const { sources, isKnown } = this.settings
    const gone = new Set<string>()
    for (const some of batchesOf(unknown(entries, isKnown), batchSize)) {
      const states = await this.imports.states(some.map(({ key }) => sources.key('entry', key)))
      for (const entry of some) {
        const state = states.get(sources.key('entry', entry.key))
        if (!state) continue
        gone.add(entry.key)
        if (state.source_hash !== this.stateOf(entry).source_hash)
          this.leave({ record: entry.key, id: state.record_id, why: 'deleted here' })
      }
    }
    return gone
  }

  /** @param entries those that are here */
  async update(entries: Iterable<ImportedEntry>): Promise<void> {
    const { sources } = this.settings
    for (const some of batchesOf(entries, batchSize)) {
      const keys = some.map(({ key }) => sources.key('entry', key))
      const states = await this.imports.states(keys)
      const adopted: ImportState[] = []
      for (const entry of some) {
        const next = this.stateOf(entry)
        const state = states.get(next.state_key)
        const isSame = state?.source_hash === next.source_hash
        if (state && isElsewhere(state, sources))
          this.leave({
            ...{ record: entry.key, id: state.record_id, why: 'unknown' },
            reason: `it is from ${state.source}`,
          })
        else if (!state) adopted.push(...(await this.adopted(entry, next)))
        else if (!isSame) await this.take(entry, state)
        else if (sources.source !== null && state.source !== sources.source)
          adopted.push({ ...state, source: sources.source })
      }
      if (adopted.length > 0) await this.imports.keepStates(this.actor, adopted)
    }
  }

  /** Finds records that were followed at this address and are not there any more. */
  async deletedThere(entries: Iterable<ImportedEntry>): Promise<void> {
    const { sources, how } = this.settings
    if (!how.isWhole || sources.source === null) return
    const there = new Set<string>()
    for (const { key } of entries) there.add(sources.key('entry', key))
    const gone: ImportState[] = []
    let all = 0
    for await (const rows of this.imports.statesAt(sources)) {
      const states = rows.filter(({ record_key }) => record_key.startsWith('entry '))
      all += states.length
      gone.push(...states.filter(({ state_key }) => !there.has(state_key)))
    }
    const here = await this.imports.known(gone.map(({ record_id }) => record_id))
    const isSuspect = all >= manyRecords && gone.length > mostGone * all
    for (const state of gone) await this.takeDeletion(state, here.has(state.record_id), isSuspect)
  }

  private async takeDeletion(state: ImportState, isHere: boolean, isSuspect: boolean): Promise<void> {
    const { record_id: id, own_hash, state_key } = state
    const mayDelete = this.settings.how.deletes && !isSuspect
    const isRemoved = isHere && mayDelete && (await this.imports.remove(this.actor, id, own_hash ?? ''))
    if (isRemoved) this.deleted++
    if (isRemoved || !isHere) await this.imports.dropStates(this.actor, [state_key])
    else this.leave({ record: named(state), id, why: 'deleted there', ...reasonOf(isSuspect) })
  }

  get changes(): Changes {
    return { updated: this.updated, deleted: this.deleted, left: this.left }
  }

  private stateOf(entry: ImportedEntry): NewState {
    return this.settings.sources.entry(entry, this.settings.media)
  }

  private leave(one: LeftRecord): void {
    if (this.left.length < mostLeft) this.left.push(one)
  }

  /** The state of an entry that an import before states made, if its time says that nobody has changed it since. */
  private async adopted(entry: ImportedEntry, next: NewState): Promise<ImportState[]> {
    const id = this.settings.ids.get(entry.key) ?? ''
    const stored = (await this.imports.readBack([id])).get(id)
    const own_hash = (await this.imports.hashes([id])).get(id) ?? null
    if (own_hash !== null && isSameTime(stored?.changedAt, entry.changedAt))
      return [{ ...next, record_id: id, own_hash }]
    this.leave({ record: entry.key, id, why: 'unknown', reason: 'imported before its state was kept' })
    return []
  }

  private async take(entry: ImportedEntry, { own_hash }: ImportState): Promise<void> {
    const { losses, treeOf } = this.settings
    let tree = treeOf(entry)
    const id = tree.content_data_id
    for (let attempt = 0; ; attempt++)
      try {
        if (await this.imports.update(this.actor, tree, own_hash ?? '')) this.updated++
        else this.leave({ record: entry.key, id, why: 'changed on both sides' })
        return
      } catch (error) {
        if (!(error instanceof HttpError) || ![400, 404, 409].includes(error.status)) throw error
        const without = attempt < mostLeftOut ? withoutRefused(tree, error) : undefined
        if (!without) {
          this.leave({ record: entry.key, id, why: 'refused', reason: error.message })
          return
        }
        const why = 'Values are left out, because they do not fit their fields'
        losses.add([entry.key], why, `${entry.type} ${entry.key}: ${error.message}`)
        tree = without
      }
  }
}

function* unknown(
  entries: Iterable<ImportedEntry>,
  isKnown: (key: string) => boolean,
): Generator<ImportedEntry> {
  for (const entry of entries) if (!isKnown(entry.key)) yield entry
}

/** Whether a record is from another site of the same system, whose ids may be the same. */
function isElsewhere({ source: known }: ImportState, { source }: Sources): boolean {
  const site = (text: string) => text.split('#')[0]
  return known !== null && source !== null && site(known) !== site(source)
}

const named = ({ record_key }: ImportState): string => record_key.replace(/^entry /, '')

const reasonOf = (isSuspect: boolean): Pick<LeftRecord, 'reason'> =>
  isSuspect ? { reason: 'more than half of all records are gone' } : {}

/** The tree without the values that a refusal names; undefined if it names something else. */
function withoutRefused(tree: RootToStore, error: HttpError): RootToStore | undefined {
  const problems = error.errors ?? [{ error: error.message, member: error.member ?? '' }]
  if (problems.some(one => 'content_data_id' in one)) return undefined
  let kept: readonly RootToStore[] = [tree]
  for (const { member } of problems) {
    const next = withoutValue(kept, `0.${member}`)
    if (!next) return undefined
    kept = next
  }
  return kept[0]
}
