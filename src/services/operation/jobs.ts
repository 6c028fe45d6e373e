import type { Log } from '../../ports.js'
import { Semaphore } from '../../semaphore.js'

/** Long enough for a response to leave first, so that its time does not reveal the work that follows. */
const delayMs = 20
const maxRunning = 4
/** More jobs than this are dropped: a flood of requests must not fill memory. */
const maxWaiting = 1000

class TooManyJobs extends Error {}

const pause = (): Promise<void> => new Promise(resolve => setTimeout(resolve, delayMs))

export type Background = ReturnType<typeof background>

export function background(log: Log) {
  const limit = new Semaphore(maxRunning, { maxWaiting, error: () => new TooManyJobs() })
  const open = new Set<Promise<void>>()

  function noteFailure(what: string, error: unknown): void {
    if (error instanceof TooManyJobs) log.error({ what }, 'too many jobs are waiting: one was dropped')
    else log.error({ err: error }, `${what} failed`)
  }

  return {
    later(what: string, job: () => Promise<void>) {
      const done: Promise<void> = limit
        .run(() => pause().then(job))
        .catch(error => noteFailure(what, error))
        .finally(() => open.delete(done))
      open.add(done)
    },
    async settle() {
      while (open.size > 0) await Promise.all(open)
    },
  }
}
