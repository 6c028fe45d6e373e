import { aliasedColumns, listDecoder, type RowOf } from '../columns.js'
import { bySpace, type Query } from '../statements.js'
import { type ContentSpace, internalTables } from '../tables.js'

/** The rows of the content model: every datatype with its fields. */

export interface SchemaRow {
  version: number
  datatype: RowOf<ContentSpace['datatypes']> | undefined
  field: RowOf<ContentSpace['fields']> | undefined
}

/** Every datatype with its fields, in the order of both, and at least one row. */
export const schemaRows = bySpace((space: ContentSpace): Query<never, SchemaRow> => {
  const datatype = listDecoder(space.datatypes, 1)
  const fields = 1 + Object.keys(space.datatypes.columns).length
  const field = listDecoder(space.fields, fields)
  return {
    values: [],
    build: knex =>
      knex(`${internalTables.counters.name} as g`)
        .leftJoin(`${space.datatypes.name} as d`, knex.raw('1 = 1'))
        .leftJoin(`${space.fields.name} as f`, 'f.parent_id', 'd.datatype_id')
        .where('g.name', 'schema_version')
        .select([
          'g.value as g_value',
          ...aliasedColumns(space.datatypes, 'd'),
          ...aliasedColumns(space.fields, 'f'),
        ])
        .orderBy(['d.datatype_id', 'f.sort_order', 'f.field_id']),
    lists: rows =>
      rows.map(row => ({
        version: Number(row[0]),
        datatype: row[1] === null ? undefined : datatype(row),
        field: row[fields] === null ? undefined : field(row),
      })),
  }
})
