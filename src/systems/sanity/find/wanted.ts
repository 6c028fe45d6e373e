import { type ExprNode, partsOf, readsDocument, type TreeNode } from '../groq/tree.js'

/** Expressions that give documents as they are, if their base gives documents. */
const passes = new Set(['Filter', 'Slice', 'AccessElement', 'ArrayCoerce', 'Group', 'PipeFuncCall'])
/** Functions that show nothing of the content of a document. */
const tellsNothing = new Set(['count', 'defined'])

/**
 * The members of documents that a query can read, so that the others need not be made; undefined where documents are
 * shown or read whole.
 */
export function wantedNames(root: ExprNode): ReadonlySet<string> | undefined {
  const names = new Set<string>()
  let whole = false
  const look = (given: TreeNode, isShown: boolean): void => {
    const node = given as ExprNode
    const { type } = node
    const isDocument = type === 'This' || type === 'Parent' || type === 'Everything' || type === 'Deref'
    if (isShown && isDocument) whole = true
    if (type === 'AccessAttribute') names.add(node.name)
    if (readsDocument(node)) whole = true
    for (const { part, scope } of partsOf(node)) look(part, isShownIn(node, scope === 'same', isShown))
  }
  look(root, true)
  return whole ? undefined : names
}

function isShownIn(node: ExprNode, isBase: boolean, isShown: boolean): boolean {
  const { type } = node
  // A value reached from a document is not the document itself.
  if (type === 'AccessAttribute' || type === 'Deref') return false
  if (type === 'FuncCall' && tellsNothing.has(node.name)) return false
  if (type === 'Projection' || type === 'Map' || type === 'FlatMap') return !isBase
  return passes.has(type) && isBase ? isShown : true
}

/** True if a field is rich text that the query can read. */
export const isWantedRich =
  (wanted: ReadonlySet<string>) =>
  ({ field_type, name }: { field_type: string; name: string }): boolean =>
    field_type === 'richtext' && wanted.has(name)
