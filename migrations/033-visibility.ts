import { addColumn, dropColumn, type Migration, type Step } from '../src/db/schema.js'

const ofDatatypes = (table: string): Step[] => [
  addColumn(table, 'visibility', 'text(16)', "'linked'"),
  {
    name: `${table}-visibility`,
    statements: ({ quote }) => [
      `update ${quote(table)} set visibility = 'public' where ${quote('is_public')} = 1`,
    ],
  },
  dropColumn(table, 'is_public'),
]

/** Three levels of what the public sees of a datatype's entries, in place of whether anybody may query them. */
export const visibility: Migration = {
  name: '033-visibility',
  steps: ['', 'admin_'].flatMap(prefix => ofDatatypes(`${prefix}datatypes`)),
}
