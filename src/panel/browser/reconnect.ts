/** An address of the panel that answers at once, signed in or not. */
const probe = '/admin/form-token'
const [firstDelayMs, longestDelayMs] = [2000, 60_000]

let waiting: (() => void) | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let delay = firstDelayMs

/** Ends the wait for a connection. */
export function stopWaiting(): void {
  waiting = undefined
  clearTimeout(timer)
}

async function look(): Promise<void> {
  if (!waiting) return
  clearTimeout(timer)
  const asked = waiting
  const answer = await fetch(probe, { cache: 'no-store' }).catch(() => undefined)
  if (waiting !== asked) return
  // A proxy responds with 5xx while the service is down.
  if (answer && answer.status < 500) {
    stopWaiting()
    asked()
    return
  }
  timer = setTimeout(() => void look(), delay)
  delay = Math.min(2 * delay, longestDelayMs)
}

addEventListener('online', () => void look())

/** Calls a function once the service responds again. A later call replaces an earlier one. */
export function whenConnected(done: () => void): void {
  stopWaiting()
  waiting = done
  delay = firstDelayMs
  timer = setTimeout(() => void look(), delay)
}
