import { addColumn, createIndex, dropIndex, type Migration, type Step } from '../src/db/schema.js'

const trees = ['', 'admin_'] as const

/** What roots of trees, whose parent is null, are listed and counted by. With the key the rows need not be read. */
const rootColumns = [
  'parent_id',
  'status',
  'published_at',
  'datatype_id',
  'author_id',
  'route_id',
  'publish_at',
  'unpublish_at',
  'content_data_id',
]

const longAgo = "'1970-01-01T00:00:00.000Z'"

/** The latest time of an entry or of the address of each tree. */
const asEdited = (prefix: (typeof trees)[number]): Step => ({
  name: `${prefix}content_trees-changed-at`,
  statements({ quote }) {
    const [all, entries, routes] = ['content_trees', 'content_data', 'routes'].map(name =>
      quote(`${prefix}${name}`),
    )
    const isOwn = `root_id = ${all}.root_id`
    const routed = `(select max(o.date_modified) from ${entries} c join ${routes} o on o.route_id = c.route_id
      where c.content_data_id = ${all}.root_id)`
    return [
      `update ${all} set changed_at = coalesce((select max(date_modified) from ${entries} c where c.${isOwn}), ${longAgo})`,
      `update ${all} set changed_at = ${routed} where changed_at < ${routed}`,
    ]
  },
})

/**
 * When each tree was edited last, with an index, so that the newest are listed without a look at all of them. Indexes
 * that find and count the roots of trees. It only adds (`+`): the index that goes is the beginning of a new one.
 */
export const changedTrees: Migration = {
  name: '048+changed-trees',
  steps: trees.flatMap(prefix => [
    addColumn(`${prefix}content_trees`, 'changed_at', 'time', longAgo),
    asEdited(prefix),
    createIndex(`${prefix}content_trees`, ['changed_at', 'root_id']),
    createIndex(`${prefix}content_data`, rootColumns),
    createIndex(`${prefix}public_entries`, ['route_id', 'parent_id']),
    dropIndex(`${prefix}public_entries`, ['route_id']),
  ]),
}
