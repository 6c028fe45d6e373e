import { valueSizes } from '../../db/queries/content.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { badRequest } from '../../errors.js'
import { limits } from '../../limits.js'

/** How much goes together. */
export interface Sizes {
  entries: number
  values: number
  characters: number
}

const { treeEntries, treeValues, bulkEntries, bulkValues, treeCharacters: characters } = limits.content
const largest = {
  each: { entries: treeEntries, values: treeValues, characters },
  bulk: { entries: bulkEntries, values: bulkValues, characters },
} satisfies Record<string, Sizes>

export type Work = keyof typeof largest

const names = { entries: 'entries', values: 'field values', characters: 'characters in field values' }

interface Excess {
  readonly number: number
  readonly of: string
  readonly most: number
}

function excessOf(sizes: Partial<Sizes>, work: Work): Excess | undefined {
  for (const [name, most] of Object.entries(largest[work]) as [keyof Sizes, number][]) {
    const number = sizes[name] ?? 0
    if (number > most) return { number, of: names[name], most }
  }
  return undefined
}

/**
 * @param counted `upToLimit` if the sizes were counted no further than one beyond the limit
 * @throws 400 that names the number, as far as it was counted, and the limit
 */
export function refuseBeyond(
  sizes: Partial<Sizes>,
  work: Work,
  what = 'the entry and what is under it',
  counted: 'all' | 'upToLimit' = 'all',
): void {
  const excess = excessOf(sizes, work)
  if (!excess) return
  const { number, of, most } = excess
  const many = counted === 'all' ? String(number) : `more than ${most}`
  throw badRequest(
    `${what} have ${many} ${of}, and one request can have at most ${most}: send the parts one by one`,
  )
}

async function sizesOf(read: Reader, space: ContentSpace, ids: readonly string[]): Promise<Sizes> {
  const sizes = { entries: ids.length, values: 0, characters: 0 }
  for (const { values, characters } of await read.queryIn(valueSizes(space), ids)) {
    sizes.values += values
    sizes.characters += characters
  }
  return sizes
}

/**
 * Called before anything but ids is read.
 * @param ids an entry with everything under it
 * @throws 400 that names the number and the limit
 */
export async function refuseLarge(
  read: Reader,
  space: ContentSpace,
  ids: readonly string[],
  work: Work,
): Promise<Sizes> {
  refuseBeyond({ entries: ids.length }, work)
  const sizes = await sizesOf(read, space, ids)
  refuseBeyond(sizes, work)
  return sizes
}
