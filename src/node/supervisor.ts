import cluster, { type Worker } from 'node:cluster'
import type { Log } from '../ports.js'
import { type Addresses, type FromWorker, type ToWorker, workerVariable } from './worker.js'

/** The pause before an ended worker is started again: it doubles with each end that comes soon after a start. */
const [firstPauseMs, longestPauseMs] = [100, 10_000]
/** A worker that has served for so long has not failed at its start. */
const provenMs = 60_000
/** After so many ends soon after a start the service gives up, unless another worker serves. */
const maxEnds = 5
/** How long a worker may take to tell its metrics; the others are shown without it. */
const metricsTimeoutMs = 2000

/** One of the places for a worker, whichever process fills it. */
interface Place {
  readonly number: number
  worker?: Worker | undefined
  /** When its worker began to serve; undefined until then. */
  readyAt?: number | undefined
  /** How many workers in a row ended soon. */
  ends: number
}

interface Settings {
  count: number
  log: Log
  /** Called once, when the first worker serves. */
  ready: (addresses: Addresses) => void
}

/** Starts workers, starts those again that end, and stops all of them. */
class Supervisor {
  readonly ended: Promise<number>
  private readonly places: Place[]
  private readonly timers = new Set<NodeJS.Timeout>()
  private end: (code: number) => void = () => undefined
  private hasServed = false
  private stopping = false
  private code = 0

  constructor(private readonly settings: Settings) {
    this.places = Array.from({ length: settings.count }, (_, i) => ({ number: i + 1, ends: 0 }))
    this.ended = new Promise(resolve => {
      this.end = resolve
    })
    // Workers accept for themselves. Otherwise this process gives each connection to one of them, and what it has
    // given to a worker that was killed just then is answered by nobody, and ended by nobody.
    cluster.schedulingPolicy = cluster.SCHED_NONE
  }

  /** The first worker prepares the database alone; the others start when it serves. */
  start(): void {
    const [first] = this.places
    if (first) this.fork(first)
  }

  stop(): void {
    this.stopping = true
    for (const timer of this.timers) clearTimeout(timer)
    for (const { worker } of this.places) worker?.process.kill('SIGTERM')
    this.endIfAlone()
  }

  killAll(): void {
    for (const { worker } of this.places) worker?.process.kill('SIGKILL')
  }

  private fork(place: Place): void {
    const worker = cluster.fork({ [workerVariable]: String(place.number) })
    place.worker = worker
    place.readyAt = undefined
    worker.on('message', (message: FromWorker) => this.told(place, worker, message))
    worker.on('exit', (code, signal) => this.exited(place, worker, code, signal))
  }

  private told(place: Place, worker: Worker, message: FromWorker): void {
    if (message.kind === 'metrics') {
      const { turn } = message
      void this.metricsOfAll().then(metrics => tell(worker, { kind: 'metrics', turn, metrics }))
    }
    if (message.kind !== 'ready') return
    place.readyAt = performance.now()
    if (this.hasServed || this.stopping) return
    this.hasServed = true
    this.settings.ready(message.addresses)
    for (const other of this.places.slice(1)) this.fork(other)
  }

  private exited(place: Place, { process: { pid } }: Worker, code: number | null, signal: string | null) {
    const { log } = this.settings
    const lived = place.readyAt === undefined ? 0 : performance.now() - place.readyAt
    place.worker = undefined
    place.readyAt = undefined
    if (this.stopping) {
      // A signal ends a worker that has not begun to listen for it.
      this.code ||= code ?? (signal === 'SIGTERM' ? 0 : 1)
      this.endIfAlone()
      return
    }
    // It has said why it cannot start, as a service of one process does.
    if (!this.hasServed) {
      this.end(code || 1)
      return
    }
    place.ends = lived > provenMs ? 1 : place.ends + 1
    const pause = Math.min(firstPauseMs * 2 ** (place.ends - 1), longestPauseMs)
    const ended = { worker: place.number, pid, code, signal }
    if (place.ends >= maxEnds && this.places.every(({ readyAt }) => readyAt === undefined)) {
      log.error(
        ended,
        `no worker is running, and one has ended ${place.ends} times in a row: the service stops`,
      )
      this.code = 1
      this.stop()
      return
    }
    log.error({ ...ended, retry_in_ms: pause }, 'a worker has ended: starting another one')
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      this.fork(place)
    }, pause)
    this.timers.add(timer)
  }

  private endIfAlone(): void {
    if (this.places.every(({ worker }) => worker === undefined)) this.end(this.code)
  }

  private turns = 0

  private async metricsOfAll(): Promise<unknown[][]> {
    const turn = ++this.turns
    const serving = this.places.flatMap(({ worker, readyAt }) =>
      worker && readyAt !== undefined ? [worker] : [],
    )
    const told = await Promise.all(serving.map(worker => measuredBy(worker, turn)))
    return told.filter(metrics => metrics !== undefined)
  }
}

const tell = (worker: Worker, message: ToWorker) => void worker.send(message, () => undefined)

/** The metrics of one worker; undefined if it does not tell them in time. */
function measuredBy(worker: Worker, turn: number): Promise<unknown[] | undefined> {
  return new Promise(resolve => {
    const done = (metrics?: unknown[]) => {
      clearTimeout(late)
      worker.off('message', listener).off('exit', gone)
      resolve(metrics)
    }
    const listener = (message: FromWorker) => {
      if (message.kind === 'measured' && message.turn === turn) done(message.metrics)
    }
    const gone = () => done()
    const late = setTimeout(done, metricsTimeoutMs)
    worker.on('message', listener).on('exit', gone)
    tell(worker, { kind: 'measure', turn })
  })
}

/**
 * Runs this program in workers until a signal stops them in order, or a second one at once.
 * @returns the exit code when all of them have ended
 */
export function supervise(settings: Settings): Promise<number> {
  const supervisor = new Supervisor(settings)
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) {
        supervisor.killAll()
        process.exit(1)
      }
      stopping = true
      supervisor.stop()
    })
  supervisor.start()
  return supervisor.ended
}
