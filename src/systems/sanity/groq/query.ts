import { type GroqRead, groqLimits } from '../../../computing/groq-protocol.js'
import { HttpError } from '../../../errors.js'
import { ComputationError, type Sandbox } from '../../../ports.js'
import { type ExprNode, nodesIn } from './tree.js'

/** A query that is not answered, and the part of it that is why. */
export class QueryError extends HttpError {
  constructor(
    message: string,
    readonly query: string,
    readonly start = 0,
    readonly end = query.length,
  ) {
    super(400, 'invalid', message, 'query')
  }
}

export interface GroqText {
  readonly text: string
  readonly params: ReadonlyMap<string, unknown>
}

/** Namespaces that the parser knows and the evaluator does not support. */
const notThere = new Set(['geo', 'documents', 'text', 'user', 'media', 'delta'])

/** Values that a slice or an attribute may be given by become a part of the tree. */
const isConstant = (value: unknown): boolean =>
  typeof value === 'string' ? value.length <= 200 : typeof value !== 'object' || value === null

/**
 * A computation over a query.
 * @throws 400 where it refuses the query or needs too much
 */
export async function computed(
  sandbox: Sandbox,
  name: string,
  input: unknown,
  query: string,
): Promise<string> {
  try {
    return await sandbox.run(name, input)
  } catch (error) {
    if (!(error instanceof ComputationError)) throw error
    const { reason, message } = error
    throw new QueryError(reason === 'refused' ? message : `the query ${message}: narrow the request`, query)
  }
}

/**
 * Reads a query. It is read where it is evaluated: to read a text of a hundred characters can take hours.
 * @throws 400 with the position and the problem
 */
export async function readQuery(sandbox: Sandbox, { text, params }: GroqText): Promise<ExprNode> {
  if (text.length > groqLimits.characters)
    throw new QueryError(`the query is longer than ${groqLimits.characters} characters`, text.slice(0, 200))
  const constants = Object.fromEntries([...params].filter(([, value]) => isConstant(value)))
  const read = JSON.parse(
    await computed(sandbox, 'groq.read', { query: text, params: constants }, text),
  ) as GroqRead
  if ('problem' in read) throw new QueryError(read.problem, text, read.position, read.position + 1)
  refuseUnknown(read.tree, text, params)
  return read.tree
}

const alone = 'global'

function refuseUnknown(tree: ExprNode, text: string, params: ReadonlyMap<string, unknown>): void {
  const refuse = (name: string, message: string): never => {
    const start = Math.max(text.indexOf(name), 0)
    throw new QueryError(message, text, start, start + name.length)
  }
  for (const node of nodesIn(tree)) {
    if (node.type === 'Parameter' && !params.has(node.name))
      refuse(`$${node.name}`, `param $${node.name.slice(0, 60)} referenced, but not provided`)
    if (node.type !== 'FuncCall') continue
    const { namespace, name } = node
    const whole = namespace === alone ? name : `${namespace}::${name}`
    if (notThere.has(namespace) || whole === 'anywhere' || namespace === 'diff')
      refuse(whole, `${whole}() is not supported`)
  }
}
