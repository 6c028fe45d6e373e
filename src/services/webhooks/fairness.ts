/** An attempt that takes longer makes its receiver a slow one until one is quick again; milliseconds. */
const slowAfter = 1000

/**
 * Which receivers have room. All webhooks of one origin count as one receiver: it gets at most half of the workers, and
 * all slow ones together get at most half, so that who hangs never holds them all for long.
 */
export function receivers(workers: number) {
  const eachAtMost = Math.ceil(workers / 2)
  const slowAtMost = Math.max(1, Math.floor(workers / 2))
  const active = new Map<string, number>()
  const slow = new Set<string>()

  const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)
  const slowNow = () => [...active].reduce((sum, [origin, n]) => sum + (slow.has(origin) ? n : 0), 0)

  return {
    originOf,
    /** Chooses some at once: each that is taken counts as active for the next. */
    round() {
      const more = new Map<string, number>()
      let moreSlow = slowNow()
      return {
        take(url: string): boolean {
          const origin = originOf(url)
          const n = (active.get(origin) ?? 0) + (more.get(origin) ?? 0)
          if (n >= eachAtMost || (slow.has(origin) && moreSlow >= slowAtMost)) return false
          more.set(origin, (more.get(origin) ?? 0) + 1)
          if (slow.has(origin)) moreSlow++
          return true
        },
      }
    },
    /** @returns to be called when the attempt is over */
    enter(origin: string): () => void {
      active.set(origin, (active.get(origin) ?? 0) + 1)
      const from = performance.now()
      // A receiver that hangs is slow long before its time is over.
      const late = setTimeout(() => slow.add(origin), slowAfter)
      return () => {
        clearTimeout(late)
        const left = (active.get(origin) ?? 1) - 1
        if (left > 0) active.set(origin, left)
        else active.delete(origin)
        if (performance.now() - from < slowAfter) slow.delete(origin)
      }
    },
  }
}
