import type { EntryRow } from '../../../db/tables.js'
import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import { numbered } from '../../../services/delivery/shown-documents.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { namesIn, sourcesIn } from '../../source-names.js'

/** The kinds of things that have numbers of their own in WordPress; media are posts there. */
const kinds = ['post', 'term', 'author'] as const

const system = 'wordpress'

export const wordpressNames = (site: CompatSite) => namesIn(site, system)

const sourcesOf = (numbers: readonly number[]) =>
  numbers.flatMap(number => kinds.map(kind => ({ kind, id: String(number), number })))

/**
 * Entries by their numbers in WordPress, else by those here. A number may be that of a post, a term and an author.
 * Entries that nobody sees are left out. They are in the order of the numbers.
 */
export async function entriesByNumber(
  site: CompatSite,
  numbers: readonly number[],
): Promise<{ readonly number: number; readonly row: EntryRow }[]> {
  const { documents } = site
  const sources = sourcesOf(numbers)
  const found = await sourcesIn(site, system).records(sources)
  const ids = sources.flatMap(source => {
    const id = found.get(source)?.content_data_id
    return id ? [{ number: source.number, id }] : []
  })
  const rows = new Map(
    (await documents.records(ids.map(({ id }) => id))).map(row => [row.content_data_id, row]),
  )
  const known = new Set(ids.map(({ number }) => number))
  const others = numbers.filter(number => !known.has(number))
  const own = others.length > 0 ? await documents.byNumber(others) : new Map<number, EntryRow>()
  return numbers.flatMap(number => [
    ...ids.flatMap(one => {
      const row = one.number === number ? rows.get(one.id) : undefined
      return row ? [{ number, row }] : []
    }),
    ...[own.get(number)].flatMap(row => (row ? [{ number, row }] : [])),
  ])
}

/** Media items with the numbers that they have in WordPress. */
export async function numberedMedia(site: CompatSite, media: readonly MediaRecord[]): Promise<MediaRecord[]> {
  if (media.length === 0) return []
  const names = await wordpressNames(site)({ entries: [], media: media.map(({ media_id }) => media_id) })
  return [...numbered(new Map(media.map(item => [item.media_id, item])), names).values()]
}

/** Media items by their numbers, in the order of these. */
export async function mediaByNumber(site: CompatSite, numbers: readonly number[]): Promise<MediaRecord[]> {
  const { documents } = site
  const sources = numbers.map(number => ({ kind: 'post', id: String(number), number }))
  const found = await sourcesIn(site, system).records(sources)
  const ids = new Map([...found].map(([{ id }, { media_id }]) => [Number(id), media_id ?? undefined]))
  const named = await documents.media([...ids.values()].flatMap(id => id ?? []))
  const others = numbers.filter(number => !ids.has(number))
  const own = new Map(
    (others.length > 0 ? await documents.mediaList({ numeric_id: others }) : []).map(item => [
      item.numeric_id,
      item,
    ]),
  )
  return numberedMedia(
    site,
    numbers.flatMap(number => named.get(ids.get(number) ?? '') ?? own.get(number) ?? []),
  )
}
