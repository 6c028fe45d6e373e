import { createIndex, dropIndex, type Migration, type Step } from '../src/db/schema.js'

/** Finds equal values of a field by their first 64 characters: what the unique values of a field are looked up by. */
const valueIndex = (table: string): Step => ({
  name: `create ${table}_field_id_value_index`,
  statements: ({ quote, createIndex, indexedPrefix }) => [
    createIndex(
      quote(`${table}_field_id_value_index`),
      quote(table),
      `${quote('field_id')}, ${indexedPrefix(quote('field_value'), 64)}`,
    ),
  ],
})

/** The rules that published values keep: the index for looking them up, and the lock for publishing unique ones. */
export const rulesOfValues: Migration = {
  name: '018-rules-of-values',
  steps: [
    ...['', 'admin_'].flatMap(prefix => [
      valueIndex(`${prefix}content_fields`),
      dropIndex(`${prefix}content_fields`, ['field_id']),
      // The entries of a datatype in the order of their ids, without sorting them all.
      createIndex(`${prefix}content_data`, ['datatype_id', 'content_data_id']),
      dropIndex(`${prefix}content_data`, ['datatype_id']),
    ]),
    {
      name: 'locks-content_fields',
      statements: () => [
        "delete from locks where name in ('content_fields', 'admin_content_fields')",
        "insert into locks (name) values ('content_fields'), ('admin_content_fields')",
      ],
    },
  ],
}
