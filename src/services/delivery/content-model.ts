import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { schemaRows } from '../../db/queries/model.js'
import type { Reader } from '../../db/reader.js'
import type { DatatypeRow, FieldRow } from '../../db/tables.js'
import { type ContentSpace, tables } from '../../db/tables.js'

type Locale = RowOf<typeof tables.locales>

/** All datatypes and fields of a space, as they are at one schema version. */
export interface Schema {
  readonly datatypes: ReadonlyMap<string, DatatypeRow>
  readonly fields: ReadonlyMap<string, FieldRow>
  order(field: FieldRow): number
  readonly hasRichText: boolean
  readonly hasRelations: boolean
  readonly hasMedia: boolean
  readonly locales: ReadonlyMap<string, Locale>
}

export interface Schemas {
  at(version: number): Promise<Schema>
  in(snapshot: Reader): Promise<Schema>
}

/**
 * Holds the schema in memory. It is read at the start and whenever it has changed, so that a page
 * finds it there.
 */
export function schemas(db: Database, space: ContentSpace): Schemas {
  let known: Promise<{ version: number; schema: Schema }> | undefined

  async function load(read: Reader = db) {
    const datatypes = new Map<string, DatatypeRow>()
    const fields = new Map<string, FieldRow>()
    const places = new Map<string, number>()
    let version = 0
    for (const row of await read.query(schemaRows(space), {})) {
      version = row.version
      if (row.datatype) datatypes.set(row.datatype.datatype_id, row.datatype)
      if (!row.field) continue
      fields.set(row.field.field_id, row.field)
      places.set(row.field.field_id, places.size)
    }
    // Read after the version, so never older than it.
    const locales = await read.findAll(tables.locales, { is_enabled: true })
    return {
      version,
      schema: {
        datatypes,
        fields,
        order: (field: FieldRow) => places.get(field.field_id) ?? 0,
        hasRichText: [...fields.values()].some(({ field_type }) => field_type === 'richtext'),
        hasRelations: [...fields.values()].some(({ field_type }) => field_type === 'relation'),
        hasMedia: [...fields.values()].some(({ field_type }) => field_type === 'media'),
        locales: new Map(locales.map(locale => [locale.code, locale])),
      },
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
    async at(version) {
      const loaded = await (known ?? reload())
      return loaded.version >= version ? loaded.schema : (await reload()).schema
    },
    in: async snapshot => (await load(snapshot)).schema,
  }
}
