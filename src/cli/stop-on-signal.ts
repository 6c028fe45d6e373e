import { complain, type Terminal } from './terminal.js'

/** The first signal stops in order, the second at once. */
export function stopOnSignal(
  terminal: Terminal,
  running: { stop(): Promise<void> },
  flush: () => void = () => undefined,
): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stopping = true
      running.stop().then(
        () => {
          flush()
          process.exit(0)
        },
        error => {
          complain(terminal, String(error))
          process.exit(1)
        },
      )
    })
}
