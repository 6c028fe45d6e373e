import type { EntryRow } from '../../db/queries/trees.js'
import { anyIds } from '../content/field-values.js'
import { everyNode, type QueryNode } from './query/query-rows.js'
import type { Node, NodeValue } from './tree.js'

type StoredValue = QueryNode['values'][number]

/** Whether it is known when a value was changed. */
const hasRecord = (shown: StoredValue): shown is StoredValue & NodeValue =>
  Boolean(shown.value.content_field_id && shown.value.date_modified)

/** A value whose record was not stored is taken to be as old as its entry. */
const withRecord = ({ field, value }: StoredValue, { date_created }: EntryRow): NodeValue => ({
  field,
  value: {
    ...value,
    content_field_id: value.content_field_id ?? '',
    date_modified: value.date_modified ?? date_created,
  },
})

const wholeNode = ({ datatype, values }: QueryNode, entry: EntryRow): Node => ({
  entry,
  datatype,
  values: values.every(hasRecord) ? values : values.map(value => withRecord(value, entry)),
  children: [],
})

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
    if (record) whole.set(node, wholeNode(node, record))
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
