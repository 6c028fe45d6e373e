import type { EntryRow } from '../../db/tables.js'
import { anyIds } from '../content/field-values.js'
import { everyNode, type QueryNode } from './query/query-rows.js'
import type { Node } from './tree.js'

/**
 * Nodes of a query with the whole rows that formats read, each with its children; those without a record are left out.
 * @param records of all of them, by their ids
 */
export function wholeNodes(
  nodes: readonly QueryNode[],
  records: ReadonlyMap<string, EntryRow>,
): ReadonlyMap<QueryNode, Node> {
  const whole = new Map<QueryNode, Node>()
  for (const node of nodes) {
    const record = records.get(node.entry.content_data_id)
    if (record) whole.set(node, { entry: record, datatype: node.datatype, values: node.values, children: [] })
  }
  for (const [node, made] of whole)
    for (const child of node.children) {
      const own = whole.get(child)
      if (own) made.children.push(own)
    }
  return whole
}

/** The limits of a small tree: 100 of them stay far below all limits of a response. A reference takes 27 characters. */
const small = { entries: 20, characters: 12_000 }

/** Whether an entry is small, together with all below it and all that its relations name. */
export function isSmall(root: QueryNode, others: ReadonlyMap<string, QueryNode>): boolean {
  let [entries, characters] = [0, 0]
  const count = (node: QueryNode) => {
    entries++
    characters += node.characters
  }
  for (const node of everyNode([root])) {
    count(node)
    for (const { field, value } of node.values)
      if (field.field_type === 'relation')
        for (const id of anyIds(value.field_value)) {
          const named = others.get(id)
          if (named) count(named)
        }
  }
  return entries <= small.entries && characters <= small.characters
}
