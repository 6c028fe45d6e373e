import type { Migration, Step } from '../src/db/schema.js'

/**
 * The text of a snapshot begins with its first member and holds this nowhere else: inside a JSON text the quotes would
 * be escaped, and no column of a row has that name.
 */
const withFormat = (table: string, first: string): Step => ({
  name: `${table}-format`,
  statements: ({ quote }) => [
    `update ${quote(table)} set snapshot = replace(snapshot, '{"${first}":', '{"v":1,"${first}":')`,
  ],
})

/** Stored snapshots say in which format they are. */
export const snapshotFormat: Migration = {
  name: '013-snapshot-format',
  steps: (['', 'admin_'] as const).flatMap(prefix => [
    withFormat(`${prefix}content_versions`, 'entries'),
    withFormat(`${prefix}public_entries`, 'entry'),
  ]),
}
