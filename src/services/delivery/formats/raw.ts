import { nestedJson, walk } from '../tree.js'
import { whole } from './format.js'

/**
 * Every column and id: `{route, datatypes, fields, media, root}`. Each node is its content data with `type`, `fields` (its
 * content fields with `name` and `field_type`) and `children`.
 */
export const raw = whole(function* ({ root }, { stored }) {
  const datatypes = new Map<string, unknown>()
  const fields = new Map<string, unknown>()
  for (const { datatype, values } of walk(root)) {
    yield
    datatypes.set(datatype.datatype_id, datatype)
    for (const { field } of values) fields.set(field.field_id, field)
  }
  const head = JSON.stringify({
    route: stored?.route ?? null,
    datatypes: [...datatypes.values()],
    fields: [...fields.values()],
    media: [...(stored?.media().values() ?? [])],
  })
  const tree = yield* nestedJson(
    root,
    'children',
    ({ entry, datatype, values }) => ({
      ...entry,
      type: datatype.name,
      fields: values.map(({ value, field }) => ({
        ...value,
        name: field.name,
        field_type: field.field_type,
      })),
    }),
    () => true,
  )
  return `${head.slice(0, -1)},"root":${tree}}`
})
