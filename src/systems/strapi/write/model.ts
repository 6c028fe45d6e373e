import { childrenKey } from '../../../services/delivery/formats/format.js'
import type { Node, NodeValue } from '../../../services/delivery/tree.js'

type Datatype = Node['datatype']

/** The names of datatypes as parts of documents, and their fields. */
export interface StrapiModel {
  zoneOf(datatype: Datatype): string
  componentOf(datatype: Datatype): string
  /** The fields that are shown of every entry, whether it has values for them or not. */
  fieldsOf(datatype: Datatype): readonly NodeValue['field'][]
  isBlocks(field: NodeValue['field']): boolean
  isLocalized(node: Node): boolean
  isLeaf(datatype: Datatype): boolean
  namesComponents(field: NodeValue['field']): boolean
}

/** The model of a site without names of its own, as for pages. */
export const plainModel: StrapiModel = {
  zoneOf: () => childrenKey,
  componentOf: ({ name }) => `blocks.${name}`,
  fieldsOf: () => [],
  isBlocks: () => false,
  isLocalized: ({ values }) => values.some(({ field }) => field.translatable),
  isLeaf: () => false,
  namesComponents: () => false,
}
