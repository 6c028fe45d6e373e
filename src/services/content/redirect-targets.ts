import type { RowOf } from '../../db/columns.js'
import { internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, invalid } from '../../errors.js'
import { limits } from '../../limits.js'
import { slugsOf } from './route-translations.js'

/** Where redirects lead. What is stored leads to its end in one step, as long as that is affordable. */

export type Redirect = RowOf<typeof tables.redirects>
/** A path or an address elsewhere, or a route with the locale of its address. */
export type Destination = Pick<Redirect, 'target' | 'route_id' | 'locale'>

/** How many redirects lead to one address before a redirect of that address is refused. */
export const maxFollowers = limits.content.redirectsToOne
/** Stored redirects lead to their end in one step, or in two where there were too many to change. */
const maxSteps = 10

export const toRoute = (route_id: string, locale: string): Destination => ({ target: null, route_id, locale })

/** The route that has a slug, with the locale that the slug is of. */
export async function routeAt(tx: Writer, slug: string): Promise<Destination | undefined> {
  const own = await tx.find(tables.routes, { slug })
  if (own) return toRoute(own.route_id, '')
  const translated = await tx.find(tables.routeTranslations, { slug })
  return translated && toRoute(translated.route_id, translated.locale)
}

/**
 * The end of the way that begins with a redirect of the slug.
 * @throws 400 when that way leads back to the slug
 */
export async function endOf(tx: Writer, slug: string, first: Destination): Promise<Destination> {
  let at = first
  for (let step = 0; step < maxSteps; step++) {
    if (at.route_id !== null) {
      const route = await tx.get(tables.routes, at.route_id)
      if (route && slugsOf(route).includes(slug)) throw invalid('route_id', 'leads back to the slug itself')
      return at
    }
    const { target } = at
    if (target === slug) throw invalid('target', 'leads back to the slug itself')
    const next = target?.startsWith('/')
      ? ((await routeAt(tx, target)) ?? (await tx.find(tables.redirects, { slug: target })))
      : undefined
    if (!next) return at
    at = { target: next.target, route_id: next.route_id, locale: next.locale }
  }
  throw invalid('target', 'leads through too many redirects')
}

const followersOf = (tx: Writer, slug: string): Promise<Redirect[]> =>
  tx.findAll(tables.redirects, { target: slug }, { limit: maxFollowers + 1 })

/**
 * Redirects that lead to a slug lead to its end from now on.
 * @param most refuse with 409 beyond what can be changed together; otherwise the rest takes one step more
 */
export async function shorten(
  tx: Writer,
  slug: string,
  end: Destination,
  refusesMany: boolean,
): Promise<Redirect[]> {
  const followers = await followersOf(tx, slug)
  if (refusesMany && followers.length > maxFollowers)
    throw conflict(`more than ${maxFollowers} redirects lead to ${slug}: change their target instead`)
  const keys = followers.slice(0, maxFollowers).map(({ redirect_id }) => redirect_id)
  return tx.updateAll(tables.redirects, keys, end)
}

/** Changes of redirects by hand take turns with one another and with changes of slugs. */
export const redirectsInTurn = (tx: Writer): Promise<unknown> =>
  tx.lock(internalTables.locks, tables.routes.name)
