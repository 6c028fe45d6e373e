import type { PublishedPage } from '../../db/queries/published-pages.js'
import { describingValues } from '../../db/queries/shown-entries.js'
import type { LeanValue } from '../../db/queries/trees.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Schema } from './content-model.js'
import { valuesIn } from './formats/format.js'
import type { NodeValue } from './tree.js'

/** Names of fields that describe an entry, the best first. */
const names = [
  'metaDescription',
  'meta_description',
  'description',
  'summary',
  'excerpt',
  'intro',
  'subtitle',
]
const charactersRead = 1000

/** Reads by which text field each page is described; `''` for a page without one. */
export async function descriptionsOf(
  read: Reader,
  space: ContentSpace,
  schema: Schema,
  pages: readonly PublishedPage[],
): Promise<(id: string, chain: readonly string[]) => string> {
  const query = describingValues(space, names.join(' '), charactersRead)
  const values = new Map<string, NodeValue<LeanValue>[]>()
  for (const value of await read.queryIn(
    query,
    pages.map(({ id }) => id),
  )) {
    const field = schema.fields.get(value.field_id)
    if (!field || value.field_value.trim() === '') continue
    const own = values.get(value.content_data_id) ?? []
    own.push({ field, value })
    values.set(value.content_data_id, own)
  }
  const rank = ({ field }: NodeValue<LeanValue>) => names.indexOf(field.name)
  return (id, chain) => {
    const own = valuesIn({ values: values.get(id) ?? [] }, { chain })
    return own.toSorted((a, b) => rank(a) - rank(b))[0]?.value.field_value ?? ''
  }
}
