import { AsyncLocalStorage } from 'node:async_hooks'
import { DriverError } from './driver-error.js'

/** How long one request may wait for the database in all, in milliseconds. */
const requestTimeMs = 5000
/** What is answered within this is progress, however much of it a request asks for. */
const promptMs = 500
const ofRequests = new AsyncLocalStorage<RequestTime>()

/** What one request has waited for the database so far (docs/decisions.md, D-206). */
export class RequestTime {
  private waitedMs = 0
  private waitedUntil = 0
  private quickestMs: number | undefined
  private isAnswered = false

  /** That of the request that the caller works for; undefined for what no request waits for, or no longer. */
  static current(): RequestTime | undefined {
    const time = ofRequests.getStore()
    return time?.isAnswered ? undefined : time
  }

  /** Runs `work` as one request, unless it is part of one already. Ends with its answer, not with what goes on after. */
  static async limit<T>(work: () => Promise<T>): Promise<T> {
    if (RequestTime.current()) return work()
    const time = new RequestTime()
    try {
      return await ofRequests.run(time, work)
    } finally {
      time.isAnswered = true
    }
  }

  /** True when not even the quickest statement so far would fit into what is left; before any, when nothing is left. */
  get isOver(): boolean {
    return this.waitedMs > 0 && requestTimeMs - this.waitedMs < (this.quickestMs ?? 1)
  }

  /**
   * What is left for the next statement, in milliseconds.
   * @throws when the time is over
   */
  leftFor(statement?: string): number {
    if (this.isOver)
      throw new DriverError('unavailable', 'REQUEST_TIME', statement, 'no time is left for this request')
    return requestTimeMs - this.waitedMs
  }

  /** Counts a wait that began then. What several statements waited at once counts once. */
  waited(since: number, allowedMs = 0): void {
    const now = performance.now()
    if (now - since < promptMs + allowedMs) return
    this.waitedMs += now - Math.max(since, this.waitedUntil)
    this.waitedUntil = now
  }

  /** The same for a statement that was answered. @param allowedMs what it may take for the size of its values */
  answered(since: number, allowedMs: number): void {
    this.quickestMs = Math.min(this.quickestMs ?? Number.POSITIVE_INFINITY, performance.now() - since)
    this.waited(since, allowedMs)
  }
}
