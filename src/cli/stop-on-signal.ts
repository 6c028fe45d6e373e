import { flushStandardOutput } from '../node/log.js'
import { complain, type Terminal } from './terminal.js'

/** How long a stop waits until the log is read. */
const flushTimeoutMs = 1000

/** Stops in order at the first signal, and at once at the second. */
export function stopOnSignal(terminal: Terminal, running: { stop(): Promise<void> }): void {
  let stopping = false
  const stop = async (): Promise<number> => {
    try {
      await running.stop()
      return 0
    } catch (error) {
      complain(terminal, String(error))
      return 1
    } finally {
      await flushStandardOutput(flushTimeoutMs)
    }
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stopping = true
      stop().then(process.exit, () => process.exit(1))
    })
}
