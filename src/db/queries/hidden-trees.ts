import type { Knex } from 'knex'
import type { ContentSpace } from '../tables.js'

/**
 * Values `v` and their entries `c` of the trees with something that the public does not see: an unpublished change, a
 * draft, or an entry of a private datatype. The index of words has the texts of all others. Each of the three has an
 * index; SQLite keeps the order of a cross join.
 */
export function hiddenValues(
  knex: Knex,
  { contentData, contentFields, contentTrees, datatypes }: ContentSpace,
): Knex.QueryBuilder {
  const hidden = knex(contentTrees.name)
    .select('root_id')
    .where('pending_since', '>', '')
    .unionAll([
      knex(contentData.name).select('root_id').where('status', 'draft'),
      knex(`${datatypes.name} as d`)
        .select('e.root_id')
        .crossJoin(`${contentData.name} as e` as never)
        .whereRaw("d.visibility = 'private' and e.datatype_id = d.datatype_id"),
    ])
  return knex
    .from(knex.distinct('root_id').from(hidden.as('u')).as('h'))
    .crossJoin(`${contentData.name} as c` as never)
    .crossJoin(`${contentFields.name} as v` as never)
    .whereRaw('c.root_id = h.root_id and v.content_data_id = c.content_data_id')
}
