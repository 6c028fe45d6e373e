import type { Worker } from 'node:worker_threads'
import { unavailable } from '../../errors.js'
import { threadOf } from '../../node/program.js'
import { Semaphore } from '../../semaphore.js'
import type { AllowanceOf } from '../allowance.js'
import type { Scalar } from '../columns.js'
import { eachRow } from '../each-row.js'
import type { Failure, RawRow, Session } from './dialect.js'
import { DriverError } from './driver-error.js'

/** SQLite answers within the call, so statements that may look at many rows run in a thread that only reads. */

/** A statement that a thread is asked to run. */
export interface Asked {
  readonly id: number
  readonly kind: 'all' | 'lists' | 'exec'
  readonly sql: string
  readonly bindings: readonly Scalar[]
  readonly leftMs?: number | undefined
}

export type Answered = { readonly id: number } & (
  | { readonly rows: RawRow[]; readonly tookMs: number }
  | { readonly failed: 'late' | { readonly failure: Failure; readonly code: string; readonly words: string } }
)

type Rows = Extract<Answered, { rows: unknown }>

/** A statement that has worked for so long is ended: whoever asked may be gone, and others wait for its thread. */
const longestMs = 30_000
/** A thread that does not end its statement by then is given up, in milliseconds after it should have. */
const graceMs = 10_000
/** A thread with nothing to do ends after so long, for it takes some 10 MiB; longer than a snapshot may take. */
const idleMs = 90_000
const [maxThreads, maxWaiting] = [3, 64]

/** A snapshot is of the moment of its first read, so it reads something at once. */
export const beginSnapshot = 'begin; select 1 from sqlite_master limit 1'

/**
 * Ends a statement whose time is over, where its text names a row. A call for each row would take two fifths of the time of
 * a count, so one row in 16 is chosen by chance.
 */
const checked = (sql: string): string =>
  sql.replaceAll(eachRow.pattern, '(random() & 15 <> 0 or within_time($1)) and')

interface Waiting {
  resolve(rows: Rows): void
  reject(error: unknown): void
  readonly sql: string
  timer?: NodeJS.Timeout | undefined
}

interface Running {
  readonly worker: Worker
  /** Resolves when it takes statements: on a busy machine its start takes longer than many of them may. */
  readonly ready: Promise<void>
}

class Late extends Error {}

/** A connection in a thread of its own. The thread is started by the first statement, and again if it has ended. */
export class ReadingThread {
  private thread: Running | undefined
  private last = 0
  private readonly waiting = new Map<number, Waiting>()
  private idle: NodeJS.Timeout | undefined

  constructor(private readonly file: string) {}

