import type { Database } from '../../db/database.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { badRequest, HttpError } from '../../errors.js'
import { isSlug, trimmed, trimmedEnd } from '../text.js'

const maxLength = 80
const [batch, maxBatches] = [50, 20]
const maxTries = 5

/** `Über uns` and `О нас` become `uber-uns` and `o-nas`: the last part of an address for a title in any script. */
async function slugWord(title: string): Promise<string> {
  // Loaded with the first title: the tables of all scripts are half a megabyte.
  const { default: anyAscii } = await import('any-ascii')
  // Apostrophes are within words. Nothing is looked for beyond what is kept.
  const ascii = anyAscii(title.slice(0, 4 * maxLength))
    .toLowerCase()
    .replaceAll("'", '')
  const words = trimmed(ascii.replaceAll(/[^a-z0-9]+/g, '-'), '-').slice(0, maxLength)
  return trimmedEnd(words, '-') || 'page'
}

const numbered = (slug: string, n: number): string => {
  if (n === 1) return slug
  return slug === '/' ? numbered('/home', n - 1) : `${slug}-${n}`
}

/** An address, with a number from 2 where it is no page's own. @throws 400 where all of many are taken */
async function freeSlug(
  read: Reader,
  { routes, routeTranslations }: ContentSpace,
  wanted: string,
): Promise<string> {
  for (let at = 0; at < maxBatches; at++) {
    const slugs = Array.from({ length: batch }, (_, i) => numbered(wanted, at * batch + i + 1)).filter(isSlug)
    const taken = new Set([
      ...(await read.findIn(routes, 'slug', slugs)).map(({ slug }) => slug),
      ...(await read.findIn(routeTranslations, 'slug', slugs)).map(({ slug }) => slug),
    ])
    const free = slugs.find(slug => !taken.has(slug))
    if (free !== undefined) return free
  }
  throw badRequest(
    `slug: all URLs that begin with ${wanted.slice(0, maxLength)} are in use: choose a different slug`,
    'slug',
  )
}

/** Returns the folder of a page's address: `/blog/` of `/blog/first-post`. */
export const folderOf = (slug: string): string => slug.slice(0, slug.lastIndexOf('/') + 1)

const isTaken = (error: unknown) =>
  error instanceof HttpError && error.code === 'duplicate' && error.member === 'slug'

/** Makes a page at an address that is free, and tries again where another writer takes that first. */
export async function atFreeSlug<T>(
  db: Database,
  space: ContentSpace,
  wanted: string,
  make: (slug: string) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await make(await freeSlug(db, space, wanted))
    } catch (error) {
      if (tries === maxTries || !isTaken(error)) throw error
    }
}

/** Finds addresses for pages that have no address yet. */
export const pageSlugs = (db: Database, space: ContentSpace) => ({
  made: async ({ title, datatype_id }: { title: string; datatype_id: string }) =>
    freeSlug(db, space, await wantedSlug(db, space, title, datatype_id)),
  free: (wanted: string) => freeSlug(db, space, wanted),
})

/** The address by a title, whoever has it: in the folder of the newest page of the datatype. */
export async function wantedSlug(
  read: Reader,
  space: ContentSpace,
  title: string,
  datatype_id: string,
): Promise<string> {
  const ofKind = { datatype_id, parent_id: null }
  const [newest] = await read.findAll(space.contentData, ofKind, { limit: 1, newestFirst: true })
  const beside = newest?.route_id ? await read.get(space.routes, newest.route_id) : undefined
  return `${beside ? folderOf(beside.slug) : '/'}${await slugWord(title)}`
}
