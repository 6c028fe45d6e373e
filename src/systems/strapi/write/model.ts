import { childrenKey } from '../../../services/delivery/formats/format.js'
import type { Node, NodeValue } from '../../../services/delivery/tree.js'

type Datatype = Node['datatype']

/** The names of datatypes as parts of documents, and their fields. */
export interface StrapiModel {
  /** The member with the children of an entry. */
  zoneOf(datatype: Datatype): string
  componentOf(datatype: Datatype): string
  /** The fields that are shown of every entry, whether it has values for them or not. */
  fieldsOf(datatype: Datatype): readonly NodeValue['field'][]
  /** True if a rich text is answered as blocks. */
  isBlocks(field: NodeValue['field']): boolean
  /** True if entries of the datatype differ between locales, wherever they are. */
  isLocalized(node: Node): boolean
  /** True if it is a component without components in it. */
  isLeaf(datatype: Datatype): boolean
  /** True if the targets of a relation are components. */
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