  /** @throws DriverError, and `Late` when it has taken longer than `leftMs` */
  run(kind: Asked['kind'], sql: string, bindings: readonly Scalar[], leftMs?: number): Promise<Rows> {
    this.thread ??= this.started()
    const { worker, ready } = this.thread
    clearTimeout(this.idle)
    worker.ref()
    const id = ++this.last
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { resolve, reject, sql }
      this.waiting.set(id, waiting)
      worker.postMessage({ id, kind, sql: checked(sql), bindings, leftMs } satisfies Asked)
      if (leftMs === undefined) return
      const watch = () => {
        if (this.waiting.has(id))
          waiting.timer = setTimeout(() => this.end(worker, new Late()), leftMs + graceMs)
      }
      ready.then(watch, reject)
    })
  }

  async snapshot<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const all: Session['all'] = async (sql, bindings) => (await this.run('all', sql, bindings)).rows
    await this.run('exec', beginSnapshot, [])
    const { thread } = this
    try {
      return await work({
        all,
        lists: async (sql, bindings) =>
          (await this.run('lists', sql, bindings)).rows as unknown as unknown[][],
        run: async (sql, bindings) => {
          await all(sql, bindings)
        },
        bounded: (sql, bindings, allowanceOf) => boundedOn(this, sql, bindings, allowanceOf),
      })
    } finally {
      if (thread && thread === this.thread) await this.run('exec', 'rollback', [])
    }
  }

  close(): void {
    if (this.thread) this.end(this.thread.worker, closed())
  }

  private started(): Running {
    const worker = threadOf('src/db/dialects/sqlite-thread', this.file)
    let begin: () => void = () => undefined
    const ready = new Promise<void>(resolve => {
      begin = resolve
    })
    worker.on('message', (message: 'ready' | Answered) => {
      if (message === 'ready') begin()
      else this.answered(message)
    })
    const ended = ({ message }: Error) =>
      this.end(worker, failed('', { failure: 'unavailable', code: '', words: message }))
    worker.on('error', ended)
    worker.on('exit', () => this.end(worker, closed()))
    return { worker, ready }
  }

  private answered(answered: Answered): void {
    const waiting = this.waiting.get(answered.id)
    if (!waiting) return
    this.waiting.delete(answered.id)
    clearTimeout(waiting.timer)
    if (this.waiting.size === 0) this.rest()
    if ('rows' in answered) waiting.resolve(answered)
    else waiting.reject(answered.failed === 'late' ? new Late() : failed(waiting.sql, answered.failed))
  }

  private rest(): void {
    const worker = this.thread?.worker
    worker?.unref()
    this.idle = setTimeout(() => worker && this.end(worker, closed()), idleMs)
    this.idle.unref()
  }

  private end(worker: Worker, error: Error): void {
    if (worker !== this.thread?.worker) return
    this.thread = undefined
    clearTimeout(this.idle)
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer)
      reject(error)
    }
    this.waiting.clear()
    worker.terminate()
  }
}

const failed = (sql: string, { failure, code, words }: { failure: Failure; code: string; words: string }) =>
  new DriverError(failure, code, sql.slice(0, 200), words)
const closed = () => failed('', { failure: 'unavailable', code: 'CLOSED', words: 'the thread has ended' })

/** Runs a statement within its caller's allowance, and takes the time that it needed from the allowance. */
async function boundedOn(
  thread: ReadingThread,
  sql: string,
  bindings: readonly Scalar[],
  allowanceOf?: AllowanceOf,
): Promise<RawRow[]> {
  const allowance = await allowanceOf?.()
  if (allowance && allowance.leftMs < 0) throw allowance.refusal()
  try {
    const { rows, tookMs } = await thread.run(
      'all',
      sql,
      bindings,
      Math.min(longestMs, allowance?.leftMs ?? longestMs),
    )
    if (allowance) allowance.leftMs -= tookMs
    return rows
  } catch (error) {
    if (!(error instanceof Late)) throw error
    if (!allowance) throw unavailable('the query takes too long: add conditions or request fewer results', 60)
    allowance.leftMs = -1
    throw allowance.refusal()
  }
}

/** Long statements, each in a thread of its own. Those of callers with a limit run one after another. */
export function longReads(open: () => ReadingThread) {
  const limit = { maxWaiting, error: () => unavailable('too many long queries at once, try again', 1) }
  const running = new Semaphore(maxThreads, limit)
  const limited = new Semaphore(1, limit)
  const threads = new Set<ReadingThread>()
  const idle: ReadingThread[] = []
  async function inThread<T>(work: (thread: ReadingThread) => Promise<T>): Promise<T> {
    const thread = idle.pop() ?? open()
    threads.add(thread)
    try {
      return await work(thread)
    } finally {
      idle.push(thread)
    }
  }
  const bounded: NonNullable<Session['bounded']> = async (sql, bindings, allowanceOf) => {
    const run = () => running.run(() => inThread(thread => boundedOn(thread, sql, bindings, allowanceOf)))
    return (await allowanceOf?.()) ? limited.run(run) : run()
  }
  return {
    bounded,
    close() {
      for (const thread of threads) thread.close()
    },
  }
}
