import type { Node, Tree } from '../../resources/trees.js'
import type { Session } from '../session.js'

/** The data and functions that the keys of a tree work with. */
export interface Shown {
  readonly session: Session
  tree(): Tree
  read(): Promise<void>
  idOf(node: Node): string
}
