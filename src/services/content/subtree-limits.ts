import { valueSizes } from '../../db/queries/content.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { badRequest } from '../../errors.js'

/** What fits the time of one transaction, and the memory for one version. */
const limits = {
  /** Of changes that read and write every entry. */
  each: { entries: 5000, values: 20_000, characters: 16_000_000 },
  /** Of those that go through the database many at once: to move and to delete. */
  bulk: { entries: 20_000, values: 80_000, characters: 16_000_000 },
}

const refuse = (number: number, of: string, most: number) => {
  throw badRequest(
    `the entry and what is under it have ${number} ${of}, and at most ${most} go together: take its parts one by one`,
  )
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
  work: keyof typeof limits,
): Promise<void> {
  const most = limits[work]
  if (ids.length > most.entries) refuse(ids.length, 'entries', most.entries)
  let [values, characters] = [0, 0]
  for (const size of await read.queryIn(valueSizes(space), ids)) {
    values += size.values
    characters += size.characters
  }
  if (values > most.values) refuse(values, 'field values', most.values)
  if (characters > most.characters) refuse(characters, 'characters in field values', most.characters)
}
