import { afterAll } from 'vitest'

const shown = 5

/**
 * Prints the slowest requests after the tests of a file, for runs with many entries. No test depends on it.
 * @param isWanted whether to print
 */
export function slowest(isWanted: boolean) {
  const taken: { what: string; ms: number }[] = []
  if (isWanted)
    afterAll(() => {
      const longest = taken.sort((a, b) => b.ms - a.ms).slice(0, shown)
      const lines = longest.map(({ what, ms }) => `${ms.toFixed(0)} ms ${what.slice(0, 400)}`)
      process.stdout.write(`${taken.length} requests, of which the slowest:\n${lines.join('\n')}\n`)
    })
  return async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now()
    const result = await work()
    taken.push({ what, ms: performance.now() - from })
    return result
  }
}
