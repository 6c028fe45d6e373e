import type { Actor } from '../../actor.js'
import type { MediaRecord } from '../media/record.js'
import { batchesOf } from './records.js'
import type { ImportServices } from './settings.js'
import type { ImportedFile } from './site.js'
import type { ImportState, Sources } from './states.js'

const batchSize = 500

/** Which files of an export are here already, as the last import has seen them. */
export class FileStates {
  private constructor(
    private readonly services: ImportServices,
    private readonly sources: Sources,
    private readonly files: readonly ImportedFile[],
    private readonly states: ReadonlyMap<string, ImportState>,
    /** Files that have not changed since, by their keys. */
    readonly same: ReadonlyMap<string, MediaRecord>,
  ) {}

  static async of(
    services: ImportServices,
    sources: Sources,
    files: readonly ImportedFile[],
  ): Promise<FileStates> {
    const states = new Map<string, ImportState>()
    const same = new Map<string, MediaRecord>()
    for (const some of batchesOf(files, batchSize)) {
      const next = some.map(file => ({ key: file.key, state: sources.file(file) }))
      const known = await services.space.imports.states(next.map(({ state }) => state.state_key))
      for (const [key, state] of known) states.set(key, state)
      const items = await services.media.items.some([...known.values()].map(({ record_id }) => record_id))
      const byId = new Map(items.map(item => [item.media_id, item]))
      for (const { key, state } of next) {
        const before = known.get(state.state_key)
        const item = before?.source_hash === state.source_hash ? byId.get(before.record_id) : undefined
        if (item) same.set(key, item)
      }
    }
    return new FileStates(services, sources, files, states, same)
  }

  /** Keeps the states of files that are here now. */
  async keep(actor: Actor, byKey: ReadonlyMap<string, MediaRecord>): Promise<void> {
    const changed = this.files.flatMap(file => {
      const record_id = byKey.get(file.key)?.media_id
      const state = this.sources.file(file)
      const known = this.states.get(state.state_key)
      const isSame = known?.source_hash === state.source_hash && known.record_id === record_id
      return record_id === undefined || isSame ? [] : [{ ...state, record_id, own_hash: null }]
    })
    for (const some of batchesOf(changed, batchSize))
      await this.services.space.imports.keepStates(actor, some)
  }
}
