import { parentPort, workerData } from 'node:worker_threads'
import type { RawRow } from './dialect.js'
import { DriverError } from './driver-error.js'
import { openForReading, sessionOf } from './sqlite-connection.js'
import type { Answered, Asked } from './sqlite-threads.js'

/**
 * The program of a reading thread. Statements that may look at every row block nothing else here, and end when their
 * time is over.
 */

const connection = openForReading(workerData as string)
let endsAt = Number.POSITIVE_INFINITY
let isLate = false
connection.function('within_time', { deterministic: false }, (_row: unknown) => {
  isLate = performance.now() > endsAt
  if (isLate) throw new Error('late')
  return 1
})
const session = sessionOf(connection)

async function run({ kind, sql, bindings }: Asked): Promise<unknown[]> {
  if (kind !== 'exec') return session[kind](sql, bindings)
  connection.exec(sql)
  return []
}

async function answer(asked: Asked): Promise<Answered> {
  const from = performance.now()
  isLate = false
  endsAt = asked.leftMs === undefined ? Number.POSITIVE_INFINITY : from + asked.leftMs
  try {
    const rows = (await run(asked)) as RawRow[]
    return { id: asked.id, rows, tookMs: performance.now() - from }
  } catch (error) {
    const { failure, code, words } =
      error instanceof DriverError ? error : new DriverError('unknown', '', '', '')
    return { id: asked.id, failed: isLate ? 'late' : { failure, code, words } }
  }
}

parentPort?.on('message', async (asked: Asked) => parentPort?.postMessage(await answer(asked)))
// It takes statements now.
parentPort?.postMessage('ready')
