import { childrenKey } from '../../../services/delivery/formats/format.js'
import type { Node, NodeValue } from '../../../services/delivery/tree.js'

type Datatype = Node['datatype']

/** What datatypes are called as parts of documents, and which fields they have. */
export interface StrapiModel {
  /** The member with the children of an entry. */
  zoneOf(datatype: Datatype): string
  componentOf(datatype: Datatype): string
  /** The fields that are shown of every entry, whether it has values for them or not. */
  fieldsOf(datatype: Datatype): readonly NodeValue['field'][]
  /** Whether a rich text is answered as blocks. */
  isBlocks(field: NodeValue['field']): boolean
  /** Whether entries of the datatype differ between locales, wherever they are. */
  isLocalized(node: Node): boolean
  /** Whether it is a component that has no components in it. */
  isLeaf(datatype: Datatype): boolean
  /** Whether what a relation names are components. */
  namesComponents(field: NodeValue['field']): boolean
}

/** That of a site without names of its own, as pages are written. */
export const plainModel: StrapiModel = {
  zoneOf: () => childrenKey,
  componentOf: ({ name }) => `blocks.${name}`,
  fieldsOf: () => [],
  isBlocks: () => false,
  isLocalized: ({ values }) => values.some(({ field }) => field.translatable),
  isLeaf: () => false,
  namesComponents: () => false,
}
