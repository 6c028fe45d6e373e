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

/**
 * Keeps the schema in memory. It is read, by one statement, at the start and whenever it has changed, so that a page
 * finds it there.
 */
export function schemas(db: Database, space: ContentSpace) {
  let known: Promise<{ version: number; schema: Schema }> | undefined

  async function load() {
    const datatypes = new Map<string, Datatype>()
    const fields = new Map<string, Field>()
    const places = new Map<string, number>()
    let version = 0
    for (const row of await db.query(schemaRows(space), {})) {
      version = row.version
      if (row.datatype) datatypes.set(row.datatype.datatype_id, row.datatype)
      if (!row.field) continue
      fields.set(row.field.field_id, row.field)
      places.set(row.field.field_id, places.size)
    }
    return {
      version,
      schema: { datatypes, fields, order: (field: Field) => places.get(field.field_id) ?? 0 },
    }
  }

  function reload() {
    const loading = load()
    known = loading
    loading.catch(() => {
      if (known === loading) known = undefined
    })
    return loading
  }

  db.onCommit(({ allPages }) => {
    if (allPages) void reload()
  })

  return {
    /** The schema of this generation of `pages`, or a newer one. */
    async at(version: number): Promise<Schema> {
      const loaded = await (known ?? reload())
      return loaded.version >= version ? loaded.schema : (await reload()).schema
    },
  }
}
