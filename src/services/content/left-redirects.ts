import type { Actor } from '../../actor.js'
import type { EntryRow, RouteRow } from '../../db/tables.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest } from '../../errors.js'
import { maxFollowers, type Redirect, shorten, toRoute } from './redirect-targets.js'
import type { RedirectMode } from './redirects.js'
import { slugsInTurn, slugsOf } from './route-translations.js'

const maxRemoved = 5000

const addressesOf = ({ slug, translations }: RouteRow): [slug: string, locale: string][] => [
  [slug, ''],
  ...Object.entries(translations).flatMap(([locale, own]): [string, string][] =>
    own.slug ? [[own.slug, locale]] : [],
  ),
]

/** Nobody can know the address of a page that was never public. */
const wasPublic = (root: EntryRow | undefined): root is EntryRow =>
  root !== undefined && root.published_at !== null

async function leave(
  tx: Writer,
  slug: string,
  to: { route_id: string; locale: string; author_id: string },
): Promise<void> {
  const end = toRoute(to.route_id, to.locale)
  const known = await tx.find(tables.redirects, { slug })
  if (known) await tx.update(tables.redirects, known.redirect_id, { ...end, is_automatic: true })
  else await tx.insert(tables.redirects, { slug, ...end, is_automatic: true, author_id: to.author_id })
  await shorten(tx, slug, end, false)
}

export type LeftRedirects = ReturnType<typeof leftRedirects>

/** Follows changes of routes of the public space. */
export function leftRedirects(mode: () => RedirectMode) {
  const isAutomatic = () => mode() === 'automatic'
  return {
    /** Leaves redirects at the addresses that a route has no longer. @param root the entry on it */
    async renamed(
      tx: Writer,
      actor: Actor,
      { before, after }: { before: RouteRow; after: RouteRow },
      root?: EntryRow,
    ) {
      const now = new Set(slugsOf(after))
      // An address that is the page's own again needs no redirect to it.
      for (const slug of now) {
        if (slugsOf(before).includes(slug)) continue
        const known = await tx.find(tables.redirects, { slug })
        if (known?.route_id === after.route_id) await tx.remove(tables.redirects, known.redirect_id)
      }
      if (!isAutomatic() || !wasPublic(root)) return
      const author_id = actor.userId ?? after.author_id
      for (const [slug, locale] of addressesOf(before))
        if (!now.has(slug)) await leave(tx, slug, { route_id: after.route_id, locale, author_id })
    },
    /** Leaves redirects at the addresses of the page that an entry was. @param to the route of the page that it is on now */
    async moved(tx: Writer, actor: Actor, entry: EntryRow, to: string | null) {
      if (!isAutomatic() || !wasPublic(entry) || entry.route_id === null || to === null) return
      const from = await tx.get(tables.routes, entry.route_id)
      if (!from || from.route_id === to) return
      await slugsInTurn(tx, tables, false)
      const author_id = actor.userId ?? from.author_id
      for (const [slug, locale] of addressesOf(from))
        await leave(tx, slug, { route_id: to, locale, author_id })
    },
    /** Takes redirects from a route that is about to go: they lead where its own address is redirected to, or go too. */
    async removed(tx: Writer, routeId: string) {
      await slugsInTurn(tx, tables, false)
      const route = await tx.get(tables.routes, routeId)
      const heir = route && (await tx.find(tables.redirects, { slug: route.slug }))
      const left = await tx.findAll(tables.redirects, { route_id: routeId }, { limit: maxRemoved + 1 })
      if (left.length > maxRemoved)
        throw badRequest(`more than ${maxRemoved} redirects lead to this route: delete some of them first`)
      if (heir && heir.route_id !== routeId) await follow(tx, left, heir)
      else await tx.removeAll(tables.redirects, left)
    },
  }
}

/** Redirects lead where another one does. One at the very address that this leads to would lead to itself, and goes. */
async function follow(tx: Writer, left: readonly Redirect[], heir: Redirect): Promise<void> {
  const { target, route_id, locale } = heir
  const to = route_id === null ? undefined : await tx.get(tables.routes, route_id)
  const ends = new Set(to ? slugsOf(to) : [target])
  await tx.removeAll(
    tables.redirects,
    left.filter(({ slug }) => ends.has(slug)),
  )
  const keys = left.filter(({ slug }) => !ends.has(slug)).map(({ redirect_id }) => redirect_id)
  for (let at = 0; at < keys.length; at += maxFollowers)
    await tx.updateAll(tables.redirects, keys.slice(at, at + maxFollowers), { target, route_id, locale })
}
