import type { EntryRow, ValueRow } from '../../db/tables.js'
import { damagedContent } from '../../errors.js'

/**
 * The format of rows of entries and values that are stored as JSON and read as rows later. Raise it with a migration of
 * the stored snapshots whenever a column of theirs gets another name or meaning.
 */
const format = 1

/** The content of a version: an entry and everything under it, parents first, with all field values. */
export interface SubtreeSnapshot {
  readonly entries: readonly EntryRow[]
  readonly fields: readonly ValueRow[]
}

export const storeSubtree = ({ entries, fields }: SubtreeSnapshot): unknown => ({
  v: format,
  entries,
  fields,
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function membersOf(stored: unknown): Readonly<Record<string, unknown>> {
  const snapshot = isObject(stored) ? stored : {}
  if (snapshot.v === format) return snapshot
  const found = typeof snapshot.v === 'number' ? `format ${snapshot.v}` : 'an unknown format'
  throw damagedContent(
    `the stored snapshot has ${found}, and this version of the service reads format ${format}`,
  )
}

const damaged = () => damagedContent('the stored snapshot is damaged')

/** @throws 409 for a format that is not known */
export function readSubtree(stored: unknown): SubtreeSnapshot {
  const { entries, fields } = membersOf(stored)
  if (!Array.isArray(entries) || !Array.isArray(fields)) throw damaged()
  return { entries, fields }
}
