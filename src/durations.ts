const unit: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const pattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/

export const isDuration = (text: string): boolean => pattern.test(text)

/** Milliseconds of a text such as `24h`, `90s` or `1h30m`. */
export function duration(text: string): number {
  if (!isDuration(text)) throw new RangeError(`not a duration: ${text}`)
  let sum = 0
  for (const [, n, name] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy))
    sum += Number(n) * (unit[name ?? ''] ?? 0)
  return sum
}
