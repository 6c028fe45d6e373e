import type { Change, ChangeLog } from './change-log.js'

const [maxMissed, maxMissedPages] = [1000, 20_000]

/**
 * Reads the changes after a known one, up to the newest.
 * @param from the id of the change that is known @param now that of the newest
 * @returns `'too many'` also where the log does not reach back so far
 */
export async function missedChanges(
  log: ChangeLog,
  from: number,
  now: number,
): Promise<Change[] | 'too many'> {
  if (!(await log.knows(from, now)) || now - from > maxMissed) return 'too many'
  const missed: Change[] = []
  let pages = 0
  for (let at = from; at < now; ) {
    const { changes } = await log.after(at)
    const last = changes.at(-1)
    if (!last) break
    missed.push(...changes.filter(({ id }) => id <= now))
    pages += changes.reduce((sum, change) => sum + change.pages.length, 0)
    if (pages > maxMissedPages) return 'too many'
    at = last.id
  }
  return missed
}
