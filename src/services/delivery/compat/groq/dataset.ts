import type { Expr, Op, Span } from './syntax.js'

/** Where an expression is evaluated: `@`, and what is around it. */
export interface Scope {
  readonly value: unknown
  readonly parent: Scope | undefined
}

/** A read of documents by `*` and what follows it. */
export interface Source extends Span {
  /** What stands right behind `*` and chooses documents. */
  readonly ops: readonly Op[]
  /** Whether only their number is asked for. */
  readonly counts: boolean
}

/** Where documents come from. */
export interface Dataset {
  /**
   * Reads the documents that a source chooses.
   * @param constantOf what is the same for each of the documents
   * @returns their list, one of them or null where one is asked for, or their number; `left` are the operations that
   * still have to be done
   * @throws 400 for what is not answered
   */
  read(
    source: Source,
    constantOf: (expr: Expr) => Promise<unknown>,
  ): Promise<{ readonly value: unknown; readonly left: readonly Op[] }>
  /** The documents with these ids; what is not seen is not there. */
  load(ids: readonly string[]): Promise<ReadonlyMap<string, unknown>>
}

/** The value so many scopes further out. */
export function above(scope: Scope, levels: number): unknown {
  let at: Scope | undefined = scope
  for (let level = 0; level < levels; level++) at = at?.parent
  return at?.value ?? null
}

export const childOf = (value: unknown, parent: Scope | undefined): Scope => ({ value, parent })
