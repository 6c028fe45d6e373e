import { setTimeout as sleep } from 'node:timers/promises'
import { flushStandardOutput } from '../node/log.js'
import { complain, type Terminal } from './terminal.js'

const flushTimeoutMs = 1000

const startTimeoutMs = 3000

/**
 * Stops in order at the first signal, and at once at the second. It is called before the start is over: the service
 * responds a moment earlier than its start ends.
 * @param isWorker a worker is signalled by the process that started it, and often by a service manager too
 */
export function stopOnSignal(
  terminal: Terminal,
  starting: Promise<{ stop(): Promise<void> }>,
  isWorker = false,
): void {
  let stopping = false
  // Whoever waits for the start reports why it failed.
  starting.catch(() => undefined)
  const stop = async (): Promise<number> => {
    try {
      const running = await Promise.race([starting, sleep(startTimeoutMs, undefined)])
      await running?.stop()
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
      if (stopping && isWorker) return
      if (stopping) process.exit(1)
      stopping = true
      stop().then(process.exit, () => process.exit(1))
    })
}
