import { z } from 'zod'
import { authorOf } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { redirectFound } from '../../db/queries/redirects.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest } from '../../errors.js'
import { authorId, reference } from '../body-parts.js'
import { type Crud, crud } from '../crud.js'
import { hasHidden, slug } from '../text.js'
import { localeCode } from './locales.js'
import { type Destination, endOf, redirectsInTurn, routeAt, shorten } from './redirect-targets.js'
import { surrogateKeys } from './surrogate-keys.js'

const maxTarget = 512

const target = z
  .string()
  .max(maxTarget)
  .transform((given, context) => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (given.startsWith('/')) {
      const path = slug.safeParse(given)
      return path.success ? path.data : refuse(path.error.issues[0]?.message ?? 'must be a path')
    }
    if (!/^https?:\/\//i.test(given) || hasHidden(given) || !URL.canParse(given))
      return refuse('must be a path such as /about, or an http or https address')
    const url = new URL(given)
    if (url.username !== '' || url.password !== '') return refuse('must have no user name and no password')
    return url.href.length > maxTarget ? refuse(`must be at most ${maxTarget} bytes`) : url.href
  })
  .meta({ examples: ['/about'], description: 'A path of the site, or an http or https address.' })

const members = {
  slug,
  target: target.nullish(),
  route_id: reference
    .nullish()
    .meta({ description: 'Redirects to the page on this route, at its current address.' }),
  locale: z
    .union([z.literal(''), localeCode], 'must be a language tag such as de or de-AT')
    .meta({ description: 'With `route_id`: the locale of the address.' }),
  status: z.union([z.literal(301), z.literal(308)], 'must be 301 or 308'),
  author_id: authorId,
}
export const RedirectCreate = z.object({
  ...members,
  locale: members.locale.default(''),
  status: members.status.default(308),
})
export const RedirectUpdate = z.object(members).partial()

type Table = typeof tables.redirects
export type RedirectMode = 'automatic' | 'manual' | 'off'

/** Where a request goes instead. */
export interface Redirection {
  readonly target: string
  readonly status: 301 | 308
  /** Its surrogate keys, by which a cache can drop it. */
  readonly tags: string
}

export interface RedirectService
  extends Crud<Table, z.output<typeof RedirectCreate>, z.output<typeof RedirectUpdate>> {
  /** Finds the redirect at a slug without a page: one statement. Undefined without one that the audience may see. */
  of(request: { readonly slug: string; readonly audience: string }): Promise<Redirection | undefined>
}

/** Returns the destination that a body gives. @throws 400 unless it gives exactly one */
function givenDestination(given: {
  target?: string | null | undefined
  route_id?: string | null | undefined
  locale: string
}): Destination {
  const [to, route] = [given.target ?? null, given.route_id ?? null]
  if ((to === null) === (route === null)) throw badRequest('target: give either target or route_id', 'target')
  return { target: to, route_id: route, locale: route === null ? '' : given.locale }
}

function patchedDestination(before: Destination, patch: z.output<typeof RedirectUpdate>): Destination {
  const { target, route_id, locale } = { ...before, ...withoutUndefined(patch) }
  if (patch.target && patch.route_id === undefined) return givenDestination({ target, locale: '' })
  if (patch.route_id && patch.target === undefined) return givenDestination({ route_id, locale })
  return givenDestination({ target, route_id, locale })
}

const withoutUndefined = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

const isSame = (a: Destination, b: Destination): boolean =>
  a.target === b.target && a.route_id === b.route_id && a.locale === b.locale

/** Redirects from addresses that no page is on. A page always goes before a redirect of the same slug. */
export function redirects(db: Database, { mode }: { mode: () => RedirectMode }): RedirectService {
  const table = tables.redirects

  /** Checks where a slug is to lead, and takes along what leads to it and not to a page there. */
  async function settled(tx: Writer, slug: string, wanted: Destination): Promise<Destination> {
    const end = await endOf(tx, slug, wanted)
    if (!(await routeAt(tx, slug))) await shorten(tx, slug, end, true)
    return end
  }

  return {
    ...crud(db, table),
    create: (actor, { slug, status, author_id, ...given }) =>
      db.write(actor, async tx => {
        await redirectsInTurn(tx)
        const end = await settled(tx, slug, givenDestination(given))
        return tx.insert(table, { slug, status, author_id: authorOf(actor, author_id), ...end })
      }),
    update: (actor, id, patch, check) =>
      db.write(actor, async tx => {
        await redirectsInTurn(tx)
        const known = await tx.lock(table, id)
        check?.(known)
        const wanted = patchedDestination(known, patch)
        const { slug = known.slug, status, author_id } = patch
        const isMoved = slug !== known.slug || !isSame(known, wanted)
        const end = isMoved ? await settled(tx, slug, wanted) : wanted
        const own = isMoved ? { is_automatic: false } : {}
        return (await tx.update(table, id, { slug, status, author_id, ...end, ...own })).after
      }),
    async of({ slug, audience }) {
      if (mode() === 'off') return undefined
      const [found] = await db.query(redirectFound, { slug })
      if (!found) return undefined
      const { redirectId, routeId, rootStatus } = found
      // The old address of a page that is not public yet must not reveal where the page is.
      const isSeen = audience === 'public' ? rootStatus === 'published' : rootStatus !== null
      const path = isSeen ? (found.translatedSlug ?? found.slug) : null
      const target = routeId === null ? found.target : path
      if (target === null || target === slug) return undefined
      return {
        target,
        status: found.status === 301 ? 301 : 308,
        tags: [redirectId, ...(routeId === null ? [] : [routeId]), surrogateKeys.redirects].join(' '),
      }
    },
  }
}
