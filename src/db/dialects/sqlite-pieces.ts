import type BetterSqlite from 'better-sqlite3'
import { unavailable } from '../../errors.js'
import { Semaphore } from '../../semaphore.js'
import { nextTurn, Turns } from '../../turns.js'
import type { AllowanceOf } from '../allowance.js'
import type { Scalar } from '../columns.js'
import type { RawRow, Session } from './dialect.js'

/** SQLite answers within the call: what looks at many rows is stopped between them, so that others have their turn. */

type Ours = <T>(statement: string, work: () => T) => T

/** A piece ends after so many rows, few in the first, for many who ask need no second; or when others need their turn. */
const firstRows = 32
const maxRows = 64
/** A statement that has worked for so long is ended: whoever asked may be gone, and others wait for its connection. */
const longestMs = 30_000
/** So many statements in pieces run at the same time, each on a connection of its own, and so many more wait. */
const maxConnections = 4
const maxWaiting = 64

/** Rows of a statement, piece by piece; between two pieces other work goes on. */
export async function* rowsInPieces(
  statement: BetterSqlite.Statement,
  bindings: readonly Scalar[],
  ours: Ours,
  allowanceOf?: AllowanceOf,
): AsyncGenerator<RawRow[]> {
  const allowance = await allowanceOf?.()
  const rows = ours(statement.source, () => statement.iterate(bindings))
  let most = firstRows
  let workedMs = 0
  try {
    for (let ended = false; !ended; await nextTurn()) {
      const piece: RawRow[] = []
      const from = performance.now()
      const turns = new Turns()
      do {
        const next = ours(statement.source, () => rows.next())
        if (next.done) ended = true
        else piece.push(next.value as RawRow)
      } while (!ended && piece.length < most && !turns.isOver)
      most = Math.min(maxRows, most * 2)
      const tookMs = performance.now() - from
      workedMs += tookMs
      if (workedMs > longestMs) throw unavailable('the query takes too long, ask for less', 60)
      if (allowance) {
        allowance.leftMs -= tookMs
        if (allowance.leftMs < 0) throw allowance.refusal()
      }
      yield piece
    }
  } finally {
    rows.return?.()
  }
}

/**
 * The same on connections of their own, made when they are needed: a statement that is not over keeps its connection at
 * the moment at which it began, and ordinary reads must see the last commit.
 */
export function piecesOn(open: () => Required<Pick<Session, 'pieces'>> & { close(): void }) {
  const limit = { maxWaiting, error: () => unavailable('too many long queries at once, try again', 1) }
  const running = new Semaphore(maxConnections, limit)
  /** For those with a limit, so that they leave connections to others. */
  const limited = new Semaphore(1, limit)
  const idle: ReturnType<typeof open>[] = []
  let isClosed = false
  return {
    async *pieces(
      sql: string,
      bindings: readonly Scalar[],
      allowanceOf?: AllowanceOf,
    ): AsyncGenerator<RawRow[]> {
      const next = (await allowanceOf?.()) && (await limited.acquire())
      try {
        const release = await running.acquire()
        try {
          const connection = idle.pop() ?? open()
          try {
            yield* connection.pieces(sql, bindings, allowanceOf)
          } finally {
            if (isClosed) connection.close()
            else idle.push(connection)
          }
        } finally {
          release()
        }
      } finally {
        next?.()
      }
    },
    close() {
      isClosed = true
      for (const connection of idle.splice(0)) connection.close()
    },
  }
}
