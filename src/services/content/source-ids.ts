import type { Reader } from '../../db/reader.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'

const { sourceIds } = internalTables

/** The id of an imported record in the system that it is from: unique for things of one kind there. */
export interface SourceId {
  readonly kind: string
  readonly id: string
}

/** The record here that an id is of: an entry or a media item. */
export interface SourcedRecord {
  readonly content_data_id?: string | null
  readonly media_id?: string | null
}

const mostCharacters = 384

/** Kinds have no blanks. */
export const sourceKey = (system: string, { kind, id }: SourceId): string => `${system} ${kind} ${id}`

const isKept = (key: string): boolean =>
  key.length <= mostCharacters && key.isWellFormed() && !key.includes('\0')

/** The ids of records in one other system. */
export class SourceIds {
  constructor(
    private readonly read: Reader,
    private readonly system: string,
  ) {}

  async records(ids: readonly SourceId[]): Promise<Map<SourceId, SourcedRecord>> {
    const keys = new Map(ids.map(id => [id, sourceKey(this.system, id)]))
    const wanted = [...new Set(keys.values())].filter(isKept)
    if (wanted.length === 0) return new Map()
    const rows = await this.read.findIn(sourceIds, 'source_key', wanted)
    const byKey = new Map<string, SourcedRecord>(rows.map(row => [row.source_key, row]))
    return new Map(
      [...keys].flatMap(([id, key]) => {
        const found = byKey.get(key)
        return found ? [[id, found] as const] : []
      }),
    )
  }

  async of(records: {
    readonly entries?: Iterable<string>
    readonly media?: Iterable<string>
  }): Promise<Map<string, readonly SourceId[]>> {
    const found = new Map<string, SourceId[]>()
    for (const [column, ids] of [
      ['content_data_id', records.entries],
      ['media_id', records.media],
    ] as const) {
      const wanted = [...new Set(ids ?? [])]
      if (wanted.length === 0) continue
      const rows = await this.read.findIn(sourceIds, column, wanted)
      for (const row of rows.sort((a, b) => (a.source_key < b.source_key ? -1 : 1))) {
        const [, system, kind = '', id = ''] = /^(\S+) (\S+) (.*)$/s.exec(row.source_key) ?? []
        const record = row[column]
        if (system !== this.system || record === null) continue
        found.set(record, [...(found.get(record) ?? []), { kind, id }])
      }
    }
    return found
  }
}

/** The records that have these ids, as far as they are still there. */
export async function sourcedRecords(
  read: Reader,
  { contentData, media }: ContentSpace,
  system: string,
  ids: readonly SourceId[],
): Promise<ReadonlyMap<SourceId, SourcedRecord>> {
  const found = await new SourceIds(read, system).records(ids)
  const named = (column: keyof SourcedRecord) => [...found.values()].flatMap(record => record[column] ?? [])
  const entries = await read.findIn(contentData, 'content_data_id', named('content_data_id'))
  const items = await read.findIn(media, 'media_id', named('media_id'))
  const there = new Set([
    ...entries.map(({ content_data_id }) => content_data_id),
    ...items.map(({ media_id }) => media_id),
  ])
  return new Map([...found].filter(([, one]) => there.has(one.content_data_id ?? one.media_id ?? '')))
}

/** A record and an id that it gets. */
export type NewSourceId = SourcedRecord & { readonly source_key: string }

/** Drops ids of records in another system. @param keys as `sourceKey` makes them */
export const forgetSourceIds = (tx: Writer, keys: readonly string[]): Promise<void> =>
  tx.deleteAllInternal(sourceIds, 'source_key', keys)

/** Keeps ids of records, each of which no other record has. Records that are gone lose them. */
export async function keepSourceIds(tx: Writer, rows: readonly NewSourceId[]): Promise<void> {
  const kept = rows.filter(({ source_key }) => isKept(source_key))
  if (kept.length === 0) return
  await tx.deleteAllInternal(
    sourceIds,
    'source_key',
    kept.map(({ source_key }) => source_key),
  )
  await tx.insertAllInternal(sourceIds, kept)
}
