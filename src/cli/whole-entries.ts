import type { Actor } from '../actor.js'
import { inPublicSpace } from '../resources/admin-space.js'
import { all, modelOf } from '../resources/entries.js'
import type { ResourceParts } from '../resources/resource.js'
import type { Services } from '../services/index.js'
import type { ShownRecord } from './table.js'

export const partsOf = (services: Services): ResourceParts => ({ services: inPublicSpace(services) })

/** Adds the names of datatypes to entries, and the slugs and titles of pages that the caller may see. */
export async function namedEntries(
  { services: { space } }: ResourceParts,
  actor: Actor,
  rows: readonly ShownRecord[],
) {
  const datatypes = await datatypeNames(space)
  const routes = new Map<unknown, { slug: string; title: string }>()
  const route_id = [...new Set(rows.flatMap(row => (row.route_id ? String(row.route_id) : [])))]
  if (route_id.length > 0)
    for (const route of await all(
      (await space.records.routes(actor)).list({ route_id } as never, {} as never),
    ))
      routes.set(route.route_id, route)
  return rows.map((row): ShownRecord => {
    const { slug, title } = routes.get(row.route_id) ?? {}
    return { ...row, datatype: datatypes.get(row.datatype_id), slug, title }
  })
}

export async function datatypeNames({ datatypes }: Services['space']): Promise<Map<unknown, string>> {
  const found = await all(datatypes.list({}, {} as never))
  return new Map(found.map(({ datatype_id, name }) => [datatype_id, name]))
}

/** Returns entries with their values by field name, those of other languages apart, and with their names. */
export async function wholeEntries(
  parts: ResourceParts,
  actor: Actor,
  entries: readonly ShownRecord[],
  locale = '',
): Promise<ShownRecord[]> {
  const content_data_id = entries.map(entry => String(entry.content_data_id))
  const [named, model, seen] = await Promise.all([
    namedEntries(parts, actor, entries),
    modelOf(parts),
    parts.services.space.records.contentFields(actor),
  ])
  const names = new Map([...model.fieldsOf.values()].flat().map(({ field_id, name }) => [field_id, name]))
  const values = new Map<unknown, Record<string, Record<string, string>>>()
  for (const value of await all(seen.list({ content_data_id } as never, {} as never))) {
    const own = values.get(value.content_data_id) ?? {}
    const name = names.get(value.field_id) ?? value.field_id
    own[value.locale] = { ...own[value.locale], [name]: value.field_value }
    values.set(value.content_data_id, own)
  }
  return named.map(entry => {
    const { [locale]: fields = {}, ...others } = values.get(entry.content_data_id) ?? {}
    const further = Object.keys(others).length > 0 ? { translations: others } : {}
    return { ...entry, ...(locale === '' ? {} : { locale }), fields, ...further }
  })
}
