import type { Node, Tree } from '../../resources/trees.js'
import type { Session } from '../session.js'

/** The data and functions that the keys of a tree work with. */
export interface Shown {
  readonly session: Session
  tree(): Tree
  read(): Promise<void>
  /** The tree is deleted, and its screen is left: it is not read again. */
  leave(): void
  idOf(node: Node): string
}
