import type { EntryRow, ValueRow } from '../../db/queries/trees.js'
import { everyNode, idsIn, type QueryNode } from './query/query-rows.js'
import type { Node } from './tree.js'

function wholeNode({ datatype, values }: QueryNode, entry: EntryRow): Omit<Node, 'children'> {
  const ofEntry = { author_id: entry.author_id, date_created: entry.date_created }
  return {
    entry,
    datatype,
    values: values.map(({ field, value }) => {
      const { content_data_id, field_id, locale, field_value } = value
      const whole: ValueRow = {
        content_field_id: value.content_field_id ?? '',
        ...{ content_data_id, field_id, locale, field_value },
        route_id: null,
        author_id: value.author_id ?? ofEntry.author_id,
        date_created: value.date_created ?? ofEntry.date_created,
        date_modified: value.date_modified ?? ofEntry.date_created,
      }
      return { field, value: whole }
    }),
  }
}

/**
 * Nodes of a query with the whole rows that formats read, each with its children; those without a record are left out.
 * @param records of all of them
 */
export function wholeNodes(
  nodes: readonly QueryNode[],
  records: readonly EntryRow[],
): ReadonlyMap<QueryNode, Node> {
  const byId = new Map(records.map(row => [row.content_data_id, row]))
  const whole = new Map<QueryNode, Node>()
  for (const node of nodes) {
    const record = byId.get(node.entry.content_data_id)
    if (record) whole.set(node, { ...wholeNode(node, record), children: [] })
  }
  for (const [node, made] of whole)
    for (const child of node.children) {
      const own = whole.get(child)
      if (own) made.children.push(own)
    }
  return whole
}

/** What a small tree has at most: of 100 that are, all limits of an answer are far. A reference takes 27 characters. */
const small = { entries: 20, characters: 12_000 }

/** Whether an entry is small with what is below it and what its relations name. */
export function isSmall(root: QueryNode, others: ReadonlyMap<string, QueryNode>): boolean {
  const named = [...everyNode([root])].flatMap(node => [
    node,
    ...idsIn([node]).flatMap(id => others.get(id) ?? []),
  ])
  const characters = named.reduce((sum, node) => sum + node.characters, 0)
  return named.length <= small.entries && characters <= small.characters
}
