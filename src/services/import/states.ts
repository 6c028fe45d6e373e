import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import type { Reader } from '../../db/reader.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import type { Hashing } from '../../ports.js'
import type { ImportedEntry, ImportedFile } from './site.js'

const { importStates: table } = internalTables

/** A record as the last import has seen it there and left it here. */
export type ImportState = RowOf<typeof table>
/** A state before the tree is stored. */
export type NewState = Omit<ImportState, 'record_id' | 'own_hash'>

const maxKey = 384

type Sha = Pick<Hashing, 'sha256'>

/** Makes the states of records of one system. */
export class Sources {
  constructor(
    private readonly hashing: Sha,
    readonly system: string,
    /** The address of the live API; null for an export. */
    readonly source: string | null,
  ) {}

  key(kind: 'entry' | 'file', key: string): string {
    return this.hashing.sha256(`${this.system} ${kind} ${key}`)
  }

  /** @param media the ids here of the files that the entry shows */
  entry({ source: _, ...entry }: ImportedEntry, media: (key: string) => string | undefined): NewState {
    const text = JSON.stringify(entry, (name, value: unknown) => {
      if (name === 'source') return undefined
      return name === 'files' && Array.isArray(value)
        ? value.map(key => [key, media(String(key)) ?? null])
        : value
    })
    return this.of('entry', entry.key, text)
  }

  file(file: ImportedFile): NewState {
    return this.of('file', file.key, JSON.stringify(file))
  }

  private of(kind: 'entry' | 'file', key: string, text: string): NewState {
    return {
      ...{ state_key: this.key(kind, key), system: this.system, source: this.source },
      // The characters that a column cannot store are left out: the key alone finds the record.
      record_key: `${kind} ${key}`.toWellFormed().replaceAll('\0', '').slice(0, maxKey).toWellFormed(),
      source_hash: this.hashing.sha256(text),
    }
  }
}

export async function keepStates(tx: Writer, states: readonly ImportState[]): Promise<void> {
  if (states.length === 0) return
  await tx.deleteAllInternal(
    table,
    'state_key',
    states.map(one => one.state_key),
  )
  await tx.insertAllInternal(table, states)
}

export interface ImportStates {
  /** Returns the states of records at the last import, by the keys of the states. */
  states(keys: readonly string[]): Promise<ReadonlyMap<string, ImportState>>
  /** The states of all records that are followed at an address. */
  statesAt(place: Pick<Sources, 'system' | 'source'>): AsyncIterable<readonly ImportState[]>
  keepStates(actor: Actor, states: readonly ImportState[]): Promise<void>
  dropStates(actor: Actor, keys: readonly string[]): Promise<void>
}

export const importStates = (db: Database): ImportStates => ({
  async states(keys) {
    const rows = await db.findIn(table, 'state_key', keys)
    return new Map(rows.map(row => [row.state_key, row]))
  },
  async *statesAt({ system, source }) {
    yield* db.stream(table, { system, source })
  },
  keepStates: (actor, states) => db.write(actor, tx => keepStates(tx, states)),
  dropStates: (actor, keys) => db.write(actor, tx => tx.deleteAllInternal(table, 'state_key', keys)),
})

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), byte => byte.toString(16).padStart(2, '0')).join('')

/**
 * Hashes of trees as they are stored, by their roots: what an editor can change. A scheduled tree is as one that is
 * published already, so that a schedule does not count as a change.
 */
export async function treeHashes(
  read: Reader,
  { contentData, contentFields, routes }: ContentSpace,
  roots: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await read.findIn(contentData, 'root_id', roots)
  const ids = rows.map(row => row.content_data_id)
  const values = await read.findIn(contentFields, 'content_data_id', ids)
  const pages = new Map(
    (
      await read.findIn(
        routes,
        'route_id',
        rows.flatMap(({ route_id }) => route_id ?? []),
      )
    ).map(row => [row.route_id, [row.slug, row.title]]),
  )
  const rootOf = new Map(rows.map(row => [row.content_data_id, row.root_id]))
  const statuses = new Map(rows.map(row => [row.content_data_id, row.status]))
  const parts = new Map<string, string[]>(roots.map(root => [root, []]))
  for (const row of rows) {
    const { content_data_id, parent_id, datatype_id, sort_order, status, root_id } = row
    const isRoot = content_data_id === root_id
    const shown = isRoot
      ? [status === 'published' || row.publish_at !== null, pages.get(row.route_id ?? '') ?? null]
      : [status === statuses.get(root_id), sort_order]
    parts.get(root_id)?.push(JSON.stringify([content_data_id, parent_id, datatype_id, shown]))
  }
  for (const { content_data_id, field_id, locale, field_value } of values)
    if (field_value !== '')
      parts
        .get(rootOf.get(content_data_id) ?? '')
        ?.push(JSON.stringify([content_data_id, field_id, locale, field_value]))
  const hashes = new Map<string, string>()
  for (const [root, own] of parts)
    if (own.length > 0) {
      const bytes = new TextEncoder().encode(own.sort().join('\n'))
      hashes.set(root, hex(await crypto.subtle.digest('SHA-256', bytes)))
    }
  return hashes
}
