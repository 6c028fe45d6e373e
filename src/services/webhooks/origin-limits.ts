/** An attempt that takes longer makes its origin a slow one until an attempt there is quick again. */
const slowAfterMs = 1000

export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)

/**
 * How many attempts may go to one origin at a time. All webhooks of one origin count together: it gets at most half of
 * the workers, and all slow origins together get at most half, so that one that hangs never holds them all for long.
 */
export class OriginLimits {
  private readonly maxPerOrigin: number
  private readonly maxSlow: number
  private readonly active = new Map<string, number>()
  private readonly slow = new Set<string>()

  constructor(workers: number) {
    this.maxPerOrigin = Math.ceil(workers / 2)
    this.maxSlow = Math.max(1, Math.floor(workers / 2))
  }

  /** Chooses deliveries to claim together: each chosen one counts for the next as if it were active. */
  batch(): { tryAcquire(url: string): boolean } {
    const chosen = new Map<string, number>()
    let slowChosen = this.activeSlow()
    return {
      tryAcquire: url => {
        const origin = originOf(url)
        const before = chosen.get(origin) ?? 0
        const isSlow = this.slow.has(origin)
        if ((this.active.get(origin) ?? 0) + before >= this.maxPerOrigin) return false
        if (isSlow && slowChosen >= this.maxSlow) return false
        chosen.set(origin, before + 1)
        if (isSlow) slowChosen++
        return true
      },
    }
  }

  /** Counts an attempt that starts. @returns to be called when it is over */
  acquire(origin: string): () => void {
    this.active.set(origin, (this.active.get(origin) ?? 0) + 1)
    const from = performance.now()
    // An origin that hangs is slow long before its time is over.
    const late = setTimeout(() => this.slow.add(origin), slowAfterMs)
    return () => {
      clearTimeout(late)
      const left = (this.active.get(origin) ?? 1) - 1
      if (left > 0) this.active.set(origin, left)
      else this.active.delete(origin)
      if (performance.now() - from < slowAfterMs) this.slow.delete(origin)
    }
  }

  private activeSlow(): number {
    return [...this.active].reduce((sum, [origin, n]) => sum + (this.slow.has(origin) ? n : 0), 0)
  }
}
