import type { Actor } from '../../actor.js'
import type { Hashing } from '../../ports.js'
import type { MediaRecord } from '../media/record.js'
import { batchesOf } from './records.js'
import type { ImportServices } from './settings.js'
import type { ImportedFile } from './site.js'
import type { ImportState, Sources } from './states.js'
import type { LeftRecord } from './update-entries.js'

const batchSize = 500

/** A file of the export that is here, as a media item. */
interface KnownFile {
  readonly state: ImportState
  readonly item: MediaRecord
  /** Whether the other system shows the same as at the last import. */
  readonly isSame: boolean
}

/** Which files of an export are here already, as the last import has seen them. */
export class FileStates {
  private readonly left: LeftRecord[] = []
  private readonly failed = new Set<string>()

  private constructor(
    private readonly services: ImportServices,
    private readonly sources: Sources,
    private readonly files: readonly ImportedFile[],
    private readonly known: ReadonlyMap<string, KnownFile>,
    private readonly hashing: Pick<Hashing, 'sha256'>,
  ) {}

  static async of(
    services: ImportServices,
    sources: Sources,
    files: readonly ImportedFile[],
    hashing: Pick<Hashing, 'sha256'>,
  ): Promise<FileStates> {
    const found = new Map<string, KnownFile>()
    for (const some of batchesOf(files, batchSize)) {
      const next = some.map(file => ({ key: file.key, state: sources.file(file) }))
      const known = await services.space.imports.states(next.map(({ state }) => state.state_key))
      const items = await services.media.items.some([...known.values()].map(({ record_id }) => record_id))
      const byId = new Map(items.map(item => [item.media_id, item]))
      for (const { key, state } of next) {
        const before = known.get(state.state_key)
        const item = before && byId.get(before.record_id)
        if (item) found.set(key, { state: before, item, isSame: before.source_hash === state.source_hash })
      }
    }
    return new FileStates(services, sources, files, found, hashing)
  }

  /** Files that are changed on both sides, and stay as they are here. */
  get leftFiles(): readonly LeftRecord[] {
    return this.left
  }

  /** The item of a file that needs no loading: nothing has changed there, or somebody has changed its texts here. */
  settled(key: string): MediaRecord | undefined {
    const known = this.known.get(key)
    if (!known) return undefined
    const { item, state, isSame } = known
    if (isSame) return item
    if (state.own_hash === this.hashOf(item)) return undefined
    this.left.push({
      ...{ record: key, id: item.media_id },
      ...(state.own_hash === null
        ? { why: 'unknown', reason: 'imported before its state was kept' }
        : { why: 'changed on both sides' }),
    })
    return item
  }

  /** The item of a file that only the other system has changed since. */
  changedThere(key: string): MediaRecord | undefined {
    return this.known.get(key)?.item
  }

  /**
   * The item of a file that could not be loaded now: entries go on showing it as it is, and the next update tries again.
   */
  unloaded(key: string): MediaRecord | undefined {
    this.failed.add(key)
    return this.known.get(key)?.item
  }

  /** Keeps the states of files that are here now. @param isUpdate whether those of files that were here change too */
  async keep(actor: Actor, byKey: ReadonlyMap<string, MediaRecord>, isUpdate: boolean): Promise<void> {
    const left = new Set([...this.left.map(({ record }) => record), ...this.failed])
    const changed = this.files.flatMap((file): ImportState[] => {
      const item = byKey.get(file.key)
      const before = this.known.get(file.key)
      const isKept = before && (!isUpdate || left.has(file.key) || before.isSame)
      if (!item || isKept) return []
      return [{ ...this.sources.file(file), record_id: item.media_id, own_hash: this.hashOf(item) }]
    })
    for (const some of batchesOf(changed, batchSize))
      await this.services.space.imports.keepStates(actor, some)
  }

  private hashOf({ display_name, alt_text, caption, focal_x, focal_y }: MediaRecord): string {
    return this.hashing.sha256(JSON.stringify([display_name, alt_text, caption, focal_x, focal_y]))
  }
}
