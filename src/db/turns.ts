/** Runs what it is given, at most `max` at once and the rest in order as these end. */
export function turns(max: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < max) running++
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The place of this one goes to the next that waits.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
