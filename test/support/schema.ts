import type { DatabaseAddress } from '../../src/db/connect.js'
import { rowsOf } from '../faults/rows.js'

const schemaQueries = {
  sqlite: ['select type, name, tbl_name, sql from sqlite_master order by name'],
  postgres: [
    `select table_name, column_name, data_type, character_maximum_length, is_nullable, column_default,
     collation_name from information_schema.columns where table_schema = 'public'
     order by table_name, ordinal_position`,
    `select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by indexname`,
    `select conrelid::regclass::text as of, conname, pg_get_constraintdef(oid) as def from pg_constraint
     where connamespace = 'public'::regnamespace order by 1, 2`,
  ],
  mysql: [
    `select table_name, column_name, column_type, is_nullable, column_default, collation_name
     from information_schema.columns where table_schema = database() order by table_name, ordinal_position`,
    `select table_name, index_name, seq_in_index, column_name, non_unique from information_schema.statistics
     where table_schema = database() order by table_name, index_name, seq_in_index`,
    `select table_name, constraint_name, referenced_table_name, delete_rule
     from information_schema.referential_constraints where constraint_schema = database()
     order by table_name, constraint_name`,
  ],
}

/** Returns everything that the engine reports about tables, columns, indexes and constraints. */
export async function schemaOf(address: DatabaseAddress): Promise<unknown[][]> {
  const parts = []
  for (const sql of schemaQueries[address.db_driver]) parts.push(await rowsOf(address, sql))
  return parts
}
