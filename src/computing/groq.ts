import { type ExprNode, evaluateSync, GroqSyntaxError, parse, toJS } from 'groq-js'
import {
  type GroqInput,
  type GroqRead,
  type GroqText,
  groqLimits,
  missingMark,
  valueMark,
} from './groq-protocol.js'

function* nodesOf(tree: unknown): Generator<[node: object, depth: number]> {
  const open: [value: unknown, depth: number][] = [[tree, 0]]
  for (let item = open.pop(); item; item = open.pop()) {
    const [value, depth] = item
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) yield [value, depth]
    // The value of a constant is data, not a node of the tree.
    for (const [name, inner] of Object.entries(value))
      if (name !== 'value' || (value as { type?: string }).type !== 'Value') open.push([inner, depth + 1])
  }
}

function problemOf(tree: ExprNode): string | undefined {
  let nodes = 0
  for (const [node, depth] of nodesOf(tree)) {
    if (++nodes > groqLimits.nodes) return 'the query has too many parts'
    if (depth > groqLimits.depth) return 'the query is nested too deeply'
    if (isOddScore(node as ExprNode))
      return 'score() must follow documents, before they are shown by {…} or [0]'
  }
  return undefined
}

/** The evaluator takes `score()` behind anything. */
function isOddScore(node: ExprNode): boolean {
  if (node.type !== 'PipeFuncCall' || node.name !== 'score') return false
  let base = node.base
  while (['Filter', 'Slice', 'PipeFuncCall', 'Group', 'ArrayCoerce'].includes(base.type))
    base = (base as Extract<ExprNode, { type: 'Filter' }>).base
  return base.type === 'Map' || base.type === 'AccessElement'
}

const pathCall = (given: ExprNode): ExprNode | undefined => {
  let expr = given
  while (expr.type === 'Group') expr = expr.base
  return expr.type === 'FuncCall' && expr.name === 'path' ? expr.args[0] : undefined
}

/** The evaluator compares texts with `path()`, not `path("a.b") in path("a.*")`: the first is the text then. */
function mendPaths(tree: ExprNode): void {
  for (const [given] of nodesOf(tree)) {
    const node = given as { type?: string; op?: string; left: ExprNode; right: ExprNode }
    if (node.type !== 'OpCall' || node.op !== 'in' || !pathCall(node.right)) continue
    node.left = pathCall(node.left) ?? node.left
  }
}

/** Reads a query. Parameters in `params` become constants; the others stay parameters. */
export function readGroq({ query, params }: GroqText): string {
  let read: GroqRead
  try {
    const tree = parse(query, { params: { ...params } })
    const problem = problemOf(tree)
    if (problem === undefined) mendPaths(tree)
    read = problem === undefined ? { tree } : { problem, position: 0 }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isDeep = error instanceof RangeError
    const problem = isDeep ? 'the query is nested too deeply' : error.message
    read = { problem, position: error instanceof GroqSyntaxError ? error.position : 0 }
  }
  return JSON.stringify(read)
}

/** Stands for null where the evaluator takes each null for another value. No text of content is this. */
const nullMark = '\u0000null'
const [marked, unmarked] = [`coalesce(@, "${nullMark}")`, `select(@ == "${nullMark}" => null, @)`]

/** `array::unique()` gives null once. */
function mendUnique(tree: ExprNode): void {
  for (const [given] of [...nodesOf(tree)]) {
    const node = given as Extract<ExprNode, { type: 'FuncCall' }>
    if (node.type !== 'FuncCall' || node.namespace !== 'array' || node.name !== 'unique') continue
    const args = node.args.map(base => ({ type: 'Map' as const, base, expr: parse(marked) }))
    Object.assign(node, { type: 'Map', base: { ...node, args }, expr: parse(unmarked) })
  }
}

/** Evaluates a tree. Where references lead to documents that are not there yet, their ids are the answer. */
export function evaluateGroq({ tree, params, lists, documents, now, dataset }: GroqInput): string {
  const texts = new Map(documents)
  const known = new Map<string, unknown>()
  const missing = new Set<string>()
  const documentOf = (id: string): unknown => {
    if (known.has(id)) return known.get(id)
    const text = texts.get(id)
    if (text === undefined) {
      missing.add(id)
      return null
    }
    const document: unknown = text === null ? null : JSON.parse(text)
    known.set(id, document)
    return document
  }
  mendUnique(tree)
  const read = Object.entries(lists).map(([name, ids]) => [name, ids.map(documentOf)] as const)
  const value = evaluateSync(tree, {
    root: null,
    dataset: [],
    params: { ...params, ...Object.fromEntries(read) },
    timestamp: new Date(now),
    identity: '',
    sanity: { projectId: '', dataset },
    dereference: ({ _ref }) => documentOf(_ref) as Record<string, unknown> | null,
  })
  if (missing.size > 0) return missingMark + JSON.stringify([...missing])
  return valueMark + (JSON.stringify(toJS(value)) ?? 'null')
}
