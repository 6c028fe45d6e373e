import type { ExprNode } from 'groq-js'

export type { ExprNode } from 'groq-js'

/** Limits of one query. */
export const groqLimits = {
  characters: 50_000,
  nodes: 20_000,
  depth: 300,
  reads: 50,
  /** Datatypes that all reads look into together: a read without `_type` looks into each. */
  finds: 500,
  /** Documents that one read gives, or that references lead to at once. */
  documents: 2000,
  /** Characters of all documents that are read, as JSON. */
  read: 8_000_000,
  levels: 10,
} as const

/** Input of `groq.read`: parameters that become constants of the tree. The others stay parameters. */
export interface GroqText {
  readonly query: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The result of reading a query: its syntax tree, or the problem and its position. */
export type GroqRead = { readonly tree: ExprNode } | { readonly problem: string; readonly position: number }

/** Input of `groq.evaluate`. */
export interface GroqInput {
  readonly tree: ExprNode
  readonly params: Readonly<Record<string, unknown>>
  /** Lists of documents, as their ids, by the names of the parameters that stand for them. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  /** Documents as JSON, by their ids or by references to them; null for missing documents. */
  readonly documents: readonly (readonly [reference: string, json: string | null])[]
  readonly now: string
  readonly dataset: string
}

/** How a result of `groq.evaluate` begins: with the value as JSON, or with references that it has to know too. */
export const [valueMark, missingMark] = ['=', '?'] as const
