import { leastUlid } from '../../ids.js'
import type { Hashing } from '../../ports.js'
import type { ImportedEntry, SiteRecords } from './site.js'

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeLength = 10
const randomLength = 16

/**
 * The id that an entry of another system has here: a ULID of the time when it was made there, and of a hash of its key.
 * So it is the same whenever the import is repeated, and ids are in the order of time.
 */
function importedId(
  hashing: Pick<Hashing, 'sha256'>,
  system: string,
  { key, createdAt }: Pick<ImportedEntry, 'key' | 'createdAt'>,
): string {
  const hash = hashing.sha256(`${system} ${key}`)
  const time = Date.parse(createdAt)
  let text = leastUlid(Number.isFinite(time) ? time : 0).slice(0, timeLength)
  for (let i = 0; i < randomLength; i++)
    text += digits[Number.parseInt(hash.slice(2 * i, 2 * i + 2), 16) % 32]
  return text
}

/**
 * Returns the ids of all entries by their keys. One without a time has the id that it got before.
 * @param how.keepsIds whether all have that: in a system whose times of creation may change
 */
export function importedIds(
  { entries }: Pick<SiteRecords, 'entries'>,
  sources: { entryOf(entry: ImportedEntry): string | undefined },
  {
    system,
    hashing,
    keepsIds = false,
  }: { system: string; hashing: Pick<Hashing, 'sha256'>; keepsIds?: boolean | undefined },
): Map<string, string> {
  const ids = new Map<string, string>()
  for (const entry of entries) {
    const made = importedId(hashing, system, entry)
    ids.set(entry.key, ((entry.isUndated || keepsIds) && sources.entryOf(entry)) || made)
  }
  return ids
}
