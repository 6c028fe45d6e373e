import type { MetricsOfAll } from './metrics.js'

/** The variable by which a process learns that it is a worker, and which one. */
export const workerVariable = 'SLUGLINE_WORKER'

/** Where the service listens, as its first process tells it. */
export interface Addresses {
  readonly port: number
  readonly sslPort?: number | undefined
  readonly ssh?: { readonly port: number; readonly fingerprint: string } | undefined
}

/** A message of a worker to the process that started it. `turn` numbers the requests for metrics. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly addresses: Addresses }
  | { readonly kind: 'metrics'; readonly turn: number }
  | { readonly kind: 'measured'; readonly turn: number; readonly metrics: unknown[] }

export type ToWorker =
  | { readonly kind: 'measure'; readonly turn: number }
  | { readonly kind: 'metrics'; readonly turn: number; readonly metrics: unknown[][] }

export interface Worker extends MetricsOfAll {
  /** 1 for the one that also serves what exists once: the terminal and the port of metrics. */
  readonly number: number
  ready(addresses: Addresses): void
}

/**
 * The worker that this process is; undefined for a process that serves alone, or starts workers.
 * @param variables of the environment
 */
export function workerOf(variables: Readonly<Record<string, string | undefined>>): Worker | undefined {
  const number = Number(variables[workerVariable])
  if (!(number > 0) || !process.send) return undefined
  // The one that reads it may have ended meanwhile.
  const tell = (message: FromWorker) => void process.send?.(message, undefined, {}, () => undefined)
  const waiting = new Map<number, (metrics: unknown[][]) => void>()
  let turns = 0
  let measure: (() => Promise<unknown[]>) | undefined
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'metrics') {
      waiting.get(message.turn)?.(message.metrics)
      waiting.delete(message.turn)
      return
    }
    const { turn } = message
    const measuring = measure?.() ?? Promise.resolve([])
    void measuring.catch(() => []).then(metrics => tell({ kind: 'measured', turn, metrics }))
  })
  return {
    number,
    ready: addresses => tell({ kind: 'ready', addresses }),
    measureBy(own) {
      measure ??= own
    },
    ofAll() {
      const turn = ++turns
      return new Promise(resolve => {
        waiting.set(turn, resolve)
        tell({ kind: 'metrics', turn })
      })
    },
  }
}
