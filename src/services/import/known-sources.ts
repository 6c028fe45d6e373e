import type { Actor } from '../../actor.js'
import { type NewSourceId, type SourcedRecord, type SourceId, sourceKey } from '../content/source-ids.js'
import type { MediaRecord } from '../media/record.js'
import type { Notes } from './notes.js'
import { batchesOf } from './records.js'
import type { ImportedEntry, ImportedFile, SiteRecords } from './site.js'
import type { TreeImport } from './store-trees.js'

const batchSize = 500

type Sourced = Pick<ImportedEntry | ImportedFile, 'key' | 'ids'>

/** The ids that records of an export have in their system, and which of them records here have already. */
export class KnownSources {
  private readonly taken = new Set<string>()

  private constructor(
    private readonly imports: TreeImport,
    private readonly system: string,
    private readonly records: ReadonlyMap<string, SourcedRecord>,
    private readonly notes: Notes,
  ) {}

  static async of(
    imports: TreeImport,
    system: string,
    { entries, files }: Pick<SiteRecords, 'entries' | 'files'>,
    notes: Notes,
  ): Promise<KnownSources> {
    const records = new Map<string, SourcedRecord>()
    for (const list of [entries, files])
      for (const some of batchesOf<Sourced>(list, batchSize)) {
        const ids = some.flatMap(one => one.ids ?? [])
        for (const [id, record] of await imports.sourced(system, ids))
          records.set(sourceKey(system, id), record)
      }
    return new KnownSources(imports, system, records, notes)
  }

  private keysOf({ ids = [] }: Sourced): string[] {
    return [...new Set(ids.map((id: SourceId) => sourceKey(this.system, id)))]
  }

  entryOf(entry: Sourced): string | undefined {
    return this.keysOf(entry).flatMap(key => this.records.get(key)?.content_data_id ?? [])[0]
  }

  take(one: Sourced): readonly string[] {
    const free = this.keysOf(one).filter(key => {
      const isFree = !this.records.has(key) && !this.taken.has(key)
      if (!isFree) this.notes.add('Ids that another record already has are left out', key)
      return isFree
    })
    for (const key of free) this.taken.add(key)
    return free
  }

  async keepFiles(
    actor: Actor,
    files: readonly ImportedFile[],
    byKey: ReadonlyMap<string, MediaRecord>,
  ): Promise<void> {
    const rows = files.flatMap(file => {
      const media_id = byKey.get(file.key)?.media_id
      return media_id === undefined ? [] : this.missing(file, { media_id })
    })
    await this.keep(actor, rows)
  }

  async keepEntries(
    actor: Actor,
    entries: Iterable<ImportedEntry>,
    idHere: (key: string) => string | undefined,
  ): Promise<void> {
    const rows: NewSourceId[] = []
    for (const entry of entries) {
      const content_data_id = idHere(entry.key)
      if (content_data_id !== undefined) rows.push(...this.missing(entry, { content_data_id }))
    }
    await this.keep(actor, rows)
  }

  /**
   * Drops ids that entries had when they were read before and do not have any more. Strapi gives a published document
   * a new number with each publication.
   */
  async dropFormer(
    actor: Actor,
    entries: Iterable<ImportedEntry>,
    idHere: (key: string) => string | undefined,
  ): Promise<void> {
    for (const some of batchesOf(entries, batchSize)) {
      const known = await this.imports.sourceIdsOf(
        this.system,
        some.flatMap(({ key }) => idHere(key) ?? []),
      )
      const former = some.flatMap(({ key, ids = [] }) => {
        const now = new Set(ids.map(id => sourceKey(this.system, id)))
        const kinds = new Set(ids.map(({ kind }) => kind))
        return (known.get(idHere(key) ?? '') ?? [])
          .filter(({ kind }) => kinds.has(kind))
          .map(id => sourceKey(this.system, id))
          .filter(own => !now.has(own))
      })
      if (former.length > 0) await this.imports.forget(actor, former)
    }
  }

  private missing(one: Sourced, record: SourcedRecord): NewSourceId[] {
    const id = record.content_data_id ?? record.media_id
    const isOwn = (key: string): boolean => {
      const known = this.records.get(key)
      return known !== undefined && (known.content_data_id ?? known.media_id) === id
    }
    if (this.keysOf(one).every(isOwn)) return []
    return this.take({
      ...one,
      ids: (one.ids ?? []).filter(given => !isOwn(sourceKey(this.system, given))),
    }).map(source_key => ({ ...record, source_key }))
  }

  private async keep(actor: Actor, rows: readonly NewSourceId[]): Promise<void> {
    for (let at = 0; at < rows.length; at += batchSize)
      await this.imports.keep(actor, rows.slice(at, at + batchSize))
  }
}
