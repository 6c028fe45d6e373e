import type { RowOf } from '../db/columns.js'
import type { Database } from '../db/database.js'
import { schemaRows } from '../db/queries.js'
import type { ContentSpace } from '../db/tables.js'

type Datatype = RowOf<ContentSpace['datatypes']>
type Field = RowOf<ContentSpace['fields']>

/** All datatypes and fields of a space, as they are at one `pages` generation. */
export interface Schema {
  readonly datatypes: ReadonlyMap<string, Datatype>
  readonly fields: ReadonlyMap<string, Field>
  /** The place of a field among those of its datatype. */
  order(field: Field): number
}

/** Keeps the schema in memory; it is read again, by one statement, when the generation has moved. */
export function schemas(db: Database, space: ContentSpace) {
  let known: { version: number; schema: Promise<Schema> } | undefined

  async function load(): Promise<Schema> {
    const datatypes = new Map<string, Datatype>()
    const fields = new Map<string, Field>()
    const places = new Map<string, number>()
    for (const { datatype, field } of await db.query(schemaRows(space), {})) {
      datatypes.set(datatype.datatype_id, datatype)
      if (!field) continue
      fields.set(field.field_id, field)
      places.set(field.field_id, places.size)
    }
    return { datatypes, fields, order: field => places.get(field.field_id) ?? 0 }
  }

  return {
    at(version: number): Promise<Schema> {
      if (known?.version !== version) {
        const schema = load()
        known = { version, schema }
        schema.catch(() => {
          known = undefined
        })
      }
      return (known as { schema: Promise<Schema> }).schema
    },
  }
}
