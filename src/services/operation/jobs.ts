import type { Log } from '../../ports.js'

export interface Background {
  /** Runs a job when the answer has left, a few at a time. A job that fails leaves a log line. */
  later(what: string, job: () => Promise<void>): void
  /** Resolves when nothing is left to do. */
  settle(): Promise<void>
}

/** Long enough for an answer to leave first, so that its time does not tell what is done after it; milliseconds. */
const head = 20
const jobsAtOnce = 4
/** More jobs than this are dropped: a flood of requests must not fill memory. */
const jobsAtMost = 1000

export function background(log: Log): Background {
  const waiting: (() => Promise<void>)[] = []
  const running = new Set<Promise<void>>()

  function next(): void {
    while (running.size < jobsAtOnce) {
      const job = waiting.shift()
      if (!job) return
      const done: Promise<void> = new Promise<void>(resolve => setTimeout(resolve, head))
        .then(job)
        .finally(() => {
          running.delete(done)
          next()
        })
      running.add(done)
    }
  }

  return {
    later(what, job) {
      if (waiting.length >= jobsAtMost) return log.error({ what }, 'too much is waiting: a job was dropped')
      waiting.push(() => job().catch(error => log.error({ err: error }, `${what} failed`)))
      next()
    },
    async settle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
