import { unavailable } from '../errors.js'
import type { Session } from './dialects/dialect.js'
import { withBounded } from './sessions.js'

/** How long a snapshot may take: while it is held, the database keeps old rows, and SQLite its whole log. */
export const maxSnapshotMs = 60_000

/**
 * Lets `work` read by a session until it ends or has taken too long. Whatever of it goes on after that reads nothing,
 * for the connection belongs to somebody else by then.
 */
export async function untilEnd<T>(
  session: Session,
  work: (session: Session) => Promise<T>,
  maxMs: number,
): Promise<T> {
  let ended: Error | undefined
  const open = (): Session => {
    if (ended) throw ended
    return session
  }
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      ended = unavailable('reading took too long, try again')
      reject(ended)
    }, maxMs)
    timer.unref()
  })
  try {
    const reads = work({
      all: async (sql, bindings) => open().all(sql, bindings),
      lists: async (sql, bindings) => open().lists(sql, bindings),
      run: async (sql, bindings) => open().run(sql, bindings),
      ...withBounded(session, async (_, read) => {
        open()
        return read()
      }),
    })
    return await Promise.race([reads, tooLong])
  } finally {
    clearTimeout(timer)
    ended ??= new Error('the snapshot has ended')
  }
}
