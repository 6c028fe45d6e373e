/** Which events of those that a webhook subscribes to it gets. A missing member lets every event pass. */
export interface EventFilter {
  /** Names of datatypes. */
  readonly datatypes?: string[] | undefined
  /** Slugs of pages; each stands for the pages below it too. */
  readonly slugs?: string[] | undefined
  /** Codes of locales. */
  readonly locales?: string[] | undefined
}

interface Told {
  readonly datatypes?: readonly string[]
  readonly slug?: string | null
  readonly slugs?: readonly string[]
  readonly locale?: string
  readonly all_pages?: boolean
}

/** Whether a slug is another one, or below it. */
export const isUnder = (slug: string, prefix: string): boolean =>
  prefix === '/' || slug === prefix || slug.startsWith(`${prefix}/`)

/**
 * Whether a filter lets an event pass: each of its members names one of the datatypes, pages or locales of the event.
 * An event passes a part of the filter that it does not tell about, and an event about all pages concerns each of them.
 * @param data the data of the event
 */
export function isWanted(data: object, filter: EventFilter | null): boolean {
  if (!filter) return true
  const { datatypes, slug, slugs, locale, all_pages }: Told = data
  const pages =
    slug === undefined && slugs === undefined ? undefined : [...(slugs ?? []), ...(slug ? [slug] : [])]
  const fits = <T>(
    wanted: readonly T[] | undefined,
    told: readonly string[] | undefined,
    same: (a: string, b: T) => boolean,
  ) => wanted === undefined || told === undefined || told.some(one => wanted.some(other => same(one, other)))
  const isSame = (one: string, other: string) => one === other
  return (
    (all_pages === true ||
      (fits(filter.datatypes, datatypes, isSame) && fits(filter.slugs, pages, isUnder))) &&
    fits(filter.locales, locale ? [locale] : undefined, isSame)
  )
}
