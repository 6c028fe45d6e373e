import { z } from 'zod'
import { type Actor, authorOf } from '../../actor.js'
import type { Database } from '../../db/database.js'
import type { ContentSpace, RouteRow } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { authorId } from '../body-parts.js'
import { type Check, type Crud, crud } from '../crud.js'
import { label, slug } from '../text.js'
import { PageEntry } from './content-input.js'
import type { ContentContext } from './context.js'
import type { ContentEvents } from './events.js'
import type { LeftRedirects } from './left-redirects.js'
import { invalidatePublicPage } from './public-state.js'
import {
  indexTranslations,
  refuseSlugs,
  slugsInTurn,
  slugsOf,
  translationsInput,
} from './route-translations.js'
import { mergedTranslations } from './translations.js'

export const RouteCreate = z.object({
  slug,
  title: label(1024),
  status: z.int32().default(1),
  author_id: authorId,
  translations: translationsInput.optional(),
})
export const RouteUpdate = z.object({
  slug: slug.optional(),
  title: label(1024).optional(),
  status: z.int32().optional(),
  author_id: authorId,
  translations: translationsInput.optional(),
})

/** A route together with the entry on it; `status` is the entry's. */
export const PageCreate = z.object({
  slug: slug.optional().meta({
    description:
      'If it is missing, the service creates the slug from the title, in the folder of the newest page of the datatype. If that slug is taken, it adds a number.',
  }),
  title: label(1024),
  translations: translationsInput.optional(),
  ...PageEntry.shape,
})

type NewRoute = z.input<typeof RouteCreate>
export type RouteService = Crud<ContentSpace['routes'], NewRoute, z.output<typeof RouteUpdate>>

interface RouteChange {
  id: string
  patch: z.output<typeof RouteUpdate>
  check?: Check<RouteRow> | undefined
}

const shownOf = ({ slug, title, translations }: RouteRow) => JSON.stringify([slug, title, translations])

/** Makes a route. @throws 409 when another page has its slug, in any locale */
export async function insertRoute(
  tx: Writer,
  space: ContentSpace,
  { translations: given, ...values }: Omit<NewRoute, 'author_id'> & { author_id: string },
): Promise<RouteRow> {
  await slugsInTurn(tx, space, given !== undefined)
  const row = { ...values, translations: mergedTranslations({}, given) }
  await refuseSlugs(tx, space, row)
  const made = await tx.insert(space.routes, row)
  if (given) await indexTranslations(tx, space, made)
  return made
}

/** Changes a route, and leaves redirects at the addresses of its page that are no longer there. */
export async function updateRoute(
  tx: Writer,
  { space, events, redirects }: Pick<ContentContext, 'space' | 'events' | 'redirects'>,
  actor: Actor,
  { id, patch: { translations: given, ...patch }, check }: RouteChange,
): Promise<RouteRow> {
  const changesSlugs = patch.slug !== undefined || given !== undefined
  if (changesSlugs) await slugsInTurn(tx, space, given !== undefined)
  const root = await tx.find(space.contentData, { route_id: id })
  if (root) await invalidatePublicPage(tx, space, root.root_id, { isEdit: true })
  const known = await tx.lock(space.routes, id)
  const translations = mergedTranslations(known.translations, given)
  const { before, after } = await tx.update(space.routes, id, { ...patch, translations }, check)
  if (changesSlugs) await refuseSlugs(tx, space, after, before.translations)
  if (given) await indexTranslations(tx, space, after)
  const isRenamed = slugsOf(before).join() !== slugsOf(after).join()
  if (isRenamed) await redirects?.renamed(tx, actor, { before, after }, root)
  if (root && shownOf(before) !== shownOf(after))
    await events.updated(tx, actor, root, async () => ({
      ids: [root.content_data_id],
      slugs: slugsOf(before),
    }))
  return after
}

/** Addresses of pages. A page shows its route's slug and title, so a changed route is a changed page. */
export function routes(
  db: Database,
  space: ContentSpace,
  { events, redirects }: { events: ContentEvents; redirects?: LeftRedirects | undefined },
): RouteService {
  return {
    ...crud(db, space.routes),
    create: (actor, { author_id, ...given }) =>
      db.write(actor, tx => insertRoute(tx, space, { ...given, author_id: authorOf(actor, author_id) })),
    update: (actor, id, patch, check) =>
      db.edit(actor, tx => updateRoute(tx, { space, events, redirects }, actor, { id, patch, check })),
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        check?.(await tx.lock(space.routes, id))
        await redirects?.removed(tx, id)
        await tx.remove(space.routes, id)
      }),
  }
}
