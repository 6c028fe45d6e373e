const unit: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const pattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/

export const isDuration = (text: string): boolean => pattern.test(text)

const names = { ms: 'millisecond', s: 'second', m: 'minute', h: 'hour', d: 'day' } as const

/** Returns a text such as `1h30m` in words, `1 hour 30 minutes`. @param language such as `de` */
export const durationWords = (text: string, language: string): string =>
  [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy)]
    .map(([, n, name]) =>
      new Intl.NumberFormat(language, {
        ...{ style: 'unit', unitDisplay: 'long', unit: names[name as keyof typeof names] },
      }).format(Number(n)),
    )
    .join(' ')

/** Milliseconds of a text such as `24h`, `90s` or `1h30m`. */
export function duration(text: string): number {
  if (!isDuration(text)) throw new RangeError(`not a duration: ${text}`)
  let sum = 0
  for (const [, n, name] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy))
    sum += Number(n) * (unit[name ?? ''] ?? 0)
  return sum
}
