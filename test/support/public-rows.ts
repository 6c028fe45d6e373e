import type { RowOf } from '../../src/db/columns.js'
import type { tables } from '../../src/db/tables.js'

type PublicEntry = RowOf<typeof tables.publicEntries>

let numbers = 0

/** Returns a row of the public table without an entry, for tests that read many rows. */
export const publicRow = (
  row: Pick<PublicEntry, 'content_data_id' | 'datatype_id' | 'author_id'> & Partial<PublicEntry>,
): PublicEntry => ({
  numeric_id: 1_000_000_000_000 + ++numbers,
  route_id: null,
  parent_id: null,
  root_id: row.content_data_id,
  sort_order: 0,
  status: 'published',
  published_at: null,
  published_by: null,
  publish_at: null,
  unpublish_at: null,
  revision: 1,
  date_created: '2026-01-01T00:00:00.000Z',
  date_modified: '2026-01-01T00:00:00.000Z',
  ...row,
})
